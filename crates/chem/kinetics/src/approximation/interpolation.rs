//! Polynomials through Chebyshev's points.

/// Chebyshev's points in -1..1.
pub fn nodes(count: usize) -> Vec<f64> {
    (0..count).map(|k| ((k as f64 + 0.5) * std::f64::consts::PI / count as f64).cos()).collect()
}

/// A polynomial with ascending coefficients.
pub fn value(coefficients: &[f64], u: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * u + c)
}

/// Newton's interpolation, multiplied out: ascending coefficients.
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
    fn a_polynomial_is_found_again() {
        let truth = [0.3, -1.0, 2.0, 0.5, -0.7];
        let nodes = nodes(5);
        let found = interpolation(&nodes, nodes.iter().map(|&u| value(&truth, u)).collect());
        assert!(found.iter().zip(truth).all(|(a, b)| (a - b).abs() < 1e-14), "{found:?}");
    }
}
