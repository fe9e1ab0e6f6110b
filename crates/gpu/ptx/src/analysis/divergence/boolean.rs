//! The analysis without affine states, for comparison: a value is uniform or divergent.

use super::solve::{Rules, solve};
use super::{Basis, Context, Options};
use crate::analysis::gated::Gated;
use crate::analysis::kind::Kind;
use crate::analysis::ssa::{Def, Value};
use crate::analysis::steps::Step;
use crate::ir::Func;

/// Returns whether each value is divergent: divergence spreads along uses and the branches of φs and copies.
pub fn compute(func: &Func, gated: &Gated, options: Options) -> Vec<bool> {
    let basis = Basis::new(func, options.block);
    solve(func, gated, &mut Boolean(Context { func, gated, basis: &basis, options })).0
}

struct Boolean<'a>(Context<'a>);

impl Rules for Boolean<'_> {
    type State = bool;
    type Among = bool;
    const TOP: bool = false;
    const UNDEFINED: bool = true;

    fn among([a, b, c]: [bool; 3]) -> bool {
        a | b | c
    }

    fn with(among: bool, state: bool) -> bool {
        among | state
    }

    fn follow(&mut self, _: &[bool], value: Value, step: &Step, reads: bool) -> bool {
        match step.kind {
            Kind::Divergent | Kind::Irreducible => true,
            Kind::Constant | Kind::Common => false,
            Kind::Other => reads || self.reads_special(value),
            _ => reads,
        }
    }

    fn descend(&mut self, present: bool, next: bool) -> bool {
        present | next
    }
}

impl Boolean<'_> {
    #[cold]
    fn reads_special(&self, value: Value) -> bool {
        match self.0.gated.ssa.values[value].def {
            Def::Inst(inst, _) => self.0.reads_divergent_special(&self.0.func.insts[inst].op),
            _ => false,
        }
    }
}
