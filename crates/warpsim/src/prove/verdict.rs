//! What the analysis tells.

use super::assumption::Assumption;
use crate::hazard::Hazard;

/// Violations after which it stops.
pub(super) const MOST: usize = 16;

/// What the analysis found for one kernel and launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub kernel: String,
    /// Violations of the properties.
    pub violations: Vec<Hazard>,
    /// What depends on data and could matter.
    pub not_analysed: Vec<String>,
    /// What is taken for granted; of a kernel that is not proven, as far as the analysis came.
    pub assumed: Vec<Assumption>,
    /// What breaks no property and is hardly meant.
    pub warnings: Vec<String>,
    /// Warp instructions that were executed.
    pub instructions: u64,
    /// Uses of barriers: arrivals of warps.
    pub arrivals: u64,
}

impl Verdict {
    /// Whether all three properties hold.
    pub fn proven(&self) -> bool {
        self.violations.is_empty() && self.not_analysed.is_empty()
    }
}
