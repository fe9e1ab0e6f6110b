//! Our own `exp` and `log`: range-reduced polynomials, as lists of operations. Error: below 1 ulp, tested.
//!
//! The coefficients are Chebyshev fits made with 60 digits (relative errors 3e-18 and 2e-18).

use super::steps::FlagOperation::{Below, BelowSigned};
use super::steps::Real::{Argument, Literal};
use super::steps::RealOperation::{Add, Choose, Div, Fma, FromSigned, Join, Mul, Neg, Sub};
use super::steps::WordOperation::{self, And, High, Left, Low, Not, Or, RightSigned};
use super::steps::{Function, Real, Steps, Word};
use std::sync::LazyLock;

/// 1.5 * 2^52: adding it rounds to the nearest integer, which then stands in the low word.
pub const ROUND_MAGIC: f64 = 6755399441055744.0;
pub const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// ln 2 = `EXP_LN2_HI` + `EXP_LN2_LO`, both full precision (the product with n is fused).
pub const EXP_LN2_HI: f64 = std::f64::consts::LN_2;
pub const EXP_LN2_LO: f64 = 2.3190468138462996e-17;
/// exp(r) on |r| <= ln2/2, ascending.
pub const EXP_COEFFICIENTS: [f64; 12] = [
    1.0, 1.0, 0.5000000000000019, 0.1666666666666668, 0.04166666666648795, 0.008333333333319589, 0.0013888888952352863,
    0.00019841269890076403, 2.4801485441561313e-05, 2.755724088722987e-06, 2.763265472252779e-07,
    2.5110049204818658e-08,
];
/// High word of 708.0: from here on `exp` gives 0 or infinity, so that its result is always a normal number.
pub const EXP_LIMIT_HIGH_WORD: u32 = 0x4086_2000;

/// ln 2 = `LOG_LN2_HI` + `LOG_LN2_LO`; the high part has 24 trailing zero bits, so k * `LOG_LN2_HI` is exact.
pub const LOG_LN2_HI: f64 = 0.6931471787393093;
pub const LOG_LN2_LO: f64 = 1.8206359985041462e-09;
/// (ln((1+s)/(1-s)) - 2s)/s^3 as a polynomial in s^2, ascending.
pub const LOG_COEFFICIENTS: [f64; 8] = [
    0.6666666666666666, 0.40000000000000885, 0.28571428570799784, 0.22222222392581045, 0.18181795547521137,
    0.15386244737621665, 0.13268638369266825, 0.13088034850927555,
];
/// High word of sqrt(1/2): mantissas are reduced to [sqrt(1/2), sqrt(2)).
pub const LOG_SPLIT_HIGH_WORD: u32 = 0x3fe6_a09e;

/// High word of the least positive normal number, and how many high words positive normal numbers have.
pub const LEAST_NORMAL_HIGH_WORD: u32 = 0x0010_0000;
pub const NORMAL_HIGH_WORDS: u32 = 0x7fe0_0000;
const INFINITY_HIGH_WORD: u32 = 0x7ff0_0000;
/// With any low word it is not a number.
const NAN_HIGH_WORD: u32 = 0x7ff8_0000;
/// High word of minus infinity, signed: those of finite negative numbers are less.
pub const NEGATIVE_LIMIT_HIGH_WORD: i32 = -0x0010_0000;

/// e^x for |x| < 708; 0 below, infinity above; undefined for NaN.
pub fn exp(x: f64) -> f64 {
    EXP.evaluate(x)
}

/// ln x for positive normal x; not a number for any other argument.
pub fn log(x: f64) -> f64 {
    LOG.evaluate(x)
}

/// max(x, 0) by one integer comparison of the high word; what is not a number stays what it is, and so does minus infinity.
pub fn positive(x: f64) -> f64 {
    POSITIVE.evaluate(x)
}

pub static EXP: LazyLock<Function> = LazyLock::new(|| {
    Function::new("e^x below 1 ulp: 0 for x <= -708, infinity for x >= 708.", |s| {
        let shifted = s.real("shifted", Fma(Argument, Literal(LOG2_E), Literal(ROUND_MAGIC)));
        let n = s.word("n", Low(shifted));
        let whole = s.real("whole", Sub(shifted, Literal(ROUND_MAGIC)));
        let r = s.real("", Fma(whole, Literal(-EXP_LN2_HI), Argument));
        let r = s.real("r", Fma(whole, Literal(-EXP_LN2_LO), r));
        let p = s.polynomial("p", &EXP_COEFFICIENTS, r);
        let exponent = s.word("", Left(n, 20));
        let old = s.word("", High(p));
        let high = s.word("high", WordOperation::Add(old, exponent));
        let x_high = s.word("x_high", High(Argument));
        let magnitude = s.word("", And(x_high, Word::Literal(0x7fff_ffff)));
        let is_inside = s.flag("is_inside", Below(magnitude, Word::Literal(EXP_LIMIT_HIGH_WORD)));
        let low = s.word("", Low(p));
        let inside = s.real("", Join { high, low });
        let is_negative = s.flag("", BelowSigned(x_high, Word::Literal(0)));
        let high = s.word("", WordOperation::Choose(is_negative, Word::Literal(0), Word::Literal(INFINITY_HIGH_WORD)));
        let beyond = s.real("", Join { high, low: Word::Literal(0) });
        s.real("", Choose(is_inside, inside, beyond))
    })
});

pub static LOG: LazyLock<Function> = LazyLock::new(|| {
    Function::new("ln x below 1 ulp for positive normal x; not a number for any other.", |s| {
        // x = 2^k m with m in [sqrt(1/2), sqrt(2))
        let high = s.word("high", High(Argument));
        let above = s.word("", WordOperation::Sub(high, Word::Literal(LOG_SPLIT_HIGH_WORD)));
        let exponent = s.word("exponent", RightSigned(above, 20));
        let m = mantissa(s, high, exponent);
        let k = s.real("k", FromSigned(exponent));
        let f = s.real("f", Sub(m, Literal(1.0)));
        let sum = s.real("", Add(m, Literal(1.0)));
        let q = s.real("s", Div(f, sum));
        let z = s.real("z", Mul(q, q));
        let r = s.polynomial("r", &LOG_COEFFICIENTS, z);
        // ln m = f - s (f - z r), and 2s = f - s f
        let minus = s.real("", Neg(r));
        let t = s.real("t", Fma(z, minus, f));
        let minus = s.real("", Neg(t));
        let small = s.real("", Mul(k, Literal(LOG_LN2_LO)));
        let low = s.real("low", Fma(q, minus, small));
        let rest = s.real("", Add(f, low));
        s.real("", Fma(k, Literal(LOG_LN2_HI), rest))
    })
});

pub static POSITIVE: LazyLock<Function> = LazyLock::new(|| {
    let about = "max(x, 0) without a double-precision instruction; what is not a number stays so.";
    Function::new(about, |s| {
        let high = s.word("", High(Argument));
        let is_negative = s.flag("", BelowSigned(high, Word::Literal(NEGATIVE_LIMIT_HIGH_WORD as u32)));
        s.real("", Choose(is_negative, Literal(0.0), Argument))
    })
});

/// 2^-exponent times the argument, whose high word is given; not a number where the argument is not positive and normal.
pub(super) fn mantissa(s: &mut Steps, high: Word, exponent: Word) -> Real {
    let above = s.word("", WordOperation::Sub(high, Word::Literal(LEAST_NORMAL_HIGH_WORD)));
    let is_normal = s.flag("", Below(above, Word::Literal(NORMAL_HIGH_WORDS)));
    let exponent = s.word("", Left(exponent, 20));
    let high = s.word("", WordOperation::Sub(high, exponent));
    let high = s.word("m_high", WordOperation::Choose(is_normal, high, Word::Literal(NAN_HIGH_WORD)));
    let low = s.word("", Low(Argument));
    s.real("m", Join { high, low })
}

/// p with what is added to its exponent; 0 or infinity where the argument of the power (or, for a falling one, the negative
/// of it) is beyond the limit. Without a condition, of which compilers might make a branch on data.
pub(super) fn scaled(s: &mut Steps, p: Real, exponent: Word, limit: u32, falling: bool) -> Real {
    let old = s.word("", High(p));
    let high = s.word("high", WordOperation::Add(old, exponent));
    let low = s.word("", Low(p));
    within(s, (high, low), limit, falling)
}

/// p; 0 or infinity where [`scaled`] has them.
pub(super) fn limited(s: &mut Steps, p: Real, limit: u32, falling: bool) -> Real {
    let (high, low) = (s.word("high", High(p)), s.word("", Low(p)));
    within(s, (high, low), limit, falling)
}

/// The double of these words within the limit.
fn within(s: &mut Steps, (high, low): (Word, Word), limit: u32, falling: bool) -> Real {
    let x_high = s.word("x_high", High(Argument));
    // All ones where the argument is within the limit.
    let magnitude = s.word("", And(x_high, Word::Literal(0x7fff_ffff)));
    let below = s.word("", WordOperation::Sub(magnitude, Word::Literal(limit)));
    let inside = s.word("inside", RightSigned(below, 31));
    let sign = s.word("", RightSigned(x_high, 31));
    let to_infinity = if falling { sign } else { s.word("", Not(sign)) };
    let beyond = s.word("beyond", And(to_infinity, Word::Literal(INFINITY_HIGH_WORD)));
    let high = s.word("", And(high, inside));
    let outside = s.word("", Not(inside));
    let beyond = s.word("", And(beyond, outside));
    let high = s.word("", Or(high, beyond));
    let low = s.word("", And(low, inside));
    s.real("", Join { high, low })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ulps(a: f64, b: f64) -> f64 {
        (a - b).abs() / (f64::from_bits(b.abs().to_bits() + 1) - b.abs())
    }

    #[test]
    fn positive_is_the_maximum_with_zero() {
        for x in [0.0, -0.0, 1.5, -1.5, 5e-324, -5e-324, f64::MAX, f64::MIN, f64::INFINITY] {
            assert_eq!(positive(x).to_bits(), f64::max(x, 0.0).abs().to_bits(), "{x}");
        }
    }

    #[test]
    fn what_is_not_a_number_stays_so() {
        // Both signs, quiet and signalling, with all of the payload in the low word.
        for bits in [0x7ff8_0000_0000_0000, 0xfff8_0000_0000_0000, 0x7fff_ffff_ffff_ffff, 0xfff0_0000_0000_0001] {
            let x = f64::from_bits(bits);
            assert!(positive(x).is_nan() && log(x).is_nan() && crate::log2::log2(x).is_nan(), "{bits:x}");
        }
    }

    #[test]
    fn only_positive_normal_numbers_have_a_logarithm() {
        for x in [0.0, -0.0, -1.0, f64::MIN, 5e-324, f64::MIN_POSITIVE.next_down(), f64::INFINITY, f64::NEG_INFINITY] {
            assert!(log(x).is_nan() && crate::log2::log2(x).is_nan(), "{x:e}");
        }
        for x in [f64::MIN_POSITIVE, f64::MAX] {
            assert!((log(x) / x.ln() - 1.0).abs() < 1e-15 && (crate::log2::log2(x) / x.log2() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn exp_within_one_ulp() {
        let mut worst = 0.0f64;
        for i in 0..2_000_000 {
            let x = -707.9 + 1415.8 * (i as f64 / 2e6);
            worst = worst.max(ulps(exp(x), x.exp()));
        }
        assert!(worst <= 1.0, "{worst} ulp");
        assert_eq!((exp(-708.0), exp(708.0), exp(0.0)), (0.0, f64::INFINITY, 1.0));
    }

    #[test]
    fn log_within_one_ulp() {
        let mut worst = (0.0f64, 0.0);
        for i in 0..1_000_000 {
            for x in [(-700.0 + 1400.0 * (i as f64 / 1e6)).exp(), 0.5 + i as f64 * 1.5e-6] {
                if x != 1.0 {
                    let u = ulps(log(x), x.ln());
                    if u > worst.0 {
                        worst = (u, x);
                    }
                }
            }
        }
        assert!(worst.0 <= 1.0, "{worst:?}");
        assert_eq!(log(1.0), 0.0);
    }
}
