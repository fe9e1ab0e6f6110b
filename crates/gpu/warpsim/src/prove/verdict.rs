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

/// What is known of the three properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// They hold.
    Proven,
    /// They hold if what [`Verdict::conditions`] gives does.
    ProvenIf,
    /// One of them is violated.
    Wrong,
    /// Something that matters is not analysed.
    Open,
}

impl Verdict {
    pub fn status(&self) -> Status {
        match (self.violations.is_empty(), self.not_analysed.is_empty()) {
            (false, _) => Status::Wrong,
            (true, false) => Status::Open,
            (true, true) if self.conditions().next().is_some() => Status::ProvenIf,
            (true, true) => Status::Proven,
        }
    }

    /// Whether all three properties hold.
    pub fn proven(&self) -> bool {
        self.status() == Status::Proven
    }

    /// Whether all three properties hold if the conditions do.
    pub fn holds(&self) -> bool {
        self.violations.is_empty() && self.not_analysed.is_empty()
    }

    /// What is taken for granted of data, and may be wrong.
    pub fn conditions(&self) -> impl Iterator<Item = &Assumption> {
        self.assumed.iter().filter(|what| what.is_condition())
    }
}
