//! Numbers of two singles. The second is the rest of the first, so that both together have 48 binary digits.
//!
//! Sums and products are made of error-free transformations (Joldes, Muller & Popescu, ACM TOMS 44 (2017) 15res): the sum of two singles, and
//! their product, are each a pair exactly. With u = 2^-24, pairs whose second number is at most u of the first, and what is not exact:
//!
//! - **product**: of x y the product of the second numbers is left out (u^2), and what is added to the exact product of the first ones is
//!   rounded twice (2 u^2 and 3 u^2); then pairs are made normal without an error: 6 u^2 of x y.
//! - **sum**, and product and sum in one: the first numbers are added exactly; their rest and the second numbers are added in two steps, which
//!   round by 7 u^2 of a product and 3 u^2 of a summand. The last step makes the result normal; where the terms cancel so far that its first
//!   number is smaller than what is added, it errs by u of that, 4 u^2 of a product and 2 u^2 of a summand, and the second number of the result
//!   may exceed u of the first by as much. All together at most 17 u^2 of each **term**: nothing is said relative to a sum that cancels.
//! - **quotient, square root**: one step of Newton from the single: below 25 u^2.
//!
//! [`UNIT`] is 32 u^2, which leaves room for terms of third order. The excess of second numbers over u of the first is at most the error that is known
//! already; what reads them errs by u of it in each of at most eight roundings, and errors grow by [`LOOSE`] in each operation for that.
//!
//! - **2^x**: the whole number next to x is taken off exactly; Taylor's polynomial of degree 9 is left, of which the terms from r^4 on are singles:
//!   the factor of r^4 is at most 0.0103 and errs by 2.3 u of that, for the rounding of its coefficient, its own, and a fifteenth of three of the term behind; r^4 is at most
//!   1/16. Degree 10 would add 7e-12, and the four steps of pairs round by 60 u^2. The power is at least 0.7, and all of that 1.5e-10 of it; a product with a power
//!   of two is exact. In each step the coefficient is more than twice the product that is added to it.
//!   **Long** powers have degree 10, and the terms from r^5 on are singles: their factor is at most 0.00142 and errs by 2.3 u as above, and r^5 is at most 1/32;
//!   degree 11 would add 2.2e-13, and the five steps of pairs round by 75 u^2. All of that is 9.4e-12 of the power.
//! - **2^x of a pair as a single**: what is left of x is rounded, by a 2^-26th at most, before the polynomial of singles, whose error `crates/warps/schedule/tests/precision.rs`
//!   finds for all such arguments.
//! - **log2 x**: y, the logarithm as a single, is off by less than 2e-6; x 2^-y - 1 is the rest, of which two terms of the series are taken (the third is
//!   below 1e-17). The power errs by 1.5e-10, the rest is rounded to 5 u of 2e-6; the logarithm is at least 6: 4e-11 of it.
//!
//! - **a double that is read** ([`of_double`]): of its 53 digits the first 24 and the next 23 are taken as they are, and the last six are left out:
//!   2^6 of 2^52, or 4 u^2. The next ones are those of a number between the power of two that the double begins with and twice that, whose difference is exact; then the pair is made normal without an
//!   error. Where the second number is below the normal ones, it is lost twice at most, as the product and as the result: less than 2^-125, which is less than
//!   is said of any mole fraction. A double below 2^-126 is taken for one that is off by no more than itself, and one from 2^128 on is no number. A sign and what is no number stay.
//! - **a double that is written**: the sum of both numbers, rounded to a double: 2^-53 of it.
//!
//!   **Where powers are long**, that of the logarithm has degree 11 and singles from r^7 on: these add 1.7e-14, degree 12 would add 6.3e-15, and the steps round by
//!   80 u^2, all of which is 4.4e-13 of the power. Its product with x rounds by 6 u^2, and the rest by 5 u of 2e-6: in all 1.6e-12, which is 2.7e-13 of the logarithm.
//!
//! [`FUNCTIONS`] is 2.3e-10, [`LONG_FUNCTIONS`] 1.4e-11, and [`LONG_LOGARITHMS`] 4.5e-13. Where a result is below [`LEAST`], second numbers may be below the normal numbers, whether these are kept or taken for 0:
//! each of at most sixteen roundings loses less than 2^-125, which is [`LOST`].

use serde::Serialize;

/// Relative to each term of a sum, and to any other result.
pub const UNIT: f64 = 32.0 * U * U;
/// Relative error of powers and logarithms, short ones and long ones.
pub const FUNCTIONS: f64 = 65_536.0 * U * U;
pub const LONG_FUNCTIONS: f64 = 4096.0 * U * U;
/// Relative error of logarithms, if powers are long.
pub const LONG_LOGARITHMS: f64 = 128.0 * U * U;
/// Error of a pair's power as a single, over that of a single's power.
pub const LEADING_POWER: f64 = 1.25;
const U: f64 = 1.0 / 16_777_216.0;
/// Growth of errors in an operation, since second numbers may be as large as they.
pub const LOOSE: f64 = 1.0 / 262_144.0;
/// Results from here on lose less than a 2^-50th of themselves to small second numbers.
pub const LEAST: f64 = LOST * (1u64 << 51) as f64;
/// 2^-120
pub const LOST: f64 = 64.0 * f32::MIN_POSITIVE as f64;

/// Up to here powers of two have second numbers that are normal.
pub const EXP2_LIMIT_OF_PAIRS: f32 = 64.0;
/// 2^100: divisors are no larger, and their reciprocals neither.
pub const INVERTED: f64 = (1u128 << 100) as f64;

/// Accuracy of the powers and logarithms of pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Powers {
    #[default]
    Short,
    Long,
}

impl Powers {
    /// The degree of the polynomial, and how many of its last coefficients are pairs.
    pub fn degree_and_pairs(self) -> [usize; 2] {
        match self {
            Self::Short => [9, 4],
            Self::Long => [10, 5],
        }
    }

    /// The same of the power in a logarithm: a point has few of these, and what they err by is multiplied in polynomials.
    pub fn of_logarithms(self) -> [usize; 2] {
        match self {
            Self::Short => [9, 4],
            Self::Long => [11, 7],
        }
    }
}

/// A number as the sum of two singles, or as one that is no number.
pub fn split(x: f64) -> [f32; 2] {
    let high = x as f32;
    let low = (x - f64::from(high)) as f32;
    // A second number below the normal numbers would be taken for 0 where these are.
    if low.is_normal() { [high, low] } else { [high, 0.0] }
}

/// How the bits of a double become those of singles.
#[derive(Serialize)]
pub struct Words {
    /// All of the upper word but its sign.
    pub size: u32,
    /// Upper words of 2^-127, which singles have no normal number for, and of 2^128.
    pub small: u32,
    pub large: u32,
    /// Difference between the exponent biases of doubles and singles, in the bits that are left.
    pub rebased: u32,
    /// Sign and exponent of a single.
    pub power: u32,
}

pub const WORDS: Words =
    Words { size: 0x7fff_ffff, small: 0x3800_0000, large: 0x47f0_0000, rebased: 0xc000_0000, power: 0xff80_0000 };

/// Scale of the next 23 digits: 2^-23.
pub const NEXT: f32 = f32::EPSILON;

/// A double in an array as the sum of two singles, by operations that no pipe of doubles takes part in.
pub fn of_double(x: f64) -> [f32; 2] {
    let bits = x.to_bits();
    let (high, low) = ((bits >> 32) as u32, bits as u32);
    let size = (high & WORDS.size).clamp(WORDS.small, WORDS.large);
    let digits = (size << 3 | low >> 29).wrapping_sub(WORDS.rebased) | (high & !WORDS.size);
    let power = digits & WORDS.power;
    let next = power | (low >> 6 & !WORDS.power);
    let [first, power, next] = [digits, power, next].map(f32::from_bits);
    let rest = (next - power) * NEXT;
    let sum = first + rest;
    [sum, rest - (sum - first)]
}

/// ln(2)^k/k!, from the highest power on.
pub fn powers_of_two(degree: usize) -> Vec<f64> {
    let mut c = vec![1.0; degree + 1];
    for k in 1..c.len() {
        c[k] = c[k - 1] * std::f64::consts::LN_2 / k as f64;
    }
    c.reverse();
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All but the last six of the 53 digits, in numbers that are normal.
    #[test]
    fn a_double_is_read_to_a_2_to_the_minus_46th() {
        let mut seed = 1u64;
        let mut worst = 0.0f64;
        for k in 0..2_000_000u64 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Mantissas at random, and those near where roundings turn.
            let mantissa =
                if k % 2 == 0 { seed >> 12 } else { (seed >> 40 << 29 | 1 << 28).wrapping_add(seed >> 20 & 127) - 64 };
            let exponent = 1023 - 78 + seed % 200;
            let sign = if k % 3 == 0 { -1.0 } else { 1.0 };
            let x = sign * f64::from_bits(exponent << 52 | mantissa & ((1 << 52) - 1));
            let [high, low] = of_double(x);
            assert!(f64::from(low).abs() <= f64::from(high.abs()) * U, "{x:e}: {high:e} {low:e}");
            worst = worst.max(((f64::from(high) + f64::from(low) - x) / x).abs());
        }
        println!("{worst:.2e} of {:.2e}", 4.0 * U * U);
        assert!(worst < 4.0 * U * U && worst > 3.5 * U * U && 4.0 * U * U < UNIT);
    }

    #[test]
    fn what_singles_have_no_number_for_is_lost_as_little_as_is_said_of_mole_fractions() {
        let lost = 2.0 * f64::from(f32::MIN_POSITIVE);
        let flushed = |x: f32| if x.is_normal() { f64::from(x) } else { 0.0 };
        let mut x = 1e-20f64;
        while x > 1e-60 {
            let [high, low] = of_double(x);
            for found in [f64::from(high) + f64::from(low), flushed(high) + flushed(low)] {
                assert!((found - x).abs() <= lost + 4.0 * U * U * x, "{x:e}");
            }
            x *= 0.997;
        }
        let is_none = |x: f64| of_double(x).iter().all(|part| part.is_nan());
        assert!([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e39, -1e300].into_iter().all(is_none));
        assert_eq!(of_double(0.0).map(f32::to_bits), [0, 0]);
        assert!(of_double(1e-300).into_iter().all(|part| part.abs() < f32::MIN_POSITIVE));
        assert_eq!(of_double(-2.5), [-2.5, 0.0]);
    }

    #[test]
    fn limits_are_powers_of_two() {
        assert_eq!((UNIT, FUNCTIONS), (2f64.powi(-43), 2f64.powi(-32)));
        assert_eq!((LONG_FUNCTIONS, LONG_LOGARITHMS), (2f64.powi(-36), 2f64.powi(-41)));
        assert_eq!((LOST, LEAST, LOOSE), (2f64.powi(-120), 2f64.powi(-69), 2f64.powi(-18)));
    }
}
