//! Loops on data that nothing brings to their end.
//!
//! The branches of a loop decide by values. If no value that they depend on is computed from itself, an iteration repeats the one
//! before, unless a strong load finds another thread's store. A loop without strong loads never ends once it goes on; one with
//! strong loads waits for a store.

use super::common::{Slot, operands};
use super::counted::is_counted;
use super::known::results;
use super::region::successors;
use crate::decode::{Code, EXIT, Manner, MemoryAccess, Micro};
use ptx::inst::{AtomOp, Op, Operand, Space};
use std::collections::{BTreeMap, BTreeSet};

/// Messages for a loop without strong loads, and for one that waits for a store.
pub(super) const UNCHANGING: &str = "for some data this loop never ends: nothing in it changes what its end depends on";
pub(super) const UNMET: &str = "for some data this loop never ends: nobody stores what it waits for while it waits";

/// Cause that ends a loop.
pub(super) enum Progress {
    /// A counter, which reaches its bound.
    Counter,
    /// Something that it computes, or that is not followed.
    Own,
    /// Stores of others to the addresses that these instructions load; if empty, nothing ends it.
    Others(Vec<u32>),
}

/// Returns the progress of the loop of a branch, whose sides meet at `reconvergence`.
pub(super) fn progress(code: &Code, pc: u32, reconvergence: u32) -> Progress {
    let members = members(code, pc, reconvergence);
    if members.len() < 2 {
        // the loop is one of a branch behind it
        return Progress::Own;
    }
    if is_counted(code, pc, &members) {
        return Progress::Counter;
    }
    let mut search = Search { code, definitions: BTreeMap::new(), marks: BTreeMap::new(), loads: BTreeSet::new() };
    for at in &members {
        let micro = &code.ops[*at as usize].micro;
        if stores(code, *at) || matches!(micro, Micro::Unknown { .. }) {
            return Progress::Own;
        }
        let (rows, preds) = results(micro);
        for slot in rows.into_iter().map(Slot::Row).chain(preds.into_iter().map(Slot::Pred)) {
            search.definitions.entry(slot).or_default().push(*at);
        }
    }
    let branch = |at: &u32| match &code.ops[*at as usize].micro {
        Micro::Branch { pred, .. } => Some(Slot::Pred(*pred)),
        Micro::Indirect { index, .. } => Some(Slot::Row(*index)),
        _ => None,
    };
    match members.iter().filter_map(branch).all(|slot| search.repeats(slot)) {
        true => Progress::Others(search.loads.into_iter().collect()),
        false => Progress::Own,
    }
}

/// Whether a counter ends the loop of a branch.
pub(super) fn has_counter(code: &Code, pc: u32) -> bool {
    let Micro::Branch { reconvergence, .. } = &code.ops[pc as usize].micro else { return false };
    is_counted(code, pc, &members(code, pc, *reconvergence))
}

/// Returns the instructions that may come between two executions of the branch.
fn members(code: &Code, pc: u32, reconvergence: u32) -> BTreeSet<u32> {
    let (mut before, mut reached) = (BTreeMap::<u32, Vec<u32>>::new(), BTreeSet::from([pc]));
    let mut stack = vec![pc];
    while let Some(at) = stack.pop() {
        for next in successors(&code.ops[at as usize].micro, at) {
            if next == EXIT || next == reconvergence && next != pc {
                continue;
            }
            before.entry(next).or_default().push(at);
            if reached.insert(next) {
                stack.push(next);
            }
        }
    }
    let mut members = BTreeSet::new();
    let mut stack = vec![pc];
    while let Some(at) = stack.pop() {
        if members.insert(at) {
            stack.extend(before.get(&at).into_iter().flatten());
        }
    }
    members
}

struct Search<'c, 'm> {
    code: &'c Code<'m>,
    /// Instructions of the loop that write each slot.
    definitions: BTreeMap<Slot, Vec<u32>>,
    /// Slots that are looked at, and whether that is done.
    marks: BTreeMap<Slot, bool>,
    loads: BTreeSet<u32>,
}

impl Search<'_, '_> {
    /// Whether an iteration gives the slot the same value as the one before, but for strong loads.
    fn repeats(&mut self, slot: Slot) -> bool {
        if let Some(done) = self.marks.get(&slot) {
            return *done;
        }
        self.marks.insert(slot, false);
        let definitions = self.definitions.get(&slot).cloned().unwrap_or_default();
        let repeat = definitions.into_iter().all(|pc| self.repeats_at(pc));
        self.marks.insert(slot, repeat);
        repeat
    }

    fn repeats_at(&mut self, pc: u32) -> bool {
        let op = &self.code.ops[pc as usize];
        let guard = op.guard.map(|(pred, _)| Slot::Pred(pred));
        let strong = self.code.conducts[pc as usize].manner != Manner::Weak;
        let (rows, slots) = match &op.micro {
            Micro::MemoryAccess(MemoryAccess::Atomic { base, .. }) => (vec![*base], Vec::new()),
            micro => match operands(micro) {
                Some(operands) => (operands.rows, operands.slots),
                None => return false,
            },
        };
        if strong && matches!(op.micro, Micro::MemoryAccess(_)) {
            self.loads.insert(pc);
        }
        let specials = &self.code.specials;
        let changes = |row: &u32| specials.iter().any(|(special, at)| at == row && !special.is_fixed());
        let rows: Vec<u32> = rows.iter().filter_map(|row| row.register()).collect();
        !rows.iter().any(changes)
            && rows.into_iter().map(Slot::Row).chain(slots).chain(guard).all(|slot| self.repeats(slot))
    }
}

/// Whether the instruction may change memory.
fn stores(code: &Code, pc: u32) -> bool {
    match &code.ops[pc as usize].micro {
        Micro::MemoryAccess(MemoryAccess::Store { .. }) => true,
        Micro::MemoryAccess(MemoryAccess::Atomic { .. }) => !only_looks(code, pc),
        Micro::Copying(_) | Micro::Call(_) | Micro::Collective(_) => true,
        _ => false,
    }
}

/// Whether an atomic leaves the value unchanged.
pub(super) fn only_looks(code: &Code, pc: u32) -> bool {
    let Some((_, data)) = code.instruction(pc) else { return false };
    let Op::Atom { op, a: Operand::Imm(0), .. } = &data.op else { return false };
    matches!(op, AtomOp::Add | AtomOp::Or | AtomOp::Xor)
}

/// Whether the stores of others to shared memory may end a loop of the kernel.
pub(super) fn may_wait(code: &Code) -> bool {
    let looks = |pc: u32| match &code.ops[pc as usize].micro {
        Micro::MemoryAccess(MemoryAccess::Load { space: Space::Shared, .. }) => {
            code.conducts[pc as usize].manner != Manner::Weak
        }
        Micro::MemoryAccess(MemoryAccess::Atomic { space: Space::Shared, .. }) => only_looks(code, pc),
        _ => false,
    };
    // copies store as well, at times of their own
    !code.copies && (0..code.ops.len() as u32).any(looks)
}
