//! The sparse solver, for any lattice: each value is looked at once in order, and again when something that it depends on
//! fell.
//!
//! Definitions come before their uses, but for what a φ gets from behind, so that after one pass only φs and copies that
//! depend on later values may be too high, and what depends on those.

use crate::simt::analysis::gated::Gated;
use crate::simt::analysis::ssa::{Def, Value};
use crate::simt::ir::Inst;
use cranelift_entity::EntityRef;

/// What an analysis knows of values, and how it follows from what their operands are.
pub(super) trait Rules {
    /// A meet-semilattice of a small height.
    type State: Copy + PartialEq;
    /// Nothing is known yet.
    const TOP: Self::State;

    /// The next state of a descending iteration, from the present one and the one that follows from the operands.
    fn descend(&mut self, present: Self::State, next: Self::State) -> Self::State;

    /// The state of a register that is read before it is written.
    fn undefined(&self) -> Self::State;

    /// The state of a φ or a copy.
    fn start(&mut self, states: &[Self::State], value: Value) -> Self::State;

    /// The state of result number `result` of an instruction.
    fn result(&mut self, states: &[Self::State], inst: Inst, result: u32) -> Self::State;
}

/// The states of all values, and how many were computed. A state falls at most a few times, so the time is linear in the
/// number of uses. Values that cannot be reached stay at the top.
pub(super) fn solve<R: Rules>(gated: &Gated, rules: &mut R) -> (Vec<R::State>, u64) {
    let mut states = vec![R::TOP; gated.ssa.values.len()];
    for value in gated.ssa.undefined() {
        states[value.index()] = rules.undefined();
    }
    for value in gated.ssa.reachable() {
        states[value.index()] = evaluate(gated, rules, &states, *value);
    }
    let evaluations = gated.ssa.reachable().len() as u64 + fall(gated, rules, &mut states);
    (states, evaluations)
}

#[inline(always)]
fn evaluate<R: Rules>(gated: &Gated, rules: &mut R, states: &[R::State], value: Value) -> R::State {
    match gated.ssa.values[value].def {
        Def::Inst(inst, result) => rules.result(states, inst, result),
        Def::Phi(..) | Def::Copy(..) => rules.start(states, value),
        Def::Undefined => rules.undefined(),
    }
}

/// Looks again at what may be too high, always at the first value in order that waits.
fn fall<R: Rules>(gated: &Gated, rules: &mut R, states: &mut [R::State]) -> u64 {
    let dependents = gated.dependents();
    let mut waiting = Waiting { words: vec![0; states.len().div_ceil(64)], first: 0 };
    dependents.late.iter().for_each(|value| waiting.insert(*value));
    let mut evaluations = 0;
    while let Some(value) = waiting.pop() {
        let next = evaluate(gated, rules, states, value);
        evaluations += 1;
        let present = states[value.index()];
        let fallen = rules.descend(present, next);
        if fallen != present {
            states[value.index()] = fallen;
            dependents.of(value).iter().for_each(|user| waiting.insert(*user));
        }
    }
    evaluations
}

/// A set of values.
struct Waiting {
    words: Vec<u64>,
    /// No word before it has a member.
    first: usize,
}

impl Waiting {
    fn insert(&mut self, value: Value) {
        let word = value.index() / 64;
        self.words[word] |= 1 << (value.index() % 64);
        self.first = self.first.min(word);
    }

    fn pop(&mut self) -> Option<Value> {
        self.first += self.words[self.first.min(self.words.len())..].iter().position(|word| *word != 0)?;
        let word = &mut self.words[self.first];
        let bit = word.trailing_zeros() as usize;
        *word &= *word - 1;
        Some(Value::new(64 * self.first + bit))
    }
}
