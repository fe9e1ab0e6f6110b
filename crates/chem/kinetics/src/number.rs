//! Numbers that the reference evaluates with: doubles, or doubles with their derivatives along some directions (forward-mode algorithmic
//! differentiation: Griewank & Walther, Evaluating Derivatives, chapter 3).

use std::iter::Sum;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Operations that formulas need of a number.
pub trait Number:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + From<f64>
    + Sum
{
    fn value(self) -> f64;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn log10(self) -> Self;
    fn cbrt(self) -> Self;
    /// 10^x
    fn exp10(self) -> Self;
    /// x^exponent. Where x is 0, so is its derivative.
    fn power(self, exponent: Self) -> Self;

    /// Whether it is 0, whatever changes.
    fn is_nothing(self) -> bool;

    /// The larger one.
    fn max(self, other: f64) -> Self {
        if self.value() < other || self.value().is_nan() { Self::from(other) } else { self }
    }

    /// The smaller one.
    fn min(self, other: f64) -> Self {
        if self.value() > other || self.value().is_nan() { Self::from(other) } else { self }
    }
}

impl Number for f64 {
    fn value(self) -> f64 {
        self
    }

    fn exp(self) -> Self {
        f64::exp(self)
    }

    fn ln(self) -> Self {
        f64::ln(self)
    }

    fn log10(self) -> Self {
        f64::log10(self)
    }

    fn cbrt(self) -> Self {
        f64::cbrt(self)
    }

    fn exp10(self) -> Self {
        10f64.powf(self)
    }

    fn power(self, exponent: Self) -> Self {
        self.powf(exponent)
    }

    fn is_nothing(self) -> bool {
        self == 0.0
    }
}

/// Directions that a number is derived along at once: values and functions are then evaluated once for all of them.
pub const DIRECTIONS: usize = 8;

/// A number for each direction.
pub type Slopes = [f64; DIRECTIONS];

/// A number and its derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dual {
    pub value: f64,
    pub slopes: Slopes,
}

impl Dual {
    /// f(x) by f and f' at the value.
    fn chain(self, value: f64, derivative: f64) -> Self {
        // A constant stays one where a function is steep.
        let slopes = self.slopes.map(|slope| if slope == 0.0 { 0.0 } else { slope * derivative });
        Self { value, slopes }
    }

    fn times(self, other: Self) -> Self {
        Self::of_both(self.value * other.value, self, other, |a, b| a * other.value + self.value * b)
    }

    fn over(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self::of_both(value, self, other, |a, b| (a - value * b) / other.value)
    }

    /// A number by its value, and its slopes by those of two others.
    fn of_both(value: f64, a: Self, b: Self, slope: impl Fn(f64, f64) -> f64) -> Self {
        Self { value, slopes: std::array::from_fn(|n| slope(a.slopes[n], b.slopes[n])) }
    }
}

impl From<f64> for Dual {
    fn from(value: f64) -> Self {
        Self { value, slopes: [0.0; DIRECTIONS] }
    }
}

impl Number for Dual {
    fn value(self) -> f64 {
        self.value
    }

    fn exp(self) -> Self {
        let value = self.value.exp();
        self.chain(value, value)
    }

    fn ln(self) -> Self {
        self.chain(self.value.ln(), 1.0 / self.value)
    }

    fn log10(self) -> Self {
        self.chain(self.value.log10(), std::f64::consts::LOG10_E / self.value)
    }

    fn cbrt(self) -> Self {
        let root = self.value.cbrt();
        self.chain(root, 1.0 / (3.0 * root * root))
    }

    fn exp10(self) -> Self {
        let value = 10f64.powf(self.value);
        self.chain(value, value * std::f64::consts::LN_10)
    }

    fn power(self, exponent: Self) -> Self {
        let value = self.value.powf(exponent.value);
        if self.value == 0.0 {
            return Self::from(value);
        }
        let logarithm = self.value.ln();
        Self::of_both(value, self, exponent, |base, of_exponent| {
            let by_base = if base == 0.0 { 0.0 } else { exponent.value * base / self.value };
            let by_exponent = if of_exponent == 0.0 { 0.0 } else { of_exponent * logarithm };
            value * (by_base + by_exponent)
        })
    }

    fn is_nothing(self) -> bool {
        self == Self::from(0.0)
    }
}

impl Add for Dual {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::of_both(self.value + other.value, self, other, |a, b| a + b)
    }
}

impl Sub for Dual {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::of_both(self.value - other.value, self, other, |a, b| a - b)
    }
}

impl Mul for Dual {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        self.times(other)
    }
}

impl Div for Dual {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        self.over(other)
    }
}

impl Neg for Dual {
    type Output = Self;

    fn neg(self) -> Self {
        Self { value: -self.value, slopes: self.slopes.map(|slope| -slope) }
    }
}

impl Add<f64> for Dual {
    type Output = Self;

    fn add(self, other: f64) -> Self {
        Self { value: self.value + other, ..self }
    }
}

impl Sub<f64> for Dual {
    type Output = Self;

    fn sub(self, other: f64) -> Self {
        Self { value: self.value - other, ..self }
    }
}

impl Mul<f64> for Dual {
    type Output = Self;

    fn mul(self, other: f64) -> Self {
        Self { value: self.value * other, slopes: self.slopes.map(|slope| slope * other) }
    }
}

impl Div<f64> for Dual {
    type Output = Self;

    fn div(self, other: f64) -> Self {
        Self { value: self.value / other, slopes: self.slopes.map(|slope| slope / other) }
    }
}

impl Sum for Dual {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::from(0.0), |sum, term| sum + term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    /// Derivatives of all functions against central differences.
    #[test]
    fn slopes_are_those_of_difference_quotients() {
        type Function = (fn(Dual) -> Dual, fn(f64) -> f64);
        let functions: [Function; 8] = [
            (|x| x.exp(), |x| x.exp()),
            (|x| x.ln(), |x| x.ln()),
            (|x| x.log10(), |x| x.log10()),
            (|x| x.cbrt(), |x| x.cbrt()),
            (|x| x.exp10(), |x| Number::exp10(x)),
            (|x| x.power(x * 2.0), |x| x.powf(2.0 * x)),
            (|x| Dual::from(1.0) / (x * x + 1.0) - x, |x| 1.0 / (x * x + 1.0) - x),
            (|x| -(x - 2.0) / 3.0, |x| -(x - 2.0) / 3.0),
        ];
        for (dual, plain) in functions {
            for x in [0.3, 1.0, 2.7] {
                // The directions are apart: the first one twice as fast, the last one not at all.
                let mut slopes = [1.0; DIRECTIONS];
                (slopes[0], slopes[DIRECTIONS - 1]) = (2.0, 0.0);
                let found = dual(Dual { value: x, slopes });
                assert_relative_eq!(found.value, plain(x), max_relative = 1e-15);
                let quotient = (plain(x + 1e-5) - plain(x - 1e-5)) / 2e-5;
                for (found, slope) in found.slopes.into_iter().zip(slopes) {
                    assert_relative_eq!(found, slope * quotient, max_relative = 1e-8, epsilon = 1e-9);
                }
            }
        }
    }

    #[test]
    fn bounds_cut_off_the_slope() {
        let x = Dual { value: 2.0, slopes: [1.0; DIRECTIONS] };
        assert_eq!((x.max(3.0), x.max(1.0)), (Dual::from(3.0), x));
        assert_eq!((x.min(3.0), x.min(1.0)), (x, Dual::from(1.0)));
        assert_eq!(Dual { value: 0.0, slopes: [1.0; DIRECTIONS] }.power(Dual::from(0.5)), Dual::from(0.0));
    }
}
