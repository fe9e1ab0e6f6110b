//! Series of Chebyshev polynomials T_0, T_1, … on -1..1 (Trefethen, Approximation Theory and Approximation Practice, chapter 3).

/// The series of as many terms as values that takes these values at [`nodes`](super::interpolation::nodes).
pub fn series(values: &[f64]) -> Vec<f64> {
    let n = values.len();
    let term = |j: usize| {
        let angle = |k: usize| j as f64 * (k as f64 + 0.5) * std::f64::consts::PI / n as f64;
        let sum: f64 = (0..n).map(|k| values[k] * angle(k).cos()).sum();
        if j == 0 { sum / n as f64 } else { 2.0 * sum / n as f64 }
    };
    (0..n).map(term).collect()
}

/// A series as a polynomial with ascending coefficients.
pub fn ascending(series: &[f64]) -> Vec<f64> {
    let n = series.len();
    let mut sum = vec![0.0; n];
    let (mut last, mut this) = (vec![0.0; n], vec![0.0; n]);
    for (j, c) in series.iter().enumerate() {
        let next = match j {
            0 => (0..n).map(|i| if i == 0 { 1.0 } else { 0.0 }).collect(),
            1 => (0..n).map(|i| if i == 1 { 1.0 } else { 0.0 }).collect(),
            _ => (0..n).map(|i| if i == 0 { 0.0 } else { 2.0 * this[i - 1] } - last[i]).collect::<Vec<f64>>(),
        };
        (last, this) = (this, next);
        sum.iter_mut().zip(&this).for_each(|(sum, power)| *sum += c * power);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approximation::interpolation::{interpolation, nodes, value};

    #[test]
    fn a_series_takes_the_values() {
        for n in [1, 2, 3, 8] {
            let nodes = nodes(n);
            let values: Vec<f64> = nodes.iter().map(|u| (1.3 * u).exp() - 0.4).collect();
            let found = ascending(&series(&values));
            assert!(nodes.iter().zip(&values).all(|(&u, v)| (value(&found, u) - v).abs() < 1e-14), "{n}");
            assert!(interpolation(&nodes, values).iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-12), "{n}");
        }
    }

    #[test]
    fn each_polynomial_is_the_one_of_the_name() {
        assert_eq!(ascending(&[0.0, 0.0, 0.0, 0.0, 1.0]), [1.0, 0.0, -8.0, 0.0, 8.0]);
    }
}
