//! Proven maxima on -1..1, of errors and of fitted properties.
//!
//! With u = cos theta, a function is read off at N Chebyshev points, which lie pi/N apart in theta. Its interpolant there is
//! sum a_k cos(k theta), whose second derivative is at most S = sum k^2 |a_k|. Where the interpolant is largest its derivative
//! vanishes (at the ends by symmetry), and some point lies within pi/2N: it is at most S (pi/2N)^2/2 larger than at that
//! point. The error of interpolation itself is at most 4 M rho^(1-N)/(rho-1) for a function that is analytic within
//! the ellipse with foci -1 and 1 and half axes (rho +- 1/rho)/2, and at most M there (Trefethen, Approximation Theory and
//! Approximation Practice, theorem 8.2). All that counts here is entire; rho = 2. Rounding is not covered: it is some 1e-15.

use super::interpolation::{nodes, value};
use crate::cubic::cubic;

/// Points of the grid: enough for what they add to be about a hundredth of an error by polynomials of degree 10.
const POINTS: usize = 96;
/// Half the longer axis of the ellipse with rho = 2: the largest |u| on it.
const HALF_AXIS: f64 = 1.25;

/// Points at which functions are read off.
pub struct Grid {
    points: Vec<f64>,
    /// cos(k theta) by point, then by k.
    cosines: Vec<f64>,
}

impl Default for Grid {
    fn default() -> Self {
        let angle = |k: usize, j: usize| (k * (2 * j + 1)) as f64 * std::f64::consts::PI / (2 * POINTS) as f64;
        let cosines = (0..POINTS).flat_map(|j| (0..POINTS).map(move |k| angle(k, j).cos())).collect();
        Self { points: nodes(POINTS), cosines }
    }
}

impl Grid {
    /// An upper bound of |p/exp(c) - 1| on -1..1, with the coefficients of the polynomials p and c ascending.
    pub fn largest_error(&self, p: &[f64], c: &[f64; 4]) -> f64 {
        let errors: Vec<f64> = self.points.iter().map(|&u| value(p, u) / cubic(c, u).exp() - 1.0).collect();
        let powers = c.map(f64::abs);
        let inverse = (cubic(&[0.0, powers[1], powers[2], powers[3]], HALF_AXIS) - c[0]).exp();
        self.largest(&errors, magnitude(p) * inverse + 1.0)
    }

    /// An upper bound of |p| on -1..1.
    pub fn largest_value(&self, p: &[f64]) -> f64 {
        let values: Vec<f64> = self.points.iter().map(|&u| value(p, u)).collect();
        self.largest(&values, magnitude(p))
    }

    /// From the values at the points and an upper bound on the ellipse; infinite where something is not finite.
    fn largest(&self, values: &[f64], on_ellipse: f64) -> f64 {
        let mut sums = [0.0; POINTS];
        for (row, v) in self.cosines.chunks_exact(POINTS).zip(values) {
            sums.iter_mut().zip(row).for_each(|(sum, c)| *sum += c * v);
        }
        let coefficient = |k: usize| sums[k] * 2.0 / POINTS as f64;
        let curvature: f64 = (1..POINTS).map(|k| (k * k) as f64 * coefficient(k).abs()).sum();
        let read_off = values.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        let between = curvature * (std::f64::consts::PI / (2 * POINTS) as f64).powi(2) / 2.0;
        let left_out = 4.0 * on_ellipse * 2f64.powi(1 - POINTS as i32);
        let bound = read_off + between + left_out;
        if bound.is_finite() { bound } else { f64::INFINITY }
    }
}

/// An upper bound of |p| on the ellipse.
fn magnitude(p: &[f64]) -> f64 {
    p.iter().rev().fold(0.0, |sum, c| sum * HALF_AXIS + c.abs())
}

/// The least and the largest value of a cubic on -1..1.
pub fn extremes(c: &[f64; 4]) -> [f64; 2] {
    let (square, linear) = (3.0 * c[3], 2.0 * c[2]);
    let discriminant = (linear * linear - 4.0 * square * c[1]).max(0.0).sqrt();
    // Sum for both roots of the derivative, without cancellation.
    let sum = -0.5 * (linear + discriminant.copysign(linear));
    let turning = [sum / square, c[1] / sum].into_iter().filter(|u| u.abs() < 1.0);
    let values = [-1.0, 1.0].into_iter().chain(turning).map(|u| cubic(c, u));
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBICS: [[f64; 4]; 4] =
        [[-9.0, 2.1, -0.2, 0.05], [1.0, -0.5, 0.3, -0.2], [0.0, 0.0, 0.0, 0.0], [2.0, 0.4, -1.5, 0.9]];

    fn dense() -> impl Iterator<Item = f64> {
        (0..=200_000).map(|i| f64::from(i) / 1e5 - 1.0)
    }

    #[test]
    fn the_bound_holds_everywhere_and_is_near() {
        let grid = Grid::default();
        for c in CUBICS {
            for degree in [2, 5, 8, 11] {
                let nodes = nodes(degree + 1);
                let p = super::super::interpolation::interpolation(
                    &nodes,
                    nodes.iter().map(|&u| cubic(&c, u).exp()).collect(),
                );
                let bound = grid.largest_error(&p, &c);
                let found = dense().map(|u| (value(&p, u) / cubic(&c, u).exp() - 1.0).abs()).fold(0.0, f64::max);
                assert!(found <= bound && bound <= 1.03 * found + 1e-13, "{c:?} {degree}: {found:e} {bound:e}");
            }
        }
    }

    /// cos(48 theta) is sqrt(1/2) at every point and 1 between them.
    #[test]
    fn what_lies_between_the_points_counts() {
        let grid = Grid::default();
        let values: Vec<f64> = grid.points.iter().map(|u| (48.0 * u.acos()).cos()).collect();
        assert!(values.iter().all(|v| v.abs() < 0.71));
        assert!((1.0..1.02).contains(&grid.largest(&values, 0.0)));
    }

    #[test]
    fn what_is_not_finite_has_no_bound() {
        let grid = Grid::default();
        assert_eq!(grid.largest_error(&[1.0], &[0.0, 800.0, 0.0, 0.0]), f64::INFINITY);
        assert_eq!(grid.largest_error(&[f64::NAN], &[0.0; 4]), f64::INFINITY);
    }

    #[test]
    fn extremes_are_the_least_and_the_largest() {
        for c in CUBICS.into_iter().chain([[0.0, 1.0, 0.0, -2.0], [0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]]) {
            let [low, high] = extremes(&c);
            let found = dense()
                .map(|u| cubic(&c, u))
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], v| [l.min(v), h.max(v)]);
            assert!(low <= found[0] && found[0] - low < 1e-9 && high >= found[1] && high - found[1] < 1e-9, "{c:?}");
        }
    }
}
