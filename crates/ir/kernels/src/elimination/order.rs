//! Orders of elimination: greedily, the unknown next whose elimination costs least.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use super::Pattern;

/// First cost of a step of elimination; ties go to the other one, then to the lower number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// New entries (minimum local fill-in: Tinney and Walker, Proc. IEEE 55 (1967) 1801, scheme 3)
    FillIn,
    /// Products (Markowitz, Management Science 3 (1957) 255, on the diagonal)
    Products,
}

/// An order with some unknowns last.
pub fn order(pattern: &Pattern, last: &[usize], measure: Measure) -> Vec<usize> {
    let mut active = Active::new(pattern);
    let mut left: BTreeSet<usize> = (0..pattern.rows.len()).filter(|unknown| !last.contains(unknown)).collect();
    let mut order = Vec::new();
    while let Some(next) = left.iter().copied().min_by_key(|&k| (active.cost(k, measure), k)) {
        left.remove(&next);
        active.eliminate(next);
        order.push(next);
    }
    order.extend(last);
    order
}

/// Remaining part of a matrix, by rows with the diagonal, and by columns without.
struct Active {
    rows: Vec<FixedBitSet>,
    columns: Vec<FixedBitSet>,
}

impl Active {
    fn new(pattern: &Pattern) -> Self {
        let size = pattern.rows.len();
        let empty = vec![FixedBitSet::with_capacity(size); size];
        let mut active = Self { rows: empty.clone(), columns: empty };
        for (row, columns) in pattern.rows.iter().enumerate() {
            columns.iter().for_each(|&column| active.insert(row, column));
        }
        active
    }

    fn insert(&mut self, row: usize, column: usize) {
        self.rows[row].insert(column);
        if row != column {
            self.columns[column].insert(row);
        }
    }

    fn cost(&self, k: usize, measure: Measure) -> (usize, usize) {
        let in_row = self.rows[k].count_ones(..) - usize::from(self.rows[k].contains(k));
        let products = in_row * self.columns[k].count_ones(..);
        match measure {
            Measure::Products => (products, 0),
            Measure::FillIn => (self.fill_in(k), products),
        }
    }

    /// Entries of the row that the rows of the column lack: they have an entry in column k, so that its diagonal does not count.
    fn fill_in(&self, k: usize) -> usize {
        self.columns[k].ones().map(|row| self.rows[k].difference_count(&self.rows[row])).sum()
    }

    fn eliminate(&mut self, k: usize) {
        let (mut row, column) = (std::mem::take(&mut self.rows[k]), std::mem::take(&mut self.columns[k]));
        row.remove(k);
        row.ones().for_each(|j| self.columns[j].remove(k));
        for i in column.ones() {
            self.rows[i].remove(k);
            row.ones().for_each(|j| self.insert(i, j));
        }
    }
}
