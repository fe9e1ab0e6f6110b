//! How to search.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Every candidate on the last level.
    Exhaustive,
    /// Every candidate on the first level, and on each further one the best of those before.
    Halving,
}
