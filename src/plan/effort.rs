//! Effort of the search for the fastest version.

use clap::ValueEnum;

/// Effort of the search where the request leaves a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Effort {
    /// Compile and verify only the version of each kernel that the estimate prefers
    Quick,
    /// Compile and time the versions whose estimate is near the fastest time, and verify the fastest
    #[default]
    Normal,
    /// Compile, time and verify all versions that may be faster
    Thorough,
}
