//! How evenly a schedule spreads its work over the warps, phase by phase, and how short any schedule of the graph can be at least.

use serde::Serialize;

use super::Schedule;
use cranelift_entity::SecondaryMap;
use graph::{Graph, Op, Part, StepRef};
use std::collections::BTreeMap;

/// Double-precision slots of one iteration of the streaming loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Balance {
    /// Length of the longest warp of each phase, summed over all phases.
    pub length: u64,
    /// Lower bound for every mapping to as many warps, whatever its phases: equal work for all warps, the longest operation, which one warp runs,
    /// and the longest chain of steps that wait for each other.
    pub lower_bound: u64,
    /// Share by which the length is above the lower bound.
    pub gap: f64,
    pub phases: Vec<PhaseBalance>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PhaseBalance {
    /// Slots of each warp.
    pub slots: Vec<u64>,
    /// The share of the warps' time until the longest one is done in which they have no work.
    pub waiting: f64,
}

/// Nothing where one warp does everything.
pub fn balance(graph: &Graph, schedule: &Schedule) -> Option<Balance> {
    if schedule.warps < 2 {
        return None;
    }
    let of = |run: &Vec<StepRef>| run.iter().map(|&at| slots(graph, at)).sum();
    let phases: Vec<PhaseBalance> =
        schedule.phases.iter().map(|phase| PhaseBalance::new(phase.runs.iter().map(of).collect())).collect();
    let length = phases.iter().map(PhaseBalance::longest).sum();
    let lower_bound = lower_bound(graph, schedule.warps);
    let gap = length as f64 / lower_bound.max(1) as f64 - 1.0;
    Some(Balance { length, lower_bound, gap, phases })
}

/// The phase in which each operation ends, by name.
pub fn phases<'g>(graph: &'g Graph, schedule: &Schedule) -> BTreeMap<&'g str, u32> {
    let runs = (0..).zip(&schedule.phases).flat_map(|(k, phase)| phase.runs.iter().flatten().map(move |at| (k, at)));
    let ends = runs.filter(|(_, at)| at.part == Part::Epilogue);
    ends.map(|(k, at)| (graph.ops[at.op].name.as_str(), k)).collect()
}

/// Whether a schedule has no more phases than another one, and these are shorter.
pub fn is_shorter(one: (&Graph, &Schedule), other: (&Graph, &Schedule)) -> bool {
    let [own, others] =
        [one, other].map(|(graph, schedule)| balance(graph, schedule).map_or(u64::MAX, |balance| balance.length));
    one.1.phases.len() <= other.1.phases.len() && own < others
}

impl PhaseBalance {
    fn new(slots: Vec<u64>) -> Self {
        let longest = slots.iter().copied().max().unwrap_or(0);
        let room = longest * slots.len() as u64;
        let waiting = (room - slots.iter().sum::<u64>()) as f64 / room.max(1) as f64;
        Self { slots, waiting }
    }

    fn longest(&self) -> u64 {
        self.slots.iter().copied().max().unwrap_or(0)
    }
}

/// As [`timeline`](super::timeline) counts them.
fn slots(graph: &Graph, at: StepRef) -> u64 {
    graph.body(at).slots().max(1)
}

fn lower_bound(graph: &Graph, warps: u32) -> u64 {
    let work = |op: Op| graph.ops[op].parts().map(|part| slots(graph, StepRef { op, part })).sum::<u64>();
    let all: u64 = graph.ops.keys().map(work).sum();
    all.div_ceil(warps.into()).max(chain(graph))
}

/// The longest chain of steps. A step waits for what it reads, iterations for the prologue, and the epilogue for all iterations, which run one after the
/// other.
fn chain(graph: &Graph) -> u64 {
    // when its epilogue, and its prologue, are done at the earliest
    let mut done: SecondaryMap<Op, [u64; 2]> = SecondaryMap::new();
    for op in graph.ops.keys() {
        let (mut prologue, mut iterations, mut work) = (0, 0, 0);
        for part in graph.ops[op].parts() {
            let at = StepRef { op, part };
            let inputs = graph.step(at).inputs.iter().map(|&value| {
                let StepRef { op: from, part } = graph.values[value].producer;
                // Values of iterations are there before the epilogue, when is not known.
                match part {
                    Part::Epilogue => done[from][0],
                    Part::Prologue => done[from][1],
                    Part::Iteration(_) => 0,
                }
            });
            let ready = inputs.max().unwrap_or(0);
            let own = slots(graph, at);
            work += own;
            match part {
                Part::Prologue => prologue = ready + own,
                Part::Iteration(_) => iterations = iterations.max(ready.max(prologue) + own),
                Part::Epilogue => done[op] = [(ready.max(prologue).max(iterations) + own).max(work), prologue],
            }
        }
    }
    graph.ops.keys().map(|op| done[op][0]).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_others_wait_for_the_longest_warp() {
        let phase = PhaseBalance::new(vec![10, 5, 0, 5]);
        assert_eq!((phase.longest(), phase.waiting), (10, 0.5));
        assert_eq!(PhaseBalance::new(vec![0, 0]).waiting, 0.0);
    }
}
