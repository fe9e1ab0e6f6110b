//! With compilers: the model of an SM tells the times, and halving compiles a part of what it counts.

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
    command.args(["--ctas-per-sm", "1", "--points-per-lane", "1", "--constants", "stripe", "--form", "pairwise"]);
    command.args(["--vary", "codegen=overlay,data-parallel", "--vary", "warps=4,8,16"]);
    let output = command.args(more).arg("-o").arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn predicted(trial: &Value) -> Option<f64> {
    trial["cost"]["predicted_ns"].as_f64()
}

#[test]
fn the_model_decides_where_compilers_are() {
    let hopper = machine::target::Target::by_name("hopper").unwrap();
    if let Err(absent) = machine::toolchain::find_for(hopper.compute_capability) {
        return skip::skip(absent);
    }
    if let Err(reason) = singe::compilers::reads_machine_code(hopper) {
        return skip::skip(reason);
    }
    let folder = tempfile::tempdir().unwrap();
    let record = tune(folder.path(), &["--search", "halving"]);
    assert!(record["times"].as_str().unwrap().starts_with("times are predicted by the model of an SM of hopper"));
    let trials = record["trials"].as_array().unwrap();
    let on = |level: &'static str| trials.iter().filter(move |trial| trial["level"] == level);
    assert_eq!((on("compiled").count(), on("counted").count()), (4, 2));
    // By their estimates those that went on are the best.
    let estimated = |trial: &Value| trial["cost"]["estimated_ns"].as_f64().unwrap();
    let counted: Vec<Value> = text(folder.path(), "candidates.jsonl")
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|entry: &Value| entry["level"] == "counted")
        .collect();
    assert_eq!(counted.len(), 6);
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
    assert_eq!(all["trials"].as_array().unwrap().iter().filter_map(predicted).count(), 6);
    let losers = all["trials"].as_array().unwrap().iter().filter(|trial| trial["why"] != "");
    assert!(losers.into_iter().all(|trial| trial["why"].as_str().unwrap().contains("its warps wait longest for ")));
}
