//! The linear systems of implicit integrators of reactors.

use std::collections::BTreeSet;

use super::{Checked, Pattern, check, plan};

/// Returns the pattern of an integrator's matrix: a number on the diagonal less the sparse Jacobian of `species` species. Unknowns:
/// mass fractions, the temperature, and the sum of all changes of Y_k/W_k, whose column is the part that the rows share.
pub fn matrix(pattern: &[(u32, u32)], species: usize) -> Pattern {
    let mut rows = vec![BTreeSet::new(); species + 2];
    for &(row, column) in pattern {
        rows[row as usize].insert(column as usize);
    }
    rows[species + 1].extend(0..species);
    rows.iter_mut().enumerate().for_each(|(row, columns)| _ = columns.insert(row));
    Pattern { rows }
}

/// How the matrix is factored, with the temperature and the sum last.
pub fn of_reactor(pattern: &[(u32, u32)], species: usize) -> Checked {
    let matrix = matrix(pattern, species);
    let plan = plan(&matrix, &[species, species + 1]);
    check(&matrix, plan).expect("the plan holds all entries of the matrix")
}
