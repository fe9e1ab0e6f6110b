//! How a sparse matrix whose pattern is known is factored into triangular matrices without exchanging rows: in which order, and which
//! entries the factors have.
//!
//! [`plan()`] decides; [`check()`] follows the elimination on sets of entries, with other means, and refuses a plan that would lose one.

mod check;
mod order;
mod system;

use std::collections::BTreeSet;

pub use check::{Checked, check};
pub use order::{Measure, order};
pub use system::{matrix, of_reactor};

/// Entries of a square matrix that may differ from zero: the columns of each row. Factors have the whole diagonal; an order counts new entries
/// of the diagonal where the matrix lacks them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    pub rows: Vec<BTreeSet<usize>>,
}

impl Pattern {
    /// A pattern of so many unknowns with these entries (row, column).
    pub fn new(size: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut rows = vec![BTreeSet::new(); size];
        entries.into_iter().for_each(|(row, column)| _ = rows[row].insert(column));
        Self { rows }
    }
}

/// The order of elimination, and the entries of the factors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elimination {
    /// By place, the unknown (and the equation of the same number) that is eliminated there.
    pub order: Vec<usize>,
    /// By place, the earlier places whose rows are subtracted from its row, ascending.
    pub lower: Vec<Vec<usize>>,
    /// By place, the later places that its row has entries at, ascending.
    pub upper: Vec<Vec<usize>>,
}

impl Elimination {
    /// Entries of both factors, with the diagonal.
    pub fn entries(&self) -> usize {
        self.order.len() + self.lower.iter().chain(&self.upper).map(Vec::len).sum::<usize>()
    }

    /// Multiplications, each with an addition, that a factorisation takes besides one for each entry below the diagonal.
    pub fn multiply_adds(&self) -> usize {
        self.lower.iter().flatten().map(|&k| self.upper[k].len()).sum()
    }
}

/// The cheaper of the elimination orders by least fill-in and by least products, with some unknowns last, in their order.
pub fn plan(pattern: &Pattern, last: &[usize]) -> Elimination {
    let orders = [Measure::FillIn, Measure::Products].map(|measure| order(pattern, last, measure));
    let plans = orders.map(|order| in_order(pattern, order));
    let [by_fill_in, by_products] = plans;
    if by_products.multiply_adds() < by_fill_in.multiply_adds() { by_products } else { by_fill_in }
}

/// The entries of the factors in an order.
pub fn in_order(pattern: &Pattern, order: Vec<usize>) -> Elimination {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &unknown)| place[unknown] = at);
    let (mut lower, mut upper) = (Vec::new(), Vec::<Vec<usize>>::new());
    for (at, &unknown) in order.iter().enumerate() {
        let mut row: BTreeSet<usize> = pattern.rows[unknown].iter().map(|&column| place[column]).collect();
        row.remove(&at);
        let mut below = Vec::new();
        while let Some(k) = row.first().copied().filter(|&k| k < at) {
            row.remove(&k);
            row.extend(upper[k].iter().copied().filter(|&column| column != at));
            below.push(k);
        }
        lower.push(below);
        upper.push(row.into_iter().collect());
    }
    Elimination { order, lower, upper }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An arrow whose head comes first fills up completely, unless the head is eliminated last.
    fn arrow(n: usize) -> Pattern {
        let row = |i: usize| if i == 0 { (0..n).collect() } else { BTreeSet::from([0, i]) };
        Pattern { rows: (0..n).map(row).collect() }
    }

    fn is_checked(pattern: &Pattern, plan: &Elimination) -> bool {
        check(pattern, plan.clone()).is_ok_and(|checked| checked.plan() == plan)
    }

    #[test]
    fn the_head_of_an_arrow_comes_late() {
        let plan = plan(&arrow(9), &[]);
        assert_eq!((plan.entries(), plan.multiply_adds()), (25, 8));
        assert!(is_checked(&arrow(9), &plan));
        let given = in_order(&arrow(9), (0..9).collect());
        assert_eq!(given.entries(), 81);
        assert!(is_checked(&arrow(9), &given));
    }

    #[test]
    fn those_that_are_to_be_last_are_last() {
        let plan = plan(&arrow(9), &[4, 2]);
        assert_eq!(plan.order[7..], [4, 2]);
        assert!(is_checked(&arrow(9), &plan));
    }

    #[test]
    fn a_plan_that_loses_an_entry_is_refused() {
        let pattern = arrow(5);
        let whole = in_order(&pattern, (0..5).collect());
        for (at, row) in whole.upper.iter().enumerate() {
            for lost in 0..row.len() {
                let mut plan = whole.clone();
                plan.upper[at].remove(lost);
                assert!(!is_checked(&pattern, &plan), "{at} {lost}");
            }
        }
        for (at, row) in whole.lower.iter().enumerate() {
            for lost in 0..row.len() {
                let mut plan = whole.clone();
                plan.lower[at].remove(lost);
                assert!(!is_checked(&pattern, &plan), "{at} {lost}");
            }
        }
        let twice = Elimination { order: vec![0, 1, 2, 3, 3], ..whole };
        assert!(!is_checked(&pattern, &twice));
    }
}
