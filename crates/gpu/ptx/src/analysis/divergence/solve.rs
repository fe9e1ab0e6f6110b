//! The sparse solver, for any lattice: each value is looked at once in order, and again when something that it depends on
//! fell.
//!
//! Definitions come before their uses, but for what a φ gets from behind, so that after one pass only φs and copies that
//! depend on later values may be too high, and what depends on those.

use crate::analysis::gated::Gated;
use crate::analysis::ssa::Value;
use crate::analysis::steps::Step;
use crate::analysis::waiting::Waiting;
use crate::ir::Func;
use cranelift_entity::EntityRef;

/// Rules of an analysis: its states of values, and how they follow from the states of the inputs.
pub(super) trait Rules {
    /// A meet-semilattice of a small height.
    type State: Copy + PartialEq;
    /// Summary of several states, as far as it matters most often.
    type Among: Copy;
    /// Nothing is known yet.
    const TOP: Self::State;
    /// State of a register that is read before it is written.
    const UNDEFINED: Self::State;

    fn among(states: [Self::State; 3]) -> Self::Among;

    fn with(among: Self::Among, state: Self::State) -> Self::Among;

    /// Returns the state that follows from the states of the inputs; `among` is their summary.
    fn follow(&mut self, states: &[Self::State], value: Value, step: &Step, among: Self::Among) -> Self::State;

    /// The next state of a descending iteration, from the present one and the one that follows from the inputs.
    fn descend(&mut self, present: Self::State, next: Self::State) -> Self::State;
}

/// The states of all values, and how many were computed. A state falls at most a few times, so the time is linear in the
/// number of uses. Values that cannot be reached stay at the top.
pub(super) fn solve<R: Rules>(func: &Func, gated: &Gated, rules: &mut R) -> (Vec<R::State>, u64) {
    let mut states = vec![R::TOP; gated.ssa.values.len()];
    for value in gated.ssa.undefined() {
        states[value.index()] = R::UNDEFINED;
    }
    let steps = gated.steps().all();
    for (i, step) in steps.iter().enumerate() {
        states[i] = evaluate(gated, rules, &states, Value::new(i), step);
    }
    let evaluations = steps.len() as u64 + fall(func, gated, rules, &mut states);
    (states, evaluations)
}

fn evaluate<R: Rules>(gated: &Gated, rules: &mut R, states: &[R::State], value: Value, step: &Step) -> R::State {
    let among = R::among(step.reads.map(|read| states[read.index()]));
    let among = if step.long { all_inputs::<R>(gated, states, value, among) } else { among };
    rules.follow(states, value, step, among)
}

/// Few values have more than three inputs; what the others have in common stays in a register.
fn all_inputs<R: Rules>(gated: &Gated, states: &[R::State], value: Value, mut among: R::Among) -> R::Among {
    gated.inputs(value, |input| among = R::with(among, states[input.index()]));
    among
}

/// Looks again at what may be too high, always at the first value in order that waits.
fn fall<R: Rules>(func: &Func, gated: &Gated, rules: &mut R, states: &mut [R::State]) -> u64 {
    let (dependents, steps) = (gated.dependents(), gated.steps().all());
    let mut waiting = Waiting::new(states.len());
    dependents.late.iter().for_each(|value| waiting.insert(value.index()));
    let mut evaluations = 0;
    while let Some(value) = waiting.pop().map(Value::new) {
        let next = evaluate(gated, rules, states, value, &steps[value.index()]);
        evaluations += 1;
        let present = states[value.index()];
        let fallen = rules.descend(present, next);
        if fallen != present {
            states[value.index()] = fallen;
            dependents.get(func, gated, value).iter().for_each(|user| waiting.insert(user.index()));
        }
    }
    evaluations
}
