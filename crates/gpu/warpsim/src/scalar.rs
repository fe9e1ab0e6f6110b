//! Arithmetic of one lane at a time, for all types and modifiers: the operations that [`rows`](super::rows) does not perform on whole rows.
//!
//! Values are bits with zeros above their width. A NaN that single-precision arithmetic makes is the canonical one. An
//! approximation of PTX is the correctly rounded value, except that `rcp` and `rsqrt` of doubles keep the upper 32 bits only.

use super::float::{Real, directed};
use ptx::inst::{BinaryOp, BoolOp, CarryOp, Cmp, Mode, Rounding, TernaryOp, Type, UnaryOp};

/// A function of up to three operands.
pub(super) type Each = Box<dyn Fn([u64; 3]) -> u64>;

/// Returns the number that integer bits stand for.
pub(super) fn number(x: u64, ty: Type) -> i128 {
    let bits = 8 * ty.bytes();
    let x = x & ty.mask();
    if ty.is_signed() && x >> (bits - 1) & 1 == 1 { i128::from(x) - (1i128 << bits) } else { i128::from(x) }
}

/// Returns the bits of a number; those above the width are lost.
pub(super) fn bits(x: i128, ty: Type) -> u64 {
    x as u64 & ty.mask()
}

/// Returns the bits of the nearest number that the type has.
pub(super) fn clamp(x: i128, ty: Type) -> u64 {
    let width = 8 * ty.bytes();
    let (low, high) = match ty.is_signed() {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    bits(x.clamp(low, high), ty)
}

/// Returns the function of an instruction; `None`: there is no such instruction.
pub(super) fn unary(op: UnaryOp, mode: Mode, ty: Type) -> Option<Each> {
    use UnaryOp::*;
    if ty.is_float() {
        return Real::new(ty, mode)?.unary(op);
    }
    let width = 8 * ty.bytes();
    if ty == Type::Pred || ty == Type::B128 || mode != Mode::default() {
        return None;
    }
    let each: Each = match op {
        Mov => Box::new(move |[a, ..]| a & ty.mask()),
        Neg => Box::new(move |[a, ..]| bits(-number(a, ty), ty)),
        Not => Box::new(move |[a, ..]| !a & ty.mask()),
        Abs => Box::new(move |[a, ..]| bits(number(a, ty).abs(), ty)),
        Popc => Box::new(move |[a, ..]| u64::from((a & ty.mask()).count_ones())),
        Clz => Box::new(move |[a, ..]| u64::from((a & ty.mask()).leading_zeros() + width - 64)),
        Brev => Box::new(move |[a, ..]| (a & ty.mask()).reverse_bits() >> (64 - width)),
        Cnot => Box::new(move |[a, ..]| u64::from(a & ty.mask() == 0)),
        Bfind | BfindShift => Box::new(move |[a, ..]| {
            let x = number(a, ty);
            let x = (if x < 0 { !x } else { x }) as u64;
            match x.checked_ilog2() {
                None => 0xffff_ffff,
                Some(at) => u64::from(if op == Bfind { at } else { width - 1 - at }),
            }
        }),
        _ => return None,
    };
    Some(each)
}

/// Returns the function of an instruction; `None`: there is no such instruction.
pub(super) fn binary(op: BinaryOp, mode: Mode, ty: Type) -> Option<Each> {
    use BinaryOp::*;
    if ty.is_float() {
        return Real::new(ty, mode)?.binary(op);
    }
    let width = 8 * ty.bytes();
    let saturates = mode.sat && matches!(op, Add | Sub);
    if ty == Type::Pred || ty == Type::B128 || mode != (Mode { sat: saturates, ..Mode::default() }) {
        return None;
    }
    let n = move |x| number(x, ty);
    let count = move |b: u64| (b as u32).min(width);
    let each: Each = match op {
        Add if saturates => Box::new(move |[a, b, _]| clamp(n(a) + n(b), ty)),
        Sub if saturates => Box::new(move |[a, b, _]| clamp(n(a) - n(b), ty)),
        Add => Box::new(move |[a, b, _]| bits(n(a) + n(b), ty)),
        Sub => Box::new(move |[a, b, _]| bits(n(a) - n(b), ty)),
        Mul => Box::new(move |[a, b, _]| bits(n(a).wrapping_mul(n(b)), ty)),
        MulWide => Box::new(move |[a, b, _]| bits(n(a).wrapping_mul(n(b)), ty.wide())),
        MulHi => Box::new(move |[a, b, _]| high(a, b, ty)),
        Mul24 | Mul24Hi => Box::new(move |[a, b, _]| product24(op == Mul24Hi, a, b, ty)),
        Div => Box::new(move |[a, b, _]| bits(n(a).checked_div(n(b)).unwrap_or(-1), ty)),
        Rem => Box::new(move |[a, b, _]| bits(n(a).checked_rem(n(b)).unwrap_or(n(a)), ty)),
        Min => Box::new(move |[a, b, _]| bits(n(a).min(n(b)), ty)),
        Max => Box::new(move |[a, b, _]| bits(n(a).max(n(b)), ty)),
        And => Box::new(move |[a, b, _]| a & b & ty.mask()),
        Or => Box::new(move |[a, b, _]| (a | b) & ty.mask()),
        Xor => Box::new(move |[a, b, _]| (a ^ b) & ty.mask()),
        Shl => Box::new(move |[a, b, _]| bits(n(a) << count(b), ty)),
        Shr => Box::new(move |[a, b, _]| bits(n(a) >> count(b), ty)),
        Copysign => return None,
    };
    Some(each)
}

/// Returns the function of an instruction; `None`: there is no such instruction.
pub(super) fn ternary(op: TernaryOp, mode: Mode, ty: Type) -> Option<Each> {
    use TernaryOp::*;
    if ty.is_float() {
        return Real::new(ty, mode)?.ternary(op);
    }
    let width = 8 * ty.bytes();
    let saturates = op == TernaryOp::MadHi && ty == Type::S32 && mode.sat;
    if ty == Type::Pred || ty == Type::B128 || mode != (Mode { sat: saturates, ..Mode::default() }) {
        return None;
    }
    let n = move |x| number(x, ty);
    let each: Each = match op {
        MadHi if saturates => Box::new(move |[a, b, c]| {
            let sum = n(high(a, b, ty)) + n(c);
            bits(sum.clamp(i32::MIN.into(), i32::MAX.into()), ty)
        }),
        Mad => Box::new(move |[a, b, c]| bits(n(a).wrapping_mul(n(b)).wrapping_add(n(c)), ty)),
        MadWide => {
            let wide = ty.wide();
            Box::new(move |[a, b, c]| bits(n(a).wrapping_mul(n(b)).wrapping_add(number(c, wide)), wide))
        }
        MadHi => Box::new(move |[a, b, c]| high(a, b, ty).wrapping_add(c) & ty.mask()),
        Mad24 | Mad24Hi => Box::new(move |[a, b, c]| product24(op == Mad24Hi, a, b, ty).wrapping_add(c) & ty.mask()),
        Bfe => Box::new(move |[a, b, c]| {
            let (pos, len) = (b as u32 & 255, c as u32 & 255);
            if len == 0 {
                return 0;
            }
            // bits behind the end are copies of the last bit of the field, or of the value, of a signed type
            let x = n(a) >> pos.min(width);
            if len >= width {
                return bits(x, ty);
            }
            let field = x as u64 & ((1 << len) - 1);
            let last = (pos + len - 1).min(width - 1);
            let sign = ty.is_signed() && a >> last & 1 == 1;
            (if sign { field | u64::MAX << len } else { field }) & ty.mask()
        }),
        Sad => Box::new(move |[a, b, c]| bits((n(a) - n(b)).abs() + n(c), ty)),
        Prmt => Box::new(|[a, b, c]| {
            let both = a & 0xffff_ffff | b << 32;
            (0..4).fold(0, |word, i| {
                let choice = c >> (4 * i) & 15;
                let byte = both >> (8 * (choice & 7)) & 255;
                let byte = if choice & 8 == 0 { byte } else { 255 * (byte >> 7) };
                word | byte << (8 * i)
            })
        }),
        ShfLeftWrap | ShfLeftClamp | ShfRightWrap | ShfRightClamp => Box::new(move |[a, b, c]| {
            let both = u128::from(a & 0xffff_ffff | b << 32);
            let wraps = matches!(op, ShfLeftWrap | ShfRightWrap);
            let count = if wraps { c as u32 & 31 } else { (c as u32).min(32) };
            let left = matches!(op, ShfLeftWrap | ShfLeftClamp);
            (if left { both << count >> 32 } else { both >> count }) as u64 & 0xffff_ffff
        }),
        Fma => return None,
    };
    Some(each)
}

/// Returns the upper half of the product.
fn high(a: u64, b: u64, ty: Type) -> u64 {
    let width = 8 * ty.bytes();
    if ty.is_signed() {
        bits((number(a, ty) * number(b, ty)) >> width, ty)
    } else {
        ((u128::from(a & ty.mask()) * u128::from(b & ty.mask())) >> width) as u64
    }
}

/// Returns 32 bits of the 48 of a product: the lowest, or the highest.
fn product24(upper: bool, a: u64, b: u64, ty: Type) -> u64 {
    let low = |x: u64| {
        let x = i128::from(x & 0xff_ffff);
        if ty.is_signed() && x >> 23 & 1 == 1 { x - (1 << 24) } else { x }
    };
    bits((low(a) * low(b)) >> if upper { 16 } else { 0 }, ty)
}

/// Returns the result and the carry. A difference is the sum of a, the complement of b and the carry, which is 1 if nothing is
/// borrowed: in machine code the condition code holds this carry, and the PTX ISA calls its complement the borrow.
pub(super) fn carry(op: CarryOp, ty: Type, [a, b, c]: [u64; 3], carry: bool) -> (u64, bool) {
    let unsigned = ty.unsigned();
    let n = |x| number(x, unsigned);
    let carry = i128::from(carry);
    let sum = match op {
        CarryOp::Add => n(a) + n(b) + carry,
        CarryOp::Sub => n(a) + n(!b) + carry,
        CarryOp::MadLo => n(bits(n(a).wrapping_mul(n(b)), unsigned)) + n(c) + carry,
        CarryOp::MadHi => n(high(a, b, ty)) + n(c) + carry,
    };
    (bits(sum, unsigned), sum >> (8 * ty.bytes()) != 0)
}

/// Returns the comparison; `None`: there is no such comparison.
pub(super) fn compare(cmp: Cmp, ftz: bool, ty: Type) -> Option<Box<dyn Fn(u64, u64) -> bool>> {
    if ty.is_float() {
        let real = Real::new(ty, Mode { ftz, ..Mode::default() })?;
        return Some(Box::new(move |a, b| ordered(cmp, real.value(a).partial_cmp(&real.value(b)))));
    }
    let unordered =
        matches!(cmp, Cmp::Equ | Cmp::Neu | Cmp::Ltu | Cmp::Leu | Cmp::Gtu | Cmp::Geu | Cmp::Num | Cmp::Nan);
    let known = ty != Type::Pred && ty != Type::B128 && !ftz && !unordered;
    known.then(|| -> Box<dyn Fn(u64, u64) -> bool> {
        Box::new(move |a, b| ordered(cmp, Some(number(a, ty).cmp(&number(b, ty)))))
    })
}

fn ordered(cmp: Cmp, order: Option<std::cmp::Ordering>) -> bool {
    let Some(order) = order else {
        return matches!(cmp, Cmp::Equ | Cmp::Neu | Cmp::Ltu | Cmp::Leu | Cmp::Gtu | Cmp::Geu | Cmp::Nan);
    };
    match cmp {
        Cmp::Eq | Cmp::Equ => order.is_eq(),
        Cmp::Ne | Cmp::Neu => order.is_ne(),
        Cmp::Lt | Cmp::Ltu => order.is_lt(),
        Cmp::Le | Cmp::Leu => order.is_le(),
        Cmp::Gt | Cmp::Gtu => order.is_gt(),
        Cmp::Ge | Cmp::Geu => order.is_ge(),
        Cmp::Num => true,
        Cmp::Nan => false,
    }
}

/// Combines a comparison with a predicate.
pub(super) fn combined(op: BoolOp, a: u32, b: u32) -> u32 {
    match op {
        BoolOp::And => a & b,
        BoolOp::Or => a | b,
        BoolOp::Xor => a ^ b,
    }
}

/// Returns the conversion; `None`: there is no such conversion.
pub(super) fn convert(mode: Mode, to: Type, from: Type) -> Option<Each> {
    if [to, from].contains(&Type::Pred) || [to, from].contains(&Type::B128) {
        return None;
    }
    Some(match (from.is_float(), to.is_float()) {
        (false, false) if mode.sat => Box::new(move |[a, ..]| clamp(number(a, from), to)),
        (false, false) => Box::new(move |[a, ..]| bits(number(a, from), to)),
        (false, true) => Box::new(move |[a, ..]| integer_to_real(number(a, from), mode, to)),
        (true, false) => {
            let real = Real::new(from, Mode { ftz: mode.ftz, ..Mode::default() })?;
            let whole = whole(mode.rounding)?;
            Box::new(move |[a, ..]| {
                let x = whole(real.value(a));
                clamp(x as i128, to)
            })
        }
        (true, true) => {
            let real = Real::new(from, Mode { ftz: mode.ftz, ..Mode::default() })?;
            let result = Real::new(to, mode)?;
            let narrows = from == Type::F64 && to == Type::F32;
            if from == to || !narrows && whole(mode.rounding).is_some() {
                let round = whole(mode.rounding);
                return Some(Box::new(move |[a, ..]| {
                    let x = real.value(a);
                    result.finish(round.map_or(x, |round| round(x)))
                }));
            }
            let rounding = mode.rounding;
            Box::new(move |[a, ..]| {
                let x = real.value(a);
                if !narrows {
                    return result.finish(x);
                }
                let nearest = x as f32;
                let rounded = directed(nearest, x - f64::from(nearest), rounding);
                result.finish(f64::from(rounded))
            })
        }
    })
}

/// Returns the rounding to an integer.
pub(super) fn whole(rounding: Rounding) -> Option<fn(f64) -> f64> {
    match rounding {
        Rounding::Rni => Some(f64::round_ties_even),
        Rounding::Rzi => Some(f64::trunc),
        Rounding::Rmi => Some(f64::floor),
        Rounding::Rpi => Some(f64::ceil),
        _ => None,
    }
}

fn integer_to_real(x: i128, mode: Mode, to: Type) -> u64 {
    if to == Type::F32 {
        let nearest = x as f32;
        let rounded = directed(nearest, (x - nearest as i128) as f64, mode.rounding);
        let rounded = if mode.sat { rounded.clamp(0.0, 1.0) } else { rounded };
        return rounded.to_bits().into();
    }
    let nearest = x as f64;
    let error = (x - nearest as i128) as f64;
    let rounded = match mode.rounding {
        Rounding::Rp if error > 0.0 => nearest.next_up(),
        Rounding::Rm if error < 0.0 => nearest.next_down(),
        Rounding::Rz if error * nearest < 0.0 => f64::from_bits(nearest.to_bits() - 1),
        _ => nearest,
    };
    if mode.sat { rounded.clamp(0.0, 1.0) } else { rounded }.to_bits()
}
