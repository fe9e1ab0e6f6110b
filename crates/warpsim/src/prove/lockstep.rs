//! Where lanes of one warp hand values to each other through shared memory with nothing but their common pace to order them.
//!
//! Up to sm_62 the lanes of a warp run in lockstep. From sm_70 on they need not (CUDA C++ Programming Guide, "Independent
//! Thread Scheduling"): only a barrier or `bar.warp.sync` orders an access behind that of another lane.

use crate::memory::Lanes;
use std::collections::HashSet;

/// Accesses of a cell since the lanes of the warp were last ordered.
#[derive(Clone, Copy)]
struct Touch {
    warp: usize,
    /// How often that warp's lanes had been ordered before.
    time: u32,
    write: bool,
    /// The lanes of the last instruction.
    lanes: u32,
    pc: u32,
}

pub(super) struct Lockstep {
    /// Bytes of a cell.
    cell: u32,
    cells: Vec<Option<Touch>>,
    times: [u32; 32],
    told: HashSet<(u32, u32)>,
}

impl Lockstep {
    /// For so many bytes in cells of `cell` bytes.
    pub(super) fn new(bytes: u64, cell: u32) -> Self {
        let cells = vec![None; bytes.div_ceil(cell.into()) as usize];
        Self { cell, cells, times: [0; 32], told: HashSet::new() }
    }

    /// The lanes of a warp are ordered.
    pub(super) fn order(&mut self, warp: usize) {
        self.times[warp] += 1;
    }

    /// The lanes access shared memory: the place of an earlier instruction whose lanes they must be behind, told once.
    pub(super) fn access(&mut self, warp: usize, lanes: &Lanes, write: bool, pc: u32) -> Option<u32> {
        let (time, cell) = (self.times[warp], u64::from(self.cell));
        let mut found = None;
        for lane in lanes.active() {
            let first = ((lanes.address(lane) & 0xffff_ffff) / cell) as usize;
            let count = (u64::from(lanes.bytes) / cell).max(1) as usize;
            // what is out of bounds was reported
            for touch in self.cells.iter_mut().skip(first).take(count) {
                let now = Touch { warp, time, write, lanes: 1 << lane, pc };
                match touch.filter(|old| old.warp == warp && old.time == time) {
                    Some(old) => {
                        if old.pc != pc && (write || old.write) && old.lanes & !(1 << lane) != 0 {
                            found = found.or(Some(old.pc));
                        }
                        // reads come together, and do not hide the write that they have to be behind
                        *touch = Some(match (old.write, write) {
                            _ if old.pc == pc => Touch { lanes: old.lanes | now.lanes, ..old },
                            (false, false) => Touch { lanes: old.lanes | now.lanes, ..old },
                            (true, false) => old,
                            (_, true) => now,
                        });
                    }
                    None => *touch = Some(now),
                }
            }
        }
        found.filter(|earlier| self.told.insert((*earlier, pc)))
    }
}
