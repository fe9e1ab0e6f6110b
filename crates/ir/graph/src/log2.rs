//! Our own `log2`, with a table of 64 reciprocals and their logarithms in memory instead of a division.
//!
//! A list of operations. The argument is 2^k m with m in one of 64 intervals from 0.69 to 1.38; c is near the
//! reciprocal of the interval's middle, so that f = m c - 1 is small, and log2 x = k - log2 c + log2(1 + f). Each c was
//! searched such that log2 c is within 2^-62 of a multiple of 2^-42: k - log2 c is then exact (Gal & Bachelis, ACM TOMS 17
//! (1991) 26).
//!
//! The three intervals around 1 have c = 1, so that f is exact. If k = 0, too, the result is as small as f. The rest of
//! log2 e and of the polynomial is then added before the product of f and log2 e, which is rounded once. The steps are
//! the same, with other operands. Error: below 1 ulp everywhere, tested.

use super::elementary::mantissa;
use super::function_tables::LOGARITHMS;
use super::steps::FlagOperation::Below;
use super::steps::Real::{Argument, Literal};
use super::steps::RealOperation::{Choose, Entry, Fma, FromSigned};
use super::steps::WordOperation::{self, And, High, Right, RightSigned};
use super::steps::{Function, Word};
use std::sync::LazyLock;

/// High word where the intervals begin.
pub const FIRST_HIGH_WORD: u32 = 0x3fe6_1556;
/// Distance of the high word from the first one where the intervals around 1 begin, and how far they reach.
pub const NEAR: u32 = 38 << 14;
pub const NEAR_WIDTH: u32 = 3 << 14;
/// log2 e = `LOG2_E` + `LOG2_E_LOW`
pub const LOG2_E: f64 = std::f64::consts::LOG2_E;
pub const LOG2_E_LOW: f64 = 2.0355273740931033e-17;
/// (log2(1 + f)/f - log2 e)/f on -0.0131 < f < 0.0209, ascending: Chebyshev's interpolant, made with 60 digits (error 1.4e-17
/// of the logarithm).
pub const COEFFICIENTS: [f64; 7] = [
    -0.7213475204444827, 0.4808983469629641, -0.3606737601342694, 0.28853900755724343, -0.24045037899117797,
    0.20612868497723777, -0.17608424994567926,
];
/// log2 x for positive normal x in 11 issue slots; not a number for any other argument.
pub fn log2(x: f64) -> f64 {
    LOG2.evaluate(x)
}

const ABOUT: &str = "log2 x below 1 ulp for positive normal x; not a number for any other. The table has pairs c, \
-log2 c; next to 1, c is 1 and the largest term, the product of f and log2 e, is rounded once.";

pub static LOG2: LazyLock<Function> = LazyLock::new(|| {
    Function::new(ABOUT, |s| {
        let high = s.word("high", High(Argument));
        let above = s.word("above", WordOperation::Sub(high, Word::Literal(FIRST_HIGH_WORD)));
        let from_near = s.word("", WordOperation::Sub(above, Word::Literal(NEAR)));
        let near = s.flag("near", Below(from_near, Word::Literal(NEAR_WIDTH)));
        let exponent = s.word("exponent", RightSigned(above, 20));
        let m = mantissa(s, high, exponent);
        let interval = s.word("", Right(above, 14));
        let index = s.word("entry", And(interval, Word::Literal(LOGARITHMS.len() as u32 - 1)));
        let inverse = s.real("", Entry { index, second: false });
        let f = s.real("f", Fma(m, inverse, Literal(-1.0)));
        let p = s.polynomial("p", &COEFFICIENTS, f);
        let first = s.real("", Choose(near, Literal(LOG2_E_LOW), Literal(LOG2_E)));
        let p = s.real("p", Fma(p, f, first));
        let k = s.real("", FromSigned(exponent));
        let factor = s.real("", Choose(near, f, k));
        let other = s.real("", Choose(near, p, Literal(1.0)));
        let logarithm = s.real("", Entry { index, second: true });
        let rest = s.real("rest", Fma(factor, other, logarithm));
        let slope = s.real("", Choose(near, Literal(LOG2_E), p));
        s.real("", Fma(f, slope, rest))
    })
});

#[cfg(test)]
mod tests {
    use super::*;

    /// ln x as a sum of two doubles with a relative error of about 1e-28: one Newton step from the rounded logarithm, with
    /// Taylor's series of e^-y in twice the precision.
    fn precise(x: f64) -> (f64, f64) {
        // x = 2^n g with g in [0.7, 1.42); ln g = 2 artanh((g - 1)/(g + 1))
        let mut n = x.log2().round();
        let mut g = x / 2f64.powi((n / 2.0) as i32) / 2f64.powi(n as i32 - (n / 2.0) as i32);
        if g > 1.42 {
            (n, g) = (n + 1.0, g / 2.0);
        }
        let s = quotient(g - 1.0, sum(g, 1.0));
        let z = times(s, s);
        let mut series = (0.0, 0.0);
        for k in (0..=45).rev() {
            series = plus(times(series, z), quotient(1.0, (f64::from(2 * k + 1), 0.0)));
        }
        let ln = times((2.0 * s.0, 2.0 * s.1), series);
        // log2 e as a sum of two doubles
        plus(times(ln, (std::f64::consts::LOG2_E, 2.035_527_374_093_103_3e-17)), (n, 0.0))
    }

    fn sum(a: f64, b: f64) -> (f64, f64) {
        let s = a + b;
        let t = s - a;
        (s, (a - (s - t)) + (b - t))
    }

    fn plus(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
        let (s, low) = sum(a.0, b.0);
        sum(s, low + a.1 + b.1)
    }

    fn times(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
        let p = a.0 * b.0;
        sum(p, a.0.mul_add(b.0, -p) + a.0 * b.1 + a.1 * b.0)
    }

    fn quotient(a: f64, b: (f64, f64)) -> (f64, f64) {
        let q = a / b.0;
        let rest = (-q).mul_add(b.0, a) - q * b.1;
        sum(q, rest / b.0)
    }

    fn ulps(x: f64) -> f64 {
        let (high, low) = precise(x);
        let ulp = f64::from_bits(high.abs().to_bits() + 1) - high.abs();
        ((log2(x) - high) - low).abs() / ulp
    }

    /// Error over the full range, then over intervals that shrink towards 1.
    #[test]
    fn within_one_ulp() {
        let (mut worst, mut seed) = ([0.0f64; 4], 1u64);
        for i in 0..800_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let u = (seed >> 11) as f64 / (1u64 << 53) as f64;
            let kind = i % worst.len();
            let x = match kind {
                0 => (-700.0 + 1400.0 * u).exp(),
                1 => 0.5 + 1.5 * u,
                2 => 0.95 + 0.1 * u,
                _ => 1.0 + (u - 0.5) * 2f64.powi(-(i as i32 / 4 % 50)).min(1.0),
            };
            if x != 1.0 {
                worst[kind] = worst[kind].max(ulps(x));
            }
        }
        println!("{worst:.3?} ulp");
        assert!(worst.iter().all(|worst| (0.45..=1.0).contains(worst)), "{worst:?}");
    }

    /// Boundaries at which the intervals and their treatment change.
    #[test]
    fn within_one_ulp_next_to_boundaries() {
        let bounds = (0..=64).map(|i| f64::from_bits(u64::from(FIRST_HIGH_WORD + (i << 14)) << 32));
        let bounds = bounds.chain([1.0]).chain((-1000..1000).map(|k| 2f64.powi(k)));
        let around = |x: f64| (-150..=150).map(move |n: i64| f64::from_bits((x.to_bits() as i64 + n) as u64));
        let worst = bounds.flat_map(around).filter(|x| *x != 1.0).map(ulps).fold(0.0, f64::max);
        println!("{worst:.3} ulp");
        assert!((0.45..=1.0).contains(&worst), "{worst}");
    }

    #[test]
    fn the_check_itself_is_right() {
        assert_eq!(precise(8.0), (3.0, 0.0));
        // log2 10 = 3.32192809488736234787031942948939017586483...
        let (high, low) = precise(10.0);
        assert_eq!(high, std::f64::consts::LOG2_10);
        assert!((low - 1.661_617_516_973_592e-16).abs() < 1e-29, "{low:e}");
    }

    #[test]
    fn powers_of_two_are_exact() {
        for k in -1022..=1023 {
            assert_eq!(log2(2f64.powi(k)), f64::from(k));
        }
    }
}
