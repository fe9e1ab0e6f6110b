//! The affine analysis: how states flow through φs, copies and instructions.

use super::Context;
use super::numbered::{Among, Number, Numbered};
use super::solve::Rules;
use super::state::{Coefficient, State};
use super::transfer::{Operands, choice, transfer};
use crate::simt::analysis::gated::{Gate, Gated};
use crate::simt::analysis::kind::Kind;
use crate::simt::analysis::ssa::{Def, Value};
use crate::simt::inst::{Op, Operand};
use crate::simt::ir::{Block, Inst};
use cranelift_entity::EntityRef;

pub(super) struct Affine<'a> {
    pub context: Context<'a>,
    pub numbered: Numbered,
}

impl Rules for Affine<'_> {
    type State = Number;
    const TOP: Number = Number::TOP;

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

    fn undefined(&self) -> Number {
        Number::DIVERGENT
    }

    fn start(&mut self, states: &[Number], value: Value) -> Number {
        let gated = self.context.gated;
        let state = |value: Value| self.numbered.state(states[value.index()]);
        let state = match gated.ssa.values[value].def {
            Def::Phi(block, _) => {
                let arguments = gated.ssa.arguments(value);
                let among = Among::new(arguments.iter().map(|argument| states[argument.index()]));
                if among.any_divergent() {
                    return Number::DIVERGENT;
                }
                let same = gated.gate(value) != Some(Gate::Irreducible) && agree(gated, states, value);
                if among.all_uniform() && among.all_plain() {
                    return if same { Number::UNIFORM } else { Number::DIVERGENT };
                }
                let known = arguments.iter().map(|argument| visible(gated, state(*argument), block));
                choice(same, known.filter(|state| !state.is_top()))
            }
            Def::Copy(_, source) => choice(agree(gated, states, value), [state(source)]),
            Def::Undefined | Def::Inst(..) => State::DIVERGENT,
        };
        self.numbered.number(state)
    }

    #[inline]
    fn result(&mut self, states: &[Number], inst: Inst, result: u32) -> Number {
        let gated = self.context.gated;
        let reads = gated.ssa.reads(inst);
        let among = Among::new(reads.iter().map(|read| states[read.index()]));
        let kind = gated.facts.kinds[inst];
        QUICK[kind as usize][among.flags()].unwrap_or_else(|| self.ask(states, inst, result, kind, reads))
    }
}

/// What follows from the kind of an instruction and what its operands have in common, where nothing else matters.
const QUICK: [[Option<Number>; Among::COUNT]; Kind::COUNT] = {
    let mut table = [[None; Among::COUNT]; Kind::COUNT];
    let mut flags = 0;
    while flags < Among::COUNT {
        let among = Among::of(flags);
        let lanewise = if among.all_uniform() { Number::UNIFORM } else { Number::DIVERGENT };
        table[Kind::Lanewise as usize][flags] = Some(lanewise);
        table[Kind::Divergent as usize][flags] = Some(Number::DIVERGENT);
        table[Kind::Common as usize][flags] = Some(Number::UNIFORM);
        table[Kind::Broadcast as usize][flags] = Some(Number::UNIFORM);
        let integer = [Kind::Sum, Kind::Product, Kind::Multiple, Kind::Fused];
        let mut i = 0;
        while i < integer.len() {
            let kind = integer[i];
            table[kind as usize][flags] = match kind {
                _ if among.any_divergent() => Some(Number::DIVERGENT),
                _ if !among.all_uniform() => None,
                Kind::Multiple if among.all_plain() => Some(Number::ALIGNED),
                Kind::Sum if among.any_plain() => Some(Number::UNIFORM),
                Kind::Product | Kind::Fused if among.all_plain() => Some(Number::UNIFORM),
                _ => None,
            };
            i += 1;
        }
        flags += 1;
    }
    table
};

impl Affine<'_> {
    #[inline(never)]
    fn ask(&mut self, states: &[Number], inst: Inst, result: u32, kind: Kind, reads: &[Value]) -> Number {
        let at = |value: &Value| states[value.index()];
        match (kind, &self.context.func.insts[inst].op, reads) {
            (Kind::Constant, Op::Unary { a: Operand::Imm(bits), .. }, _) => self.numbered.constant(*bits),
            (Kind::Move, _, [source]) => at(source),
            (Kind::Fused, _, [.., addend])
                if at(addend) == Number::UNIFORM && reads.iter().all(|read| at(read).is_uniform()) =>
            {
                Number::UNIFORM
            }
            // with the predicate alone, lanes get one of two immediates; two registers may have the same known value
            (Kind::Select, _, [values @ .., _])
                if reads.iter().any(|read| at(read) == Number::DIVERGENT)
                    && (values.is_empty() || values.iter().any(|value| at(value).is_plain())) =>
            {
                Number::DIVERGENT
            }
            (Kind::Shuffle, op, _) if self.broadcasts(states, inst, op) => Number::UNIFORM,
            _ => self.transfer(states, inst, result, reads),
        }
    }

    /// All lanes take part and read the same one.
    fn broadcasts(&self, states: &[Number], inst: Inst, op: &Op) -> bool {
        let gated = self.context.gated;
        let number = |operand: &Operand| {
            let place = gated.facts.accesses.operands(inst).iter().position(|reg| Some(*reg) == operand.reg())?;
            Some(states[gated.ssa.reads(inst)[place].index()])
        };
        let is = |operand: &Operand, bits: u64| match operand {
            Operand::Imm(own) => *own == bits,
            _ => number(operand).is_some_and(|number| self.numbered.state(number) == State::constant(bits)),
        };
        let Op::Shfl { lane, clamp, mask, .. } = op else { return false };
        let uniform = matches!(lane, Operand::Imm(_)) || number(lane).is_some_and(Number::is_uniform);
        uniform && is(clamp, 31) && mask.is_none_or(|mask| is(&mask, 0xffff_ffff))
    }

    #[inline(never)]
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
