//! The simulator's domain: every value is known.

use super::{ALL, Domain, Knowledge, TensorCopy, Touch, Undecided};
use crate::claims::Checker;
use crate::decode::Code;
use crate::exec::{Machine, Stop};
use crate::hazard::{Access, Hazard, Kind};
use crate::memory::Lanes;
use crate::rows::Row;
use crate::shared::Findings;
use crate::warp::Warp;
use ptx::inst::Space;

/// All values are known; claims about them may be checked.
pub(in super::super) struct Concrete<'c> {
    pub checker: Option<Checker<'c>>,
}

/// The knowledge of a warp that knows all.
pub(in super::super) struct Everything;

impl Knowledge for Everything {
    fn new(_: &Code) -> Self {
        Self
    }

    fn start(&mut self, _: &Code) {}

    fn row(&self, _: u32) -> u32 {
        ALL
    }

    fn pred(&self, _: u32) -> u32 {
        ALL
    }

    fn carry(&self) -> u32 {
        ALL
    }

    fn learn(&mut self, _: u32, _: u32, _: u32) {}

    fn learn_pred(&mut self, _: u32, _: u32, _: u32) {}

    fn learn_carry(&mut self, _: u32, _: u32) {}
}

impl<'c> Domain for Concrete<'c> {
    type Knowledge = Everything;

    const HANDED: u32 = ALL;
    const MOVES: bool = true;
    const COUNTS: bool = true;

    fn before(machine: &mut Machine<Self>, warp: &mut Warp<Everything>, pc: u32, mask: u32) -> Option<Kind> {
        machine.domain.checker.as_mut()?.before(warp, pc, mask)
    }

    fn after(machine: &mut Machine<Self>, warp: &mut Warp<Everything>, pc: u32, mask: u32) -> Option<Kind> {
        machine.domain.checker.as_mut()?.after(warp, pc, mask)
    }

    /// Ends the run: only the meaning of an instruction can be unknown here.
    fn undecided(
        machine: &mut Machine<Self>,
        warp: &mut Warp<Everything>,
        pc: u32,
        _: u32,
        _: Undecided,
    ) -> Result<(), Stop> {
        let text = machine.code.site(warp.thread.index as u32, pc).text;
        Err(machine.fatal(warp, pc, Kind::Unsupported(text)))
    }

    fn perhaps(&self) -> bool {
        false
    }

    fn uncertain(machine: &mut Machine<Self>, pc: u32, hazard: Hazard) -> Result<(), Stop> {
        machine.hazards.record(hazard, pc)
    }

    fn gave_up(_: &mut Machine<Self>, _: &Warp<Everything>, _: u32) -> Result<(), Stop> {
        Ok(())
    }

    fn measured(_: &mut Machine<Self>, _: &Warp<Everything>, _: u32, _: TensorCopy) -> Result<Option<u64>, Stop> {
        Ok(None)
    }

    fn elected(_: &mut Machine<Self>, _: &Warp<Everything>, _: u32) {}

    fn same_value(_: &mut Machine<Self>, _: &Warp<Everything>, _: u32) {}

    fn exhausted(machine: &mut Machine<Self>, warp: &Warp<Everything>, pc: u32, _: &str) -> Stop {
        machine.fatal(warp, pc, Kind::Budget)
    }

    /// Ignores the access: races of the lanes of one warp are left to the prover.
    fn accessed(_: &mut Machine<Self>, _: &Warp<Everything>, _: u32, _: &Lanes, _: Touch) -> Result<(), Stop> {
        Ok(())
    }

    fn ordered(_: &mut Machine<Self>, _: &Warp<Everything>, _: u32) {}

    fn load(
        machine: &mut Machine<Self>,
        warp: &mut Warp<Everything>,
        pc: u32,
        space: Space,
        lanes: &Lanes,
    ) -> Result<(Row, u32), Stop> {
        if space == Space::Local {
            warp.counts.local_bytes += traffic(lanes);
            let (row, unwritten) = warp.local.load(lanes).map_err(|kind| machine.fatal(warp, pc, kind))?;
            let unwritten = unwritten.map(|found| found.address);
            machine.report(warp, pc, space, Access::Read, Findings { unwritten, ..Findings::default() })?;
            return Ok((row, ALL));
        }
        if space == Space::Global {
            warp.counts.global_load_bytes += traffic(lanes);
        }
        let row = machine.segments.load(space, lanes).map_err(|kind| machine.fatal(warp, pc, kind))?;
        Ok((row, ALL))
    }

    fn store(
        machine: &mut Machine<Self>,
        warp: &mut Warp<Everything>,
        pc: u32,
        space: Space,
        lanes: &Lanes,
        values: &Row,
    ) -> Result<(), Stop> {
        if space == Space::Local {
            warp.counts.local_bytes += traffic(lanes);
            return warp.local.store(lanes, values).map_err(|kind| machine.fatal(warp, pc, kind));
        }
        warp.counts.global_store_bytes += traffic(lanes);
        machine.segments.store(lanes, values).map_err(|kind| machine.fatal(warp, pc, kind))
    }

    fn update(
        machine: &mut Machine<Self>,
        warp: &mut Warp<Everything>,
        pc: u32,
        space: Space,
        lanes: &Lanes,
        lane: usize,
        new: impl FnOnce(u64) -> u64,
    ) -> Result<u64, Stop> {
        let old = match space {
            Space::Local => warp.local.update(lanes, lane, new),
            _ => machine.segments.update(lanes, lane, new),
        };
        old.map_err(|kind| machine.fatal(warp, pc, kind))
    }
}

/// Returns the bytes that the active lanes move.
fn traffic(lanes: &Lanes) -> u64 {
    u64::from(lanes.mask.count_ones() * lanes.bytes)
}
