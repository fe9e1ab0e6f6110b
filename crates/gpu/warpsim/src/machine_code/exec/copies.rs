//! Asynchronous copies from global to shared memory (`LDGSTS`), and the waits for groups of them.

mod under_way;

pub(in crate::machine_code) use under_way::Copies;

use super::Machine;
use super::memory::traffic;
use crate::cta::Core;
use crate::exec::Stop;
use crate::hazard::Access;
use crate::machine_code::op::Address;
use crate::machine_code::warp::Warp;
use crate::memory::Lanes;
use crate::shared::{Accessor, passes};
use ptx::inst::Space;
use under_way::Copy;

impl Machine<'_, '_> {
    pub(super) fn copy(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        bytes: u32,
        to: &Address,
        from: &Address,
        mask: u32,
    ) -> Result<(), Stop> {
        let to = self.shared_addresses(warp, to, bytes);
        warp.traffic.shared_wavefronts += passes(&Lanes::new(&to, 0, mask, bytes), 4);
        for part in self.parts(warp, Space::Global, bytes, from, mask) {
            for step in 0..bytes.div_ceil(8) {
                let (offset, bytes) = (u64::from(8 * step), bytes.min(8));
                let lanes = Lanes::new(&part.bases, offset, mask, bytes);
                warp.traffic.global_load_bytes += traffic(&lanes);
                let values = self.segments.load(Space::Global, &lanes).map_err(|kind| self.fatal(warp, pc, kind))?;
                warp.copies.open.push(Copy { to, offset, bytes, mask, values });
            }
        }
        Ok(())
    }

    /// Ends all groups but the last `pending` ones.
    pub(super) fn await_copies(&mut self, warp: &mut Warp, pc: u32, pending: usize) -> Result<(), Stop> {
        while warp.copies.closed.len() > pending {
            for copy in warp.copies.closed.pop_front().unwrap_or_default() {
                let lanes = Lanes::new(&copy.to, copy.offset, copy.mask, copy.bytes);
                let by = Accessor::weak(warp.thread.index, &warp.thread.clock, pc);
                let found = self.shared.store(&lanes, &copy.values, &by);
                let found = found.map_err(|kind| self.fatal(warp, pc, kind))?;
                self.report(warp, pc, Space::Shared, Access::Write, found)?;
            }
        }
        Ok(())
    }
}
