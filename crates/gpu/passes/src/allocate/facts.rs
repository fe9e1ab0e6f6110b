//! Facts about values for an allocator: the result of the divergence analysis, per register.

use super::options::{Options, Rules, Sides};
use super::slots;
use super::spill_location::{Known, Rewriting};
use cranelift_entity::{EntityRef, SecondaryMap};
use ptx::analysis::divergence::{self, BlockShape, Coefficient, Divergence, State};
use ptx::analysis::gated::{Gate, Gated};
use ptx::analysis::ssa::Value;
use ptx::inst::Special;
use ptx::ir::{Block, Func, Reg};
use std::collections::BTreeSet;

/// The facts about one function.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The meet over all values that a register ever has, those that it brings out of a loop too.
    pub known: SecondaryMap<Reg, Known>,
    /// Registers that no slot of a warp can hold, although all its lanes agree on them.
    pub contested: BTreeSet<Reg>,
    /// Special register that strides are multiplied with.
    pub unit: Special,
    /// Threads of a warp may part at the end of the block.
    pub divergent: SecondaryMap<Block, bool>,
    pub sides: Sides,
}

/// Analyses a function of a module for that architecture.
pub fn compute(sm: u32, func: &Func, options: &Options) -> Facts {
    let gated = Gated::compute(func);
    let shape = options.block.map_or(BlockShape::Unknown, BlockShape::Known);
    let question = divergence::Options { block: shape, ..Default::default() };
    let analysis = Divergence::compute(func, &gated, question);
    let boolean = (options.rewriting == Rewriting::DivRA).then(|| divergence::compute_boolean(func, &gated, question));
    let state = |value: Value| match &boolean {
        Some(divergent) if divergent[value.index()] => State::DIVERGENT,
        Some(_) => State::UNIFORM,
        None => analysis.state(value),
    };
    let mut states: SecondaryMap<Reg, State> = SecondaryMap::with_default(State::TOP);
    for (value, data) in gated.ssa.values.iter() {
        // a register that is read behind a loop has one slot inside and outside, whatever the copy between is called
        if options.rules == Rules::Sound || gated.gate(value) != Some(Gate::Eta) {
            states[data.reg] = states[data.reg].meet(state(value));
        }
    }
    let mut known = SecondaryMap::new();
    for reg in func.regs.keys() {
        known[reg] = what_is(states[reg]);
    }
    let mut divergent = SecondaryMap::new();
    for block in &func.layout {
        divergent[*block] = analysis.uniform_branch(&gated, *block) == Some(false);
    }
    let sides = if sm < 70 { Sides::OneByOne } else { Sides::Interleaved };
    let contested = match options.rules {
        Rules::Sound => slots::contested(func, &divergent, sides),
        Rules::Published => BTreeSet::new(),
    };
    Facts { known, contested, unit: analysis.basis.unit, divergent, sides }
}

fn what_is(state: State) -> Known {
    let base = match state.base {
        Coefficient::Known(base) => Some(base),
        _ => None,
    };
    match (state.stride, base) {
        (Coefficient::Known(0), Some(value)) => Known::Constant(value),
        (Coefficient::Known(0), None) => Known::Uniform,
        (Coefficient::Known(stride), base) => Known::Affine { stride, base },
        _ => Known::Nothing,
    }
}
