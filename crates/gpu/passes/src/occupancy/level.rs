//! The levels of occupancy that a kernel can have on a target, and what each leaves to a thread and to a CTA.

use super::Demand;
use machine::target::{Target, occupancy};
use serde::Serialize;

/// So many CTAs on an SM at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Level {
    pub blocks: u32,
    pub warps: u32,
    /// The most registers per thread.
    pub registers: u32,
    /// The most bytes of shared memory of a CTA.
    pub shared_bytes: u32,
}

/// All levels, the lowest first; empty where not even one CTA fits.
pub fn levels(target: &Target, demand: &Demand) -> Vec<Level> {
    let shared = demand.shared();
    let most = occupancy(target, demand.kernel(1, shared)).blocks;
    (1..=most).filter_map(|blocks| level(target, demand, blocks)).collect()
}

fn level(target: &Target, demand: &Demand, blocks: u32) -> Option<Level> {
    let registers = (1..=target.max_registers_per_thread)
        .rev()
        .find(|registers| occupancy(target, demand.kernel(*registers, 0)).limits.registers >= blocks)?;
    let share = target.shared_bytes_per_sm / blocks / target.shared_unit * target.shared_unit;
    let shared_bytes = share.saturating_sub(target.reserved_shared_bytes_per_cta).min(target.shared_bytes_per_cta);
    Some(Level { blocks, warps: blocks * demand.warps(), registers, shared_bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(threads: u32, named_barriers: u32) -> Demand {
        Demand { threads, static_shared: 0, launch_shared: 0, named_barriers, max_live: 0 }
    }

    /// Each level leaves the most that keeps it, by the calculator, on every target.
    #[test]
    fn a_level_leaves_the_most_that_keeps_it() {
        let mut seen = 0;
        for target in Target::all() {
            for threads in [32, 96, 128, 256, 640, 1024] {
                let demand = demand(threads, 0);
                for level in levels(target, &demand) {
                    let blocks =
                        |registers, shared| occupancy(target, demand.kernel(registers, shared)).blocks >= level.blocks;
                    assert!(blocks(level.registers, level.shared_bytes), "{} {threads} {level:?}", target.name);
                    assert!(level.registers == target.max_registers_per_thread || !blocks(level.registers + 1, 0));
                    assert!(level.shared_bytes == target.shared_bytes_per_cta || !blocks(1, level.shared_bytes + 1));
                    seen += 1;
                }
            }
        }
        assert!(seen > 300, "{seen}");
    }

    #[test]
    fn named_barriers_limit_the_levels() {
        let hopper = Target::by_name("hopper").unwrap();
        let of = |barriers| levels(hopper, &demand(64, barriers)).len();
        assert_eq!([of(0), of(4), of(16)], [32, 16, 4]);
    }
}
