//! Branches on data one side of which ends the whole grid by `trap`.
//!
//! An execution that takes such a side does nothing there that the proof is about, and ends. Until then the other threads do what they
//! also do if the lanes take the other side. So the other side stands for both.

use super::region::{is_global_store, matters, successors, touches};
use crate::decode::{Code, EXIT, Micro};
use std::collections::BTreeSet;

/// The only side of a branch that does not end in `trap`.
pub(super) struct Lasting {
    pub side: u32,
    /// Instructions of the other sides that store to global memory.
    pub stores: BTreeSet<u32>,
}

/// Returns that side; `None` if there is not exactly one.
pub(super) fn lasting(code: &Code, tables: bool, starts: &[u32], reconvergence: u32) -> Option<Lasting> {
    let (mut sides, mut stores) = (BTreeSet::new(), BTreeSet::new());
    for start in starts {
        match aborting(code, tables, *start, reconvergence) {
            Some(members) => stores.extend(members.into_iter().filter(|pc| is_global_store(code, *pc))),
            None => drop(sides.insert(*start)),
        }
    }
    let side = sides.pop_first().filter(|_| sides.is_empty() && starts.len() > 1)?;
    starts.iter().any(|start| *start != side).then_some(Lasting { side, stores })
}

/// Returns the instructions from `start` to `trap`, if all ways lead there and none synchronises, touches shared memory or goes round.
fn aborting(code: &Code, tables: bool, start: u32, reconvergence: u32) -> Option<BTreeSet<u32>> {
    let (mut done, mut path, mut stack) = (BTreeSet::new(), BTreeSet::new(), vec![(start, false)]);
    while let Some((pc, leaving)) = stack.pop() {
        if leaving {
            path.remove(&pc);
            continue;
        }
        if pc == EXIT || pc == reconvergence || path.contains(&pc) {
            return None;
        }
        if !done.insert(pc) || matches!(code.ops[pc as usize].micro, Micro::Trap) {
            continue;
        }
        if matters(code, pc) || touches(code, tables, pc) {
            return None;
        }
        path.insert(pc);
        stack.push((pc, true));
        stack.extend(successors(&code.ops[pc as usize].micro, pc).into_iter().map(|next| (next, false)));
    }
    Some(done)
}
