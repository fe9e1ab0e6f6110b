//! Masks of `match.any` on data: each lane has the mask of the lanes that bring the same value, so that the masks divide the lanes that
//! execute it together.
//!
//! If these lanes come to an instruction together and each names its own group, all whom a lane names come. Which lanes that are is not
//! known: the instruction orders nothing, and its results are data.

use super::known::Known;
use crate::decode::{Code, Collective, Compute, Micro, Source};
use crate::warp::Warp;
use ptx::inst::{BinaryOp, Op, ShflMode, UnaryOp};
use std::collections::BTreeMap;

/// Registers that hold masks of groups, and what is computed from them.
#[derive(Default)]
pub(super) struct Groups {
    rows: BTreeMap<u32, Held>,
    /// Number of divisions so far.
    count: u32,
    /// Result of the instruction that is being executed.
    pending: Option<(u32, u32, Held)>,
}

/// A value that each lane has of its group.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Held {
    what: What,
    /// Lanes that were divided, and the number of that division.
    lanes: u32,
    division: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Mask,
    Reversed,
    /// The distance of the highest lane from lane 31.
    FromTop,
    /// The number of a lane of the group.
    Member,
}

impl Groups {
    /// Notes that the register holds something else.
    pub(super) fn forget(&mut self, row: u32) {
        self.rows.remove(&row);
    }

    fn get(&self, source: Source) -> Option<&Held> {
        self.rows.get(&source.register()?)
    }
}

/// Notes that the register holds the groups of these lanes.
pub(super) fn divided(warp: &mut Warp<Known>, row: u32, lanes: u32) {
    let groups = &mut warp.knowledge.groups;
    groups.count += 1;
    groups.rows.insert(row, Held { what: What::Mask, lanes, division: groups.count });
}

/// Whether each lane of the mask names its own group, and takes a value of it at most.
pub(super) fn are_named(code: &Code, warp: &Warp<Known>, op: &Collective, mask: u32) -> bool {
    let groups = &warp.knowledge.groups;
    let Some(named) = op.named().and_then(|named| groups.get(named)) else { return false };
    let inside = match op {
        Collective::Shuffle { mode: ShflMode::Idx, lane, clamp, .. } => {
            let whole = clamp.register().is_none() && clamp.row(&warp.regs, &code.pool)[0] == 31;
            whole && groups.get(*lane) == Some(&Held { what: What::Member, ..*named })
        }
        Collective::Vote { .. } | Collective::Redux { .. } | Collective::Match { .. } => true,
        Collective::WarpBarrier { .. } => true,
        _ => false,
    };
    inside && named.what == What::Mask && named.lanes == mask
}

/// Computes in front of an instruction what it makes of a mask.
pub(super) fn prepare(code: &Code, warp: &mut Warp<Known>, pc: u32, active: u32) {
    let groups = &mut warp.knowledge.groups;
    groups.pending = None;
    let op = &code.ops[pc as usize];
    if groups.rows.is_empty() || op.guard.is_some() {
        return;
    }
    let (d, sources): (u32, &[Source]) = match &op.micro {
        Micro::Compute(Compute::Map1 { d, a, .. }) => (*d, &[*a]),
        Micro::Compute(Compute::Map2 { d, a, b, .. }) => (*d, &[*a, *b]),
        Micro::Compute(Compute::Each { d, sources, .. }) => (*d, sources),
        _ => return,
    };
    let Some(held) = sources.iter().find_map(|source| groups.get(*source)).copied() else { return };
    let is_31 = |source: &Source| source.register().is_none() && source.row(&[], &code.pool)[0] == 31;
    let Some((_, data)) = code.instruction(pc) else { return };
    let what = match (&data.op, held.what) {
        (Op::Unary { op: UnaryOp::Mov, .. }, what) => what,
        (Op::Unary { op: UnaryOp::Brev, .. }, What::Mask) => What::Reversed,
        (Op::Unary { op: UnaryOp::Clz, .. }, What::Mask) => What::FromTop,
        (Op::Unary { op: UnaryOp::Clz | UnaryOp::BfindShift, ty, .. }, What::Reversed) if !ty.is_signed() => {
            What::Member
        }
        (Op::Unary { op: UnaryOp::Bfind, ty, .. }, What::Mask) if !ty.is_signed() => What::Member,
        (Op::Unary { op: UnaryOp::BfindShift, ty, .. }, What::Mask) if !ty.is_signed() => What::FromTop,
        (Op::Binary { op: BinaryOp::Sub, .. }, What::FromTop) if is_31(&sources[0]) => What::Member,
        (Op::Binary { op: BinaryOp::Xor, .. }, What::FromTop) if sources.iter().any(is_31) => What::Member,
        _ => return,
    };
    if held.lanes == active {
        groups.pending = Some((pc, d, Held { what, ..held }));
    }
}

/// Notes the result behind it.
pub(super) fn follow(warp: &mut Warp<Known>, pc: u32) {
    let groups = &mut warp.knowledge.groups;
    if let Some((_, row, held)) = groups.pending.take().filter(|(at, ..)| *at == pc) {
        groups.rows.insert(row, held);
    }
}
