//! Numbers of CTAs per SM that are tried for a kernel whose occupancy is not fixed.

use serde::Serialize;

use crate::plan::Resolved;
use passes::occupancy::select::{MOST_VERSIONS, direction};
use passes::occupancy::{self, Demand, Direction};

/// A number of CTAs that an SM was to hold, and what the kernel became with it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelTime {
    pub ctas_per_sm: u32,
    pub registers: u32,
    /// Spilled bytes by ptxas; without it, the bytes by which what is held from block to block exceeds what a thread may have.
    pub spilled_bytes: u32,
    /// The time per point in ns: predicted, else estimated where nothing is spilled, as an estimate counts no spills.
    pub nanoseconds: Option<f64>,
}

/// The numbers of CTAs per SM above the `resident` ones of a version that holds so many registers per thread from block to block, the
/// next one first. None where those suffice at full occupancy. Shared memory and named barriers are shared out anew at each level, so
/// that they set no limit here.
pub fn levels(own: &Resolved<'_>, registers_held: u32, resident: u32) -> Vec<u32> {
    let target = own.asked.common.target;
    if target.is_cpu() || direction(target, registers_held) == Direction::Decreasing {
        return Vec::new();
    }
    let threads = 32 * own.cta_warps();
    let demand = Demand { threads, static_shared: 0, launch_shared: 0, named_barriers: 0, max_live: registers_held };
    let blocks = occupancy::levels(target, &demand).into_iter().map(|level| level.blocks);
    blocks.filter(|blocks| *blocks > resident).take(MOST_VERSIONS - 1).collect()
}
