//! Alignment of two sequences after Smith and Waterman ("Identification of Common Molecular Subsequences", Journal of Molecular
//! Biology 1981): the best local alignment, then that of what follows it, and so on, with gaps between.

/// One column of an alignment: positions in both sequences, or in one of them beside a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub enum Column {
    Both(usize, usize),
    First(usize),
    Second(usize),
}

/// Cells of the largest matrix that is filled; longer sequences are not aligned.
const MOST_CELLS: usize = 1 << 22;

/// Aligns sequences of the given lengths; each position stands in one column, in order. Pairs without a score, or with a score
/// of 0, do not share a column. A gap of any length costs `gap`. The time is that of the product of the lengths.
pub fn align(lengths: [usize; 2], gap: u64, score: impl Fn(usize, usize) -> u64) -> Vec<Column> {
    let mut columns = Vec::with_capacity(lengths[0] + lengths[1]);
    let mut from = [0, 0];
    while let Some(local) = best_local(from, lengths, gap, &score) {
        for column in local {
            match column {
                Column::Both(i, j) => {
                    gaps(&mut columns, from, [i, j]);
                    columns.push(column);
                    from = [i + 1, j + 1];
                }
                Column::First(i) => from = alone(&mut columns, column, [i + 1, from[1]]),
                Column::Second(j) => from = alone(&mut columns, column, [from[0], j + 1]),
            }
        }
    }
    gaps(&mut columns, from, lengths);
    columns
}

fn alone(columns: &mut Vec<Column>, column: Column, next: [usize; 2]) -> [usize; 2] {
    columns.push(column);
    next
}

/// Adds a gap for every element between two positions, in both sequences.
fn gaps(columns: &mut Vec<Column>, from: [usize; 2], to: [usize; 2]) {
    columns.extend((from[0]..to[0]).map(Column::First));
    columns.extend((from[1]..to[1]).map(Column::Second));
}

/// Where the best value of a cell comes from.
#[derive(Clone, Copy)]
enum Step {
    Start,
    Pair,
    /// A gap in the second sequence, or in the first, of this length.
    Up(u32),
    Left(u32),
}

/// The best alignment of parts of both suffixes, without what comes before and behind it; `None` where no pair has a score.
fn best_local(from: [usize; 2], to: [usize; 2], gap: u64, score: &impl Fn(usize, usize) -> u64) -> Option<Vec<Column>> {
    let (height, width) = (to[0] - from[0], to[1] - from[1]);
    if height == 0 || width == 0 || height.saturating_mul(width) > MOST_CELLS {
        return None;
    }
    let mut steps = vec![Step::Start; height * width];
    // of the row above and of this one; nothing comes before the first column
    let (mut above, mut row) = (vec![0u64; width + 1], vec![0u64; width + 1]);
    // the best cell of each column so far, and of the row: its value and position
    let mut columns_best = vec![(0u64, 0usize); width];
    let mut best = (0u64, 0usize, 0usize);
    for i in 0..height {
        let mut row_best = (0u64, 0usize);
        for j in 0..width {
            let pair = match score(from[0] + i, from[1] + j) {
                0 => 0,
                score => above[j] + score,
            };
            let up = columns_best[j].0.saturating_sub(gap);
            let left = row_best.0.saturating_sub(gap);
            let (value, step) = match pair.max(up).max(left) {
                0 => (0, Step::Start),
                value if value == pair => (value, Step::Pair),
                value if value == up => (value, Step::Up((i - columns_best[j].1) as u32)),
                value => (value, Step::Left((j - row_best.1) as u32)),
            };
            row[j + 1] = value;
            steps[i * width + j] = step;
            if value > columns_best[j].0 {
                columns_best[j] = (value, i);
            }
            if value > row_best.0 {
                row_best = (value, j);
            }
            if value > best.0 {
                best = (value, i, j);
            }
        }
        std::mem::swap(&mut above, &mut row);
    }
    (best.0 > 0).then(|| trace(&steps, width, (best.1, best.2), from))
}

fn trace(steps: &[Step], width: usize, end: (usize, usize), from: [usize; 2]) -> Vec<Column> {
    let (mut i, mut j) = (end.0 as isize, end.1 as isize);
    let mut columns = Vec::with_capacity((end.0 + 1).min(end.1 + 1));
    while i >= 0 && j >= 0 {
        let (row, column) = (i as usize, j as usize);
        match steps[row * width + column] {
            Step::Start => break,
            Step::Pair => {
                columns.push(Column::Both(from[0] + row, from[1] + column));
                (i, j) = (i - 1, j - 1);
            }
            Step::Up(count) => {
                columns.extend((0..count as usize).map(|k| Column::First(from[0] + row - k)));
                i -= count as isize;
            }
            Step::Left(count) => {
                columns.extend((0..count as usize).map(|k| Column::Second(from[1] + column - k)));
                j -= count as isize;
            }
        }
    }
    columns.reverse();
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aligned(first: &str, second: &str) -> String {
        let (a, b) = (first.as_bytes(), second.as_bytes());
        let columns = align([a.len(), b.len()], 2, |i, j| if a[i] == b[j] { 5 } else { 0 });
        let column = |column: &Column| match *column {
            Column::Both(i, j) => {
                assert_eq!(a[i], b[j]);
                (a[i] as char).to_uppercase().to_string()
            }
            Column::First(i) => format!("<{}", a[i] as char),
            Column::Second(j) => format!(">{}", b[j] as char),
        };
        columns.iter().map(column).collect()
    }

    #[test]
    fn equal_sequences_share_all_columns() {
        assert_eq!(aligned("abcabc", "abcabc"), "ABCABC");
    }

    #[test]
    fn what_one_has_more_stands_beside_gaps() {
        assert_eq!(aligned("abxcd", "abcd"), "AB<xCD");
        assert_eq!(aligned("abcd", "abxyzcd"), "AB>x>y>zCD");
        assert_eq!(aligned("qab", "zabw"), "<q>zAB>w");
        assert_eq!(aligned("ab", ""), "<a<b");
        assert_eq!(aligned("abc", "xyz"), "<a<b<c>x>y>z");
    }

    /// Every position once and in order, whatever the scores.
    #[test]
    fn every_position_stands_in_one_column() {
        for seed in 0u64..500 {
            let random =
                |i: u64| (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i.wrapping_mul(0x94d0_49bb_1331_11eb)) >> 33;
            let lengths = [random(1) as usize % 9, random(2) as usize % 9];
            let columns = align(lengths, random(3) % 4, |i, j| random((i * 16 + j) as u64) % 5);
            let (mut i, mut j) = (0, 0);
            for column in columns {
                match column {
                    Column::Both(a, b) => assert_eq!((a, b), (i, j), "seed {seed}"),
                    Column::First(a) => assert_eq!(a, i, "seed {seed}"),
                    Column::Second(b) => assert_eq!(b, j, "seed {seed}"),
                }
                i += usize::from(!matches!(column, Column::Second(_)));
                j += usize::from(!matches!(column, Column::First(_)));
            }
            assert_eq!([i, j], lengths, "seed {seed}");
        }
    }
}
