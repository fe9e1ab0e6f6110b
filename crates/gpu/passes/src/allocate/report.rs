//! Cost of an allocation.

use super::spill_location::Row;
use super::{Allocation, File};
use ptx::analysis::cfg::Cfg;
use ptx::analysis::dominators::Dominators;
use ptx::analysis::loops::Loops;
use ptx::ir::{Block, Inst};
use serde::Serialize;
use std::collections::BTreeMap;

/// Counts of spill code. A load or store in a loop of depth d also counts 10^d times, as the allocators estimate it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Registers used, of those given.
    pub registers: u32,
    pub predicates: u32,
    /// Registers of the kernel that have a location in memory or are computed again.
    pub spilled: usize,
    /// Bytes of local memory per thread, and of shared memory per warp.
    pub local_bytes: u64,
    pub shared_bytes_per_warp: u64,
    /// Bytes of a thread's own slots in shared memory.
    pub own_bytes: u64,
    /// Counts by the row of Figure 6.
    pub rows: BTreeMap<Row, Counts>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Counts {
    pub values: usize,
    /// In the text.
    pub loads: usize,
    pub stores: usize,
    /// Estimated executions.
    pub weighted_loads: f64,
    pub weighted_stores: f64,
}

impl Report {
    /// The share of loads that need no local memory.
    pub fn rewritten(&self) -> f64 {
        let total: usize = self.rows.values().map(|counts| counts.loads).sum();
        let local = self.rows.get(&Row::Local).map_or(0, |counts| counts.loads);
        if total == 0 { 0.0 } else { (total - local) as f64 / total as f64 }
    }

    /// Loads and stores of local memory in the text.
    pub fn local_accesses(&self) -> usize {
        self.rows.get(&Row::Local).map_or(0, |counts| counts.loads + counts.stores)
    }
}

/// Returns the estimated cycles of an allocation's spill code.
pub fn cost(allocation: &Allocation) -> f64 {
    let of_row = |(row, counts): (&Row, &Counts)| row.cost() * (counts.weighted_loads + counts.weighted_stores);
    report(allocation).rows.iter().map(of_row).sum()
}

/// Counts what is in the allocated kernel.
pub fn report(allocation: &Allocation) -> Report {
    let func = allocation.func();
    let cfg = Cfg::compute(func);
    let loops = Loops::compute(&cfg, &Dominators::compute(func, &cfg));
    let place = |block: &Block| func.blocks[*block].insts.iter().map(move |inst| (*inst, *block)).collect::<Vec<_>>();
    let blocks: BTreeMap<Inst, Block> = func.layout.iter().flat_map(place).collect();
    let mut rows: BTreeMap<Row, Counts> = BTreeMap::new();
    for location in allocation.locations.values() {
        rows.entry(location.row()).or_default().values += 1;
    }
    for access in &allocation.accesses {
        let Some(block) = access.inst.and_then(|inst| blocks.get(&inst)) else { continue };
        let counts = rows.entry(allocation.locations[&access.reg].row()).or_default();
        let weight = 10f64.powi(loops.depth(*block).min(12) as i32);
        let (number, weighted) = match access.store {
            true => (&mut counts.stores, &mut counts.weighted_stores),
            false => (&mut counts.loads, &mut counts.weighted_loads),
        };
        *number += 1;
        *weighted += weight;
    }
    let bytes = |area| allocation.module.variables[area].bytes;
    Report {
        registers: allocation.used(File::General),
        predicates: allocation.used(File::Predicate),
        spilled: allocation.locations.len(),
        local_bytes: allocation.local.map_or(0, bytes),
        shared_bytes_per_warp: allocation.shared.map_or(0, bytes) / u64::from(allocation.warps.max(1)),
        own_bytes: allocation.own.map_or(0, bytes) / u64::from(32 * allocation.warps.max(1)),
        rows,
    }
}
