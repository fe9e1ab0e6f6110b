//! The estimators, applied to the model's own clocks, return the tables of the model.

use machine::target::Target;
use measure::benchmark::{self, entry, findings};
use measure::model::Tools;
use testkit::skip;

/// Entries whose estimates include additional instructions by ptxas: the largest deviation of each, as a share of the entry.
const MORE: [(&str, &str, f64); 4] = [
    ("ampere", "pipeline.tensor_latency", 0.13),
    ("hopper", "pipeline.gpu_fence_latency", 0.08),
    ("hopper", "tensor_fp64_per_clock_per_sm", 0.11),
    ("blackwell", "pipeline.fence_latency", 0.4),
];

fn give_back(name: &str) {
    if name != "hopper" && !skip::sweeps(format!("estimates on {name}")) {
        return;
    }
    let target = Target::by_name(name).unwrap();
    let tools = match Tools::find(target) {
        Ok(tools) => tools,
        Err(absent) => return skip::skip(absent),
    };
    let samples: Vec<_> = benchmark::all()
        .iter()
        .flat_map(|series| tools.samples(series, target).unwrap_or_else(|reason| panic!("{reason}")))
        .collect();
    let found = findings(&samples);
    assert_eq!(found.len(), 26, "every figure is there: {found:#?}");
    for found in &found {
        let has = entry(target, found.entry).unwrap_or_else(|| panic!("{} has no {}", name, found.entry));
        println!("{name}: {} {:.2}, the table has {has}", found.entry, found.value);
        let more = MORE.iter().find(|(target, entry, _)| (*target, *entry) == (name, found.entry));
        let far = (found.value - has).abs() > (more.map_or(0.04, |more| more.2) * has).max(0.5);
        assert!(!far, "{name}: {} is estimated at {:.2}, the table has {has}", found.entry, found.value);
    }
}

#[test]
fn ampere() {
    give_back("ampere");
}

#[test]
fn hopper() {
    give_back("hopper");
}

#[test]
fn blackwell() {
    give_back("blackwell");
}
