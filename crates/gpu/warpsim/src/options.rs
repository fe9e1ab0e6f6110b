//! Options of the simulation.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub schedule: Schedule,
    /// Width of a shared-memory bank: 4, or 8 for Kepler in its 8-byte mode.
    pub bank_bytes: u32,
    /// Warp instructions after which the run is taken for endless.
    pub budget: u64,
    /// Races and unwritten reads after which the run ends; other hazards end it at once.
    pub hazards: usize,
    /// Whether machine code that races still runs, with this interleaving of its warps; its report has the races.
    pub permits_races: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { schedule: Schedule::RoundRobin, bank_bytes: 4, budget: 1 << 30, hazards: 16, permits_races: false }
    }
}

/// Interleaving of the warps of a CTA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// Each warp runs until it comes to a barrier.
    RoundRobin,
    /// Random warps run for random stretches.
    Random { seed: u64 },
}
