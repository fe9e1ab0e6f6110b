//! Bounds for a number that depends on the temperature: the range of the exact one, and the distance of the one in single precision from it.

use super::double_float::split;

/// Both errors hold, each for itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    pub least: f64,
    pub most: f64,
    pub absolute: f64,
    pub relative: f64,
}

/// Share by which a stated error exceeds the computed one, for roundings of the analysis itself.
const ROOM: f64 = 1e-12;

impl Known {
    pub const ZERO: Self = Self { least: 0.0, most: 0.0, absolute: 0.0, relative: 0.0 };
    pub const NOTHING: Self =
        Self { least: f64::NEG_INFINITY, most: f64::INFINITY, absolute: f64::INFINITY, relative: f64::INFINITY };

    /// The ends go outward, and each error is also bounded by the other.
    pub fn new<const N: usize>(ends: [f64; N], absolute: f64, relative: f64) -> Self {
        if ends.iter().any(|x| x.is_nan()) {
            return Self::NOTHING;
        }
        let least = ends.into_iter().fold(f64::INFINITY, f64::min);
        let most = ends.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let (least, most) = (least - ROOM * least.abs(), most + ROOM * most.abs());
        let number = |x: f64| if x.is_nan() { f64::INFINITY } else { x * (1.0 + ROOM) };
        let (absolute, relative) = (number(absolute), number(relative));
        let known = Self { least, most, absolute, relative };
        let by_relative = if relative == 0.0 { 0.0 } else { number(relative * known.magnitude()) };
        // A number that is exactly 0 has no relative error.
        let by_absolute = if absolute == 0.0 { 0.0 } else { number(absolute / known.nearest()) };
        Self { absolute: absolute.min(by_relative), relative: relative.min(by_absolute), ..known }
    }

    /// A constant, which is rounded when the code is made.
    pub fn number(c: f64) -> Self {
        Self::new([c], (c - f64::from(c as f32)).abs(), f64::INFINITY)
    }

    /// A constant that is the sum of two singles.
    pub fn of_pair(c: f64) -> Self {
        let [high, low] = split(c).map(f64::from);
        Self::new([c], (c - high - low).abs(), f64::INFINITY)
    }

    pub fn magnitude(self) -> f64 {
        self.least.abs().max(self.most.abs())
    }

    /// The least magnitude. A zero has no sign, by which errors would be divided; of two zeros `max` gives either.
    pub fn nearest(self) -> f64 {
        self.least.max(-self.most).max(0.0) + 0.0
    }

    pub fn is_zero(self) -> bool {
        self.least == 0.0 && self.most == 0.0
    }

    pub fn negative(self) -> Self {
        Self { least: -self.most, most: -self.least, ..self }
    }

    pub fn times(self, other: Self) -> Self {
        let ends = [self.least * other.least, self.least * other.most, self.most * other.least, self.most * other.most];
        let (a, b) = (self.magnitude(), other.magnitude());
        let part = |x: f64, error: f64| if x == 0.0 || error == 0.0 { 0.0 } else { x * error };
        let absolute = part(a, other.absolute) + part(b, self.absolute) + part(self.absolute, other.absolute);
        let relative = self.relative + other.relative + part(self.relative, other.relative);
        Self::new(ends, absolute, relative)
    }

    pub fn plus(self, other: Self) -> Self {
        let ends = [self.least + other.least, self.most + other.most];
        let same_sign = self.least >= 0.0 && other.least >= 0.0 || self.most <= 0.0 && other.most <= 0.0;
        let beside = |zero: Self, rest: Self| rest.relative + zero.absolute / rest.nearest();
        let relative = match (self.is_zero(), other.is_zero()) {
            (true, false) if self.absolute > 0.0 => beside(self, other),
            (false, true) if other.absolute > 0.0 => beside(other, self),
            _ if same_sign => self.relative.max(other.relative),
            _ => f64::INFINITY,
        };
        Self::new(ends, self.absolute + other.absolute, relative)
    }

    /// The reciprocal of a number that is not 0 in either precision.
    pub fn reciprocal(self) -> Option<Self> {
        let relative = self.relative / (1.0 - self.relative);
        let is_apart = self.nearest() > 0.0 && self.relative < 0.5;
        is_apart.then(|| Self::new([1.0 / self.least, 1.0 / self.most], f64::INFINITY, relative))
    }

    /// The same of a number that is known to be between these, too.
    pub fn between(self, [least, most]: [f64; 2]) -> Self {
        Self::new([self.least.max(least), self.most.min(most)], self.absolute, self.relative)
    }

    /// With errors that are larger by this share.
    pub fn loosened(self, share: f64) -> Self {
        Self::new([self.least, self.most], self.absolute * (1.0 + share), self.relative * (1.0 + share))
    }

    /// With a rounding to this relative error.
    pub fn rounded(self, unit: f64) -> Self {
        let absolute = self.absolute + unit * (self.magnitude() + self.absolute);
        let relative = self.relative + unit + self.relative * unit;
        Self::new([self.least, self.most], absolute, relative)
    }

    /// Applies a rising function. `errors` follow from those of the argument; `unit` is the rounding of the function itself.
    pub fn map(self, f: impl Fn(f64) -> f64, [absolute, relative]: [f64; 2], unit: f64) -> Self {
        Self::new([f(self.least), f(self.most)], absolute, relative).rounded(unit)
    }
}
