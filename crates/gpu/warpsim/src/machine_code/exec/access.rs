//! Loads and stores, and the waits for them.

use super::Machine;
use crate::exec::{Event, Stop};
use crate::machine_code::op::Access;
use crate::machine_code::warp::Warp;

impl Machine<'_, '_> {
    /// Performs an access; some lane must be active.
    pub(super) fn access(&mut self, warp: &mut Warp, pc: u32, op: &Access, mask: u32) -> Result<Option<Event>, Stop> {
        match op {
            Access::Load { space, bytes, extend, d, address } => {
                self.load(warp, pc, (*space, *bytes, *extend), *d, address, mask)?;
            }
            Access::Store { space, bytes, a, address } => self.store(warp, pc, (*space, *bytes), *a, address, mask)?,
            Access::Atomic { op, ty, space, d, tells, sources, address } => {
                self.atomic(warp, pc, (*op, *ty, *space), (*d, *tells), (address, *sources), mask)?;
            }
            Access::Lock { bytes, p, d, address } => self.lock(warp, pc, (*bytes, *p, *d), address, mask)?,
            Access::Unlock { bytes, p, a, address } => self.unlock(warp, pc, (*bytes, *p, *a), address, mask)?,
            Access::InSpace { p, space, address } => {
                let inside = self.lanes_in(warp, *space, address);
                warp.set_pred(*p, inside, mask);
            }
            Access::Constant { bank, bytes, extend, d, index, offset } => {
                self.constant(warp, pc, (*bank, *bytes, *extend), *d, (*index, *offset), mask)?;
            }
            Access::Mbarrier { on, address } => {
                let holds = self.mbarrier(warp, pc, on, address, mask)?;
                // others have to come first
                return Ok((holds != mask).then_some(Event::Pause));
            }
            Access::Copy { bytes, to, from } => self.copy(warp, pc, *bytes, to, from, mask)?,
            Access::CloseCopies => warp.copies.close(),
            Access::AwaitCopies { pending } => self.await_copies(warp, pc, *pending as usize)?,
        }
        Ok(None)
    }
}
