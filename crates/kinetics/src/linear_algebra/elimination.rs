//! Gauss elimination with partial pivoting (Golub & Van Loan, Matrix Computations, section 3.4).

use crate::number::Number;

/// The solution of a square system whose last column is the right-hand side; not finite where the system is singular.
pub fn solve<N: Number>(mut system: Vec<Vec<N>>) -> Vec<N> {
    let size = system.len();
    for p in 0..size {
        let size_of = |row: usize| system[row][p].value().abs();
        let pivot = (p..size).max_by(|&a, &b| size_of(a).total_cmp(&size_of(b))).unwrap_or(p);
        system.swap(p, pivot);
        let (upper, lower) = system.split_at_mut(p + 1);
        for row in lower {
            let factor = row[p] / upper[p][p];
            if !factor.is_nothing() {
                row.iter_mut().zip(&upper[p]).skip(p).for_each(|(entry, &above)| *entry = *entry - factor * above);
            }
        }
    }
    let mut x = vec![N::of(0.0); size];
    for i in (0..size).rev() {
        let known: N = (i + 1..size).map(|j| system[i][j] * x[j]).sum();
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
