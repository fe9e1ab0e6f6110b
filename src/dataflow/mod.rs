//! Operations and values.

pub mod elementary;
