//! The analysis without affine states, for comparison: a value is uniform or divergent.

use super::solve::{Rules, solve};
use super::transfer::load;
use super::{Basis, Context, Options};
use crate::simt::analysis::gated::{Gate, Gated};
use crate::simt::analysis::ssa::{Def, Value};
use crate::simt::inst::{Op, Operand};
use crate::simt::ir::{Func, Inst};
use cranelift_entity::EntityRef;

/// Which values are divergent (true): what differs from lane to lane spreads along uses and the branches of φs and copies.
pub fn compute(func: &Func, gated: &Gated, options: Options) -> Vec<bool> {
    let basis = Basis::new(func, options.block);
    solve(func, gated, &mut Boolean(Context { func, gated, basis: &basis, options })).0
}

struct Boolean<'a>(Context<'a>);

impl Rules for Boolean<'_> {
    type State = bool;
    const TOP: bool = false;

    fn is_bottom(divergent: bool) -> bool {
        divergent
    }

    fn descend(&mut self, present: bool, next: bool) -> bool {
        present || next
    }

    fn undefined(&self) -> bool {
        true
    }

    fn start(&mut self, divergent: &[bool], value: Value) -> bool {
        let gated = self.0.gated;
        let is = |value: &Value| divergent[value.index()];
        let brings = match &gated.ssa.values[value].def {
            Def::Phi(_, arguments) => gated.gate(value) == Some(Gate::Irreducible) || arguments.iter().any(is),
            Def::Copy(_, source) => is(source),
            Def::Undefined | Def::Inst(..) => true,
        };
        brings || gated.branches(value).iter().any(|branch| gated.ssa.condition(*branch).as_ref().is_some_and(is))
    }

    fn result(&mut self, divergent: &[bool], inst: Inst, _: u32, reads: &[Value]) -> bool {
        let data = &self.0.func.insts[inst];
        match data.op {
            _ if source(&self.0, inst, &data.op) => true,
            ref op if data.guard.is_none() && absorbs(op) => false,
            _ => reads.iter().any(|read| divergent[read.index()]),
        }
    }
}

/// Divergent whatever its operands are.
fn source(context: &Context, inst: Inst, op: &Op) -> bool {
    match op {
        Op::Ld { access, space, addr, .. } => !load(*space, access.order, addr, true, context.func),
        Op::Atom { .. }
        | Op::Opaque { .. }
        | Op::Carry { reads: true, .. }
        | Op::Match { all: false, .. }
        | Op::Mma { .. } => true,
        _ => context.gated.facts.accesses.specials(inst) && context.reads_divergent_special(op),
    }
}

/// The same in all lanes whatever its operands are.
fn absorbs(op: &Op) -> bool {
    let full = |mask: &Operand| *mask == Operand::Imm(0xffff_ffff);
    match op {
        Op::Vote { mask, .. } => mask.as_ref().is_none_or(full),
        Op::Match { all: true, mask, .. } | Op::Redux { mask, .. } => full(mask),
        Op::Activemask { .. } | Op::BarRed { .. } => true,
        _ => false,
    }
}
