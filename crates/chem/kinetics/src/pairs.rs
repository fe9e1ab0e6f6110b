//! Pairs of species.

/// Place of the pair i <= j in a row-major upper triangle of `size` species.
pub fn pair_index(size: usize, i: usize, j: usize) -> usize {
    debug_assert!(i <= j && j < size);
    i * (2 * size - i + 1) / 2 + j - i
}
