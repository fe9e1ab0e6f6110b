//! The analysis without affine states, for comparison: a value is uniform or divergent.

use super::solve::{Uses, in_order};
use super::{Basis, Options};
use crate::simt::analysis::gated::{Gate, Gated};
use crate::simt::analysis::ssa::{Def, Value};
use crate::simt::inst::{Op, Operand, Order, Space};
use crate::simt::ir::Func;
use cranelift_entity::EntityRef;

/// Which values are divergent (true): what differs from lane to lane spreads along uses and the branches of φs and copies.
pub fn compute(func: &Func, gated: &Gated, options: Options) -> Vec<bool> {
    let basis = Basis::new(func, options.block);
    let uses = Uses::compute(func, gated);
    let mut divergent = vec![false; gated.ssa.values.len()];
    let mut work: Vec<Value> =
        in_order(func, gated).into_iter().filter(|value| source(func, gated, &basis, *value)).collect();
    while let Some(value) = work.pop() {
        if !std::mem::replace(&mut divergent[value.index()], true) {
            let spreads = |user: &&Value| !divergent[user.index()] && !absorbs(func, gated, **user);
            work.extend(uses.of(value).iter().filter(spreads));
        }
    }
    divergent
}

/// Divergent whatever its operands are.
fn source(func: &Func, gated: &Gated, basis: &Basis, value: Value) -> bool {
    let inst = match gated.ssa.values[value].def {
        Def::Undefined => return true,
        Def::Phi(..) => return gated.gate(value) == Some(Gate::Irreducible),
        Def::Copy(..) => return false,
        Def::Inst(inst, _) => inst,
    };
    let op = &func.insts[inst].op;
    let mut special = false;
    op.operands(|operand| special |= matches!(operand, Operand::Special(s) if !basis.state(s).is_uniform()));
    special
        || match op {
            Op::Ld { space: Space::Local | Space::Generic, .. } => true,
            Op::Ld { access, .. } => !matches!(access.order, Order::None | Order::Weak),
            Op::Atom { .. }
            | Op::Opaque { .. }
            | Op::Carry { reads: true, .. }
            | Op::Match { all: false, .. }
            | Op::Mma { .. } => true,
            _ => false,
        }
}

/// The same in all lanes whatever its operands are.
fn absorbs(func: &Func, gated: &Gated, value: Value) -> bool {
    let Def::Inst(inst, _) = gated.ssa.values[value].def else { return false };
    let data = &func.insts[inst];
    let vote = matches!(data.op, Op::Vote { .. } | Op::Activemask { .. } | Op::BarRed { .. } | Op::Redux { .. });
    vote && data.guard.is_none()
}
