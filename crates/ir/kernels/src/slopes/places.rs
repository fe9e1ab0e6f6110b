//! Places of a matrix's entries in the rows of an output.

use std::collections::BTreeMap;

use crate::options::{MatrixLayout, MatrixStorage};

/// The place of each entry.
pub struct Places {
    rows: usize,
    /// By column and row, of compressed columns.
    compressed: Option<BTreeMap<(usize, usize), u32>>,
}

impl Places {
    /// Places the entries of a matrix with these rows and columns. `is_stored` tells the entries (row, column) that are not always zero.
    pub fn new(layout: MatrixLayout, rows: usize, columns: usize, is_stored: impl Fn(usize, usize) -> bool) -> Self {
        let compressed = (layout != MatrixLayout::Entries(MatrixStorage::Dense)).then(|| {
            let all = (0..columns).flat_map(|column| (0..rows).map(move |row| (column, row)));
            all.filter(|&(column, row)| is_stored(row, column)).zip(0..).collect()
        });
        Self { rows, compressed }
    }

    /// The row of the output that holds an entry; none where it is always zero and left out.
    pub fn get(&self, row: usize, column: usize) -> Option<u32> {
        match &self.compressed {
            None => Some((column * self.rows + row) as u32),
            Some(places) => places.get(&(column, row)).copied(),
        }
    }

    /// (row, column) of the entries in their order, of compressed columns.
    pub fn pattern(&self) -> Option<Vec<(u32, u32)>> {
        let places = self.compressed.as_ref()?;
        Some(places.keys().map(|&(column, row)| (row as u32, column as u32)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_compressed_in_their_order() {
        let is_stored = |row: usize, column: usize| row != column;
        let places = Places::new(MatrixLayout::Entries(MatrixStorage::Compressed), 3, 2, is_stored);
        assert_eq!(places.pattern(), Some(vec![(1, 0), (2, 0), (0, 1), (2, 1)]));
        assert_eq!([places.get(0, 0), places.get(2, 0), places.get(0, 1)], [None, Some(1), Some(2)]);
        let dense = Places::new(MatrixLayout::Entries(MatrixStorage::Dense), 3, 2, is_stored);
        assert_eq!((dense.pattern(), dense.get(1, 1)), (None, Some(4)));
    }
}
