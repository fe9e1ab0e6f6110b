//! Common elements of two lists, in the same order.

/// Cells of the table beyond which a list is matched from its beginning on instead.
const MOST_CELLS: usize = 1 << 26;

/// As many pairs of positions with equal elements as there can be, both ascending; of lists that are too long fewer.
pub type Matching = fn(&[u32], &[u32]) -> Vec<(usize, usize)>;

/// With the last of those in the second list that can be taken.
pub fn latest(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let turned = |list: &[u32]| list.iter().rev().copied().collect::<Vec<u32>>();
    let pairs = earliest(&turned(a), &turned(b)).into_iter().rev();
    pairs.map(|(i, j)| (a.len() - 1 - i, b.len() - 1 - j)).collect()
}

/// With the first of those in the second list that can be taken.
pub fn earliest(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let front = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (left, right) = (&a[front..], &b[front..]);
    let back = left.iter().rev().zip(right.iter().rev()).take_while(|(a, b)| a == b).count();
    let (left, right) = (&left[..left.len() - back], &right[..right.len() - back]);
    let middle = match left.len().saturating_mul(right.len()) <= MOST_CELLS {
        true => most(left, right),
        false => first(left, right),
    };
    let begin = (0..front).map(|i| (i, i));
    let middle = middle.into_iter().map(|(i, j)| (front + i, front + j));
    let end = (0..back).rev().map(|i| (a.len() - 1 - i, b.len() - 1 - i));
    begin.chain(middle).chain(end).collect()
}

/// Matches the lists by the table of all suffixes (the longest common subsequence).
fn most(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut longest = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = match a[i] == b[j] {
                true => 1 + longest[(i + 1) * width + j + 1],
                false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Each element with the next equal one.
fn first(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let (mut i, mut pairs) = (0, Vec::new());
    for (j, element) in b.iter().enumerate() {
        if a.get(i) == Some(element) {
            pairs.push((i, j));
            i += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spill_code_between_is_left_over() {
        for matching in [earliest, latest] {
            assert_eq!(matching(&[1, 2, 3, 4], &[9, 1, 2, 8, 8, 4]), [(0, 1), (1, 2), (3, 5)]);
            assert_eq!(matching(&[], &[1]), []);
        }
    }

    #[test]
    fn of_equal_ones_the_first_or_the_last_is_taken() {
        assert_eq!(earliest(&[1, 2, 3], &[1, 2, 2, 3]), [(0, 0), (1, 1), (2, 3)]);
        assert_eq!(latest(&[1, 2, 3], &[1, 2, 2, 3]), [(0, 0), (1, 2), (2, 3)]);
    }
}
