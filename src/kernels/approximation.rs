//! Polynomials instead of exponentials of cubics (performance.md, section 3).
//!
//! A fitted property is exp(cubic in ln T). Divided by a power of T it hardly varies, and a polynomial in
//! u = scaled ln T (-1 at 300 K, 1 at 3000 K) of low degree comes close: interpolated at Chebyshev's points.

use kinetics::fits::cubic;

/// u = ln T * SLOPE + OFFSET.
pub const SLOPE: f64 = 2.0 / std::f64::consts::LN_10;
/// Minus the middle of ln 300 and ln 3000, times the slope.
pub const OFFSET: f64 = -(2.0 * 5.703_782_474_656_201 + std::f64::consts::LN_10) / std::f64::consts::LN_10;

/// Beyond this degree the exponential is cheaper.
const HIGHEST_DEGREE: usize = 14;
/// Temperatures on which an approximation is judged.
const JUDGED: u32 = 97;

/// Polynomials of one degree, coefficients ascending in u, and their largest relative error.
#[derive(Debug, Clone)]
pub struct Polynomials {
    pub coefficients: Vec<Vec<f64>>,
    pub error: f64,
}

/// Polynomials for exp(cubic(ln T)) of least degree that err by at most `tolerance` (relative) from 300 to 3000 K. Up to
/// the highest degree: the caller compares [`Polynomials::error`] with the tolerance.
pub fn polynomials(cubics: &[[f64; 4]], tolerance: f64) -> Polynomials {
    let mut best = of_degree(cubics, 2);
    for degree in 3..=HIGHEST_DEGREE {
        if best.error <= tolerance {
            break;
        }
        best = of_degree(cubics, degree);
    }
    best
}

fn of_degree(cubics: &[[f64; 4]], degree: usize) -> Polynomials {
    let nodes = nodes(degree + 1);
    let property = |c: &[f64; 4], u: f64| cubic(c, (u - OFFSET) / SLOPE).exp();
    let mut error = 0.0f64;
    let coefficients = cubics.iter().map(|c| {
        let values = nodes.iter().map(|&u| property(c, u)).collect();
        let polynomial = interpolation(&nodes, values);
        for u in judged() {
            error = error.max((value(&polynomial, u) / property(c, u) - 1.0).abs());
        }
        polynomial
    });
    let coefficients = coefficients.collect();
    Polynomials { coefficients, error }
}

/// Chebyshev's points in -1..1.
pub fn nodes(count: usize) -> Vec<f64> {
    (0..count).map(|k| ((k as f64 + 0.5) * std::f64::consts::PI / count as f64).cos()).collect()
}

/// Where an approximation is judged, ends included.
pub fn judged() -> impl Iterator<Item = f64> {
    (0..JUDGED).map(|i| 2.0 * f64::from(i) / f64::from(JUDGED - 1) - 1.0)
}

/// A polynomial with ascending coefficients.
pub fn value(coefficients: &[f64], u: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * u + c)
}

/// Newton's interpolation, multiplied out.
pub fn interpolation(nodes: &[f64], mut values: Vec<f64>) -> Vec<f64> {
    let n = nodes.len();
    for level in 1..n {
        for k in (level..n).rev() {
            values[k] = (values[k] - values[k - 1]) / (nodes[k] - nodes[k - level]);
        }
    }
    let mut polynomial = vec![0.0; n];
    for k in (0..n).rev() {
        for i in (1..n).rev() {
            polynomial[i] = polynomial[i - 1] - nodes[k] * polynomial[i];
        }
        polynomial[0] = values[k] - nodes[k] * polynomial[0];
    }
    polynomial
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_runs_from_minus_one_to_one() {
        assert!((300f64.ln() * SLOPE + OFFSET + 1.0).abs() < 1e-14);
        assert!((3000f64.ln() * SLOPE + OFFSET - 1.0).abs() < 1e-14);
    }

    #[test]
    fn the_degree_follows_the_tolerance() {
        let cubics = [[-11.3, 0.6, -0.05, 2e-3], [3.0, -0.4, 0.02, 1e-3]];
        let mut degree = 0;
        for tolerance in [1e-3, 1e-5, 1e-8, 1e-11] {
            let found = polynomials(&cubics, tolerance);
            assert!(found.error <= tolerance, "{tolerance:e}: {:e}", found.error);
            assert!(found.coefficients[0].len() > degree);
            degree = found.coefficients[0].len();
        }
    }
}
