//! Contents of a warp's lanes: values, names, or neither.

use super::super::known::Known;
use super::inputs::Operands;
use super::slot::Slot;
use super::terms::{Input, Term, hold};
use crate::decode::{Code, Source};
use crate::domain::Knowledge;
use crate::warp::Warp;

/// Returns the operands, if the lanes of the mask agree on each of them.
pub(super) fn agreed(code: &Code, warp: &Warp<Known>, operands: &Operands, mask: u32) -> Option<Vec<Input>> {
    let row = |source: &Source| match source.register() {
        Some(row) => input(warp, Slot::Row(row), mask),
        None => Some(Input::Value(source.row(&warp.regs, &code.pool)[0])),
    };
    let rows = operands.rows.iter().map(row);
    rows.chain(operands.slots.iter().map(|slot| input(warp, *slot, mask))).collect()
}

/// Returns the common content of all lanes of the mask.
pub(super) fn input(warp: &Warp<Known>, slot: Slot, mask: u32) -> Option<Input> {
    let named = warp.knowledge.named.as_ref()?;
    let (term, lanes) = match slot {
        Slot::Row(row) => named.rows[row as usize],
        Slot::Pred(pred) => named.preds[pred as usize],
    };
    if mask & !lanes == 0 {
        return Some(Input::Term(term));
    }
    if mask & !knows(warp, slot) != 0 {
        return None;
    }
    let value = |lane: u32| match slot {
        Slot::Row(row) => warp.regs[row as usize][lane as usize],
        Slot::Pred(pred) => u64::from(warp.preds[pred as usize] >> lane & 1),
    };
    let first = value(mask.trailing_zeros());
    (0..32).all(|lane| mask >> lane & 1 == 0 || value(lane) == first).then_some(Input::Value(first))
}

pub(in super::super) fn knows(warp: &Warp<Known>, slot: Slot) -> u32 {
    match slot {
        Slot::Row(row) => warp.knowledge.row(row),
        Slot::Pred(pred) => warp.knowledge.pred(pred),
    }
}

pub(super) fn name(warp: &mut Warp<Known>, slot: Slot, term: Term, mask: u32) {
    let Some(named) = &mut warp.knowledge.named else { return };
    match slot {
        Slot::Row(row) => hold(&mut named.rows[row as usize], term, mask),
        Slot::Pred(pred) => hold(&mut named.preds[pred as usize], term, mask),
    }
}
