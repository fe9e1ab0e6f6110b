//! Which numbers of CTAs per SM are tried for a kernel whose occupancy is not fixed.

use serde::Serialize;

use crate::plan::Request;
use crate::report::KernelReport;
use ptx::occupancy::select::{MOST_VERSIONS, direction};
use ptx::occupancy::{self, Demand, Direction};

/// A number of CTAs that an SM was to hold, and what the kernel became with it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelTime {
    pub ctas_per_sm: u32,
    pub registers: u32,
    /// By ptxas; where it is not installed, the bytes by which what is held from block to block exceeds what a thread may have.
    pub spilled_bytes: u32,
    /// The time per point in ns: predicted, else estimated.
    pub nanoseconds: Option<f64>,
}

impl LevelTime {
    pub fn of(report: &KernelReport) -> Self {
        let lacking = 4 * report.registers_held.saturating_sub(report.registers_available);
        Self {
            ctas_per_sm: report.tuning.ctas_per_sm,
            registers: report.machine.registers,
            spilled_bytes: report.compiled.as_ref().map_or(lacking, |c| c.spill_store_bytes + c.spill_load_bytes),
            nanoseconds: report.machine.nanoseconds(),
        }
    }
}

/// The time per point that levels are compared by. An estimate counts no spills, and so says nothing where values lack registers.
pub fn time_at_level(report: &KernelReport) -> Option<f64> {
    let machine = &report.machine;
    let fits = report.registers_held <= report.registers_available;
    machine.predicted_ns.or(machine.estimated_ns.filter(|_| fits))
}

/// The numbers of CTAs per SM beside that of the first version, the next one first: those above what it has anyway, where a thread
/// would have fewer registers than its values need. None where those suffice at full occupancy, and where no
/// time is known. Shared memory and named barriers are
/// shared out anew at each level, so that they set no limit here.
pub fn levels(request: &Request, first: &KernelReport) -> Vec<u32> {
    let target = request.common.target;
    if first.machine.nanoseconds().is_none()
        || target.is_cpu()
        || direction(target, first.registers_held) == Direction::Decreasing
    {
        return Vec::new();
    }
    let threads = 32 * first.warps;
    let demand =
        Demand { threads, static_shared: 0, launch_shared: 0, named_barriers: 0, max_live: first.registers_held };
    let resident = first.machine.ctas_per_sm.max(first.tuning.ctas_per_sm);
    let blocks = occupancy::levels(target, &demand).into_iter().map(|level| level.blocks);
    blocks.filter(|blocks| *blocks > resident).take(MOST_VERSIONS - 1).collect()
}
