//! The affine analysis: how states flow through φs, copies and instructions.

use super::arithmetic::{add, multiply, truncate, widen};
use super::context::Context;
use super::numbered::{Among, ByFlags, Number, Numbered};
use super::solve::Rules;
use super::state::{Coefficient, State};
use super::transfer::{Operands, choice, transfer};
use crate::analysis::gated::{Gate, Gated};
use crate::analysis::kind::Kind;
use crate::analysis::linear::{Linear, Shape};
use crate::analysis::ssa::{Def, Value};
use crate::analysis::steps::Step;
use crate::ir::{Block, Inst};
use cranelift_entity::EntityRef;

pub(super) struct Affine<'a> {
    pub context: Context<'a>,
    pub numbered: Numbered,
}

impl Rules for Affine<'_> {
    type State = Number;
    type Among = Among;
    const TOP: Number = Number::TOP;
    const UNDEFINED: Number = Number::DIVERGENT;

    fn among(states: [Number; 3]) -> Among {
        Among::new(states)
    }

    fn with(among: Among, state: Number) -> Among {
        among.with(state)
    }

    fn follow(&mut self, states: &[Number], value: Value, step: &Step, among: Among) -> Number {
        match QUICK[step.kind as usize].get(among) {
            // the value that is sent does not matter where all name the same lane
            Number::NONE
                if step.kind == Kind::Shuffle
                    && step.reads[1..].iter().all(|naming| states[naming.index()].is_uniform()) =>
            {
                Number::UNIFORM
            }
            Number::NONE => self.ask(states, value, step),
            number => number.with_constant(step),
        }
    }

    fn descend(&mut self, present: Number, next: Number) -> Number {
        if next == present || next == Number::DIVERGENT || next == Number::UNIFORM && present.is_uniform() {
            return next;
        }
        let (above, below) = (self.numbered.state(present), self.numbered.state(next));
        match above.descend(below) {
            state if state == above => present,
            state if state == below => next,
            state => self.numbered.number(state),
        }
    }
}

/// States that follow from the kind of a step and the common flags of its inputs alone; for constants the state to which
/// `Number::with_constant` adds the place of the constant.
const QUICK: [ByFlags; Kind::COUNT] = {
    let mut table = [[Number::NONE; Among::COUNT]; Kind::COUNT];
    let mut flags = 0;
    while flags < Among::COUNT {
        let among = Among::from_flags(flags);
        let lanewise = if among.all_uniform() { Number::UNIFORM } else { Number::DIVERGENT };
        table[Kind::Lanewise as usize][flags] = lanewise;
        table[Kind::Divergent as usize][flags] = Number::DIVERGENT;
        table[Kind::Common as usize][flags] = Number::UNIFORM;
        table[Kind::Broadcast as usize][flags] = Number::UNIFORM;
        table[Kind::Constant as usize][flags] = Number::ALIGNED;
        if among.all_uniform() {
            table[Kind::Shuffle as usize][flags] = Number::UNIFORM;
        }
        if among.all_plain() {
            table[Kind::Move as usize][flags] = lanewise;
            table[Kind::Select as usize][flags] = lanewise;
            table[Kind::Start as usize][flags] = lanewise;
            table[Kind::Irreducible as usize][flags] = Number::DIVERGENT;
        }
        let integer = [Kind::Sum, Kind::Product, Kind::Multiple, Kind::Fused];
        let mut i = 0;
        while i < integer.len() {
            let kind = integer[i];
            table[kind as usize][flags] = match kind {
                _ if among.any_divergent() => Number::DIVERGENT,
                _ if !among.all_uniform() => Number::NONE,
                Kind::Multiple if among.all_plain() => Number::ALIGNED,
                Kind::Sum if among.any_plain() => Number::UNIFORM,
                Kind::Product | Kind::Fused if among.all_plain() => Number::UNIFORM,
                _ => Number::NONE,
            };
            i += 1;
        }
        flags += 1;
    }
    let (mut words, mut kind) = ([ByFlags::new(table[0]); Kind::COUNT], 0);
    while kind < Kind::COUNT {
        words[kind] = ByFlags::new(table[kind]);
        kind += 1;
    }
    words
};

impl Affine<'_> {
    fn ask(&mut self, states: &[Number], value: Value, step: &Step) -> Number {
        let at = |value: Value| states[value.index()];
        let [first, second, _] = step.reads;
        match step.kind {
            Kind::Move => at(first),
            Kind::Sum | Kind::Product | Kind::Multiple | Kind::Fused
                if let Some(form) = self.context.gated.steps().linear(step) =>
            {
                let state = |value| self.numbered.state(at(value));
                let state = self.linear(form, state(first), || state(second));
                self.numbered.number(state)
            }
            Kind::Start | Kind::Irreducible => self.start(states, value),
            _ => self.instruction(states, value, step.kind),
        }
    }

    fn instruction(&mut self, states: &[Number], value: Value, kind: Kind) -> Number {
        let at = |value: &Value| states[value.index()];
        let gated = self.context.gated;
        let Def::Inst(inst, result) = gated.ssa.values[value].def else { return Number::DIVERGENT };
        let reads = gated.ssa.reads(inst);
        match (kind, reads) {
            (Kind::Shuffle, [sent, ..]) if result > 0 || !at(sent).is_uniform() => Number::DIVERGENT,
            (Kind::Shuffle, _) => Number::UNIFORM,
            (Kind::Fused, [.., addend])
                if at(addend) == Number::UNIFORM && reads.iter().all(|read| at(read).is_uniform()) =>
            {
                Number::UNIFORM
            }
            // two registers may have the same known value
            (Kind::Select, [values @ .., _])
                if reads.iter().any(|read| at(read) == Number::DIVERGENT)
                    && values.iter().any(|value| at(value).is_plain()) =>
            {
                Number::DIVERGENT
            }
            _ => self.transfer(states, inst, result, reads),
        }
    }

    /// The state of a φ or a copy.
    fn start(&mut self, states: &[Number], value: Value) -> Number {
        let gated = self.context.gated;
        let state = |value: Value| self.numbered.state(states[value.index()]);
        let state = match gated.ssa.values[value].def {
            Def::Phi(block, _) => {
                let arguments = gated.ssa.arguments(value);
                let among = Among::all(arguments.iter().map(|argument| states[argument.index()]));
                if among.any_divergent() {
                    return Number::DIVERGENT;
                }
                let same = gated.gate(value) != Some(Gate::Irreducible) && agree(gated, states, value);
                if among.all_uniform() && among.any_plain() {
                    return if same { Number::UNIFORM } else { Number::DIVERGENT };
                }
                let known = arguments.iter().map(|argument| visible(gated, state(*argument), block));
                let met = choice(same, known.filter(|state| !state.is_top()));
                let counted =
                    |argument: &Value| self.counted(value, met, *argument).filter(|_| state(*argument).is_top());
                arguments.iter().filter_map(counted).fold(met, |met, next| choice(same, [met, next]))
            }
            Def::Copy(_, source) => choice(agree(gated, states, value), [state(source)]),
            Def::Undefined | Def::Inst(..) => State::DIVERGENT,
        };
        self.numbered.number(state)
    }

    /// Returns the state of a loop counter behind the first round, where it is `start` at first, if the argument is its next value.
    fn counted(&self, phi: Value, start: State, argument: Value) -> Option<State> {
        let gated = self.context.gated;
        let step = gated.steps().all().get(argument.index()).filter(|step| step.reads == [phi; 3])?;
        let form = match step.kind {
            Kind::Sum | Kind::Product | Kind::Multiple => gated.steps().linear(step)?,
            _ => return None,
        };
        Some(self.linear(form, start, || start))
    }

    fn linear(&self, form: &Linear, x: State, y: impl Fn() -> State) -> State {
        let x = match form.shape {
            Shape::Sum => x,
            Shape::Product => scale(x, form.factor, form.mask),
            Shape::Wide(ty) => {
                let Context { basis, options, .. } = self.context;
                let narrow = truncate(x, ty.mask());
                let x = widen(narrow, 8 * ty.bytes(), ty.is_signed(), basis.count, options.assume_index_no_wrap);
                scale(x, form.factor, form.mask)
            }
        };
        add(x, form.constant.map_or_else(y, State::constant), form.mask)
    }

    fn transfer(&mut self, states: &[Number], inst: Inst, result: u32, reads: &[Value]) -> Number {
        let (context, numbered) = (&self.context, &self.numbered);
        let accesses = &context.gated.facts.accesses;
        let data = &context.func.insts[inst];
        let new = transfer(
            &data.op,
            result,
            &Operands { context, regs: accesses.reads(inst), values: reads, states, numbered },
        );
        let state = match data.guard {
            None => new,
            Some(_) => {
                let guard = states[reads[accesses.operands(inst).len()].index()];
                let kept = context.gated.ssa.kept(accesses, inst).get(result as usize);
                let old = kept.map_or(State::DIVERGENT, |old| numbered.state(states[old.index()]));
                choice(guard.is_uniform(), [new, old])
            }
        };
        self.numbered.number(state)
    }
}

fn scale(x: State, factor: u64, mask: u64) -> State {
    multiply((x, None), (State::constant(factor), None), mask)
}

/// No branch that decides about a φ or a copy is divergent.
fn agree(gated: &Gated, states: &[Number], value: Value) -> bool {
    gated.branches(value).iter().all(|branch| {
        let condition = gated.ssa.condition(*branch).map(|condition| states[condition.index()]);
        condition.is_some_and(|state| state == Number::TOP || state.is_uniform())
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
    let defining = match gated.ssa.values[value].def {
        Def::Undefined => return true,
        Def::Phi(..) | Def::Copy(..) | Def::Inst(..) => match gated.block(value) {
            Some(at) => at,
            None => return false,
        },
    };
    defining != block && gated.facts.dominators.dominates(defining, block)
}
