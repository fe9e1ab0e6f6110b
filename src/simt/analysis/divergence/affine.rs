//! The affine analysis: how states flow through φs, copies and instructions.

use super::Context;
use super::eval::integer;
use super::numbered::{Number, Numbered};
use super::solve::Rules;
use super::state::{Coefficient, State};
use super::transfer::{Operands, choice, load, transfer};
use crate::simt::analysis::gated::{Gate, Gated};
use crate::simt::analysis::ssa::{Def, Value};
use crate::simt::inst::{BinaryOp, Op, Operand, UnaryOp};
use crate::simt::ir::{Block, Func, Inst};
use cranelift_entity::EntityRef;

pub(super) struct Affine<'a> {
    pub context: Context<'a>,
    pub numbered: Numbered,
}

impl Rules for Affine<'_> {
    type State = Number;
    const TOP: Number = Number::TOP;

    fn is_bottom(number: Number) -> bool {
        number == Number::DIVERGENT
    }

    fn descend(&mut self, present: Number, next: Number) -> Number {
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
        if let Def::Phi(_, arguments) = &gated.ssa.values[value].def
            && arguments.iter().any(|argument| states[argument.index()] == Number::DIVERGENT)
        {
            return Number::DIVERGENT;
        }
        let state = |value: Value| self.numbered.state(states[value.index()]);
        let state = match &gated.ssa.values[value].def {
            Def::Phi(block, arguments) => {
                let same = gated.gate(value) != Some(Gate::Irreducible) && agree(gated, states, value);
                let known = arguments.iter().map(|argument| visible(gated, state(*argument), *block));
                choice(same, known.filter(|state| !state.is_top()))
            }
            Def::Copy(_, source) => choice(agree(gated, states, value), [state(*source)]),
            Def::Undefined | Def::Inst(..) => State::DIVERGENT,
        };
        self.numbered.number(state)
    }

    fn result(&mut self, states: &[Number], inst: Inst, result: u32, reads: &[Value]) -> Number {
        let mut among = Among { uniform: true, plain: !reads.is_empty(), divergent: false };
        for read in reads {
            let state = states[read.index()];
            if state == Number::TOP {
                return Number::TOP;
            }
            among.uniform &= state.is_uniform();
            among.plain &= state == Number::UNIFORM;
            among.divergent |= state == Number::DIVERGENT;
        }
        let data = &self.context.func.insts[inst];
        let accesses = &self.context.gated.facts.accesses;
        if data.guard.is_none() && !accesses.specials(inst) {
            if let Op::Unary { op: UnaryOp::Mov, a: Operand::Imm(bits), .. } = data.op {
                return self.numbered.constant(bits);
            }
            if let Some(uniform) = by_operands(&data.op, among, self.context.func) {
                return if uniform { Number::UNIFORM } else { Number::DIVERGENT };
            }
        }
        let (context, numbered) = (&self.context, &self.numbered);
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

/// What the values are that an instruction reads.
#[derive(Clone, Copy)]
struct Among {
    /// All are uniform.
    uniform: bool,
    /// There are some, all of them uniform, and nothing more is known of any.
    plain: bool,
    /// One is divergent.
    divergent: bool,
}

/// Whether the results of most instructions are uniform or divergent, without a look at strides and bases; `None` where more
/// may be known.
fn by_operands(op: &Op, among: Among, func: &Func) -> Option<bool> {
    use BinaryOp::{And, Mul, MulWide, Shl};
    // lanes that agree on all operands agree on the result
    let alike = Some(among.uniform);
    let affine = |keeps: bool| match among {
        Among { divergent: true, .. } => Some(false),
        Among { plain: true, .. } if !keeps => Some(true),
        _ => None,
    };
    match op {
        Op::Unary { op: UnaryOp::Mov, .. } | Op::Cvta { .. } | Op::Unpack { .. } => affine(false),
        Op::Unary { ty, .. } | Op::Setp { ty, .. } if integer(*ty) => affine(false),
        // with an immediate they make multiples of 32
        Op::Binary { ty, op, .. } if integer(*ty) => affine(matches!(op, And | Mul | MulWide | Shl)),
        Op::Ternary { ty, .. } if integer(*ty) => affine(true),
        Op::Cvt { to, from, .. } if integer(*to) && integer(*from) => affine(false),
        Op::Ld { space, access, addr, .. } => Some(load(*space, access.order, addr, among.uniform, func)),
        Op::Unary { .. } | Op::Binary { .. } | Op::Ternary { .. } | Op::Setp { .. } | Op::Cvt { .. } => alike,
        Op::Set { .. } | Op::Slct { .. } | Op::Isspacep { .. } | Op::Pack { .. } | Op::Lop3 { .. } | Op::Bfi { .. } => {
            alike
        }
        _ => None,
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
