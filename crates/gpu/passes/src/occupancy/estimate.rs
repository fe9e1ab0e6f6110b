//! The time of a version where no tools make and run its machine code: from what its text says alone.
//!
//! A warp issues in order and waits for the results that it needs; code in loops counts as often as [`executions`] says. Trip counts, caches and
//! what an assembler reorders are not seen, so that the estimate orders versions and tells no clocks.

use super::Demand;
use cranelift_entity::SecondaryMap;
use machine::cost::Residency;
use machine::target::Target;
use ptx::analysis::access::Accesses;
use ptx::analysis::cfg::Cfg;
use ptx::analysis::dominators::Dominators;
use ptx::analysis::loops::Loops;
use ptx::estimate::executions;
use ptx::estimate::latency::latency;
use ptx::inst::{Op, Space};
use ptx::ir::{Block, Func, Reg};

/// Clocks of a load of the device memory where the target's are not described.
const DEVICE: u32 = 400;

/// Clocks of an SM per CTA where so many are resident, of no unit that would hold for another kernel.
pub fn clocks(func: &Func, ctas: u32, demand: &Demand, target: &Target) -> f64 {
    let device = target.pipeline.as_ref().map_or(DEVICE, |pipeline| pipeline.memory.device_latency);
    let cfg = Cfg::compute(func);
    let loops = Loops::compute(&cfg, &Dominators::compute(func, &cfg));
    let accesses = Accesses::compute(func);
    let (mut issued, mut alone) = (0.0, 0.0);
    for block in &cfg.order {
        let times = executions(loops.depth(*block)) as f64;
        issued += times * (func.blocks[*block].insts.len() + 1) as f64;
        alone += times * along(func, *block, &accesses, device.into()) as f64;
    }
    let residency = Residency { warps_per_cta: demand.warps(), ctas, issued, alone };
    residency.clocks_per_cta(target)
}

/// Clocks of one warp through a block.
fn along(func: &Func, block: Block, accesses: &Accesses, device: u64) -> u64 {
    let mut ready: SecondaryMap<Reg, u64> = SecondaryMap::new();
    let (mut now, mut end) = (0, 0);
    for inst in &func.blocks[block].insts {
        now = accesses.reads(*inst).iter().map(|reg| ready[*reg]).fold(now, u64::max);
        let op = &func.insts[*inst].op;
        let result = now
            + match op {
                Op::Ld { space: Space::Global | Space::Generic, .. } => device,
                op => latency(op),
            };
        accesses.writes(*inst).iter().for_each(|reg| ready[*reg] = result);
        // nobody waits for a store
        end = end.max(if accesses.writes(*inst).is_empty() { now } else { result });
        now += 1;
    }
    end.max(now) + 1
}
