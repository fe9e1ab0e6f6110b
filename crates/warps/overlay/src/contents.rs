//! Contents of the slots of a schedule, for readers of the emitted text.

use graph::{Graph, Value};
use schedule::Schedule;
use std::collections::BTreeMap;

/// For each slot the values that lie there one after the other, each with the number of the phase that stores it, from 1 on.
pub fn slot_contents(graph: &Graph, schedule: &Schedule) -> Vec<(u32, Vec<(String, u32)>)> {
    let mut slots: BTreeMap<u32, Vec<(String, u32)>> = BTreeMap::new();
    for (phase, runs) in (1..).zip(schedule.phases.iter().map(|phase| &phase.runs)) {
        for value in runs.iter().flatten().flat_map(|at| &graph.step(*at).outputs) {
            let name = |value: Value| graph.values[value].name.clone();
            if let Some(slot) = schedule.slot_of[*value] {
                slots.entry(slot).or_default().push((name(*value), phase));
            }
        }
    }
    slots.into_iter().collect()
}
