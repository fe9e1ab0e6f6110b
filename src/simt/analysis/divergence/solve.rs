//! The sparse solver: each value is looked at once in program order, and again when something that it depends on fell.

use super::Context;
use super::state::{Coefficient, State};
use super::transfer::{Operands, choice, transfer};
use crate::simt::analysis::gated::{Gate, Gated};
use crate::simt::analysis::ssa::{Def, Value};
use crate::simt::ir::{Block, Func, Inst};
use cranelift_entity::EntityRef;

/// The states of all values, and how many were computed. A state falls at most a few times, so the time is linear in the
/// number of uses.
pub(super) fn solve(context: &Context) -> (Vec<State>, u64) {
    let gated = context.gated;
    let uses = Uses::compute(context.func, gated);
    let mut states = vec![State::TOP; gated.ssa.values.len()];
    let mut evaluations = 0;
    let order = in_order(context.func, gated);
    let mut seen = vec![false; states.len()];
    let mut waiting = vec![false; states.len()];
    let mut work: Vec<Value> = Vec::new();
    let mut first = order.into_iter();
    loop {
        // later values of the first round see this one's change anyway
        let value = match first.next() {
            Some(value) => value,
            None => match work.pop() {
                Some(value) => value,
                None => break,
            },
        };
        let at = value.index();
        seen[at] = true;
        waiting[at] = false;
        evaluations += 1;
        let old = states[at];
        let next = old.descend(evaluate(context, &states, value));
        debug_assert!(old == next || old.descend(next) == next, "the iteration descends");
        if next != old {
            states[at] = next;
            for user in uses.of(value) {
                if seen[user.index()] && !std::mem::replace(&mut waiting[user.index()], true) {
                    work.push(*user);
                }
            }
        }
    }
    for state in states.iter_mut().filter(|state| state.is_top()) {
        *state = State::DIVERGENT;
    }
    (states, evaluations)
}

/// The values in the order of their definitions, block by block.
pub(super) fn in_order(func: &Func, gated: &Gated) -> Vec<Value> {
    let mut order = Vec::with_capacity(gated.ssa.values.len());
    order.extend(gated.ssa.values.iter().filter(|(_, data)| data.def == Def::Undefined).map(|(value, _)| value));
    for block in &gated.facts.cfg.order {
        order.extend(gated.ssa.starts(*block));
        for inst in &func.blocks[*block].insts {
            order.extend(gated.ssa.writes(&gated.facts.accesses, *inst));
        }
    }
    order
}

/// The state that follows from those of the operands; the old one while an operand has none.
fn evaluate(context: &Context, states: &[State], value: Value) -> State {
    let gated = context.gated;
    let state = |value: Value| states[value.index()];
    match &gated.ssa.values[value].def {
        Def::Undefined => State::DIVERGENT,
        Def::Phi(block, arguments) => {
            let uniform = gated.gate(value) != Some(Gate::Irreducible) && agree(gated, states, value);
            let mut known = arguments.iter().map(|argument| visible(gated, state(*argument), *block));
            if uniform {
                return known.fold(State::TOP, State::meet);
            }
            let values: Vec<State> = known.by_ref().filter(|state| !state.is_top()).collect();
            if values.is_empty() { State::TOP } else { choice(false, &values) }
        }
        Def::Copy(_, source) if agree(gated, states, value) => state(*source),
        Def::Copy(..) => choice(false, &[state(*source_of(gated, value))]),
        Def::Inst(inst, result) => instruction(context, states, *inst, *result),
    }
}

fn source_of(gated: &Gated, value: Value) -> &Value {
    match &gated.ssa.values[value].def {
        Def::Copy(_, source) => source,
        _ => unreachable!("only copies are asked for their source"),
    }
}

/// No branch that decides about a φ or a copy is divergent.
fn agree(gated: &Gated, states: &[State], value: Value) -> bool {
    gated.branches(value).iter().all(|branch| {
        let condition = gated.ssa.condition(*branch).map(|condition| states[condition.index()]);
        condition.is_some_and(|state| state.is_top() || state.is_uniform())
    })
}

/// A stride that is named by a value means something where that value dominates.
fn visible(gated: &Gated, state: State, block: Block) -> State {
    match state.stride {
        Coefficient::Scaled(name, _) if !defined_above(gated, name, block) => State::DIVERGENT,
        _ => state,
    }
}

fn defined_above(gated: &Gated, value: Value, block: Block) -> bool {
    let home = match gated.ssa.values[value].def {
        Def::Undefined => return true,
        Def::Phi(home, _) | Def::Copy(home, _) => home,
        Def::Inst(inst, _) => match gated.home(inst) {
            Some(home) => home,
            None => return false,
        },
    };
    home != block && gated.facts.dominators.dominates(home, block)
}

fn instruction(context: &Context, states: &[State], inst: Inst, result: u32) -> State {
    let gated = context.gated;
    let accesses = &gated.facts.accesses;
    let reads = gated.ssa.reads(accesses, inst);
    if reads.iter().any(|read| states[read.index()].is_top()) {
        return State::TOP;
    }
    let data = &context.func.insts[inst];
    let new = transfer(&data.op, result, &Operands { context, inst, states });
    let Some(_) = data.guard else { return new };
    let guard = reads[accesses.operands(inst).len()];
    let old = gated.ssa.kept(accesses, inst).get(result as usize).map_or(State::DIVERGENT, |old| states[old.index()]);
    choice(states[guard.index()].is_uniform(), &[new, old])
}

/// Who depends on each value.
pub(super) struct Uses {
    starts: Vec<u32>,
    users: Vec<Value>,
}

impl Uses {
    pub(super) fn compute(func: &Func, gated: &Gated) -> Self {
        let mut starts = vec![0u32; gated.ssa.values.len() + 1];
        edges(func, gated, |from, _| starts[from.index()] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut users = vec![Value::new(0); sum as usize];
        edges(func, gated, |from, to| {
            starts[from.index()] -= 1;
            users[starts[from.index()] as usize] = to;
        });
        Self { starts, users }
    }

    pub(super) fn of(&self, value: Value) -> &[Value] {
        &self.users[self.starts[value.index()] as usize..self.starts[value.index() + 1] as usize]
    }
}

fn edges(func: &Func, gated: &Gated, mut edge: impl FnMut(Value, Value)) {
    let accesses = &gated.facts.accesses;
    for block in &gated.facts.cfg.order {
        for value in gated.ssa.starts(*block) {
            match &gated.ssa.values[*value].def {
                Def::Phi(_, arguments) => arguments.iter().for_each(|argument| edge(*argument, *value)),
                Def::Copy(_, source) => edge(*source, *value),
                Def::Undefined | Def::Inst(..) => {}
            }
            for condition in gated.branches(*value).iter().filter_map(|branch| gated.ssa.condition(*branch)) {
                edge(condition, *value);
            }
        }
        for inst in &func.blocks[*block].insts {
            for to in gated.ssa.writes(accesses, *inst) {
                gated.ssa.reads(accesses, *inst).iter().for_each(|from| edge(*from, *to));
            }
        }
    }
}
