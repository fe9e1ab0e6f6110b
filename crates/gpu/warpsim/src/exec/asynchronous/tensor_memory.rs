//! The tensor memory of a CTA, as data: who allocated it, and its last accesses.
//!
//! Addresses there are not known, so that all accesses may overlap. The exceptions are loads with loads, stores of one warp, and loads and
//! stores of warps that reach different lanes. Products of one thread and one shape are pipelined if their results overlap (PTX ISA,
//! "Memory Consistency Model for 5th generation of TensorCore operations").

use crate::clock::VectorClock;

/// Warps that reach different lanes of tensor memory.
const QUARTERS: usize = 4;

#[derive(Default)]
pub(crate) struct TensorMemory {
    /// Columns that are held, the warp that allocated them, its time and the instruction.
    pub(super) held: Option<(u64, usize, u32, u32)>,
    pub(super) relinquished: bool,
    /// Products and accesses of each warp of the CTA.
    pub(super) units: Vec<Unit>,
}

/// Products and accesses of one warp.
#[derive(Default)]
pub(super) struct Unit {
    /// Number of products so far, and before this CTA.
    pub(super) started: u32,
    pub(super) base: u32,
    /// Thread and shape of the last products; those of others before them are complete.
    pub(super) issuer: Option<Issuer>,
    pub(super) product: u32,
    pub(super) loads: Option<Accesses>,
    pub(super) stores: Option<Accesses>,
    /// Clock and lanes of the last `fence::after_thread_sync`.
    pub(super) fenced: Option<(VectorClock, u32)>,
}

/// A thread of a warp that starts products of one shape.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Issuer {
    pub(super) lane: usize,
    pub(super) shape: (u64, u64),
}

/// The last loads or stores of a warp.
#[derive(Clone, Copy)]
pub(super) struct Accesses {
    pub(super) pc: u32,
    /// Time of the wait for them; `None` before it.
    pub(super) done: Option<u32>,
    /// Whether a `fence::before_thread_sync` is behind the wait.
    pub(super) fenced: bool,
}

/// A new access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum New {
    Product { issuer: Issuer, reads: bool },
    Load,
    Store,
    Free,
}

/// Order of earlier accesses in front of a new one.
pub(super) struct Ordered {
    /// Fences of `tcgen05` order all that may overlap.
    pub(super) strict: bool,
    /// No other warp that reaches the same lanes loads or stores at the same time.
    pub(super) alone: bool,
}

impl TensorMemory {
    /// Prepares for the next CTA; the numbers of products go on.
    pub(super) fn restart(&mut self) {
        (self.held, self.relinquished) = (None, false);
        let next = |unit: &Unit| Unit { started: unit.started, base: unit.started, ..Unit::default() };
        self.units = self.units.iter().map(next).collect();
    }

    /// Checks a new access of a warp. The error is the warp and the instruction of an earlier one that may overlap and that nothing orders.
    pub(super) fn check(&self, warp: usize, clock: &VectorClock, new: New) -> Result<Ordered, (usize, u32)> {
        let none = VectorClock::default();
        let fenced = self.units[warp].fenced.as_ref().map_or(&none, |(clock, _)| clock);
        let synchronous = new == New::Free;
        let (mut strict, mut alone) = (true, true);
        if let Some((_, by, time, pc)) = self.held
            && by != warp
            && clock[by] < time
        {
            return Err((by, pc));
        }
        for (other, unit) in self.units.iter().enumerate() {
            let slot = VectorClock::matrices(other);
            let pipelined = match new {
                New::Product { issuer, reads } => other == warp && unit.issuer == Some(issuer) && !reads,
                _ => false,
            };
            if unit.started > unit.base && !pipelined {
                if clock[slot] < unit.started {
                    return Err((other, unit.product));
                }
                strict &= synchronous || fenced[slot] >= unit.started;
            }
            for (accesses, writes) in [(unit.loads, false), (unit.stores, true)] {
                let Some(accesses) = accesses else { continue };
                let by_warps = matches!(new, New::Load | New::Store);
                let apart = by_warps && other % QUARTERS != warp % QUARTERS;
                let one_warp = other == warp && writes && new == New::Store;
                if apart || one_warp || !writes && new == New::Load {
                    continue;
                }
                if by_warps && other != warp && accesses.done.is_none_or(|time| clock[other] < time) {
                    alone = false;
                    continue;
                }
                let done = accesses.done.filter(|time| other == warp || clock[other] >= *time);
                let Some(time) = done else { return Err((other, accesses.pc)) };
                let between = synchronous || fenced[other] >= time;
                strict &= other == warp || accesses.fenced && between;
            }
        }
        Ok(Ordered { strict, alone })
    }
}
