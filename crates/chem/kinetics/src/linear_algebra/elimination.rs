//! Gauss elimination with partial pivoting (Golub & Van Loan, Matrix Computations, section 3.4).

use crate::number::Number;

/// The solution of a square system whose last column is the right-hand side; not finite where the system is singular.
pub fn solve<N: Number>(system: Vec<Vec<N>>) -> Vec<N> {
    solve_by(system, |system, p| {
        let size_of = |row: usize| system[row][p].value().abs();
        (p..system.len()).max_by(|&a, &b| size_of(a).total_cmp(&size_of(b))).unwrap_or(p)
    })
}

/// The same of an M-matrix: entries beside the diagonal are at most 0, those of the inverse at least 0. Pivots are those of the
/// diagonal: then sums of entries beside it have terms of one sign, which no cancellation makes inexact, however
/// different the units of the unknowns are (Funderlic & Plemmons, LU decomposition of M-matrices by elimination without pivoting, Linear
/// Algebra Appl. 41 (1981) 99). Larger entries as pivots would mix signs.
pub fn solve_m_matrix<N: Number>(system: Vec<Vec<N>>) -> Vec<N> {
    solve_by(system, |_, p| p)
}

/// With the row of each pivot as `pivot` chooses it from those that are left.
fn solve_by<N: Number>(mut system: Vec<Vec<N>>, pivot: impl Fn(&[Vec<N>], usize) -> usize) -> Vec<N> {
    let size = system.len();
    for p in 0..size {
        let pivot = pivot(&system, p);
        system.swap(p, pivot);
        let (upper, lower) = system.split_at_mut(p + 1);
        for row in lower {
            let factor = row[p] / upper[p][p];
            if !factor.is_nothing() {
                row.iter_mut().zip(&upper[p]).skip(p).for_each(|(entry, &above)| *entry = *entry - factor * above);
            }
        }
    }
    let mut x = vec![N::from(0.0); size];
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

    /// In other units entries beside the diagonal become the largest of their columns; the solution is as exact.
    #[test]
    fn units_of_unknowns_do_not_matter_to_an_m_matrix() {
        let plain = [[1.0, -1e-6, -2e-6, 2.0], [-1e-6, 1.0, -3e-6, 1.0], [-4e-6, -2e-6, 1.0, 4.0]];
        let expected = solve(plain.map(Vec::from).to_vec());
        let units = [0, 30, -30].map(|n| 10f64.powi(n));
        let system = plain.iter().zip(units).map(|(row, of_row)| {
            let entries = row.iter().zip([units[0], units[1], units[2], 1.0]);
            entries.map(|(entry, of_column)| entry * of_column / of_row).collect()
        });
        for ((found, expected), unit) in solve_m_matrix(system.collect()).iter().zip(expected).zip(units) {
            let error: f64 = found * unit / expected - 1.0;
            assert!(error.abs() < 1e-14, "{found} {expected} {error}");
        }
    }
}
