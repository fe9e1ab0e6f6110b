//! Targets of a branch that all threads of the CTA decide alike.

use super::super::known::results;
use super::super::region::{matters, successors, touches};
use crate::decode::{Code, EXIT, Micro};
use ptx::inst::BarKind;
use std::collections::BTreeSet;

/// Role of a branch.
pub(super) enum Course {
    /// The branch is not executed again before its sides meet.
    Straight,
    /// The branch decides whether a loop goes on.
    Loop(Cycle),
    /// As [`Loop`](Self::Loop), with synchronisation that one iteration leaves in another state than it found; `leave` is the target outside.
    Rounds { leave: u32 },
    /// Any other branch.
    Other,
}

/// A loop from a branch to where its sides meet.
pub(super) struct Cycle {
    /// Targets inside the loop and outside of it.
    pub stay: u32,
    pub leave: u32,
    instructions: BTreeSet<u32>,
    /// Rows and predicates that it may write.
    pub written: (Vec<u32>, Vec<u32>),
    /// Whether it accesses shared memory.
    pub touches: bool,
}

impl Cycle {
    pub(super) fn contains(&self, pc: u32) -> bool {
        self.instructions.contains(&pc)
    }
}

/// Classifies the branch by following all ways from it.
pub(super) fn course(code: &Code, tables: bool, pc: u32) -> Course {
    let Micro::Branch { then, otherwise, reconvergence, .. } = &code.ops[pc as usize].micro else {
        return Course::Other;
    };
    let sides = [*then, *otherwise].map(|start| reached(code, start, *reconvergence));
    let (stay, leave) = match [sides[0].contains(&pc), sides[1].contains(&pc)] {
        [false, false] => return Course::Straight,
        [true, false] => (*then, *otherwise),
        [false, true] => (*otherwise, *then),
        [true, true] => return Course::Other,
    };
    let instructions: BTreeSet<u32> = sides.into_iter().flatten().chain([pc]).collect();
    if instructions.iter().any(|at| !is_plain(code, *at)) {
        return Course::Rounds { leave };
    }
    let (mut rows, mut preds) = (BTreeSet::new(), BTreeSet::new());
    for at in &instructions {
        let written = results(&code.ops[*at as usize].micro);
        rows.extend(written.0);
        preds.extend(written.1);
    }
    let touches = instructions.iter().any(|at| touches(code, tables, *at));
    let written = (rows.into_iter().collect(), preds.into_iter().collect());
    Course::Loop(Cycle { stay, leave, instructions, written, touches })
}

/// Whether the instruction leaves nothing behind, but for values, that another iteration could find in another state.
fn is_plain(code: &Code, pc: u32) -> bool {
    match &code.ops[pc as usize].micro {
        Micro::Bar { kind, .. } => *kind != BarKind::Arrive && is_full(code, pc),
        Micro::Collective(_) => true,
        _ => !matters(code, pc),
    }
}

/// Whether all threads of the CTA take part in the barrier.
pub(super) fn is_full(code: &Code, pc: u32) -> bool {
    matches!(&code.ops[pc as usize].micro, Micro::Bar { threads: None, .. })
}

/// Returns the instructions that may be executed from `start` until the sides meet.
pub(super) fn reached(code: &Code, start: u32, reconvergence: u32) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut stack = vec![start];
    while let Some(pc) = stack.pop() {
        if pc == EXIT || pc == reconvergence || !found.insert(pc) {
            continue;
        }
        stack.extend(successors(&code.ops[pc as usize].micro, pc));
    }
    found
}
