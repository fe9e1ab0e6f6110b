//! Cholesky's factorisation with diagonal pivots (Higham, Accuracy and Stability of Numerical Algorithms, section 10.3): it finds
//! the numerical range of a matrix in O(n r^2).

use super::dense::dot;

/// Rows of L with A ~ L L^T for a positive definite A of order `n` with a diagonal of ones, to rounding.
pub fn pivoted(n: usize, a: &dyn Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    let mut l: Vec<Vec<f64>> = vec![Vec::new(); n];
    let mut left: Vec<f64> = vec![1.0; n];
    for _ in 0..n {
        let pivot = (0..n).fold(0, |best, k| if left[k] > left[best] { k } else { best });
        if left[pivot] <= f64::EPSILON {
            break;
        }
        let root = left[pivot].sqrt();
        let row = l[pivot].clone();
        for k in 0..n {
            let value = if left[k] == 0.0 { 0.0 } else { (a(k, pivot) - dot(&l[k], &row)) / root };
            l[k].push(if k == pivot { root } else { value });
            left[k] = if k == pivot { 0.0 } else { (left[k] - value * value).max(0.0) };
        }
    }
    l
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factors_give_the_matrix() {
        let a = |i: usize, j: usize| (-0.01 * (i as f64 - j as f64).powi(2)).exp();
        let l = pivoted(20, &a);
        assert!(l[0].len() < 20);
        for i in 0..20 {
            for j in 0..20 {
                assert!((dot(&l[i], &l[j]) - a(i, j)).abs() < 1e-14);
            }
        }
    }
}
