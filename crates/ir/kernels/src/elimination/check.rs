//! Whether a plan of elimination holds all entries that may differ from zero.

use super::{Elimination, Pattern};

/// A plan that holds all entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked(Elimination);

impl Checked {
    pub fn plan(&self) -> &Elimination {
        &self.0
    }
}

/// Follows the elimination column by column on a table of what may differ from zero (the right-looking way; plans are made row by row).
///
/// Errors: the order is no permutation, or an entry has no place in the factors.
pub fn check(pattern: &Pattern, plan: Elimination) -> Result<Checked, String> {
    let n = pattern.rows.len();
    let mut place = vec![usize::MAX; n];
    for (at, &unknown) in plan.order.iter().enumerate() {
        match place.get_mut(unknown) {
            Some(free) if *free == usize::MAX => *free = at,
            _ => {
                return Err(format!(
                    "place {at} eliminates unknown {unknown}, which is not there or was eliminated before"
                ));
            }
        }
    }
    if [plan.order.len(), plan.lower.len(), plan.upper.len()] != [n; 3] {
        return Err(format!("there are {n} unknowns, and {} places", plan.order.len()));
    }
    let mut may_differ = vec![false; n * n];
    for (row, columns) in pattern.rows.iter().enumerate() {
        columns.iter().for_each(|&column| may_differ[place[row] * n + place[column]] = true);
    }
    for k in 0..n {
        let row: Vec<usize> = (k + 1..n).filter(|&column| may_differ[k * n + column]).collect();
        for i in (k + 1..n).filter(|&i| may_differ[i * n + k]).collect::<Vec<_>>() {
            row.iter().for_each(|&column| may_differ[i * n + column] = true);
        }
    }
    for row in 0..n {
        let ascends = |columns: &[usize]| columns.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascends(&plan.lower[row]) || !ascends(&plan.upper[row]) {
            return Err(format!("the entries of place {row} are not in ascending order"));
        }
        let missing = (0..n).filter(|&column| column != row && may_differ[row * n + column]).find(|column| {
            let has = if *column < row { &plan.lower[row] } else { &plan.upper[row] };
            has.binary_search(column).is_err()
        });
        if let Some(column) = missing {
            return Err(format!("the entry of place {row} at place {column} is not in the factors"));
        }
    }
    Ok(Checked(plan))
}
