//! Wilke's matrix as a product of thin ones: S_kj = 1/sqrt(W_k + W_j) ~ sum_q G_kq G_jq.
//!
//! S is positive definite, as the Laplace transform of a positive function of W_k + W_j. A Cholesky factorisation with
//! pivots finds its numerical range; the eigenvectors of the small L^T L then give the best factors of each rank. The
//! factorisation is that of S_kj / sqrt(S_kk S_jj), whose entries are of one size, so that relative errors of the entries are
//! even.

use super::short;
use crate::linear_algebra::dense::dot;
use crate::linear_algebra::{cholesky, eigen};

/// Factors G (rows by weight, columns by rank index) and the largest relative error of an entry of G G^T.
#[derive(Debug, Clone)]
pub struct Factors {
    pub rows: Vec<Vec<f64>>,
    pub error: f64,
}

/// The factors of least rank whose entries err by at most `bound` (relative), [`short`] ones where there are such.
///
/// All sums over a row of S in Wilke's rule have positive terms, so the bound of the entries is a bound on the
/// mixture's viscosity, for any composition and temperature.
pub fn factors(weights: &[f64], bound: f64) -> Factors {
    let diagonal: Vec<f64> = weights.iter().map(|w| (2.0 * w).powf(-0.25)).collect();
    let scaled = |k: usize, j: usize| 1.0 / ((weights[k] + weights[j]).sqrt() * diagonal[k] * diagonal[j]);
    let l = cholesky::pivoted(weights.len(), &scaled);
    let width = l[0].len();
    let gram: Vec<Vec<f64>> =
        (0..width).map(|p| (0..width).map(|q| l.iter().map(|row| row[p] * row[q]).sum()).collect()).collect();
    let vectors = eigen::symmetric(gram);
    let rotated: Vec<Vec<f64>> =
        l.iter().map(|row| vectors.iter().map(|v| row.iter().zip(v).map(|(a, b)| a * b).sum()).collect()).collect();
    let of_rank = |rank: usize| -> Vec<Vec<f64>> {
        rotated.iter().zip(&diagonal).map(|(row, d)| row[..rank].iter().map(|v| v * d).collect()).collect()
    };
    let exact = |rank: usize| with_error(of_rank(rank), weights);
    let short = |rank: usize| with_error(of_rank(rank).iter().map(|row| short::all(row)).collect(), weights);
    let within = |factors: &Factors| factors.error <= bound;
    // Entries cannot come closer than their own digits allow.
    let least = if bound < short::DISTANCE { width + 1 } else { 1 };
    let found = (least..=width).map(short).find(within).or_else(|| (1..width).map(exact).find(within));
    found.unwrap_or_else(|| exact(width))
}

fn with_error(rows: Vec<Vec<f64>>, weights: &[f64]) -> Factors {
    let relative = |k: usize, j: usize| (dot(&rows[k], &rows[j]) * (weights[k] + weights[j]).sqrt() - 1.0).abs();
    let pairs = (0..weights.len()).flat_map(|k| (0..=k).map(move |j| (k, j)));
    let error = pairs.map(|(k, j)| relative(k, j)).fold(0.0, f64::max);
    Factors { rows, error }
}

/// The factors by rank index.
pub fn transposed(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..rows[0].len()).map(|q| rows.iter().map(|row| row[q]).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_hardly_grows_with_the_number_of_species() {
        let weights = |n: u32| (0..n).map(|k| 1.008 + 180.0 * f64::from(k) / f64::from(n - 1)).collect::<Vec<_>>();
        for (n, bound) in [(1, 1e-13), (2, 1e-13), (10, 1e-13), (60, 1e-13), (200, 1e-6), (200, 1e-13)] {
            let weights = if n == 1 { vec![28.0] } else { weights(n) };
            let factors = factors(&weights, bound);
            assert!(factors.error <= bound.max(1e-14), "{n}: {:e}", factors.error);
            assert!(factors.rows[0].len() <= 20, "{n}: rank {}", factors.rows[0].len());
        }
    }
}
