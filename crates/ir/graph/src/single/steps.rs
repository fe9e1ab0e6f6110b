//! Powers and logarithms of [`super::elementary`] as lists of steps on singles, for what is printed for GPUs: the same operations on the same
//! numbers, so that both give the same bits.

use std::sync::LazyLock;

use super::super::body::{RealFunction, Unary};
use super::super::steps::{FlagOperation, Function, Real, RealOperation, Steps, Word, WordOperation};
use super::elementary::{EXP, EXP_LIMIT, EXP2, EXP2_LIMIT, LN2, LOG, LOG2, MAGIC, SPLIT};

/// The steps of a function; nothing for what is one operation.
pub fn function(op: Unary) -> Option<&'static Function> {
    match op {
        Unary::Exp2OfWhole => return Some(&WHOLE_POWER_OF_TWO),
        Unary::Exp2Near => return Some(&POWER_OF_TWO_NEAR),
        Unary::Exp2FallingNear => return Some(&FALLING_POWER_OF_TWO_NEAR),
        _ => {}
    }
    Some(match op.real_function() {
        RealFunction::Neg | RealFunction::Sqrt => return None,
        RealFunction::Exp => &POWER_OF_E,
        RealFunction::Exp2 => &POWER_OF_TWO,
        RealFunction::Exp2OfNegative => &FALLING_POWER_OF_TWO,
        RealFunction::Log => &NATURAL_LOGARITHM,
        RealFunction::Log2 => &BINARY_LOGARITHM,
        RealFunction::Positive => &POSITIVE,
    })
}

/// The one of several functions that differ in double precision alone.
pub fn representative(op: Unary) -> Unary {
    match op.real_function() {
        _ if matches!(op, Unary::Exp2OfWhole | Unary::Exp2Near | Unary::Exp2FallingNear) => op,
        RealFunction::Exp2 => Unary::Exp2,
        RealFunction::Exp2OfNegative => Unary::Exp2Falling,
        _ => op,
    }
}

static POWER_OF_E: LazyLock<Function> = LazyLock::new(|| {
    Function::new("e^x: relative error at most 2^-23 for |x| <= 87, found by going through all arguments.", |s| {
        let x = Real::Argument;
        let shifted = s.real("shifted", RealOperation::Fma(x, single(std::f32::consts::LOG2_E), single(MAGIC)));
        let n = s.real("n", RealOperation::Sub(shifted, single(MAGIC)));
        let high = s.real("", RealOperation::Fma(n, single(-LN2[0]), x));
        let r = s.real("r", RealOperation::Fma(n, single(-LN2[1]), high));
        let p = polynomial(s, &EXP, r);
        limited(s, (x, EXP_LIMIT), (p, r), shifted)
    })
});

static POWER_OF_TWO: LazyLock<Function> = LazyLock::new(|| {
    Function::new("2^x: relative error at most 2^-23 for |x| <= 126, found by going through all arguments.", |s| {
        let shifted = s.real("shifted", RealOperation::Add(Real::Argument, single(MAGIC)));
        power_of_two(s, Real::Argument, shifted)
    })
});

static FALLING_POWER_OF_TWO: LazyLock<Function> = LazyLock::new(|| {
    Function::new("2^-x: relative error at most 2^-23 for |x| <= 126, found by going through all arguments.", |s| {
        // A sum of the argument itself, as in the power that rises: what sums its argument is told by that.
        let shifted = s.real("shifted", RealOperation::Sub(single(MAGIC), Real::Argument));
        let negative = s.real("negative", RealOperation::Neg(Real::Argument));
        power_of_two(s, negative, shifted)
    })
});

static POWER_OF_TWO_NEAR: LazyLock<Function> = LazyLock::new(|| {
    Function::new("2^x for |x| <= 125, in the bits of the one for all x; anything beyond.", |s| {
        let shifted = s.real("shifted", RealOperation::Add(Real::Argument, single(MAGIC)));
        let (p, r) = mantissa(s, Real::Argument, shifted);
        scaled(s, p, r, shifted)
    })
});

static FALLING_POWER_OF_TWO_NEAR: LazyLock<Function> = LazyLock::new(|| {
    Function::new("2^-x for |x| <= 125, in the bits of the one for all x; anything beyond.", |s| {
        let shifted = s.real("shifted", RealOperation::Sub(single(MAGIC), Real::Argument));
        let negative = s.real("negative", RealOperation::Neg(Real::Argument));
        let (p, r) = mantissa(s, negative, shifted);
        scaled(s, p, r, shifted)
    })
});

static WHOLE_POWER_OF_TWO: LazyLock<Function> = LazyLock::new(|| {
    Function::new("2^n of a whole number n from -126 to 126, exactly.", |s| {
        let shifted = s.real("shifted", RealOperation::Add(Real::Argument, single(MAGIC)));
        scale(s, shifted)
    })
});

static NATURAL_LOGARITHM: LazyLock<Function> = LazyLock::new(|| {
    let about = "ln x: relative error at most 2^-23 from 64 to 16384, found by going through all arguments.";
    Function::new(about, |s| {
        let Parts { k, f, ratio, square } = parts(s);
        let p = polynomial(s, &LOG, square);
        // ln m = f - s (f - z r)
        let minus_square = s.real("", RealOperation::Neg(square));
        let minus_ratio = s.real("", RealOperation::Neg(ratio));
        let inner = s.real("", RealOperation::Fma(minus_square, p, f));
        let low = s.real("low", RealOperation::Mul(k, single(LN2[1])));
        let rest = s.real("rest", RealOperation::Fma(minus_ratio, inner, low));
        let rest = s.real("", RealOperation::Add(rest, f));
        let logarithm = s.real("logarithm", RealOperation::Fma(k, single(LN2[0]), rest));
        of_positive_normal(s, logarithm)
    })
});

static BINARY_LOGARITHM: LazyLock<Function> = LazyLock::new(|| {
    let about = "log2 x: relative error at most 2^-23 from 64 to 16384, found by going through all arguments.";
    Function::new(about, |s| {
        let Parts { k, ratio, square, .. } = parts(s);
        let p = polynomial(s, &LOG2, square);
        let logarithm = s.real("logarithm", RealOperation::Fma(ratio, p, k));
        of_positive_normal(s, logarithm)
    })
});

static POSITIVE: LazyLock<Function> = LazyLock::new(|| {
    Function::new("0 instead of a negative number", |s| {
        let is_negative = s.flag("", FlagOperation::Less(Real::Argument, single(0.0)));
        s.real("", RealOperation::Choose(is_negative, single(0.0), Real::Argument))
    })
});

fn power_of_two(s: &mut Steps, x: Real, shifted: Real) -> Real {
    let parts = mantissa(s, x, shifted);
    limited(s, (x, EXP2_LIMIT), parts, shifted)
}

/// p and r of 2^r = 1 + p r, with what is left of x beside the whole number next to it.
fn mantissa(s: &mut Steps, x: Real, shifted: Real) -> (Real, Real) {
    let n = s.real("", RealOperation::Sub(shifted, single(MAGIC)));
    let r = s.real("r", RealOperation::Sub(x, n));
    (polynomial(s, &EXP2, r), r)
}

/// (1 + p r) 2^n, whose n is in the last bits of what it was rounded in and is added to the exponent: for numbers whose power is normal.
fn scaled(s: &mut Steps, p: Real, r: Real, shifted: Real) -> Real {
    let mantissa = s.real("", RealOperation::Fma(p, r, single(1.0)));
    let mantissa = s.word("", WordOperation::Bits(mantissa));
    let bits = s.word("", WordOperation::Bits(shifted));
    let exponent = s.word("", WordOperation::Left(bits, 23));
    let bits = s.word("", WordOperation::Add(mantissa, exponent));
    s.real("", RealOperation::OfBits(bits))
}

/// Horner's rule, each step fused; the coefficients descend.
fn polynomial(s: &mut Steps, coefficients: &[f32], x: Real) -> Real {
    let [first, rest @ ..] = coefficients else { return single(0.0) };
    rest.iter().fold(single(*first), |p, &c| s.real("p", RealOperation::Fma(p, x, single(c))))
}

/// (1 + p r) 2^n, whose n is in the last bits of what it was rounded in; 0 or infinity beyond the limit. The power of two is a factor and no sum
/// of exponents: what is not a number stays that.
fn limited(s: &mut Steps, (x, limit): (Real, f32), (p, r): (Real, Real), shifted: Real) -> Real {
    let mantissa = s.real("mantissa", RealOperation::Fma(p, r, single(1.0)));
    let scale = scale(s, shifted);
    let power = s.real("power", RealOperation::Mul(mantissa, scale));
    let is_small = s.flag("", FlagOperation::Less(x, single(-limit)));
    let power = s.real("power", RealOperation::Choose(is_small, single(0.0), power));
    let is_large = s.flag("", FlagOperation::Less(single(limit), x));
    s.real("", RealOperation::Choose(is_large, single(f32::INFINITY), power))
}

/// 2^n, of the number that n was rounded in.
fn scale(s: &mut Steps, shifted: Real) -> Real {
    let bits = s.word("", WordOperation::Bits(shifted));
    let exponent = s.word("", WordOperation::Left(bits, 23));
    let scale = s.word("", WordOperation::Add(exponent, Word::Literal(1f32.to_bits())));
    s.real("scale", RealOperation::OfBits(scale))
}

/// x = 2^k (1 + f), f / (2 + f), and the square of that.
struct Parts {
    k: Real,
    f: Real,
    ratio: Real,
    square: Real,
}

fn parts(s: &mut Steps) -> Parts {
    let bits = s.word("bits", WordOperation::Bits(Real::Argument));
    let above = s.word("", WordOperation::Sub(bits, Word::Literal(SPLIT)));
    let exponent = s.word("exponent", WordOperation::RightSigned(above, 23));
    let k = s.real("k", RealOperation::FromSigned(exponent));
    let places = s.word("", WordOperation::Left(exponent, 23));
    let mantissa = s.word("", WordOperation::Sub(bits, places));
    let mantissa = s.real("", RealOperation::OfBits(mantissa));
    let f = s.real("f", RealOperation::Sub(mantissa, single(1.0)));
    let sum = s.real("", RealOperation::Add(single(2.0), f));
    let ratio = s.real("ratio", RealOperation::Div(f, sum));
    let square = s.real("square", RealOperation::Mul(ratio, ratio));
    Parts { k, f, ratio, square }
}

/// The logarithm of a positive normal number; of any other what is not a number.
fn of_positive_normal(s: &mut Steps, logarithm: Real) -> Real {
    let least = Word::Literal(f32::MIN_POSITIVE.to_bits());
    let bits = s.word("", WordOperation::Bits(Real::Argument));
    let above = s.word("", WordOperation::Sub(bits, least));
    // Without signs: negative numbers, infinity and what is none are beyond.
    let count = Word::Literal(f32::INFINITY.to_bits() - f32::MIN_POSITIVE.to_bits());
    let is_normal = s.flag("", FlagOperation::Below(above, count));
    s.real("", RealOperation::Choose(is_normal, logarithm, single(f32::NAN)))
}

/// Singles are doubles, too.
fn single(x: f32) -> Real {
    Real::Literal(x.into())
}
