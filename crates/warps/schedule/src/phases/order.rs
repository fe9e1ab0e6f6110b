//! The order in which the steps of a graph ask for their turn.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use cranelift_entity::{EntityRef, SecondaryMap};

use graph::{Graph, Op, Part, Role, StepRef};
use mapping::Mapping;

/// All steps by their place in the order; `path` has the longest path from each operation to a result.
pub fn waiting(graph: &Graph, mapping: &Mapping, path: &SecondaryMap<Op, u32>) -> BTreeMap<Group, Vec<StepRef>> {
    let depth = graph.depths();
    let mut longest: BTreeMap<u32, u32> = BTreeMap::new();
    for at in graph.steps() {
        let entry = longest.entry(graph.step(at).shape.index() as u32).or_default();
        *entry = (*entry).max(path[at.op]);
    }
    let chunk = chunks(graph, mapping, &depth);
    let mut waiting: BTreeMap<Group, Vec<StepRef>> = BTreeMap::new();
    for at in graph.steps() {
        let shape = graph.step(at).shape.index() as u32;
        let part = match at.part {
            Part::Prologue => 0,
            Part::Iteration(_) => 1,
            Part::Epilogue => 2,
        };
        let group = Group {
            role: graph.role(at),
            depth: depth[at.op],
            chunk: chunk[at.op],
            part,
            path: Reverse(longest[&shape]),
            shape,
        };
        waiting.entry(group).or_default().push(at);
    }
    waiting
}

/// Position of a step in the order within a phase; equal keys are the same kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// Role of the operation: those that feed the QSSA warps come first, then the QSSA warps' own.
    pub role: Role,
    depth: u32,
    /// Operations with running states go through all their steps a few at a time, to spare registers.
    chunk: u32,
    part: u32,
    path: Reverse<u32>,
    shape: u32,
}

impl Group {
    /// Groups that share slots and load in turn.
    pub fn class(&self) -> (Role, u32, u32, u32) {
        (self.role, self.depth, self.chunk, self.part)
    }
}

/// Running states of the operations of one chunk, about: 32 registers, which a thread has for them beside constants and what
/// lives shortly even where it may use 64 in all.
pub const CHUNK_STATES: u32 = 16;

/// Numbers the chunks of each warp's operations of one depth and kind.
fn chunks(graph: &Graph, mapping: &Mapping, depth: &SecondaryMap<Op, u32>) -> SecondaryMap<Op, u32> {
    let mut rank: BTreeMap<(u32, u32, u32), u32> = BTreeMap::new();
    let mut chunk = SecondaryMap::new();
    for (op, operation) in &graph.ops {
        if let Some(size) = CHUNK_STATES.checked_div(operation.states) {
            let rank =
                rank.entry((mapping.warp_of[op], depth[op], operation.epilogue.shape.index() as u32)).or_default();
            chunk[op] = *rank / size.max(1);
            *rank += 1;
        }
    }
    chunk
}
