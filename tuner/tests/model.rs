//! Tests with compilers: the model of an SM tells the times, and halving compiles a part of what it counts.

mod common;

use std::path::Path;
use std::process::Command;

use common::{mechanism, text};
use serde_json::Value;
use testkit::skip;

/// Layouts and sizes of a CTA for one kernel on Hopper.
fn tune(folder: &Path, more: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_singe-tune"));
    command.arg(mechanism()).args(["--kernel", "conductivity", "--target", "hopper", "--widen", "off", "--json"]);
    command.args([
        "--ctas-per-sm", "1", "--layout", "points-per-lane=1", "--layout", "constants=stripe", "--form", "pairwise",
    ]);
    command.args(["--vary", "codegen=overlay,data-parallel", "--vary", "warps=4,8,16"]);
    let output = command.args(more).arg("-o").arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn predicted(trial: &Value) -> Option<f64> {
    trial["cost"]["predicted_ns"].as_f64()
}

/// Kernels of a report with the time that is known best, in nanoseconds per point.
fn times(folder: &Path) -> Vec<(String, f64)> {
    let report: Value = serde_json::from_str(&text(folder, "report.json")).unwrap();
    let time = |machine: &Value| machine["predicted_ns"].as_f64().or(machine["estimated_ns"].as_f64()).unwrap();
    let kernels = report["kernels"].as_array().unwrap();
    kernels.iter().map(|kernel| (kernel["kernel"].as_str().unwrap().to_owned(), time(&kernel["machine"]))).collect()
}

/// Returns the times of `singe` for the h2o2 mechanism with some more words.
fn singe(folder: &Path, more: &[&std::ffi::OsStr]) -> Vec<(String, f64)> {
    let mut words: Vec<std::ffi::OsString> =
        vec!["singe".into(), mechanism().into(), "--quiet".into(), "--no-cache".into()];
    words.extend(["-o".into(), folder.into()]);
    words.extend(more.iter().map(|word| (*word).to_owned()));
    assert_eq!(singe::cli::run(words), std::process::ExitCode::SUCCESS);
    times(folder)
}

/// One that spills under many CTAs, and one that does not.
const KERNELS: &str = "viscosity,conductivity";

/// A grid in which the estimate prefers what spills, beside what plain `singe` takes; and what the configuration then gives.
fn never_behind_auto(checks: &str) {
    let folder = tempfile::tempdir().unwrap();
    let part = |name: &str| folder.path().join(name);
    let mut command = Command::new(env!("CARGO_BIN_EXE_singe-tune"));
    command.arg(mechanism()).args(["--kernel", KERNELS, "--target", "hopper", "--verify", checks]);
    command.args(["--widen", "off", "--json", "-o"]);
    command
        .arg(part("tuned"))
        .args(["--vary", "codegen=data-parallel", "--vary", "warps=16", "--vary", "ctas-per-sm=1,4"]);
    let output = command.args(["--vary", "points-per-lane=2", "--vary", "form=auto"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    let words = ["--kernel", KERNELS, "--target", "hopper", "--verify", checks];
    let plain = singe(&part("plain"), &words.map(std::ffi::OsStr::new));
    assert_eq!(plain.len(), 2);
    let config = part("tuned").join("best.toml");
    let tuned = singe(&part("again"), &["--config".as_ref(), config.as_os_str(), "--verify".as_ref(), checks.as_ref()]);
    assert_eq!(tuned, times(&part("tuned")), "the configuration gives what the search found");
    for ((kernel, plain), (_, tuned)) in plain.iter().zip(&tuned) {
        let best = record["best"].as_array().unwrap().iter().find(|best| best["kernel"] == kernel.as_str()).unwrap();
        let [auto, own] = ["auto_nanoseconds", "nanoseconds"].map(|key| best[key].as_f64().unwrap());
        assert!(own <= auto, "{best}");
        // An estimate counts a last group of points that is not full.
        if best["kind"] == "predicted" {
            // Of versions within what a time varies by, each search takes the one that it finds sturdier.
            let (close, same) =
                (|a: f64, b: f64| (a / b - 1.0).abs() < 0.01, |a: f64, b: f64| (a / b - 1.0).abs() < 1e-6);
            assert!(close(auto, *plain) && same(own, *tuned), "{kernel}: {plain} {tuned} {best}");
            assert!(*tuned <= plain * 1.01, "{kernel}: {tuned} ns, and plain singe {plain}");
        }
    }
    // Without the model what spills more than that is no winner, whatever the estimate says.
    let trials = record["trials"].as_array().unwrap();
    let spilled = |kernel: &Value, settings: &Value| {
        let it = trials.iter().find(|trial| trial["kernel"] == *kernel && trial["settings"] == *settings).unwrap();
        it["cost"]["spilled_bytes"].as_u64().unwrap()
    };
    for best in record["best"].as_array().unwrap().iter().filter(|best| best["kind"] == "estimated") {
        let auto = spilled(&best["kernel"], &serde_json::json!([]));
        assert!(spilled(&best["kernel"], &best["settings"]) <= auto, "{best}");
        let estimated = |trial: &Value| trial["cost"]["estimated_ns"].as_f64().unwrap();
        let least = trials
            .iter()
            .filter(|trial| trial["kernel"] == best["kernel"])
            .map(estimated)
            .fold(f64::INFINITY, f64::min);
        assert!(
            best["kernel"] != "viscosity" || least < best["nanoseconds"].as_f64().unwrap(),
            "one that spills is estimated faster"
        );
    }
}

#[test]
fn no_search_ends_behind_what_singe_takes_by_itself() {
    never_behind_auto("no-compilers");
    let hopper = machine::target::Target::by_name("hopper").unwrap();
    if let Err(absent) = machine::toolchain::find_for(hopper.compute_capability) {
        return skip::skip(absent);
    }
    if let Err(reason) = toolkit::cubin::reads_machine_code(hopper) {
        return skip::skip(reason);
    }
    never_behind_auto("70");
}

#[test]
fn the_model_decides_where_compilers_are() {
    let hopper = machine::target::Target::by_name("hopper").unwrap();
    if let Err(absent) = machine::toolchain::find_for(hopper.compute_capability) {
        return skip::skip(absent);
    }
    if let Err(reason) = toolkit::cubin::reads_machine_code(hopper) {
        return skip::skip(reason);
    }
    let folder = tempfile::tempdir().unwrap();
    let record = tune(folder.path(), &["--search", "halving"]);
    assert!(record["times"].as_str().unwrap().starts_with("times are predicted by the model of an SM of hopper"));
    let trials = record["trials"].as_array().unwrap();
    let on = |level: &'static str| trials.iter().filter(move |trial| trial["level"] == level);
    assert_eq!((on("compiled").count(), on("counted").count()), (5, 2));
    // Those that went on are the best by their estimates.
    let estimated = |trial: &Value| trial["cost"]["estimated_ns"].as_f64().unwrap();
    let counted: Vec<Value> = text(folder.path(), "candidates.jsonl")
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|entry: &Value| entry["level"] == "counted")
        .collect();
    assert_eq!(counted.len(), 7);
    // The default of singe goes on in any case.
    let counted: Vec<Value> = counted.into_iter().filter(|entry| entry["settings"] != serde_json::json!([])).collect();
    let stayed = |entry: &&Value| on("counted").any(|trial| trial["settings"] == entry["settings"]);
    let worst = counted.iter().filter(|entry| !stayed(entry)).map(estimated).fold(0.0, f64::max);
    assert!(counted.iter().filter(stayed).all(|entry| estimated(entry) >= worst));
    assert!(on("counted").all(|trial| trial["why"].as_str().unwrap().starts_with("not among those that went on")));

    let least = on("compiled").filter_map(predicted).fold(f64::INFINITY, f64::min);
    assert_eq!(
        (record["best"][0]["nanoseconds"].as_f64(), &record["best"][0]["kind"]),
        (Some(least), &"predicted".into())
    );
    assert!(text(folder.path(), "best.toml").contains(" ns per point predicted, "));

    // The other search takes what is there, and compiles the rest.
    let before = text(folder.path(), "candidates.jsonl").lines().count();
    let all = tune(folder.path(), &["--search", "exhaustive"]);
    assert_eq!(text(folder.path(), "candidates.jsonl").lines().count(), before + 2);
    assert_eq!(all["trials"].as_array().unwrap().iter().filter_map(predicted).count(), 7);
    let losers = all["trials"].as_array().unwrap().iter().filter(|trial| trial["why"] != "");
    assert!(losers.into_iter().all(|trial| trial["why"].as_str().unwrap().contains("its warps wait longest for ")));
}
