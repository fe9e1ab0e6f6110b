//! The names of the stretches between barriers, from the schedule.

use std::collections::BTreeMap;

use super::kind_and_part;
use graph::Graph;
use schedule::Schedule;
use toolkit::picture::Phase;
use warpsim::machine_code::Timeline;

/// The phases of all turns of the streaming loop, as the first CTA went through them. None where its barriers are not those of the
/// schedule alone.
pub fn phases(graph: &Graph, schedule: &Schedule, line: &Timeline) -> Vec<Phase> {
    let mut ends: Vec<u64> = line.meetings.iter().filter(|meeting| meeting.cta == 0).map(|m| m.released).collect();
    ends.sort_unstable();
    let syncs: Vec<usize> =
        schedule.phases.iter().enumerate().flat_map(|(k, phase)| phase.syncs.iter().map(move |_| k)).collect();
    if syncs.is_empty() || !ends.len().is_multiple_of(syncs.len()) {
        return Vec::new();
    }
    let mut phases: Vec<Phase> = Vec::new();
    for (at, end) in ends.into_iter().enumerate() {
        let (turn, phase) = (at / syncs.len(), syncs[at % syncs.len()]);
        // the last barrier of a boundary ends the phase
        if syncs.get(at % syncs.len() + 1) != Some(&phase) {
            let name = format!("{}.{}", turn + 1, phase + 1);
            phases.push(Phase { name, what: what(graph, schedule, phase), end });
        }
    }
    phases
}

/// The kinds of steps of a phase, the one with most double-precision slots first.
fn what(graph: &Graph, schedule: &Schedule, phase: usize) -> String {
    let mut slots: BTreeMap<String, u64> = BTreeMap::new();
    for &step in schedule.phases[phase].runs.iter().flatten() {
        *slots.entry(kind_and_part(graph, step)).or_default() += graph.body(step).slots().max(1);
    }
    let mut kinds: Vec<(String, u64)> = slots.into_iter().collect();
    kinds.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    kinds.into_iter().map(|(kind, _)| kind).collect::<Vec<_>>().join(", ")
}
