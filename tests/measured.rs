//! `singe measure` from a kernel, or a project, to what a GPU took, with a stand-in for the driver.

use std::path::Path;
use std::process::{Command, Output};

use machine::target::Target;
use machine::toolchain;
use testkit::skip;

const STAND_IN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/gpu/measure/tests/stand_in.c");

const AXPY: &str = "extern \"C\" __global__ void axpy(const double *x, double *y, double a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
";

const LAUNCH: &str = "ctas = 4\nthreads = 64\n[[arguments]]\nramp = [0.0, 0.25]\nlength = 256\n\
    [[arguments]]\nfill = 0.1\nlength = 256\noutput = true\n[[arguments]]\nf64 = 0.3\n[[arguments]]\ns32 = 250\n";

/// Whether compilers for the targets, a disassembler and a C compiler are there.
fn can(targets: &[&str]) -> bool {
    for target in targets {
        let arch = Target::by_name(target).unwrap().compute_capability;
        if let Err(absent) = toolchain::find_for(arch).and_then(|_| toolchain::disassembler(arch)) {
            skip::skip(absent);
            return false;
        }
    }
    let there = Command::new("cc").arg("--version").output().is_ok_and(|run| run.status.success());
    if !there {
        skip::skip("there is no C compiler");
    }
    there
}

fn singe(folder: &Path, arguments: &[&str]) -> Output {
    let mut run = assert_cmd::Command::cargo_bin("singe").unwrap();
    // the compilers of this checkout
    let tools = concat!(env!("CARGO_MANIFEST_DIR"), "/.toolchain");
    if Path::new(tools).is_dir() {
        run.env("SINGE_TOOLCHAIN", tools);
    }
    run.current_dir(folder).args(arguments).output().unwrap()
}

fn succeeds(run: &Output) {
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

/// Runs the archive as its reader does, on the stand-in.
fn measured(archive: &Path, environment: &[(&str, &str)]) {
    let compiled = Command::new("cc")
        .args(["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", "stand_in.so", STAND_IN, "-lm"])
        .current_dir(archive)
        .output();
    succeeds(&compiled.unwrap());
    let mut run = Command::new("sh");
    run.arg(archive.join("run.sh")).env("SINGE_LIBCUDA", "./stand_in.so").envs(environment.iter().copied());
    succeeds(&run.output().unwrap());
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_kernel_is_measured_beside_its_prediction() {
    if !can(&["hopper", "ampere"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::write(path.join("axpy.cu"), AXPY).unwrap();
    std::fs::write(path.join("l.toml"), LAUNCH).unwrap();
    let run = singe(path, &["measure", "axpy.cu", "--launch", "l.toml", "--target", "hopper,ampere"]);
    succeeds(&run);
    assert!(run.stdout.is_empty() && text(&run.stderr).contains("singe measure results.json"));
    let archive = path.join("singe-measure-axpy");
    for file in ["runner.c", "run.sh", "axpy.cu", "l.toml", "packs/hopper/l.cubin", "packs/ampere/plan.txt"] {
        assert!(archive.join(file).is_file(), "{file} is absent");
    }

    for (off, code, values) in [
        ("0", 0, "256 equal"),
        ("1e-14", 0, "1 of 256 differ, by 5e-16 at most"),
        ("1e-9", 3, "WRONG: 1 of 256"),
        ("nan", 3, "WRONG: 1 of 256"),
    ] {
        measured(&archive, &[("SINGE_STAND_IN_OFF", off)]);
        let told = singe(&archive, &["measure", "results.json"]);
        let (page, messages) = (text(&told.stdout), text(&told.stderr));
        assert_eq!(told.status.code(), Some(code), "{page}{messages}");
        // launches take 6, 7, … 18 microseconds; the first two do not count
        let row = page
            .lines()
            .find(|line| line.starts_with("| axpy | l | hopper | 13.00 | "))
            .unwrap_or_else(|| panic!("{page}"));
        assert!(row.ends_with(&format!("| {values} |")), "{row}");
        assert!(!page.contains("ampere"), "a Hopper runs its own code: {page}");
        assert_eq!(messages.contains("measure::wrong"), code == 3, "{messages}");
    }
    let json = singe(&archive, &["measure", "results.json", "--json"]);
    let all: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let predicted = all["launches"][0]["is"]["predicted"].as_f64().unwrap();
    let timed = singe(path, &["ptx", "time", "axpy.cu", "--launch", "l.toml", "--json"]);
    let timed: serde_json::Value = serde_json::from_slice(&timed.stdout).unwrap();
    let all_on_one = 2.5 + timed["timing"]["cycles"].as_f64().unwrap() / 1980.0;
    assert!(2.5 < predicted && predicted < all_on_one, "{predicted} beside {all_on_one}");

    // an archive that is made again for one target has no packs of the other
    succeeds(&singe(path, &["measure", "axpy.cu", "--launch", "l.toml", "--target", "ampere"]));
    assert!(!archive.join("packs/hopper").exists() && archive.join("packs/ampere").is_dir());
    std::fs::write(archive.join("run.sh"), "mine\n").unwrap();
    let again = ["measure", "axpy.cu", "--launch", "l.toml", "--target", "ampere"];
    let refused = singe(path, &again);
    assert!(refused.status.code() == Some(1) && text(&refused.stderr).contains("output::not-ours"), "a changed file");
    succeeds(&singe(path, &[&again[..], &["--force"]].concat()));
}

#[test]
fn a_project_is_measured_beside_its_report() {
    if !can(&["hopper"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mechanism = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");
    let options = ["--kernel", "conductivity", "--target", "hopper", "--codegen", "data-parallel"];
    let project = ["--emit", "cuda,host,report", "-o", "project"];
    succeeds(&singe(path, &[&[mechanism], &options[..], &project].concat()));
    succeeds(&singe(path, &["measure", "project", "-o", "archive"]));
    let pack = path.join("archive/packs/hopper");
    let plan = std::fs::read_to_string(pack.join("plan.txt")).unwrap();
    let word = |key: &str| plan.split_whitespace().find_map(|word| word.strip_prefix(key)).unwrap().to_owned();
    let inputs = word("inputs=").split(',').count().to_string();
    let values = pack.join(word("expected="));
    measured(
        &path.join("archive"),
        &[("SINGE_STAND_IN_VALUES", values.to_str().unwrap()), ("SINGE_STAND_IN_INPUTS", &inputs)],
    );
    let told = singe(path, &["measure", "archive/results.json"]);
    let page = text(&told.stdout);
    assert_eq!(told.status.code(), Some(0), "{page}{}", text(&told.stderr));
    let row = page.lines().find(|line| line.starts_with("| h2o2 | conductivity | data-parallel | hopper | 0.19 |"));
    assert!(row.is_some_and(|row| row.ends_with("| right |") && !row.contains('–')), "{page}");
}
