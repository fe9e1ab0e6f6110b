//! What is known of a value: where the exact one lies, and how far the one in single precision may be from it.

use super::super::body::{Binary, Unary};
use super::elementary::{LOG_FIRST, LOG_LAST, POWER_LIMIT};
use super::{Rounding, Unproven};

/// Below twice the least normal number a result may be denormal.
const LEAST_NORMAL: f64 = 2.0 * f32::MIN_POSITIVE as f64;
/// Half the distance of denormal numbers.
const HALF_DENORMAL: f64 = 0.5 * 1.401_298_464_324_817e-45;

/// Both errors hold, each for itself.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    pub least: f64,
    pub most: f64,
    /// The least magnitude of the value where it is not 0; 0 where nothing is known of it.
    pub smallest: f64,
    pub absolute: f64,
    pub relative: f64,
}

impl Known {
    pub const NOTHING: Self = Self {
        least: f64::NEG_INFINITY,
        most: f64::INFINITY,
        smallest: 0.0,
        absolute: f64::INFINITY,
        relative: f64::INFINITY,
    };

    /// A constant, which is rounded when the code is made.
    pub fn number(c: f64) -> Self {
        let absolute = (c - f64::from(c as f32)).abs();
        let relative = if absolute == 0.0 { 0.0 } else { absolute / c.abs() };
        Self { least: c, most: c, smallest: c.abs(), absolute, relative }
    }

    /// A normal number or 0 that was rounded.
    pub fn input(least: f64, most: f64, smallest: f64, unit: f64) -> Self {
        Self { least, most, smallest, absolute: unit * least.abs().max(most.abs()), relative: unit }
    }

    /// The exact product of what may have errors.
    pub fn product(self, other: Self) -> Self {
        let ends = [self.least * other.least, self.least * other.most, self.most * other.least, self.most * other.most];
        let (a, b) = (self.magnitude(), other.magnitude());
        let absolute = a * other.absolute + b * self.absolute + self.absolute * other.absolute;
        let relative = self.relative + other.relative + self.relative * other.relative;
        Self::of(ends, self.smallest * other.smallest, absolute, relative)
    }

    /// The exact sum of what may have errors.
    pub fn plus(self, other: Self) -> Self {
        let ends = [self.least + other.least, self.most + other.most];
        let absolute = self.absolute + other.absolute;
        let same_sign = self.least >= 0.0 && other.least >= 0.0 || self.most <= 0.0 && other.most <= 0.0;
        let (smallest, relative) = match (self.is_zero(), other.is_zero()) {
            (true, _) if self.absolute == 0.0 => (other.smallest, other.relative),
            (_, true) if other.absolute == 0.0 => (self.smallest, self.relative),
            _ if same_sign => (self.smallest.min(other.smallest), self.relative.max(other.relative)),
            _ => (0.0, f64::INFINITY),
        };
        Self::of(ends, smallest, absolute, relative)
    }

    /// With the rounding of the result; where that may be denormal, only the absolute error is known.
    pub fn rounded(self, unit: f64) -> Result<Self, Unproven> {
        let reach = self.magnitude() + self.absolute;
        if self.is_zero() && self.absolute == 0.0 {
            return Ok(self);
        }
        // Half the range is left for the relative error of what is rounded.
        let is_finite = |most: f64| most < 0.5 * f64::from(f32::MAX);
        let fits = is_finite(reach) || is_finite(self.magnitude() * (1.0 + self.relative));
        if !fits {
            return Err(Unproven::Range);
        }
        let normal = self.smallest * (1.0 - self.relative.min(1.0)) >= LEAST_NORMAL;
        let absolute = self.absolute + unit * reach + if normal { 0.0 } else { HALF_DENORMAL };
        let relative = if normal { self.relative + unit + self.relative * unit } else { f64::INFINITY };
        Ok(Self::of([self.least, self.most], self.smallest, absolute, relative))
    }

    pub fn unary(self, op: Unary, rounding: &Rounding) -> Result<Self, Unproven> {
        match op {
            Unary::Positive if self.least >= 0.0 => Ok(self),
            Unary::Neg => Ok(Self { least: -self.most, most: -self.least, ..self }),
            Unary::Exp => {
                let fits = self.magnitude() + self.absolute <= f64::from(POWER_LIMIT);
                if !fits {
                    return Err(Unproven::Range);
                }
                let ends = [self.least.exp(), self.most.exp()].map(|x| [x * (1.0 - 1e-15), x * (1.0 + 1e-15)]);
                let relative = self.absolute.exp_m1() * (1.0 + rounding.exp) + rounding.exp;
                Ok(Self::of([ends[0][0], ends[1][1]], 0.0, f64::INFINITY, relative))
            }
            Unary::Log => {
                let fits = self.least * (1.0 - self.relative) >= f64::from(LOG_FIRST)
                    && self.most * (1.0 + self.relative) <= f64::from(LOG_LAST);
                if !fits {
                    return Err(Unproven::Range);
                }
                let ends = [self.least.ln() * (1.0 - 1e-15), self.most.ln() * (1.0 + 1e-15)];
                let argument = -(-self.relative).ln_1p();
                let absolute = argument + rounding.log * (ends[1] + argument);
                Ok(Self::of(ends, 0.0, absolute, f64::INFINITY))
            }
            _ => Err(Unproven::Operation(format!("{op:?}"))),
        }
    }

    pub fn binary(self, op: Binary, other: Self, rounding: &Rounding) -> Result<Self, Unproven> {
        let exact = match op {
            Binary::Add => self.plus(other),
            Binary::Sub => self.plus(Self { least: -other.most, most: -other.least, ..other }),
            Binary::Mul => self.product(other),
            Binary::Div => self.product(other.reciprocal()?),
        };
        exact.rounded(rounding.unit)
    }

    /// The exact reciprocal of a number that is not 0, which is so by the domain where the interval ends there.
    fn reciprocal(self) -> Result<Self, Unproven> {
        if !(self.smallest > 0.0 && self.relative < 0.5 && self.least >= 0.0) {
            return Err(Unproven::Range);
        }
        let ends = [1.0 / self.most, 1.0 / self.smallest];
        Ok(Self::of(ends, ends[0], f64::INFINITY, self.relative / (1.0 - self.relative)))
    }

    /// Whether that is so in both precisions.
    pub fn is_at_most(self, other: Self) -> bool {
        self.most + self.absolute <= other.least - other.absolute
    }

    pub fn is_below(self, other: Self) -> bool {
        self.most + self.absolute < other.least - other.absolute
    }

    /// The ends go outward by a rounding of theirs, and each error is also bounded by the other.
    fn of<const N: usize>(ends: [f64; N], smallest: f64, absolute: f64, relative: f64) -> Self {
        if ends.iter().any(|x| x.is_nan()) {
            return Self::NOTHING;
        }
        let out = |x: f64, by: fn(f64) -> f64| if x == 0.0 { x } else { by(x) };
        let least = out(ends.into_iter().fold(f64::INFINITY, f64::min), f64::next_down);
        let most = out(ends.into_iter().fold(f64::NEG_INFINITY, f64::max), f64::next_up);
        let nearest = if least > 0.0 { least } else { (-most).max(0.0) };
        let smallest = (smallest * (1.0 - 1e-15)).max(nearest);
        let number = |x: f64| if x.is_nan() { f64::INFINITY } else { x };
        let (absolute, relative) = (number(absolute), number(relative));
        let by_relative = number(relative * least.abs().max(most.abs()));
        // An error of what is exactly 0 is no relative one.
        let by_absolute = if nearest > 0.0 { absolute / nearest } else { f64::INFINITY };
        Self { least, most, smallest, absolute: absolute.min(by_relative), relative: relative.min(by_absolute) }
    }

    fn magnitude(self) -> f64 {
        self.least.abs().max(self.most.abs())
    }

    fn is_zero(self) -> bool {
        self.least == 0.0 && self.most == 0.0
    }
}
