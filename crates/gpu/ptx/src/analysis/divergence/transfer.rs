//! Transfer functions: the state that each instruction makes of the states of its operands.

use super::arithmetic::{add, aligned, multiply, negate, truncate, widen};
use super::context::Context;
use super::lookup::exact;
use super::numbered::{Number, Numbered};
use super::state::Coefficient::{Aligned, Bottom, Known};
use super::state::State;
use crate::analysis::ssa::Value;
use crate::inst::*;
use crate::ir::Reg;
use cranelift_entity::EntityRef;

/// The operands of one instruction.
pub(super) struct Operands<'a> {
    pub context: &'a Context<'a>,
    /// The registers that the instruction reads, and their values.
    pub regs: &'a [Reg],
    pub values: &'a [Value],
    pub states: &'a [Number],
    pub numbered: &'a Numbered,
}

impl Operands<'_> {
    fn name(&self, operand: Operand) -> Option<Value> {
        let Operand::Reg(reg) = operand else { return None };
        let position = self.regs.iter().position(|read| *read == reg)?;
        self.values.get(position).copied()
    }

    fn state(&self, operand: Operand) -> State {
        match operand {
            Operand::Reg(_) => {
                self.name(operand).map_or(State::DIVERGENT, |value| self.numbered.state(self.states[value.index()]))
            }
            Operand::Imm(bits) => State::constant(bits),
            Operand::Special(special) => self.context.basis.state(special),
            Operand::Variable(_) | Operand::Param(_) => State::UNIFORM,
        }
    }

    fn named(&self, operand: Operand) -> (State, Option<Value>) {
        (self.state(operand), self.name(operand))
    }

    /// All lanes that are active take part.
    fn full(&self, mask: Option<Operand>) -> bool {
        mask.is_none_or(|mask| self.state(mask).known() == Some((0, 0xffff_ffff)))
    }
}

/// The state of result number `result` of an instruction, without its guard, if the instruction is not
/// [`Divergent`](crate::analysis::kind::Kind::Divergent).
pub(super) fn transfer(op: &Op, result: u32, on: &Operands) -> State {
    let count = on.context.basis.count;
    let assumed = on.context.options.assume_index_no_wrap;
    match op {
        Op::Unary { op: UnaryOp::Mov, a, .. } => on.state(*a),
        Op::Unary { op: UnaryOp::Neg, ty, a, .. } if ty.is_integer() => negate(on.state(*a), ty.mask()),
        Op::Binary { .. } | Op::Ternary { .. } => linear(op, on).unwrap_or_else(|| generic(op, on)),
        Op::Cvt { mode: Mode { sat: false, .. }, to, from, dst, a } if to.is_integer() && from.is_integer() => {
            let a = truncate(on.state(*a), from.mask());
            if on.context.func.regs[*dst].bytes() != to.bytes() {
                alike(&[a])
            } else if to.bytes() <= from.bytes() {
                truncate(a, to.mask())
            } else {
                truncate(widen(a, 8 * from.bytes(), from.is_signed(), count, assumed), to.mask())
            }
        }
        Op::Cvta { a, ty, .. } => {
            let state = truncate(on.state(*a), ty.mask());
            State::new(state.stride, Bottom)
        }
        Op::Selp { a, b, pred, .. } => {
            let (pred, a, b) = (on.state(Operand::Reg(*pred)), on.state(*a), on.state(*b));
            choice(pred.is_uniform(), [a, b])
        }
        Op::Unpack { ty, parts, src } => {
            let state = truncate(on.state(*src), ty.mask());
            let first = parts.iter().position(Option::is_some) == Some(0) && result == 0;
            match parts.first() {
                Some(Some(low)) if first => truncate(state, on.context.func.regs[*low].mask()),
                _ => alike(&[state]),
            }
        }
        Op::Shfl { mode, src, lane, clamp, mask, .. } => {
            let plain = on.state(*clamp).known() == Some((0, 31));
            let broadcast = *mode == ShflMode::Idx && plain && on.state(*lane).is_uniform();
            let same = broadcast || result == 0 && on.state(*src).is_uniform();
            if same && on.full(*mask) { State::UNIFORM } else { State::DIVERGENT }
        }
        Op::Vote { mask, .. } if on.full(*mask) => State::UNIFORM,
        Op::Match { all: true, mask, .. } | Op::Redux { mask, .. } if on.full(Some(*mask)) => State::UNIFORM,
        Op::Activemask { .. } | Op::BarRed { .. } => State::UNIFORM,
        Op::Carry { reads: false, .. }
        | Op::Unary { .. }
        | Op::Setp { .. }
        | Op::Set { .. }
        | Op::Slct { .. }
        | Op::Cvt { .. }
        | Op::Ld { .. }
        | Op::Isspacep { .. }
        | Op::Pack { .. }
        | Op::Lop3 { .. }
        | Op::Bfi { .. } => generic(op, on),
        // operations that depend on other lanes
        _ => State::DIVERGENT,
    }
}

/// Sums and products of integers, which multiples of the basis may come out of.
fn linear(op: &Op, on: &Operands) -> Option<State> {
    let (count, assumed) = (on.context.basis.count, on.context.options.assume_index_no_wrap);
    let wide = |operand: Operand, ty: Type| {
        let (state, name) = on.named(operand);
        let state = widen(truncate(state, ty.mask()), 8 * ty.bytes(), ty.is_signed(), count, assumed);
        // the name stands for the register's bits with zeros above
        (state, name.filter(|_| !ty.is_signed()))
    };
    Some(match op {
        Op::Binary { op: BinaryOp::Add, mode: Mode { sat: false, .. }, ty, a, b, .. } if ty.is_integer() => {
            add(on.state(*a), on.state(*b), ty.mask())
        }
        Op::Binary { op: BinaryOp::Sub, mode: Mode { sat: false, .. }, ty, a, b, .. } if ty.is_integer() => {
            add(on.state(*a), negate(on.state(*b), ty.mask()), ty.mask())
        }
        Op::Binary { op: BinaryOp::Mul, ty, a, b, .. } if ty.is_integer() => {
            multiply(on.named(*a), on.named(*b), ty.mask())
        }
        Op::Binary { op: BinaryOp::Shl, ty, a, b, .. } if ty.is_integer() => {
            let Some((0, k)) = on.state(*b).known() else { return None };
            let factor = 1u64.checked_shl(k as u32).unwrap_or(0) & ty.mask();
            multiply(on.named(*a), (State::constant(factor), None), ty.mask())
        }
        Op::Binary { op: BinaryOp::MulWide, ty, a, b, .. } => multiply(wide(*a, *ty), wide(*b, *ty), ty.wide().mask()),
        Op::Ternary { op: TernaryOp::Mad, mode: Mode { sat: false, .. }, ty, a, b, c, .. } if ty.is_integer() => {
            add(multiply(on.named(*a), on.named(*b), ty.mask()), on.state(*c), ty.mask())
        }
        Op::Ternary { op: TernaryOp::MadWide, ty, a, b, c, .. } => {
            let mask = ty.wide().mask();
            add(multiply(wide(*a, *ty), wide(*b, *ty), mask), on.state(*c), mask)
        }
        _ => return None,
    })
}

/// The same for the same operands: uniform if all are.
fn alike(operands: &[State]) -> State {
    if operands.iter().all(|state| state.is_uniform()) { State::UNIFORM } else { State::DIVERGENT }
}

/// One of several values: for all lanes the same one, or each lane has its own.
pub(super) fn choice(same: bool, values: impl IntoIterator<Item = State>) -> State {
    let (mut met, mut equal) = (State::TOP, true);
    for state in values {
        equal &= met.is_top() || met == state;
        met = met.meet(state);
    }
    if same || met.is_top() || equal && met.known().is_some() { met } else { State::DIVERGENT }
}

/// An operation on each lane by itself.
fn generic(op: &Op, on: &Operands) -> State {
    let mut operands = [State::constant(0); 5];
    let mut count = 0;
    op.operands(|operand| {
        operands[count.min(4)] = on.state(operand);
        count += 1;
    });
    let operands = &operands[..count.min(5)];
    let uniform = operands.iter().all(|state| state.is_uniform());
    if on.context.basis.count > 32
        && let Some(lane) = lane_of(op, operands)
    {
        return lane;
    }
    let all_known = count <= 3 && operands.iter().all(|state| state.known().is_some());
    if let Some(state) = all_known.then(|| exact(op, operands, on.context.basis.count)).flatten() {
        return state;
    }
    match whole_warps(op, operands) {
        Some(state) => state,
        None if uniform => State::UNIFORM,
        None => State::DIVERGENT,
    }
}

/// The lane in more than one warp: the lowest five bits of whole warps of consecutive numbers.
fn lane_of(op: &Op, operands: &[State]) -> Option<State> {
    let (Op::Binary { op: BinaryOp::And, .. }, [a, b]) = (op, operands) else { return None };
    let (a, b) = if b.known().is_none() { (b, a) } else { (a, b) };
    let lanes = a.stride == Known(1) && aligned(a.base) && b.known() == Some((0, 31));
    lanes.then_some(State::new(Known(1), Aligned))
}

/// Shifts, masks and quotients by multiples of 32, of values with stride 1 whose first lane's is a multiple of 32.
fn whole_warps(op: &Op, operands: &[State]) -> Option<State> {
    let Op::Binary { op, ty, .. } = op else { return None };
    let &[a, b] = operands else { return None };
    let (a, b) = if *op == BinaryOp::And && b.known().is_none() { (b, a) } else { (a, b) };
    let (0, k) = b.known()? else { return None };
    let lanes = ty.is_integer() && a.stride == Known(1) && aligned(a.base);
    let lane = State::new(Known(1), Aligned);
    match op {
        BinaryOp::And if k % 32 == 0 && (lanes || a.is_uniform()) => Some(State::new(Known(0), Aligned)),
        BinaryOp::And if k == 31 && lanes => Some(lane),
        BinaryOp::Shr if k >= 5 && lanes => Some(State::UNIFORM),
        BinaryOp::Div if k % 32 == 0 && k > 0 && lanes && !ty.is_signed() => Some(State::UNIFORM),
        BinaryOp::Rem if k % 32 == 0 && k > 0 && lanes && !ty.is_signed() => Some(lane),
        _ => None,
    }
}
