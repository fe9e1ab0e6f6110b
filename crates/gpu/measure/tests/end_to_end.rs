//! A pack is made, run on a stand-in for the driver whose kernels take what is scripted, and read.

use machine::target::Target;
use measure::benchmark::{self, Series};
use measure::model::Tools;
use measure::{plan, project, results, runner};
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};
use testkit::skip;

const STAND_IN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stand_in.c");

fn compiled(arguments: &[&str], folder: &Path) {
    let run =
        Command::new("cc").args(["-O2", "-Wall", "-Wextra", "-Werror"]).args(arguments).current_dir(folder).output();
    let run = run.expect("there is a C compiler");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

fn run(folder: &Path, packs: &[&str], library: &str) -> Output {
    let mut command = Command::new(folder.join("runner"));
    command.arg("results.json").args(packs).current_dir(folder);
    command.env("SINGE_LIBCUDA", library).env("SINGE_STAND_IN", folder.join("script"));
    command.output().expect("the runner runs")
}

/// Returns the series whose names begin with one of these.
fn some(names: &[&str]) -> Vec<Series> {
    benchmark::all().into_iter().filter(|series| names.iter().any(|name| series.name.starts_with(name))).collect()
}

/// The model's clocks, where a link of doubles takes three clocks more, and each warp at a barrier one more.
fn script(all: &[Series], target: &Target, tools: &Tools) -> String {
    let mut text = String::new();
    for series in all {
        let more = match series.name.as_str() {
            "double" => 3.0,
            name if name.starts_with("barrier") => f64::from(series.warps),
            _ => 0.0,
        };
        for sample in tools.samples(series, target).unwrap() {
            for (rounds, clocks) in sample.rounds.into_iter().zip(sample.clocks) {
                let clocks = clocks + more * f64::from(rounds * sample.length);
                writeln!(text, "{} {rounds} {clocks}", series.entry(sample.length)).unwrap();
            }
        }
    }
    text
}

#[test]
fn what_a_gpu_takes_otherwise_is_proposed() {
    let (hopper, blackwell) = (Target::by_name("hopper").unwrap(), Target::by_name("blackwell").unwrap());
    let tools = match Tools::find(hopper).and_then(|tools| Tools::find(blackwell).map(|_| tools)) {
        Ok(tools) => tools,
        Err(absent) => return skip::skip(absent),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let all = some(&["double", "barrier", "shared", "l1"]);
    plan::pack(&all, hopper).unwrap().write(&path.join("hopper")).unwrap();
    plan::pack(&some(&["double"]), blackwell).unwrap().write(&path.join("blackwell")).unwrap();
    std::fs::write(path.join("runner.c"), runner::SOURCE).unwrap();
    std::fs::write(path.join("script"), script(&all, hopper, &tools)).unwrap();
    compiled(&["-o", "runner", "runner.c", "-ldl", "-lm"], path);
    compiled(&["-shared", "-fPIC", "-o", "stand_in.so", STAND_IN, "-lm"], path);

    let ran = run(path, &["blackwell", "hopper"], "./stand_in.so");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let results = results::read(&std::fs::read_to_string(path.join("results.json")).unwrap()).unwrap();
    assert_eq!((results.device.name.as_str(), results.device.multiprocessors), ("stand-in 0", 132));
    let rows = results::rows(&results);
    assert!(rows.iter().all(|row| row.target == "hopper"), "code for another GPU was passed over");
    let proposed = |entry: &str| rows.iter().find(|row| row.entry == entry).unwrap().proposed();
    assert_eq!(proposed("pipeline.double_latency"), 11.0);
    assert_eq!(proposed("pipeline.barrier_latency"), 10.0);
    assert_eq!(proposed("pipeline.barrier_latency_per_warp"), 3.0);
    assert_eq!(proposed("pipeline.memory.shared_latency"), 30.0);
    assert_eq!(proposed("pipeline.memory.l1_latency"), 38.0);
    assert_eq!(proposed("fp64_per_clock_per_sm"), 64.0);
    let changed = results::proposals(&results);
    assert_eq!(
        changed.lines().map(|line| line.split(" #").next().unwrap()).collect::<Vec<_>>(),
        [
            "hopper.toml: pipeline.double_latency = 11",
            "hopper.toml: pipeline.barrier_latency_per_warp = 3",
            "hopper.toml: board.launch_nanoseconds = 2600",
            "hopper.toml: pipeline.ctas_rotate = true",
            "hopper.toml: board.reached_gigabytes_per_second = 2147"
        ]
    );
    assert!(!results::mechanisms_page(&results).contains('|'), "there are none");
    assert!(results::page(&results).contains("| load of shared memory, clocks | hopper | 30.0 | 30.0 | 1.00 |"));

    refuses(path);
}

/// A project of `singe` in a few lines: one kernel with three inputs, as its files say it.
fn toy(folder: &Path) {
    let kernel = "#define IN const double *__restrict__\nextern \"C\" __global__ void toy_viscosity_overlay(IN t, IN p, IN x, double *out, int points, int stride)\n\
         { int i = blockIdx.x * 32 + threadIdx.x; if (i < points) out[i] = t[i] + p[i] + x[i] + x[i + stride]; }\n\
         // const int threads = 32; const int groups_per_cta = 1; const int dynamic_shared_bytes = 0; const int groups = points / 32 + 1;\n";
    let table =
        |name: &str, values: &str| format!("static const double toy_reference_{name}[3] = {{\n  {values},\n}};\n");
    let reference = "enum { toy_reference_states = 3 };\n".to_owned()
        + &table("temperature", "300.0, 1000.0, 2000.5")
        + &table("pressure", "1.0e5, 2.0e5, 3.0e5")
        + &table("mole_fractions", "0.25, 0.5, 0.75, 0.75, 0.5, 0.25")
        + &table("viscosity", "1.5, 2.5, 3.5")
        + &table("viscosity_scale", "1.5, 2.5, 3.5");
    let report = r#"{"mechanism": "toy", "target": "hopper (sm_90)", "kernels": [{"kernel": "viscosity", "symbol": "toy_viscosity_overlay",
        "codegen": "overlay", "verification": {"tolerance": 1e-12}, "prediction": {"cubes": [{"edge": 64, "microseconds": 40.0}]},
        "arrays": [{"name": "temperature", "rows": 1, "output": false}, {"name": "pressure", "rows": 1, "output": false},
                   {"name": "mole_fractions", "rows": 2, "output": false}, {"name": "viscosity", "rows": 1, "output": true}]}]}"#;
    for (name, text) in [("toy_viscosity_overlay.cu", kernel), ("toy_reference.h", &reference), ("report.json", report)]
    {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

/// Right values pass, and one that is off by more than is allowed does not.
#[test]
fn kernels_of_mechanisms_are_checked_and_timed() {
    if let Err(absent) = Tools::find(Target::by_name("hopper").unwrap()) {
        return skip::skip(absent);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    toy(path);
    project::pack(path).unwrap().0.write(&path.join("toy")).unwrap();
    std::fs::write(path.join("runner.c"), runner::SOURCE).unwrap();
    compiled(&["-o", "runner", "runner.c", "-ldl", "-lm"], path);
    compiled(&["-shared", "-fPIC", "-o", "stand_in.so", STAND_IN, "-lm"], path);
    for (last, right) in [(3.5, true), (3.5 + 1e-11, false), (f64::NAN, false)] {
        let values: Vec<u8> = [1.5, 2.5, last].into_iter().flat_map(f64::to_le_bytes).collect();
        std::fs::write(path.join("values"), values).unwrap();
        let ran = Command::new(path.join("runner"))
            .args(["results.json", "toy"])
            .current_dir(path)
            .env("SINGE_LIBCUDA", "./stand_in.so")
            .env("SINGE_STAND_IN_VALUES", path.join("values"))
            .output()
            .unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let results = results::read(&std::fs::read_to_string(path.join("results.json")).unwrap()).unwrap();
        let (target, kernel) = results::kernels(&results).next().unwrap();
        assert_eq!((target, kernel.is_right(), kernel.different), ("hopper", right, 0), "{kernel:?}");
        let verdict = if right { "right" } else { "WRONG" };
        let row = format!("| toy | viscosity | overlay | hopper | 0.19 | 0.15 | 0.80 | {verdict} |");
        assert!(results::page(&results).contains(&row), "{}", results::page(&results));
        let alone = results::mechanisms_page(&results);
        assert!(alone.starts_with("stand-in 0, ") && alone.contains(&row), "{alone}");
    }
}

/// Refused runs: without a device, without code for the one there is, without a pack.
fn refuses(path: &Path) {
    for (packs, library, code, says) in [
        (&["hopper"][..], "./absent.so", 2, "no CUDA device"),
        (&["blackwell"][..], "./stand_in.so", 1, "no pack has code for it"),
        (&["nowhere"][..], "./stand_in.so", 1, "nowhere/plan.txt: cannot be read"),
    ] {
        let ran = run(path, packs, library);
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.code() == Some(code) && said.contains(says), "{packs:?}: {:?} {said}", ran.status);
    }
}
