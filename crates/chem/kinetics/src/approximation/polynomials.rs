//! Polynomials instead of exponentials of cubics.
//!
//! A fitted property is exp(cubic in ln T). Divided by a power of T it hardly varies, and a polynomial in u of low degree, through
//! Chebyshev's points, comes close.

use super::interpolation::{interpolation, nodes};
use super::maximum::Grid;
use super::short;
use crate::cubic::cubic;

/// Beyond this degree the exponential is cheaper.
const HIGHEST_DEGREE: usize = 14;

/// Polynomials of one degree, coefficients ascending in u, and a bound of their relative error over the range.
#[derive(Debug, Clone)]
pub struct Polynomials {
    pub coefficients: Vec<Vec<f64>>,
    pub error: f64,
}

/// Polynomials for exp(cubic(u)) of least degree that err by at most `tolerance` (relative) on -1..1. Up to the highest
/// degree: the caller compares [`Polynomials::error`] with the tolerance. Coefficients are [`short`] where the tolerance allows it.
pub fn polynomials(cubics: &[[f64; 4]], tolerance: f64) -> Polynomials {
    let grid = Grid::default();
    let low = (2..HIGHEST_DEGREE).find_map(|degree| of_degree(cubics, degree, tolerance, &grid));
    low.or_else(|| of_degree(cubics, HIGHEST_DEGREE, f64::INFINITY, &grid)).expect("every error is at most infinite")
}

/// `None` as soon as one of them errs by more than the tolerance.
fn of_degree(cubics: &[[f64; 4]], degree: usize, tolerance: f64, grid: &Grid) -> Option<Polynomials> {
    let nodes = nodes(degree + 1);
    let mut all = Polynomials { coefficients: Vec::new(), error: 0.0 };
    for c in cubics {
        let exact = interpolation(&nodes, nodes.iter().map(|&u| cubic(c, u).exp()).collect());
        // where no tolerance can be met, what comes closest
        let short = tolerance.is_finite().then(|| short::all(&exact));
        let mut with_error =
            short.into_iter().chain([exact]).map(|polynomial| (grid.largest_error(&polynomial, c), polynomial));
        let (error, polynomial) = with_error.find(|(error, _)| *error <= tolerance)?;
        all.error = all.error.max(error);
        all.coefficients.push(polynomial);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_degree_follows_the_tolerance() {
        let cubics = [[-8.3, 1.6, -0.05, 2e-3], [3.0, -0.4, 0.02, 1e-3]];
        let mut degree = 0;
        for tolerance in [1e-3, 1e-5, 1e-8, 1e-11] {
            let found = polynomials(&cubics, tolerance);
            assert!(found.error <= tolerance, "{tolerance:e}: {:e}", found.error);
            assert!(found.coefficients[0].len() > degree);
            let errors = found.coefficients.iter().zip(&cubics).map(|(p, c)| Grid::default().largest_error(p, c));
            assert_eq!(found.error, errors.fold(0.0, f64::max), "the error is that of the coefficients as they are");
            degree = found.coefficients[0].len();
        }
    }

    #[test]
    fn coefficients_are_short_only_where_the_tolerance_is_met() {
        let cubics = [[-8.3, 1.6, -0.05, 2e-3]];
        let is_short = |found: Polynomials| found.coefficients.concat().iter().all(|c| c.to_bits() as u32 == 0);
        assert!(is_short(polynomials(&cubics, 1e-4)));
        for tolerance in [1e-9, 0.0] {
            assert!(!is_short(polynomials(&cubics, tolerance)), "{tolerance:e}");
        }
    }
}
