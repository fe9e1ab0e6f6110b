//! The linear systems of implicit integrators of reactors.

use super::{Checked, Pattern, check, plan};

/// Returns the pattern of an integrator's matrix: a number on the diagonal less the sparse Jacobian of `species` species. Unknowns:
/// mass fractions, the temperature, and the sum of all changes of Y_k/W_k, whose column is the part that the rows share.
pub fn matrix(pattern: &[(u32, u32)], species: usize) -> Pattern {
    let jacobian = pattern.iter().map(|&(row, column)| (row as usize, column as usize));
    let sum = (0..species).map(|column| (species + 1, column));
    let diagonal = (0..species + 2).map(|at| (at, at));
    Pattern::new(species + 2, jacobian.chain(sum).chain(diagonal))
}

/// How the matrix is factored, with the temperature and the sum last.
pub fn of_reactor(pattern: &[(u32, u32)], species: usize) -> Checked {
    let matrix = matrix(pattern, species);
    let plan = plan(&matrix, &[species, species + 1]);
    check(&matrix, plan).expect("the plan holds all entries of the matrix")
}
