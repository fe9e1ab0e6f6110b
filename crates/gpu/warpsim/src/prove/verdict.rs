//! Result of the analysis.

use super::assumption::Assumption;
use super::witness::Witness;
use crate::hazard::Hazard;

/// Violations after which the analysis stops.
pub(super) const MOST: usize = 16;

/// Result of the analysis for one kernel and launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub kernel: String,
    /// Violations of the properties.
    pub violations: Vec<Hazard>,
    /// For each violation an interleaving that shows it.
    pub witnesses: Vec<Witness>,
    /// Operations that depend on data and could matter.
    pub not_analysed: Vec<String>,
    /// Assumptions; for a kernel that is not proven, as far as the analysis came.
    pub assumed: Vec<Assumption>,
    /// Warnings: constructs that break no property and are hardly meant.
    pub warnings: Vec<String>,
    /// Warp instructions that were executed.
    pub instructions: u64,
    /// Uses of barriers: arrivals of warps.
    pub arrivals: u64,
}

/// Status of the three properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// They hold.
    Proven,
    /// They hold if the [`Verdict::conditions`] do.
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

    /// Returns the first violation, or else the first operation that is not analysed.
    pub(super) fn first(&self) -> Option<String> {
        let open = || self.not_analysed.first().cloned();
        self.violations.first().map(ToString::to_string).or_else(open)
    }

    /// Returns the assumptions about data that may be wrong.
    pub fn conditions(&self) -> impl Iterator<Item = &Assumption> {
        self.assumed.iter().filter(|what| what.is_condition())
    }
}
