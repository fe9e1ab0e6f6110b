//! Values on which the lanes of a warp agree, known or not: such as the result of a vote. A branch on one leads them the same way.

use super::common::{Slot, knows, operands};
use super::known::{Known, results};
use crate::decode::{Code, Micro};
use crate::domain::Knowledge;
use crate::lanes::holds;
use crate::warp::Warp;

/// Notes in front of an instruction whether the lanes agree on its operands, not all of which are known.
pub(super) fn prepare(code: &Code, warp: &mut Warp<Known>, pc: u32, active: u32) {
    warp.knowledge.pending = None;
    let op = &code.ops[pc as usize];
    if !warp.knowledge.agrees || !matches!(op.micro, Micro::Compute(_) | Micro::Test(_) | Micro::Pieces(_)) {
        return;
    }
    let mask = op.guard.map_or(active, |guard| active & holds(&warp.preds, guard));
    let Some(operands) = operands(&op.micro) else { return };
    let sources = operands.rows.iter().filter_map(|source| source.register()).map(Slot::Row);
    let slots: Vec<Slot> = sources.chain(operands.slots).collect();
    let is_known = slots.iter().all(|slot| mask & !knows(warp, *slot) == 0);
    if mask != 0 && !is_known && slots.iter().all(|slot| is_one(warp, *slot, mask)) {
        warp.knowledge.pending = Some((pc, mask));
    }
}

/// Notes the results behind it.
pub(super) fn follow(code: &Code, warp: &mut Warp<Known>, pc: u32) {
    let Some((_, mask)) = warp.knowledge.pending.take().filter(|(at, _)| *at == pc) else { return };
    let (rows, preds) = results(&code.ops[pc as usize].micro);
    rows.iter().for_each(|row| warp.knowledge.agree(*row, mask));
    preds.iter().for_each(|pred| warp.knowledge.agree_pred(*pred, mask));
}

/// Whether the lanes of the mask hold one value.
pub(super) fn is_one(warp: &Warp<Known>, slot: Slot, mask: u32) -> bool {
    let (one, known) = match slot {
        Slot::Row(row) => (warp.knowledge.one.0[row as usize], warp.knowledge.row(row)),
        Slot::Pred(pred) => (warp.knowledge.one.1[pred as usize], warp.knowledge.pred(pred)),
    };
    if mask & !one == 0 {
        return true;
    }
    let first = mask.trailing_zeros() as usize & 31;
    let same = |lane: usize| match slot {
        Slot::Row(row) => warp.regs[row as usize][lane] == warp.regs[row as usize][first],
        Slot::Pred(pred) => (warp.preds[pred as usize] >> lane ^ warp.preds[pred as usize] >> first) & 1 == 0,
    };
    mask & !known == 0 && (0..32).all(|lane| mask >> lane & 1 == 0 || same(lane))
}
