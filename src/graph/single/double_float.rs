//! Numbers of two singles: the second is what the first lacks, so that both together have 48 digits to the base 2.
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
//! [`UNIT`] is 32 u^2, which leaves room for terms of third order. What second numbers exceed u of the first by is no more than the error that is known
//! already; what reads them errs by u of it in each of at most eight roundings, and errors grow by [`LOOSE`] in each operation for that.
//!
//! - **2^x**: the whole number next to x is taken off exactly; Taylor's polynomial of degree 9 is left, of which the terms from r^4 on are singles:
//!   the factor of r^4 is at most 0.0103 and errs by 2.3 u of that, for the rounding of its coefficient, its own, and a fifteenth of three of the term behind; r^4 is at most
//!   1/16. Degree 10 would add 7e-12, and the four steps of pairs round by 60 u^2. The power is at least 0.7, and all of that 1.5e-10 of it; a product with a power
//!   of two is exact. In each step the coefficient is more than twice the product that is added to it.
//! - **2^x of a pair as a single**: what is left of x is rounded, by a 2^-26th at most, before the polynomial of singles, whose error `tests/precision.rs`
//!   finds for all such arguments.
//! - **log2 x**: y, the logarithm as a single, is off by less than 2e-6; x 2^-y - 1 is the rest, of which two terms of the series are taken (the third is
//!   below 1e-17). The power errs by 1.5e-10, the rest is rounded to 5 u of 2e-6; the logarithm is at least 6: 4e-11 of it.
//!
//! [`FUNCTIONS`] is 2.3e-10. Where a result is below [`LEAST`], second numbers may be below the normal numbers, whether these are kept or taken for 0:
//! each of at most sixteen roundings loses less than 2^-125, which is [`LOST`].

/// Relative to each term of a sum, and to any other result.
pub const UNIT: f64 = 32.0 * U * U;
/// Of powers and logarithms.
pub const FUNCTIONS: f64 = 65_536.0 * U * U;
/// How many times the error of a single's power that of a pair's is, as a single.
pub const LEADING_POWER: f64 = 1.25;
/// So many of the last coefficients are pairs.
pub const PAIRS_OF_POWER: usize = 4;
const U: f64 = 1.0 / 16_777_216.0;
/// What errors grow by in an operation, since second numbers may be as large as they.
pub const LOOSE: f64 = 1.0 / 262_144.0;
/// Results from here on lose less than a 2^-50th of themselves to small second numbers.
pub const LEAST: f64 = LOST * (1u64 << 51) as f64;
/// 2^-120
pub const LOST: f64 = 64.0 * f32::MIN_POSITIVE as f64;

/// Up to here powers of two have second numbers that are normal.
pub const EXP2_LIMIT_OF_PAIRS: f32 = 64.0;
/// 2^100: divisors are no larger, and their reciprocals neither.
pub const INVERTED: f64 = (1u128 << 100) as f64;

/// A number as the sum of two singles, or as one that is no number.
pub fn split(x: f64) -> [f32; 2] {
    let high = x as f32;
    let low = (x - f64::from(high)) as f32;
    // What is below the normal numbers would be taken for 0 where these are.
    if low.is_normal() { [high, low] } else { [high, 0.0] }
}

/// ln(2)^k/k!, from the highest power on.
pub fn powers_of_two() -> [f64; 10] {
    let mut c = [1.0; 10];
    for k in 1..c.len() {
        c[k] = c[k - 1] * std::f64::consts::LN_2 / k as f64;
    }
    c.reverse();
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_powers_of_two() {
        assert_eq!((UNIT, FUNCTIONS), (2f64.powi(-43), 2f64.powi(-32)));
        assert_eq!((LOST, LEAST, LOOSE), (2f64.powi(-120), 2f64.powi(-69), 2f64.powi(-18)));
    }
}
