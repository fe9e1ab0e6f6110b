//! Effort of the search for the fastest version.

use clap::ValueEnum;

/// Effort of the search where the request leaves a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Effort {
    /// The version of each kernel that the estimate prefers, which alone is compiled and verified
    Quick,
    /// Versions whose estimate is near the fastest time are compiled and timed, and the fastest is verified
    #[default]
    Normal,
    /// All versions that may be faster are compiled, timed and verified
    Thorough,
}
