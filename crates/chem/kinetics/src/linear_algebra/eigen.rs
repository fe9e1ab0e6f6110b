//! Eigenvectors of a small symmetric matrix by Jacobi's cyclic method (Golub & Van Loan, Matrix Computations, section 8.5).

/// Orthonormal eigenvectors, that of the largest eigenvalue first. The same matrix gives the same bits.
pub fn symmetric(mut a: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = a.len();
    // Row i becomes the i-th eigenvector.
    let mut v: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q].abs() > f64::MIN_POSITIVE + 1e-18 * (a[p][p] * a[q][q]).abs().sqrt() {
                    rotate(&mut a, &mut v, p, q);
                    rotated = true;
                }
            }
        }
        if !rotated {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]).then(i.cmp(&j)));
    order.into_iter().map(|i| v[i].clone()).collect()
}

/// Convergence is quadratic: fewer than ten are needed.
const SWEEPS: usize = 30;

/// Makes a[p][q] zero.
fn rotate(a: &mut [Vec<f64>], v: &mut [Vec<f64>], p: usize, q: usize) {
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = 1f64.copysign(theta) / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    for k in 0..a.len() {
        (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
        (v[p][k], v[q][k]) = (c * v[p][k] - s * v[q][k], s * v[p][k] + c * v[q][k]);
    }
    (a[p][q], a[q][p]) = (0.0, 0.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_are_eigenvectors() {
        let n = 12;
        let a: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| 1.0 / f64::from(i + j + 1)).collect()).collect();
        let mut last = f64::INFINITY;
        let vectors = symmetric(a.clone());
        for (i, v) in vectors.iter().enumerate() {
            let av: Vec<f64> = a.iter().map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum()).collect();
            let value: f64 = av.iter().zip(v).map(|(a, b)| a * b).sum();
            assert!(value <= last + 1e-15);
            last = value;
            assert!(av.iter().zip(v).all(|(a, b)| (a - value * b).abs() < 1e-14));
            for w in &vectors[..i] {
                assert!(w.iter().zip(v).map(|(a, b)| a * b).sum::<f64>().abs() < 1e-14);
            }
        }
    }
}
