//! Divergence analysis with affine constraints (Sampaio, Martins, Collange and Pereira, SBAC-PAD 2012): which values all
//! lanes of a warp agree on, and which grow by a fixed stride from lane to lane.
//!
//! "Uniform" always means: equal in all lanes of one warp that are active at the same dynamic instance; "affine": the value
//! of a lane minus that of another is stride · (T − T′) in the ring of the value's width. Lanes that parted at a branch are
//! taken to meet at its immediate post-dominator at the latest. What the analysis does not know differs from lane to lane.
//!
//! The rules go beyond the paper in these points:
//!
//! - Conversions that might wrap lose their stride.
//! - Vectors are handled by element.
//! - Unknown instructions and unordered loads are divergent.
//! - The basis T follows from the shape of the block.
//! - Copies after loops depend on every branch that can send lanes round again.
//! - Operations on values that are known for every T are looked up for every T. So `%tid.x >> 5` and `%tid.x < 64` are
//!   found to be uniform.

mod affine;
mod arithmetic;
mod basis;
mod boolean;
mod chains;
mod context;
mod eval;
mod lookup;
mod numbered;
mod reason;
mod solve;
mod state;
mod transfer;

pub use basis::{Basis, Block as BlockShape};
pub use boolean::compute as compute_boolean;
pub use chains::{Chain, Chains, LONGEST_CHAIN};
pub use context::Options;
pub use reason::{Reason, Rule};
pub use state::{Class, Coefficient, State};

use context::Context;
use numbered::{Numbered, States};

use super::gated::Gated;
use super::ssa::Value;
use crate::ir::{Block, Func};

/// The state of every value.
pub struct Divergence {
    pub basis: Basis,
    states: States,
    /// States computed until nothing changed any more.
    pub evaluations: u64,
}

impl Divergence {
    pub fn compute(func: &Func, gated: &Gated, options: Options) -> Self {
        let basis = Basis::new(func, options.block);
        let context = Context { func, gated, basis: &basis, options };
        let mut rules = affine::Affine { context, numbered: Numbered::new(&gated.steps().constants) };
        let (numbers, evaluations) = solve::solve(func, gated, &mut rules);
        let states = States { numbers, numbered: rules.numbered };
        Self { basis, states, evaluations }
    }

    /// Returns the state of a value; one that cannot be reached is divergent.
    pub fn state(&self, value: Value) -> State {
        let state = self.states.state(value);
        if state.is_top() { State::DIVERGENT } else { state }
    }

    /// Whether all lanes that execute the block's terminator go the same way; `None` where there is only one way.
    pub fn uniform_branch(&self, gated: &Gated, block: Block) -> Option<bool> {
        let condition = gated.ssa.condition(block)?;
        (gated.facts.cfg.successors(block).len() > 1).then(|| self.state(condition).is_uniform())
    }

    /// Why a value is not uniform: the rule, and the value that is to blame. `None` for uniform values.
    pub fn reason(&self, func: &Func, gated: &Gated, options: Options, value: Value) -> Option<Reason> {
        let context = Context { func, gated, basis: &self.basis, options };
        reason::reason(&context, |value| self.state(value), value)
    }
}
