//! Loads and stores, and the waits for them.

use super::Machine;
use crate::exec::{Event, Stop};
use crate::machine_code::op::Access;
use crate::machine_code::warp::Warp;

impl Machine<'_, '_> {
    /// Performs an access; some lane must be active.
    pub(super) fn access(&mut self, warp: &mut Warp, pc: u32, op: &Access, mask: u32) -> Result<Option<Event>, Stop> {
        match op {
            Access::Load(load) => self.load(warp, pc, load, mask)?,
            Access::Store(store) => self.store(warp, pc, store, mask)?,
            Access::Atomic(atomic) => self.atomic(warp, pc, atomic, mask)?,
            Access::Lock(locked) => self.lock(warp, pc, locked, mask)?,
            Access::Unlock(locked) => self.unlock(warp, pc, locked, mask)?,
            Access::InSpace { p, space, address } => {
                let inside = self.lanes_in(warp, *space, address);
                warp.set_pred(*p, inside, mask);
            }
            Access::Constant(constant) => self.constant(warp, pc, constant, mask)?,
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
