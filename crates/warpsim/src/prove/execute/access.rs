//! Accesses with data unknown: what their addresses are known to reach.

use super::{Abort, Executor};
use crate::decode::Source;
use crate::hazard::Access;
use crate::memory::{Lanes, concrete, place};
use crate::prove::state::Thread;
use crate::rows::Row;
use crate::shared::{Accessor, Findings};
use ptx::inst::Space;

impl Executor<'_, '_> {
    /// Atomics on shared memory are checked against plain accesses; their results are data.
    pub(super) fn atomic(
        &mut self,
        thread: &Thread,
        pc: u32,
        space: Space,
        lanes: &Lanes,
        certain: bool,
    ) -> Result<(), Abort> {
        match space {
            Space::Shared if certain => {
                let by = Accessor { warp: thread.warp.index, clock: &thread.warp.clock, pc };
                for lane in lanes.active() {
                    let findings = self.shared.update(lanes, lane, &by, |old| old).map(|(_, findings)| findings);
                    self.report(&thread.warp, pc, Access::Write, findings)?;
                }
                Ok(())
            }
            Space::Shared => Err(self.unknown(&thread.warp, pc, "its address depends on data")),
            Space::Generic => self.generic(thread, pc, lanes, certain),
            Space::Global if self.tables() && (!certain || self.touches_table(lanes)) => {
                Err(self.unknown(&thread.warp, pc, "it may change a table of the module"))
            }
            _ => Ok(()),
        }
    }

    /// A generic access that reaches no shared memory; what may reach it is not analysed.
    fn generic(&mut self, thread: &Thread, pc: u32, lanes: &Lanes, certain: bool) -> Result<(), Abort> {
        if !certain {
            return Err(self.unknown(&thread.warp, pc, "its generic address depends on data"));
        }
        match lanes.active().any(|lane| concrete(lanes.address(lane)).0 == Space::Shared) || self.touches_table(lanes) {
            true => Err(self.unknown(&thread.warp, pc, "a generic access of shared memory or a table")),
            false => Ok(()),
        }
    }

    /// The values, when they are known.
    pub(super) fn load(
        &mut self,
        thread: &Thread,
        pc: u32,
        space: Space,
        lanes: &Lanes,
        certain: bool,
    ) -> Result<Option<Row>, Abort> {
        match space {
            Space::Shared if certain => {
                let by = Accessor { warp: thread.warp.index, clock: &thread.warp.clock, pc };
                let findings = self.shared.load(lanes, &by).map(|(_, findings)| findings);
                self.in_step(thread, pc, lanes, false);
                self.report(&thread.warp, pc, Access::Read, findings)?;
                Ok(None)
            }
            Space::Shared => Err(self.unknown(&thread.warp, pc, "its address depends on data")),
            Space::Generic => self.generic(thread, pc, lanes, certain).map(|()| None),
            Space::Global | Space::Const if certain && self.table(lanes) => Ok(self.segments.load(space, lanes).ok()),
            _ => Ok(None),
        }
    }

    pub(super) fn store(
        &mut self,
        thread: &Thread,
        pc: u32,
        space: Space,
        lanes: &Lanes,
        a: Source,
        certain: bool,
    ) -> Result<(), Abort> {
        match space {
            Space::Shared if certain => {
                let by = Accessor { warp: thread.warp.index, clock: &thread.warp.clock, pc };
                let known = thread.knows(a);
                let values = a.row(&thread.warp.regs, &self.code.pool);
                // unknown values differ from lane to lane
                let row = std::array::from_fn(|i| if known >> i & 1 == 1 { values[i] } else { !(i as u64) });
                let mut findings = self.shared.store(lanes, &row, &by);
                self.in_step(thread, pc, lanes, true);
                if let Ok(Findings { lanes: conflict, .. }) = &mut findings
                    && lanes.mask & !known != 0
                    && conflict.take().is_some()
                {
                    let text = "several lanes write values that depend on data to one address";
                    return Err(self.unknown(&thread.warp, pc, text));
                }
                self.report(&thread.warp, pc, Access::Write, findings)
            }
            Space::Shared => Err(self.unknown(&thread.warp, pc, "its address depends on data")),
            Space::Generic => self.generic(thread, pc, lanes, certain),
            Space::Global if !self.segments.tables.is_empty() && (!certain || self.touches_table(lanes)) => {
                Err(self.unknown(&thread.warp, pc, "it may change a table of the module"))
            }
            _ => Ok(()),
        }
    }

    /// The lanes of a warp are ordered by a barrier.
    pub(super) fn ordered(&mut self, warp: usize) {
        if let Some(lockstep) = &mut self.lockstep {
            lockstep.order(warp);
        }
    }

    /// What the access takes for granted of the warp's lanes.
    fn in_step(&mut self, thread: &Thread, pc: u32, lanes: &Lanes, write: bool) {
        let warp = thread.warp.index;
        if let Some(earlier) = self.lockstep.as_mut().and_then(|lockstep| lockstep.access(warp, lanes, write, pc)) {
            let (here, there) = (self.code.site(warp as u32, pc), self.code.site(warp as u32, earlier));
            self.verdict
                .assumed
                .push(format!("{here}: all lanes are past {there}, though no bar.warp.sync is between"));
        }
    }

    pub(super) fn tables(&self) -> bool {
        !self.segments.tables.is_empty()
    }

    /// Whether all lanes access tables of the module.
    fn table(&self, lanes: &Lanes) -> bool {
        lanes.active().all(|lane| self.is_table(lanes.address(lane)))
    }

    fn touches_table(&self, lanes: &Lanes) -> bool {
        lanes.active().any(|lane| self.is_table(lanes.address(lane)))
    }

    fn is_table(&self, address: u64) -> bool {
        let buffers = self.segments.buffers.len() as u64;
        (buffers..buffers + self.segments.tables.len() as u64).contains(&place(address).0)
    }
}
