//! The range of temperatures over which approximations are made and their errors bounded.

use crate::cubic::cubic;

/// In K; 0 < coldest < hottest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TemperatureRange {
    pub coldest: f64,
    pub hottest: f64,
}

impl TemperatureRange {
    /// Temperatures that solvers of flames, ignition and engines visit: thermodynamic data begin at 200 K, and no flame is hotter than
    /// 4000 K.
    pub const DEFAULT: Self = Self { coldest: 200.0, hottest: 4000.0 };

    /// Returns the intersection of both ranges.
    pub fn within(self, other: Self) -> Self {
        Self { coldest: self.coldest.max(other.coldest), hottest: self.hottest.min(other.hottest) }
    }

    /// Splits the range into `count` ranges, equal in ln T.
    pub fn cells(self, count: usize) -> impl Iterator<Item = Self> {
        let at = move |n: usize| self.coldest * (self.hottest / self.coldest).powf(n as f64 / count as f64);
        (0..count).map(move |n| Self { coldest: at(n), hottest: at(n + 1) })
    }

    /// du/d(ln T), for u = -1 at the coldest temperature and 1 at the hottest.
    pub fn slope(self) -> f64 {
        2.0 / (self.hottest.ln() - self.coldest.ln())
    }

    /// u at ln T = 0.
    pub fn offset(self) -> f64 {
        -self.slope() * self.middle()
    }

    /// A cubic in ln T as one in u; coefficients ascend.
    pub fn scaled(self, c: &[f64; 4]) -> [f64; 4] {
        let (x, h) = (self.middle(), 1.0 / self.slope());
        let slope = c[1] + x * (2.0 * c[2] + x * 3.0 * c[3]);
        [cubic(c, x), h * slope, h * h * (c[2] + 3.0 * x * c[3]), h * h * h * c[3]]
    }

    /// ln T in the middle.
    fn middle(self) -> f64 {
        0.5 * (self.hottest.ln() + self.coldest.ln())
    }
}

impl std::fmt::Display for TemperatureRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} to {} K", self.coldest, self.hottest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_runs_from_minus_one_to_one() {
        let range = TemperatureRange { coldest: 250.0, hottest: 3100.0 };
        for (t, u) in [(250f64, -1.0), (3100.0, 1.0)] {
            assert!((t.ln() * range.slope() + range.offset() - u).abs() < 1e-14);
        }
    }

    #[test]
    fn a_scaled_cubic_is_the_same_function() {
        let (range, c) = (TemperatureRange::DEFAULT, [-11.3, 0.6, -0.05, 2e-3]);
        let scaled = range.scaled(&c);
        for t in [200f64, 700.0, 1234.5, 4000.0] {
            let u = t.ln() * range.slope() + range.offset();
            assert!((cubic(&scaled, u) - cubic(&c, t.ln())).abs() < 1e-14);
        }
    }
}
