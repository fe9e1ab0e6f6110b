//! Operations on known functions of T, looked up for every T of the block.

use super::arithmetic::sign_extend;
use super::eval::eval;
use super::state::Coefficient::{self, Known};
use super::state::State;
use crate::inst::{BinaryOp, Cmp, Op, Type};

/// The state of the result of an operation whose operands are all known, for T below `count`; `None` where nothing is
/// said.
pub(super) fn exact(op: &Op, operands: &[State], count: u64) -> Option<State> {
    let (ty, mask) = match op {
        Op::Unary { op, ty, .. } => (*ty, op.result(*ty).mask()),
        Op::Binary { ty, .. } | Op::Ternary { ty, .. } => (*ty, ty.mask()),
        Op::Setp { ty, other: None, .. } => (*ty, 1),
        _ => return None,
    };
    if ty.bytes() < 4 || !ty.is_integer() {
        return None;
    }
    let mut known = [(0, 0); 3];
    for (place, state) in known.iter_mut().zip(operands) {
        *place = state.known()?;
    }
    let at = |t: u64| eval(op, known.map(|(stride, base)| stride.wrapping_mul(t).wrapping_add(base) & ty.mask()));
    if known.iter().all(|(stride, _)| *stride == 0) {
        return affine(1, 1, mask, at);
    }
    let state = match by_warp(op, ty, &known[..operands.len()], count) {
        Warp::Same => by_firsts(count, at)?,
        Warp::Monotone if mask == 1 => by_border(count, at)?,
        Warp::Monotone => match (0..count).step_by(32).all(|first| at(first) == at(count.min(first + 32) - 1)) {
            true => by_firsts(count, at)?,
            false => affine(count, 1, mask, at)?,
        },
        Warp::Repeats => repeated(affine(count.min(32), 1, mask, at)?, count, mask),
        Warp::Any => affine(count, 1, mask, at)?,
    };
    // predicates have no arithmetic
    Some(if mask == 1 && !state.is_uniform() { State::DIVERGENT } else { state })
}

/// Pattern of an operation's results over the lanes of a warp, without a look at each.
enum Warp {
    /// All the same.
    Same,
    /// Ever more or ever less: all the same if the first and the last lane agree.
    Monotone,
    /// The same as in the first warp.
    Repeats,
    Any,
}

fn by_warp(op: &Op, ty: Type, operands: &[(u64, u64)], count: u64) -> Warp {
    let &[a, b] = operands else { return Warp::Any };
    let (varying, other) = if a.0 == 0 { (b, a) } else { (a, b) };
    // whole warps of consecutive numbers
    let lanes = varying.0 == 1 && varying.1 % 32 == 0 && other.0 == 0 && !wraps(varying, ty, count);
    let monotone = match op {
        Op::Binary { op: BinaryOp::Shr, .. } if lanes && b == other && other.1 >= 5 => return Warp::Same,
        Op::Binary { op: BinaryOp::Div, .. }
            if lanes && b == other && other.1 % 32 == 0 && !negative(varying.1, ty) =>
        {
            return Warp::Same;
        }
        Op::Binary { op: BinaryOp::And, .. } if other.0 == 0 => {
            let same = other.1 % 32 == 0 && varying.0 == 1 && varying.1 % 32 == 0;
            // all bits up to the highest of the mask
            let period = other.1.checked_ilog2().map_or(0, |highest| u64::MAX >> (63 - highest));
            let repeats = varying.0.wrapping_mul(32) & period == 0;
            return if same {
                Warp::Same
            } else if repeats {
                Warp::Repeats
            } else {
                Warp::Any
            };
        }
        Op::Binary { op: BinaryOp::Shr | BinaryOp::Div, .. } => b.0 == 0,
        Op::Binary { op: BinaryOp::Min | BinaryOp::Max, .. } => other.0 == 0,
        Op::Setp { cmp: Cmp::Lt | Cmp::Le | Cmp::Gt | Cmp::Ge, combine: None, .. } => other.0 == 0,
        _ => false,
    };
    if monotone && !wraps(varying, ty, count) { Warp::Monotone } else { Warp::Any }
}

fn negative(x: u64, ty: Type) -> bool {
    ty.is_signed() && sign_extend(x, 8 * ty.bytes()) < 0
}

/// Whether stride · T + base leaves the range of the type for a T below `count`.
fn wraps((stride, base): (u64, u64), ty: Type, count: u64) -> bool {
    let bits = 8 * ty.bytes();
    let (low, high) = if ty.is_signed() { (-(1i128 << (bits - 1)), 1i128 << (bits - 1)) } else { (0, 1i128 << bits) };
    let first = if ty.is_signed() { i128::from(sign_extend(base, bits)) } else { i128::from(base & ty.mask()) };
    let last = first + i128::from(sign_extend(stride, bits)) * i128::from(count.saturating_sub(1));
    !(low..high).contains(&last)
}

/// The state of a function that is the same in all lanes of a warp.
fn by_firsts(count: u64, at: impl Fn(u64) -> Option<u64>) -> Option<State> {
    let mut base = Coefficient::Top;
    for first in (0..count).step_by(32) {
        base = base.meet(Known(at(first)?));
        if base == Coefficient::Bottom {
            break;
        }
    }
    Some(State::new(Known(0), base))
}

/// The state of a predicate that is one up to some T and the other from then on.
fn by_border(count: u64, at: impl Fn(u64) -> Option<u64>) -> Option<State> {
    let first = at(0)?;
    let (mut low, mut high) = (1, count);
    while low < high {
        let middle = (low + high) / 2;
        match at(middle)? == first {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    Some(match low {
        _ if low == count => State::constant(first),
        _ if low % 32 == 0 => State::UNIFORM,
        _ => State::DIVERGENT,
    })
}

/// The state of a function of T that does in all warps what it does in the first.
fn repeated(first: State, count: u64, mask: u64) -> State {
    let (Known(stride), Known(base)) = (first.stride, first.base) else { return State::DIVERGENT };
    let own = |first: u64| Known(base.wrapping_sub(stride.wrapping_mul(first)) & mask);
    State::new(first.stride, (0..count).step_by(32).map(own).fold(Coefficient::Top, Coefficient::meet))
}

/// The state of a function of T, given for all T below `count`; `unit` is 1 if the argument counts as T itself, 0 if
/// only its lane does. Values are taken modulo `mask` + 1.
pub(super) fn affine(count: u64, unit: u64, mask: u64, f: impl Fn(u64) -> Option<u64>) -> Option<State> {
    let stride = if count > 1 { f(1)?.wrapping_sub(f(0)?) & mask } else { 0 };
    let mut base = Coefficient::Top;
    for first in (0..count).step_by(32) {
        let start = f(first)?;
        for lane in 1..32.min(count - first) {
            if f(first + lane)? != start.wrapping_add(stride.wrapping_mul(lane)) & mask {
                return Some(State::DIVERGENT);
            }
        }
        let own = start.wrapping_sub(stride.wrapping_mul(unit * first)) & mask;
        base = base.meet(Known(own));
    }
    Some(State::new(Known(stride), base))
}
