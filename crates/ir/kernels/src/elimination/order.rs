//! Orders of elimination: greedily, the unknown next whose elimination costs least.

use std::collections::BTreeSet;

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

/// Remaining part of a matrix, by rows and by columns; its diagonal apart from these.
struct Active {
    rows: Vec<BTreeSet<usize>>,
    columns: Vec<BTreeSet<usize>>,
    diagonal: Vec<bool>,
}

impl Active {
    fn new(pattern: &Pattern) -> Self {
        let (rows, size) = (pattern.rows.clone(), pattern.rows.len());
        let mut active = Self { rows, columns: vec![BTreeSet::new(); size], diagonal: vec![false; size] };
        for (row, columns) in active.rows.iter_mut().enumerate() {
            active.diagonal[row] = columns.remove(&row);
            columns.iter().for_each(|&column| _ = active.columns[column].insert(row));
        }
        active
    }

    fn cost(&self, k: usize, measure: Measure) -> (usize, usize) {
        let products = self.rows[k].len() * self.columns[k].len();
        match measure {
            Measure::Products => (products, 0),
            Measure::FillIn => (self.fill_in(k), products),
        }
    }

    fn fill_in(&self, k: usize) -> usize {
        let has = |row: usize, column: usize| match row == column {
            true => self.diagonal[row],
            false => self.rows[row].contains(&column),
        };
        let new = |row: &usize| self.rows[k].iter().filter(|&&column| !has(*row, column)).count();
        self.columns[k].iter().map(new).sum()
    }

    fn eliminate(&mut self, k: usize) {
        let (row, column) = (std::mem::take(&mut self.rows[k]), std::mem::take(&mut self.columns[k]));
        row.iter().for_each(|j| _ = self.columns[*j].remove(&k));
        for &i in &column {
            self.rows[i].remove(&k);
            self.diagonal[i] |= row.contains(&i);
            for &j in row.iter().filter(|&&j| j != i) {
                if self.rows[i].insert(j) {
                    self.columns[j].insert(i);
                }
            }
        }
    }
}
