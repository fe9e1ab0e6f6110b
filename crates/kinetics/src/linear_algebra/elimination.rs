//! Gauss elimination with partial pivoting (Golub & Van Loan, Matrix Computations, section 3.4).

/// The solution of a square system whose last column is the right-hand side; not finite where the system is singular.
pub fn solve(mut system: Vec<Vec<f64>>) -> Vec<f64> {
    let size = system.len();
    for p in 0..size {
        let pivot = (p..size).max_by(|&a, &b| system[a][p].abs().total_cmp(&system[b][p].abs())).unwrap_or(p);
        system.swap(p, pivot);
        let (upper, lower) = system.split_at_mut(p + 1);
        for row in lower {
            let factor = row[p] / upper[p][p];
            if factor != 0.0 {
                row.iter_mut().zip(&upper[p]).skip(p).for_each(|(entry, above)| *entry -= factor * above);
            }
        }
    }
    let mut x = vec![0.0; size];
    for i in (0..size).rev() {
        let known: f64 = (i + 1..size).map(|j| system[i][j] * x[j]).sum();
        x[i] = (system[i][size] - known) / system[i][i];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_that_needs_pivots_is_solved() {
        let truth = [1.0, -2.0, 3.0];
        let rows = [[0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [4.0, -1.0, 5.0]];
        let system = rows.map(|row| {
            let right = row.iter().zip(truth).map(|(a, x)| a * x).sum();
            [&row[..], &[right]].concat()
        });
        for (found, expected) in solve(system.to_vec()).iter().zip(truth) {
            assert!((found - expected).abs() < 1e-14);
        }
    }
}
