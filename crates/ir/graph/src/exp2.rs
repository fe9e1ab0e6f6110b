//! Our own `2^x`, twice: a polynomial, and a shorter polynomial with a table of 256 powers. Powers of two need no product in their range reduction, and whoever has `e^x` folds `log2 e` into the
//! constants that make x.
//!
//! All are lists of operations. Error: below 1 ulp, and with the table below 1.02 ulp, tested: of as many entries one is rounded by nearly half a
//! unit. The coefficients are Chebyshev interpolants made with 60 digits, those of the shorter polynomial at the zeros of r times it (relative errors
//! 2e-17 and 2.5e-18).

use super::elementary::{limited, scaled};
use super::steps::Real::{Argument, Literal};
use super::steps::RealOperation::{Add, Fma, Join, Mul, Neg, Power, Sub};
use super::steps::WordOperation::{self, High, Left, Low};
use super::steps::{Function, Real, Steps, Word};
use std::sync::LazyLock;

/// 1.5 * 2^52: adding it rounds to the nearest integer, which then stands in the low word.
pub const WHOLE_MAGIC: f64 = super::elementary::ROUND_MAGIC;
/// 1.5 * 2^44: adding it rounds to the nearest multiple of 1/256, whose 256-fold then stands in the low word.
pub const PARTS_MAGIC: f64 = 26_388_279_066_624.0;
/// 2^r on |r| <= 1/2, ascending.
pub const COEFFICIENTS: [f64; 12] = [
    1.0,
    std::f64::consts::LN_2,
    0.24022650695910097,
    0.0555041086648216,
    0.009618129107606888,
    0.0013333558146416936,
    0.0001540353044173605,
    1.525273382983612e-05,
    1.321544258792169e-06,
    1.0178062445845774e-07,
    7.072585949269223e-09,
    4.4549605981865186e-10,
];
/// (2^r - 1)/r on |r| <= 1/512, ascending.
pub const PART_COEFFICIENTS: [f64; 4] =
    [0.6931471805599393, 0.2402265069591, 0.05550411502275783, 0.009618129842126066];
/// High word of 1021.0: from here on the result is 0 or infinity, so that it is always a normal number.
pub const LIMIT_HIGH_WORD: u32 = 0x408f_e800;

/// 2^x for |x| < 1021 in 14 issue slots; 0 below, infinity above; undefined for NaN.
pub fn polynomial(x: f64) -> f64 {
    POLYNOMIAL.evaluate(x)
}

/// 2^x likewise in 8 issue slots and an access to the table.
pub fn tabulated(x: f64) -> f64 {
    TABULATED.evaluate(x)
}

/// 2^x with the table in 9 issue slots; with [`falling`] of the same x together 11, as both split their polynomial into
/// even and odd powers.
pub fn rising(x: f64) -> f64 {
    RISING.evaluate(x)
}

/// 2^-x likewise.
pub fn falling(x: f64) -> f64 {
    FALLING.evaluate(x)
}

/// Whether a power looks at its argument.
#[derive(Clone, Copy, PartialEq)]
enum Guard {
    /// 0 or infinity beyond the exponents of doubles.
    Limits,
    /// The argument is known to stay within.
    None,
}

const ABOUT: &str = "2^x below 1 ulp: 0 for x <= -1021, infinity for x >= 1021.";
const ABOUT_TABLE: &str = "2^x below 1.02 ulp: 0 for x <= -1021, infinity for x >= 1021.";
const ABOUT_FALLING: &str = "2^-x below 1.02 ulp: infinity for x <= -1021, 0 for x >= 1021.";
const ABOUT_WITHIN: &str = "2^x below 1 ulp for |x| < 1021; anything beyond.";
const ABOUT_TABLE_WITHIN: &str = "2^x below 1.02 ulp for |x| < 1021; anything beyond.";
const ABOUT_FALLING_WITHIN: &str = "2^-x below 1.02 ulp for |x| < 1021; anything beyond.";

pub static POLYNOMIAL: LazyLock<Function> = LazyLock::new(|| Function::new(ABOUT, |s| plain(s, Guard::Limits)));
pub static TABULATED: LazyLock<Function> = LazyLock::new(|| Function::new(ABOUT_TABLE, |s| short(s, Guard::Limits)));
pub static RISING: LazyLock<Function> = LazyLock::new(|| Function::new(ABOUT_TABLE, |s| up(s, Guard::Limits)));
pub static FALLING: LazyLock<Function> = LazyLock::new(|| Function::new(ABOUT_FALLING, |s| down(s, Guard::Limits)));

pub static POLYNOMIAL_WITHIN: LazyLock<Function> =
    LazyLock::new(|| Function::new(ABOUT_WITHIN, |s| plain(s, Guard::None)));
pub static TABULATED_WITHIN: LazyLock<Function> =
    LazyLock::new(|| Function::new(ABOUT_TABLE_WITHIN, |s| short(s, Guard::None)));
pub static RISING_WITHIN: LazyLock<Function> =
    LazyLock::new(|| Function::new(ABOUT_TABLE_WITHIN, |s| up(s, Guard::None)));
pub static FALLING_WITHIN: LazyLock<Function> =
    LazyLock::new(|| Function::new(ABOUT_FALLING_WITHIN, |s| down(s, Guard::None)));

fn plain(s: &mut Steps, guard: Guard) -> Real {
    let (n, r) = parts(s, WHOLE_MAGIC);
    let p = s.polynomial("p", &COEFFICIENTS, r);
    let exponent = s.word("", Left(n, 20));
    if guard == Guard::Limits {
        return scaled(s, p, exponent, LIMIT_HIGH_WORD, false);
    }
    let old = s.word("", High(p));
    let high = s.word("high", WordOperation::Add(old, exponent));
    let low = s.word("", Low(p));
    s.real("", Join { high, low })
}

fn short(s: &mut Steps, guard: Guard) -> Real {
    let (n, r) = parts(s, PARTS_MAGIC);
    let q = s.polynomial("q", &PART_COEFFICIENTS, r);
    let q = s.real("", Mul(q, r));
    from_table(s, n, q, guard, false)
}

fn up(s: &mut Steps, guard: Guard) -> Real {
    let (n, r, odd, even) = odd_and_even(s);
    let q = s.real("q", Fma(r, odd, even));
    from_table(s, n, q, guard, false)
}

fn down(s: &mut Steps, guard: Guard) -> Real {
    let (n, r, odd, even) = odd_and_even(s);
    let n = s.word("minus_n", WordOperation::Sub(Word::Literal(0), n));
    let r = s.real("", Neg(r));
    let q = s.real("q", Fma(r, odd, even));
    from_table(s, n, q, guard, true)
}

/// The number of units next to x, and what is left of x; the magic number says what a unit is.
fn parts(s: &mut Steps, magic: f64) -> (Word, Real) {
    let shifted = s.real("shifted", Add(Argument, Literal(magic)));
    let n = s.word("n", Low(shifted));
    let whole = s.real("", Sub(shifted, Literal(magic)));
    (n, s.real("r", Sub(Argument, whole)))
}

/// The number of 1/256 next to x, what is left of x, and the parts of 2^r - 1 = r odd + even.
fn odd_and_even(s: &mut Steps) -> (Word, Real, Real, Real) {
    let [c1, c2, c3, c4] = PART_COEFFICIENTS;
    let (n, r) = parts(s, PARTS_MAGIC);
    let z = s.real("z", Mul(r, r));
    let odd = s.polynomial("odd", &[c1, c3], z);
    let even = s.polynomial("even", &[c2, c4], z);
    (n, r, odd, s.real("rest", Mul(z, even)))
}

/// 2^(n/256) (1 + q): the exponent of the root takes all of n, since that of the table's entry lacks j.
fn from_table(s: &mut Steps, n: Word, q: Real, guard: Guard, falling: bool) -> Real {
    let entry = s.real("entry", Power(n));
    let exponent = s.word("", Left(n, 12));
    let old = s.word("", High(entry));
    let high = s.word("", WordOperation::Add(old, exponent));
    let low = s.word("", Low(entry));
    let root = s.real("root", Join { high, low });
    if guard == Guard::None {
        return s.real("", Fma(root, q, root));
    }
    let p = s.real("p", Fma(root, q, root));
    limited(s, p, LIMIT_HIGH_WORD, falling)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function_tables;

    /// a * b as a sum of two doubles, exactly.
    fn product(a: f64, b: f64) -> (f64, f64) {
        let p = a * b;
        (p, a.mul_add(b, -p))
    }

    /// 2^x as a sum of two doubles with a relative error of about 1e-30: Taylor's series at x/256, squared eight times.
    fn precise(x: f64) -> (f64, f64) {
        const LN_2: (f64, f64) = (std::f64::consts::LN_2, 2.3190468138462996e-17);
        let whole = x.round();
        let small = (x - whole) / 256.0;
        let (high, low) = product(small, LN_2.0);
        let z = normal(high, low + small * LN_2.1);
        // e^z - 1 by Horner's rule, then s -> 2s + s^2
        let mut s = (0.0, 0.0);
        for n in (1..=12).rev() {
            let one_more = sum((1.0, 0.0), s);
            let t = times(z, one_more);
            s = divide(t, f64::from(n));
        }
        for _ in 0..8 {
            s = sum(sum(s, s), times(s, s));
        }
        let scale = 2f64.powi(whole as i32);
        let (high, low) = sum((1.0, 0.0), s);
        (high * scale, low * scale)
    }

    fn normal(a: f64, b: f64) -> (f64, f64) {
        let s = a + b;
        let bb = s - a;
        (s, (a - (s - bb)) + (b - bb))
    }

    fn sum(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
        let (high, low) = normal(a.0, b.0);
        normal(high, low + a.1 + b.1)
    }

    fn times(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
        let (high, low) = product(a.0, b.0);
        normal(high, low + a.0 * b.1 + a.1 * b.0)
    }

    fn divide(a: (f64, f64), n: f64) -> (f64, f64) {
        let q = a.0 / n;
        let rest = (-q).mul_add(n, a.0) + a.1;
        normal(q, rest / n)
    }

    /// Largest error in units of the last place of the correctly rounded result.
    fn worst(function: impl Fn(f64) -> f64) -> f64 {
        let mut worst = 0.0f64;
        let mut seed = 1u64;
        for i in 0..600_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let x = match i % 3 {
                0 => -1020.9 + 2041.8 * (seed >> 11) as f64 / (1u64 << 53) as f64,
                1 => -1.0 + 2.0 * (seed >> 11) as f64 / (1u64 << 53) as f64,
                // Next to where the reduction changes.
                _ => (i % 4096) as f64 / 64.0 - 32.0 + (seed >> 40) as f64 * 1e-15,
            };
            let (high, low) = precise(x);
            let ulp = f64::from_bits(high.to_bits() + 1) - high;
            worst = worst.max(((function(x) - high) - low).abs() / ulp);
        }
        worst
    }

    #[test]
    fn all_are_within_what_they_tell() {
        let plain = worst(polynomial);
        let errors = [worst(tabulated), worst(rising), worst(|x| falling(-x))];
        println!("polynomial, tabulated, rising, falling: {plain:.3}, {errors:.3?} ulp");
        assert!(plain > 0.4 && plain <= 1.0, "{plain}");
        assert!(errors.iter().all(|&e| e > 0.4 && e <= 1.02), "{errors:?}");
    }

    #[test]
    fn the_check_itself_is_right() {
        assert_eq!(precise(0.5).0, std::f64::consts::SQRT_2);
        // sqrt 2 = 1.41421356237309504880168872420969807856967...
        assert!((precise(0.5).1 - -9.667_293_313_452_913e-17).abs() < 1e-30);
        assert_eq!(precise(-3.0), (0.125, 0.0));
    }

    #[test]
    fn limits() {
        for f in [polynomial, tabulated, rising, |x: f64| falling(-x)] {
            assert_eq!((f(-1021.0), f(1021.0), f(0.0), f(10.0), f(-1.0)), (0.0, f64::INFINITY, 1.0, 1024.0, 0.5));
            assert_eq!((f(f64::NEG_INFINITY), f(f64::INFINITY)), (0.0, f64::INFINITY));
        }
    }

    #[test]
    fn the_table_holds_roots_of_two() {
        for j in 0..function_tables::POWERS {
            let (high, low) = precise(j as f64 / 256.0);
            let root = f64::from_bits(function_tables::power(j).to_bits() + ((j as u64) << 44));
            assert_eq!(root, high + low);
        }
    }
}
