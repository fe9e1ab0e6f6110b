//! Small dense linear algebra: what fits, approximations and quasi-steady species need.
//!
//! Matrices are either rows of rows or, where they are multiplied often, slices by rows. Everything is deterministic: the same
//! input gives the same bits.

pub mod cholesky;
pub mod dense;
pub mod eigen;
pub mod elimination;
pub mod least_squares;
