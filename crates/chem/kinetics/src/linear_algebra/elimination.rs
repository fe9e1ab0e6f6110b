//! Gauss elimination with partial pivoting (Golub & Van Loan, Matrix Computations, section 3.4).

use crate::number::Number;

/// A square matrix as its factors: of each row the factors of the pivots before it, then what these left.
pub struct Factors<N> {
    rows: Vec<Vec<N>>,
    /// Row of the matrix that each row of the factors comes from.
    order: Vec<usize>,
}

/// The solution of a square system whose last column is the right-hand side; not finite where the system is singular.
pub fn solve<N: Number>(system: Vec<Vec<N>>) -> Vec<N> {
    solve_by(system, Factors::new)
}

/// The same of an M-matrix: entries beside the diagonal are at most 0, those of the inverse at least 0. Pivots are those of the
/// diagonal: then sums of entries beside it have terms of one sign, which no cancellation makes inexact, however
/// different the units of the unknowns are (Funderlic & Plemmons, LU decomposition of M-matrices by elimination without pivoting, Linear
/// Algebra Appl. 41 (1981) 99). Larger entries as pivots would mix signs.
pub fn solve_m_matrix<N: Number>(system: Vec<Vec<N>>) -> Vec<N> {
    solve_by(system, |matrix| Factors::by(matrix, |_, p| p))
}

fn solve_by<N: Number>(mut system: Vec<Vec<N>>, factored: impl Fn(Vec<Vec<N>>) -> Factors<N>) -> Vec<N> {
    let right: Vec<N> = system.iter_mut().map(|row| row.pop().expect("a row ends with the right-hand side")).collect();
    factored(system).solve(&right)
}

impl<N: Number> Factors<N> {
    /// With the largest number of a column as its pivot.
    pub fn new(matrix: Vec<Vec<N>>) -> Self {
        Self::by(matrix, |rows, p| {
            let size_of = |row: usize| rows[row][p].value().abs();
            (p..rows.len()).max_by(|&a, &b| size_of(a).total_cmp(&size_of(b))).unwrap_or(p)
        })
    }

    /// With the row of each pivot as `pivot` chooses it from those that are left.
    fn by(mut rows: Vec<Vec<N>>, pivot: impl Fn(&[Vec<N>], usize) -> usize) -> Self {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        for p in 0..rows.len() {
            let pivot = pivot(&rows, p);
            rows.swap(p, pivot);
            order.swap(p, pivot);
            let (upper, lower) = rows.split_at_mut(p + 1);
            let above = &upper[p][p..];
            for row in lower {
                let (first, rest) = row[p..].split_first_mut().expect("the matrix is square");
                *first = *first / above[0];
                if !first.is_nothing() {
                    rest.iter_mut().zip(&above[1..]).for_each(|(entry, &above)| *entry = *entry - *first * above);
                }
            }
        }
        Self { rows, order }
    }

    /// Whether the determinant is negative.
    pub fn is_negative(&self) -> bool {
        let pivots = self.rows.iter().enumerate().filter(|(p, row)| row[*p].value() < 0.0).count();
        // The order is a permutation: each cycle of an even length changes the sign.
        let mut is_seen = vec![false; self.order.len()];
        let mut sign = pivots;
        for start in 0..self.order.len() {
            let mut at = start;
            while !is_seen[at] {
                is_seen[at] = true;
                at = self.order[at];
                sign += usize::from(at != start);
            }
        }
        sign % 2 == 1
    }

    /// The solution for a right-hand side.
    pub fn solve(&self, right: &[N]) -> Vec<N> {
        let mut x: Vec<N> = self.order.iter().map(|&row| right[row]).collect();
        for (i, row) in self.rows.iter().enumerate() {
            let (known, rest) = x.split_at_mut(i);
            let factors = row.iter().zip(known).filter(|(factor, _)| !factor.is_nothing());
            factors.for_each(|(&factor, &mut above)| rest[0] = rest[0] - factor * above);
        }
        for (i, row) in self.rows.iter().enumerate().rev() {
            let known: N = (i + 1..x.len()).map(|j| row[j] * x[j]).sum();
            x[i] = (x[i] - known) / row[i];
        }
        x
    }
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

    /// The same bits for each right-hand side as if it was the only one; an entry is zero below a pivot.
    #[test]
    fn factors_serve_several_right_hand_sides() {
        let rows = [[0.0, 2.0, 1.0], [3.0, 1.0, 0.0], [4.0, -1.0, 5.0]];
        let factors = Factors::new(rows.map(Vec::from).to_vec());
        for right in [[1.0, -2.0, 3.0], [0.1, 0.0, -7.0]] {
            let system = rows.iter().zip(right).map(|(row, right)| [&row[..], &[right]].concat());
            let found = factors.solve(&right);
            assert_eq!(found, solve(system.collect()));
            for (row, right) in rows.iter().zip(right) {
                let product: f64 = row.iter().zip(&found).map(|(a, x)| a * x).sum();
                assert!((product - right).abs() < 1e-14);
            }
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
