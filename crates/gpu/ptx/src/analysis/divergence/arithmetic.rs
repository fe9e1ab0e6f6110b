//! Arithmetic on states in the ring of `mask` + 1 values.

use super::state::Coefficient::{self, Aligned, Bottom, Known, Scaled};
use super::state::State;
use crate::analysis::ssa::Value;

pub(super) fn add(a: State, b: State, mask: u64) -> State {
    let stride = match (a.stride, b.stride) {
        (Known(x), Known(y)) => Known(x.wrapping_add(y) & mask),
        (Known(0), other) | (other, Known(0)) => other,
        (Scaled(v, x), Scaled(w, y)) if v == w => scaled(v, x.wrapping_add(y) & mask).unwrap_or(Bottom),
        _ => Bottom,
    };
    let base = match (a.base, b.base) {
        (Known(x), Known(y)) => Known(x.wrapping_add(y) & mask),
        (x, y) if aligned(x) && aligned(y) => Aligned,
        _ => Bottom,
    };
    State::new(stride, base)
}

pub(super) fn negate(a: State, mask: u64) -> State {
    let stride = match a.stride {
        Known(x) => Known(x.wrapping_neg() & mask),
        Scaled(v, x) => Scaled(v, x.wrapping_neg() & mask),
        other => other,
    };
    let base = match a.base {
        Known(x) => Known(x.wrapping_neg() & mask),
        other => other,
    };
    State::new(stride, base)
}

/// The factors with their names, where they are values.
pub(super) fn multiply(a: (State, Option<Value>), b: (State, Option<Value>), mask: u64) -> State {
    match (a.0.is_uniform(), b.0.is_uniform()) {
        (_, true) => scale(a.0, b, mask),
        (true, false) => scale(b.0, a, mask),
        _ => State::DIVERGENT,
    }
}

/// Times a value that is the same in all lanes.
fn scale(a: State, (factor, name): (State, Option<Value>), mask: u64) -> State {
    let stride = match (a.stride, factor.base) {
        (Known(0), _) => Known(0),
        (Known(s), Known(c)) => Known(s.wrapping_mul(c) & mask),
        (Known(s), _) => name.map_or(Bottom, |name| Scaled(name, s)),
        (Scaled(v, s), Known(c)) => scaled(v, s.wrapping_mul(c) & mask).unwrap_or(Known(0)),
        _ => Bottom,
    };
    let base = match (a.base, factor.base) {
        (Known(x), Known(y)) => Known(x.wrapping_mul(y) & mask),
        (Known(0), _) | (_, Known(0)) => Known(0),
        (x, y) if aligned(x) || aligned(y) => Aligned,
        _ => Bottom,
    };
    State::new(stride, base)
}

fn scaled(name: Value, factor: u64) -> Option<Coefficient> {
    (factor != 0).then_some(Scaled(name, factor))
}

/// A known multiple of 32, or an unknown one.
pub(super) fn aligned(base: Coefficient) -> bool {
    matches!(base, Aligned) || matches!(base, Known(k) if k % 32 == 0)
}

/// The low bits.
pub(super) fn truncate(a: State, mask: u64) -> State {
    let stride = match a.stride {
        Known(x) => Known(x & mask),
        Scaled(v, x) => scaled(v, x & mask).unwrap_or(Known(0)),
        other => other,
    };
    let base = match a.base {
        Known(x) => Known(x & mask),
        other => other,
    };
    State::new(stride, base)
}

/// From `bits` to 64 bits, by sign or by zeros. The stride stays where no T below `count` makes the value wrap, or where
/// that is `assumed`.
pub(super) fn widen(a: State, bits: u32, signed: bool, count: u64, assumed: bool) -> State {
    let extend = |x: u64| if signed { sign_extend(x, bits) as u64 } else { x };
    if a.is_uniform() {
        return match a.base {
            Known(x) => State::constant(extend(x)),
            base => State::new(a.stride, base),
        };
    }
    if let Some((stride, base)) = a.known() {
        let (low, high) =
            if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
        let first = i128::from(if signed { sign_extend(base, bits) } else { base as i64 });
        let last = first + i128::from(sign_extend(stride, bits)) * i128::from(count.saturating_sub(1));
        if (low..=high).contains(&first) && (low..=high).contains(&last) {
            return State::new(Known(sign_extend(stride, bits) as u64), Known(first as u64));
        }
    }
    match a.stride {
        Known(stride) if assumed => {
            let base = if aligned(a.base) { Aligned } else { Bottom };
            State::new(Known(sign_extend(stride, bits) as u64), base)
        }
        Scaled(..) if assumed && !signed => State::new(a.stride, Bottom),
        _ => State::DIVERGENT,
    }
}

pub(super) fn sign_extend(x: u64, bits: u32) -> i64 {
    let shift = 64 - bits;
    ((x << shift) as i64) >> shift
}
