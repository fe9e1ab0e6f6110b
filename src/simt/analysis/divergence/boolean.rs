//! The analysis without affine states, for comparison: a value is uniform or divergent.

use super::solve::{Rules, solve};
use super::{Basis, Context, Options};
use crate::simt::analysis::gated::{Gate, Gated};
use crate::simt::analysis::kind::Kind;
use crate::simt::analysis::ssa::{Def, Value};
use crate::simt::ir::{Func, Inst};
use cranelift_entity::EntityRef;

/// Which values are divergent (true): what differs from lane to lane spreads along uses and the branches of φs and copies.
pub fn compute(func: &Func, gated: &Gated, options: Options) -> Vec<bool> {
    let basis = Basis::new(func, options.block);
    solve(gated, &mut Boolean(Context { func, gated, basis: &basis, options })).0
}

struct Boolean<'a>(Context<'a>);

impl Rules for Boolean<'_> {
    type State = bool;
    const TOP: bool = false;

    fn descend(&mut self, present: bool, next: bool) -> bool {
        present || next
    }

    fn undefined(&self) -> bool {
        true
    }

    fn start(&mut self, divergent: &[bool], value: Value) -> bool {
        let gated = self.0.gated;
        let is = |value: &Value| divergent[value.index()];
        let brings = match gated.ssa.values[value].def {
            Def::Phi(..) => gated.gate(value) == Some(Gate::Irreducible) || gated.ssa.arguments(value).iter().any(is),
            Def::Copy(_, source) => is(&source),
            Def::Undefined | Def::Inst(..) => true,
        };
        brings || gated.branches(value).iter().any(|branch| gated.ssa.condition(*branch).as_ref().is_some_and(is))
    }

    fn result(&mut self, divergent: &[bool], inst: Inst, _: u32) -> bool {
        let reads = || self.0.gated.ssa.reads(inst).iter().any(|read| divergent[read.index()]);
        match self.0.gated.facts.kinds[inst] {
            Kind::Divergent => true,
            Kind::Constant | Kind::Common => false,
            Kind::Other => reads() || self.0.reads_divergent_special(&self.0.func.insts[inst].op),
            _ => reads(),
        }
    }
}
