//! Slots in shared memory, where the others lie in global memory: those that are accessed most.

use super::Schedule;
use graph::Graph;
use std::cmp::Reverse;

/// Numbers the slots anew, those with most accesses first. Which values share a slot stays as it is.
pub fn first(graph: &Graph, schedule: &mut Schedule) {
    let mut accesses = vec![0u64; schedule.slots as usize];
    let stored = graph.values.keys();
    let read = graph.steps().flat_map(|at| graph.step(at).inputs.iter().copied());
    for value in stored.chain(read) {
        if let Some(slot) = schedule.slot_of[value] {
            accesses[slot as usize] += 1;
        }
    }
    let mut order: Vec<usize> = (0..accesses.len()).collect();
    order.sort_by_key(|&slot| (Reverse(accesses[slot]), slot));
    let mut number = vec![0; accesses.len()];
    (0..).zip(&order).for_each(|(new, &old)| number[old] = new);
    for value in graph.values.keys() {
        if let Some(slot) = schedule.slot_of[value] {
            schedule.slot_of[value] = Some(number[slot as usize]);
        }
    }
}
