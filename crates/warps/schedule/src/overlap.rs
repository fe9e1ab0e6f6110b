//! Share of the quasi-steady solution that runs while other warps still compute rates (paper section 4.2), on the clock
//! of [`timeline`](super::timeline). For comparison there is the same share if the hand-over to the QSSA warps were one
//! full barrier. The third figure is the length of the iteration with one full barrier between all rates and the
//! solution.

use std::collections::HashSet;

use serde::Serialize;

use super::timeline::{Timeline, timeline, timeline_with};
use super::{Schedule, SyncPoint, all_warps};
use graph::{Graph, Part, Role, StepRef};

/// The work of the QSSA warps in double-precision slots, and how much of it has company.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Overlap {
    /// Slots of the steps that only the QSSA warps run, on all its warps.
    pub group_slots: u64,
    /// Share of these slots that runs while at least one other warp runs a step that needs nothing from the QSSA warps.
    pub share: f64,
    /// The same share if every warp waited for every other one at the hand-over.
    pub share_with_full_barrier: f64,
    /// The same share if all boundaries from the hand-over to the end of the solution were full barriers.
    pub share_with_full_barriers: f64,
    /// The length of the iteration in slots in these three cases.
    pub length: u64,
    pub length_with_full_barrier: u64,
    pub length_with_full_barriers: u64,
    /// The same length if the solution, and what needs it, began after one full barrier behind all other steps: no overlap.
    pub length_after_rates: u64,
}

/// `None` where the graph has no QSSA warps, or one warp does everything.
pub fn overlap(graph: &Graph, schedule: &Schedule) -> Option<Overlap> {
    graph.qssa_warps.as_ref()?;
    let serves = |at: &StepRef| graph.role(*at) == Role::Member;
    let mut served = (0..schedule.phases.len()).filter(|&p| schedule.phases[p].runs.iter().flatten().any(serves));
    let first = served.next().filter(|_| schedule.warps > 1)?;
    let last = served.next_back().unwrap_or(first);
    let dependent = dependent(graph);
    let hand_over = first.saturating_sub(1);
    let lines = [
        timeline(graph, schedule),
        with_full(graph, schedule, hand_over..first),
        with_full(graph, schedule, hand_over..last),
    ];
    let [share, share_with_full_barrier, share_with_full_barriers] =
        [0, 1, 2].map(|n: usize| accompanied(graph, &dependent, &lines[n]));
    let [length, length_with_full_barrier, length_with_full_barriers] = [0, 1, 2].map(|n: usize| lines[n].length());
    let length_after_rates = [false, true]
        .map(|late| timeline_with(graph, schedule, &|at| dependent.contains(&at) == late, &|_| None).length())
        .iter()
        .sum();
    let group = lines[0].blocks.iter().filter(|b| serves(&b.step));
    Some(Overlap {
        group_slots: group.map(|b| b.end - b.start).sum(),
        share,
        share_with_full_barrier,
        share_with_full_barriers,
        length,
        length_with_full_barrier,
        length_with_full_barriers,
        length_after_rates,
    })
}

/// The schedule on the clock, with a full barrier at the boundaries of the range.
fn with_full(graph: &Graph, schedule: &Schedule, boundaries: std::ops::Range<usize>) -> Timeline {
    let full = [SyncPoint { id: 0, arrive: 0, wait: all_warps(schedule.warps), threads: 32 * schedule.warps }];
    timeline_with(graph, schedule, &|_| true, &|p| boundaries.contains(&p).then_some(&full[..]))
}

/// The share of the QSSA warps' slots at which another warp runs a step that needs nothing from the QSSA warps.
fn accompanied(graph: &Graph, dependent: &HashSet<StepRef>, line: &Timeline) -> f64 {
    let (mut all, mut beside) = (0u64, 0u64);
    for own in line.blocks.iter().filter(|b| graph.role(b.step) == Role::Member) {
        let mut others: Vec<(u64, u64)> = line
            .blocks
            .iter()
            .filter(|b| b.warp != own.warp && b.start < own.end && b.end > own.start && !dependent.contains(&b.step))
            .map(|b| (b.start.max(own.start), b.end.min(own.end)))
            .collect();
        others.sort_unstable();
        let mut reached = own.start;
        for (start, end) in others {
            beside += end.saturating_sub(start.max(reached));
            reached = reached.max(end);
        }
        all += own.end - own.start;
    }
    if all == 0 { 0.0 } else { beside as f64 / all as f64 }
}

/// The steps of the QSSA warps, and those that need what they make.
fn dependent(graph: &Graph) -> HashSet<StepRef> {
    let mut found: HashSet<StepRef> = graph.steps().filter(|&at| graph.role(at) == Role::Member).collect();
    loop {
        let before = found.len();
        for at in graph.steps() {
            let from_group = graph.step(at).inputs.iter().any(|&v| found.contains(&graph.values[v].producer));
            // The epilogue follows every iteration, and every iteration of an ordered operation those before it.
            let goes_on = graph.ops[at.op].parts().take_while(|&part| part != at.part).any(|part| {
                (at.part == Part::Epilogue || graph.ops[at.op].ordered) && found.contains(&StepRef { op: at.op, part })
            });
            if from_group || goes_on {
                found.insert(at);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
