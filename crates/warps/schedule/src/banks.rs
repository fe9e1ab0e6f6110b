//! Slots for matrix products on tensor cores, which read and write several at once: without conflicts of their banks.

use cranelift_entity::SecondaryMap;

use graph::{Graph, Value};

/// Rows of shared memory that the lanes of a matrix product access at once: neighbouring rows lie in different banks.
pub const BANKS: u32 = 4;

/// The remainder by [`BANKS`] that the slots of the values of matrix products should have: those that are read or written at
/// once have different ones.
pub fn preferred(graph: &Graph) -> SecondaryMap<Value, Option<u32>> {
    let mut bank = SecondaryMap::new();
    for at in graph.steps().filter(|&at| graph.crosses_lanes(at)) {
        let step = graph.step(at);
        for (i, &v) in (0..).zip(step.inputs.iter().chain(&step.outputs)) {
            bank[v] = Some(i % BANKS);
        }
    }
    bank
}

/// The lowest free slot, of the wanted bank if there is one.
pub fn take(free: &mut Vec<u32>, bank: Option<u32>) -> Option<u32> {
    match bank.and_then(|bank| free.iter().rposition(|slot| slot % BANKS == bank)) {
        Some(place) => Some(free.remove(place)),
        None => free.pop(),
    }
}
