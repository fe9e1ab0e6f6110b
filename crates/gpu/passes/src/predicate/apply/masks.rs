//! Masks in predicate registers.

use super::Writer;
use crate::predicate::plan::{Mask, Step};
use ptx::inst::*;
use ptx::ir::{Block, Inst, Reg};

/// A comparison that makes masks instead of the condition of its block's branch.
pub(super) struct Fused {
    pub inst: Inst,
    guard: Reg,
}

impl Writer<'_> {
    /// The predicate of a mask.
    pub(super) fn guard_of(&mut self, mask: Mask) -> Guard {
        if let Some(guard) = self.masks.get(&mask) {
            return *guard;
        }
        let guard = Guard { pred: self.pred(), negate: false };
        self.masks.insert(mask, guard);
        guard
    }

    /// The mask's predicate as such.
    fn positive(&mut self, mask: Mask) -> Reg {
        let guard = self.guard_of(mask);
        self.as_is(guard)
    }

    fn as_is(&mut self, guard: Guard) -> Reg {
        if !guard.negate {
            return guard.pred;
        }
        let dst = self.pred();
        self.unary(UnaryOp::Not, dst, guard.pred);
        dst
    }

    fn unary(&mut self, op: UnaryOp, dst: Reg, a: Reg) {
        self.push(None, Op::Unary { op, mode: Mode::default(), ty: Type::Pred, dst, a: a.into() });
    }

    fn binary(&mut self, guard: Option<Guard>, op: BinaryOp, dst: Reg, a: Reg, b: Reg) {
        self.push(guard, Op::Binary { op, mode: Mode::default(), ty: Type::Pred, dst, a: a.into(), b: b.into() });
    }

    fn constant(&mut self, guard: Option<Guard>, dst: Reg, value: bool) {
        let a = Operand::Imm(u64::from(value));
        self.push(guard, Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: Type::Pred, dst, a });
    }

    pub(super) fn set(&mut self, mask: Mask, value: bool) {
        let dst = self.positive(mask);
        self.constant(None, dst, value);
    }

    pub(super) fn copy(&mut self, mask: Mask, from: Option<Mask>) {
        let Some(from) = self.lanes(from) else { return self.set(mask, true) };
        let (dst, from) = (self.positive(mask), self.guard_of(from));
        self.unary(if from.negate { UnaryOp::Not } else { UnaryOp::Mov }, dst, from.pred);
    }

    pub(super) fn join(&mut self, mask: Mask, with: Mask) {
        let (dst, with) = (self.positive(mask), self.positive(with));
        self.binary(None, BinaryOp::Or, dst, dst, with);
    }

    pub(super) fn drop(&mut self, mask: Mask, of: Mask) {
        let (dst, of) = (self.positive(mask), self.guard_of(of));
        self.constant(Some(of), dst, false);
    }

    /// The mask of an edge of the block that has just run; `all` are the masks that are made there.
    pub(super) fn take(&mut self, step: &Step, all: &[Step]) {
        let Step::Take { mask, block, target, guard, more } = step else { return };
        let guard = &self.lanes(*guard);
        let Some(condition) = self.condition(*block, *target) else {
            return match (guard, more) {
                (Some(guard), true) => self.join(*mask, *guard),
                (None, true) => self.set(*mask, true),
                (guard, false) => self.copy(*mask, *guard),
            };
        };
        let only = self.writers.get(mask) == Some(&1);
        match guard {
            None if !more && only && self.keeps(condition.pred, *block) => _ = self.masks.insert(*mask, condition),
            None if *more => {
                let dst = self.positive(*mask);
                self.constant(Some(condition), dst, true);
            }
            None => {
                let dst = self.positive(*mask);
                let op = if condition.negate { UnaryOp::Not } else { UnaryOp::Mov };
                self.unary(op, dst, condition.pred);
            }
            Some(guard) if guard == mask => {
                let dst = self.positive(*mask);
                self.constant(Some(Guard { negate: !condition.negate, ..condition }), dst, false);
            }
            Some(guard) if *more => {
                let (dst, guard) = (self.positive(*mask), self.positive(*guard));
                self.binary(Some(condition), BinaryOp::Or, dst, dst, guard);
            }
            Some(guard) => {
                let (dst, whole) = (self.positive(*mask), self.positive(*guard));
                match self.sibling(step, all) {
                    Some(other) => self.binary(None, BinaryOp::Xor, dst, whole, other),
                    None => {
                        let condition = self.as_is(condition);
                        self.binary(None, BinaryOp::And, dst, whole, condition);
                    }
                }
            }
        }
    }

    /// The mask of the other side, if it has been made and nothing was changed since.
    fn sibling(&mut self, step: &Step, all: &[Step]) -> Option<Reg> {
        let place = all.iter().position(|other| std::ptr::eq(other, step))?;
        let Step::Take { guard, target, .. } = step else { return None };
        let Step::Take { mask, block, guard: other, target: side, more: false } = all[..place].last()? else {
            return None;
        };
        let two = self.facts.old.blocks[*block].terminator.targets().len() == 2;
        (two && other == guard && side != target && Some(*mask) != *guard).then(|| self.positive(*mask))
    }

    /// The predicate that tells which lanes go from the block to the target; none if all do.
    fn condition(&mut self, block: Block, target: Option<Block>) -> Option<Guard> {
        let target = target?;
        match self.facts.old.blocks[block].terminator.clone() {
            Terminator::CondBra { guard, then, otherwise, .. } if then != otherwise => {
                Some(if then == target { guard } else { Guard { negate: !guard.negate, ..guard } })
            }
            Terminator::Brx { index, targets } => {
                let mut found: Option<Reg> = None;
                for (place, _) in targets.iter().enumerate().filter(|(_, other)| **other == target) {
                    let dst = self.pred();
                    let (a, b) = (index.into(), Operand::Imm(place as u64));
                    let (cmp, ty) = (Cmp::Eq, Type::U32);
                    self.push(None, Op::Setp { cmp, ftz: false, ty, dst, other: None, a, b, combine: None });
                    if let Some(before) = found {
                        self.binary(None, BinaryOp::Or, dst, dst, before);
                    }
                    found = Some(dst);
                }
                found.map(|pred| Guard { pred, negate: false })
            }
            _ => None,
        }
    }

    /// Whether no other block of the region writes the register.
    fn keeps(&self, reg: Reg, own: Block) -> bool {
        let writes = |block: Block| {
            let mut ops = self.facts.old.blocks[block].insts.iter().map(|inst| &self.facts.old.insts[*inst].op);
            ops.any(|op| op.results().contains(&reg))
        };
        self.region.steps.iter().all(|step| match step {
            Step::Run { block, .. } => *block == own || !writes(*block),
            Step::Stack { .. } => false,
            _ => true,
        })
    }

    /// The comparison at the end of a block that nothing but its branch looks at, if it can make the masks itself:
    /// `setp` combines what it compares with a predicate.
    pub(super) fn fuse(&mut self, block: Block, guard: Option<Mask>, takes: &[Step]) -> Option<Fused> {
        let guard = guard.filter(|_| !takes.is_empty())?;
        let data = &self.facts.old.blocks[block];
        let Terminator::CondBra { guard: condition, then, otherwise, .. } = &data.terminator else { return None };
        let writes = |inst: &Inst, reg: Reg| self.facts.old.insts[*inst].op.results().contains(&reg);
        let at = data.insts.iter().rposition(|inst| writes(inst, condition.pred))?;
        let inst = data.insts[at];
        let InstData { guard: None, op: Op::Setp { a, b, other: None, combine: None, .. } } =
            &self.facts.old.insts[inst]
        else {
            return None;
        };
        let reads = |inst: &Inst| {
            let InstData { guard, op } = &self.facts.old.insts[*inst];
            let mut found = guard.is_some_and(|guard| guard.pred == condition.pred);
            op.operands(|operand| found |= operand == Operand::Reg(condition.pred));
            found
        };
        let behind = &data.insts[at + 1..];
        let kept =
            [a, b].iter().filter_map(|operand| operand.reg()).all(|reg| !behind.iter().any(|inst| writes(inst, reg)));
        let dead = self.facts.liveness.live_out(block).binary_search(&condition.pred).is_err();
        (then != otherwise && kept && dead && !behind.iter().any(reads))
            .then(|| Fused { inst, guard: self.positive(guard) })
    }

    /// The masks of a block's edges from its comparison.
    pub(super) fn take_fused(&mut self, fused: Fused, takes: &[Step]) {
        let Op::Setp { cmp, ftz, ty, a, b, .. } = self.facts.old.insts[fused.inst].op.clone() else { return };
        let mut sides: [Option<Reg>; 2] = [None; 2];
        let mut joined: Vec<(Reg, usize)> = Vec::new();
        for take in takes {
            let Step::Take { mask, block, target, more, .. } = take else { continue };
            let Some(condition) = target.and_then(|_| self.condition(*block, *target)) else { continue };
            let (side, dst) = (usize::from(condition.negate), self.positive(*mask));
            match (*more, sides[side]) {
                (false, None) => sides[side] = Some(dst),
                _ => joined.push((dst, side)),
            }
            if *more && sides[side].is_none() {
                sides[side] = Some(self.pred());
            }
        }
        let combine = Some((BoolOp::And, Guard { pred: fused.guard, negate: false }));
        let (cmp, dst, other) = match sides {
            [Some(yes), no] => (cmp, yes, no),
            [None, Some(no)] => (inverse(cmp, ty), no, None),
            [None, None] => return,
        };
        self.push(None, Op::Setp { cmp, ftz, ty, dst, other, a, b, combine });
        for (dst, side) in joined {
            if let Some(from) = sides[side] {
                let more = takes
                    .iter()
                    .any(|take| matches!(take, Step::Take { mask, more: true, .. } if self.masks[mask].pred == dst));
                if more {
                    self.binary(None, BinaryOp::Or, dst, dst, from);
                } else {
                    self.unary(UnaryOp::Mov, dst, from);
                }
            }
        }
    }
}

/// The comparison that holds where this one does not.
fn inverse(cmp: Cmp, ty: Type) -> Cmp {
    let real = ty.is_float();
    match cmp {
        Cmp::Eq if real => Cmp::Neu,
        Cmp::Ne if real => Cmp::Equ,
        Cmp::Lt if real => Cmp::Geu,
        Cmp::Le if real => Cmp::Gtu,
        Cmp::Gt if real => Cmp::Leu,
        Cmp::Ge if real => Cmp::Ltu,
        Cmp::Eq | Cmp::Equ => Cmp::Ne,
        Cmp::Ne | Cmp::Neu => Cmp::Eq,
        Cmp::Lt | Cmp::Ltu => Cmp::Ge,
        Cmp::Le | Cmp::Leu => Cmp::Gt,
        Cmp::Gt | Cmp::Gtu => Cmp::Le,
        Cmp::Ge | Cmp::Geu => Cmp::Lt,
        Cmp::Num => Cmp::Nan,
        Cmp::Nan => Cmp::Num,
    }
}
