//! Barriers in shared memory: counts of arrivals and of bytes, phases, and who waits.
//!
//! A phase ends when all its arrivals have come and all bytes that it expects. One execution decides what all others do
//! if arrivals and waits belong to the same phases in all of them. This gives three rules:
//!
//! - An arrival must know that the previous phase is complete.
//! - A wait must know that the phase before its own is complete.
//! - A phase may end only when all waits for the previous one are known to have seen it. Else they could take it for
//!   the one two phases ago, as the parity is one bit.

use super::arrived::Arrived;
use super::clock::VectorClock;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

pub(super) struct Mbarrier {
    /// Slot of the barrier in vector clocks.
    pub slot: usize,
    count: u32,
    pending: u32,
    /// Bytes that this phase waits for, those of copies that were started for it, and those that have come.
    expected: u64,
    issued: u64,
    landed: u64,
    /// Complete phases.
    pub phase: u32,
    /// Complete phases of all barriers that have used the slot.
    pub epoch: u32,
    /// Clock that the arrivals of this phase have released.
    clock: VectorClock,
    /// Clock that the last phase released.
    pub last: VectorClock,
    /// Warps of which some lanes have seen the last phase, those lanes, and the times.
    observers: Vec<(usize, u32, u32)>,
    pub sleepers: Vec<Sleeper>,
    /// Arrivals of each warp in this phase, and in the last.
    arrived: BTreeMap<usize, Arrived>,
    arrived_last: BTreeMap<usize, Arrived>,
    /// What this phase must count and no arrival is known to be behind: warps, lanes and times.
    added: Vec<(usize, u32, u32)>,
    /// Whether copies or products arrive in this phase, when they are complete.
    defers: bool,
    /// Whether somebody has waited.
    pub observed: bool,
    /// Whether somebody of another CTA has arrived, and whether somebody has waited who learns nothing of other CTAs.
    remote: bool,
    narrow: bool,
    /// Whether `mbarrier.inval` has ended it.
    pub ended: bool,
}

/// Lanes of a warp that wait for the end of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sleeper {
    pub warp: usize,
    pub pc: u32,
    pub lanes: u32,
    /// Time of the wait, by the warp's own clock.
    pub time: u32,
}

/// Misuse of a barrier in shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MbarrierMisuse {
    /// The barrier was not initialised.
    Uninitialised,
    /// The barrier is given up in the middle of a phase.
    InUse,
    /// The barrier is initialised although it is valid: `mbarrier.inval` has to come first.
    Valid,
    /// The number of arrivals is 0, or past 2^20 - 1.
    Count(u32),
    /// More arrivals in a phase than it waits for.
    TooMany,
    /// The phase before is not known to be complete.
    Early,
    /// The wait does not tell which of the phases of one parity it means.
    Ambiguous,
    /// The phase can end before the warp has seen the one before.
    Skipped { warp: u32 },
    /// The phase can end before the warp adds bytes or a copy to it.
    Added { warp: u32 },
    /// An instruction for other data accesses it.
    Accessed,
    /// The bytes that are still to come, or that came before they were expected, are past 2^20 - 1.
    Bytes(u64),
    /// Copies bring more bytes than the phase was told to expect.
    Unexpected { expected: u64, issued: u64 },
}

impl Mbarrier {
    pub(super) fn new(count: u32, slot: usize, epoch: u32) -> Result<Self, MbarrierMisuse> {
        if count == 0 || count >= 1 << 20 {
            return Err(MbarrierMisuse::Count(count));
        }
        let clock = VectorClock::default();
        Ok(Self {
            slot,
            count,
            pending: count,
            expected: 0,
            issued: 0,
            landed: 0,
            phase: 0,
            epoch,
            clock,
            last: clock,
            observers: Vec::new(),
            sleepers: Vec::new(),
            arrived: BTreeMap::new(),
            arrived_last: BTreeMap::new(),
            added: Vec::new(),
            defers: false,
            observed: false,
            remote: false,
            narrow: false,
            ended: false,
        })
    }

    /// Whether those who wait learn of events before this arrival; `remote`: of another CTA.
    pub(super) fn hears(&mut self, remote: bool, wide: bool) -> bool {
        self.remote |= remote;
        !remote || wide && !self.narrow
    }

    /// Whether who waits learns of events before the arrivals of other CTAs.
    pub(super) fn listens(&mut self, wide: bool) -> bool {
        self.narrow |= !wide;
        wide || !self.remote
    }

    /// Whether a phase has begun and not ended.
    pub(super) fn is_in_use(&self) -> bool {
        self.pending != self.count || self.issued > self.landed || !self.sleepers.is_empty()
    }

    /// Whether the clock covers the ends of all phases before this one.
    fn knows(&self, clock: &VectorClock) -> bool {
        self.phase == 0 || clock[self.slot] >= self.epoch
    }

    /// Returns the arrivals of the warp in this phase so far.
    pub(super) fn arrived(&self, warp: usize) -> Arrived {
        self.arrived.get(&warp).copied().unwrap_or_default()
    }

    /// Returns the arrivals of the warp in the last phase.
    pub(super) fn arrived_last(&self, warp: usize) -> Option<Arrived> {
        self.arrived_last.get(&warp).copied()
    }

    /// Records `n` arrivals, with bytes to expect, by the warp, whose arrivals in this phase are these now.
    pub(super) fn arrive(
        &mut self,
        n: u32,
        bytes: u64,
        clock: &VectorClock,
        (warp, arrived): (usize, Arrived),
    ) -> Result<(), MbarrierMisuse> {
        if n > self.pending {
            return Err(if self.knows(clock) { MbarrierMisuse::TooMany } else { MbarrierMisuse::Early });
        }
        self.expect(bytes, clock)?;
        if n > 0 {
            self.added
                .retain(|(warp, lanes, time)| !clock.covers(*warp, *lanes, *time) && !clock.has_executed(*warp, *time));
        }
        self.pending -= n;
        self.clock.join(clock);
        self.arrived.insert(warp, arrived);
        Ok(())
    }

    /// Whether this phase ends by the arrivals of one lane alone, without bytes.
    pub(super) fn ends_with(&self, warp: usize, lanes: u32) -> bool {
        let all = |(arrived, by): (&usize, &Arrived)| *arrived == warp && by.lanes == lanes;
        lanes.count_ones() == 1
            && !self.defers
            && self.pending == 0
            && self.expected == 0
            && self.issued == 0
            && self.arrived.iter().all(all)
    }

    /// Notes that copies or products arrive when they are complete.
    pub(super) fn defer(&mut self) {
        self.defers = true;
    }

    /// Notes what lanes of a warp have added to this phase at a time: some arrival must be behind it, as the phase may end before otherwise.
    pub(super) fn add(&mut self, warp: usize, lanes: u32, time: u32) {
        self.added.push((warp, lanes, time));
    }

    /// Adds bytes to expect.
    pub(super) fn expect(&mut self, bytes: u64, clock: &VectorClock) -> Result<(), MbarrierMisuse> {
        if !self.knows(clock) {
            return Err(MbarrierMisuse::Early);
        }
        self.expected += bytes;
        in_range(self.expected.saturating_sub(self.landed))
    }

    /// Lowers the number of arrivals that later phases wait for by `n`.
    pub(super) fn drop(&mut self, n: u32) {
        self.count = self.count.saturating_sub(n);
    }

    /// Starts a copy of these bytes; returns the time at which they come.
    pub(super) fn issue(&mut self, bytes: u64, clock: &VectorClock) -> Result<u32, MbarrierMisuse> {
        if !self.knows(clock) {
            return Err(MbarrierMisuse::Early);
        }
        self.issued += bytes;
        in_range(self.issued.saturating_sub(self.expected))?;
        self.clock.join(clock);
        Ok(self.epoch + 1)
    }

    /// Records that bytes of a copy have come.
    pub(super) fn land(&mut self, bytes: u64) {
        self.landed += bytes;
    }

    /// Returns the bytes that this phase expects and that no copy brings yet.
    pub(super) fn unclaimed(&self) -> u64 {
        self.expected.saturating_sub(self.issued)
    }

    /// Ends the phase if it is complete; returns those who waited for it.
    pub(super) fn settle(&mut self) -> Result<Option<Vec<Sleeper>>, MbarrierMisuse> {
        if self.pending > 0 {
            return Ok(None);
        }
        if self.issued > self.expected {
            return Err(MbarrierMisuse::Unexpected { expected: self.expected, issued: self.issued });
        }
        if let Some((warp, ..)) = self.added.first() {
            return Err(MbarrierMisuse::Added { warp: *warp as u32 });
        }
        if self.landed < self.expected {
            return Ok(None);
        }
        let unknown = |(warp, lanes, time): &&(usize, u32, u32)| {
            !self.clock.covers(*warp, *lanes, *time) && !self.clock.has_executed(*warp, *time)
        };
        if let Some((warp, ..)) = self.observers.iter().find(unknown) {
            return Err(MbarrierMisuse::Skipped { warp: *warp as u32 });
        }
        self.phase += 1;
        self.epoch += 1;
        self.last = std::mem::take(&mut self.clock);
        self.last[self.slot] = self.epoch;
        (self.pending, self.expected, self.issued, self.landed) = (self.count, 0, 0, 0);
        self.arrived_last = std::mem::take(&mut self.arrived);
        self.defers = false;
        let sleepers = std::mem::take(&mut self.sleepers);
        self.observers = sleepers.iter().map(|sleeper| (sleeper.warp, sleeper.lanes, sleeper.time)).collect();
        Ok(Some(sleepers))
    }

    /// Whether a wait for the phase of that parity is over.
    pub(super) fn is_over(&self, parity: u64) -> bool {
        u64::from(self.phase & 1) != parity & 1
    }

    /// Returns the number of the phase that is asked for, among all of the slot; checks that the asker knows which one it is.
    pub(super) fn asked_for(&self, over: bool, clock: &VectorClock) -> Result<u32, MbarrierMisuse> {
        let told = if over { self.phase < 2 || clock[self.slot] + 1 >= self.epoch } else { self.knows(clock) };
        if told { Ok(self.epoch + u32::from(!over)) } else { Err(MbarrierMisuse::Ambiguous) }
    }

    /// Records a wait of some lanes for a phase that is over; checks the knowledge that it needs.
    pub(super) fn observe(
        &mut self,
        (warp, lanes): (usize, u32),
        time: u32,
        clock: &VectorClock,
    ) -> Result<(), MbarrierMisuse> {
        if self.phase >= 2 && clock[self.slot] + 1 < self.epoch {
            return Err(MbarrierMisuse::Ambiguous);
        }
        self.observed = true;
        self.observers.push((warp, lanes, time));
        Ok(())
    }

    /// Records a wait for this phase.
    pub(super) fn sleep(&mut self, sleeper: Sleeper, clock: &VectorClock) -> Result<(), MbarrierMisuse> {
        if !self.knows(clock) {
            return Err(MbarrierMisuse::Ambiguous);
        }
        self.observed = true;
        self.sleepers.push(sleeper);
        Ok(())
    }

    /// Describes the arrivals and bytes that this phase still waits for.
    pub(super) fn missing(&self) -> String {
        match (self.pending, self.expected.saturating_sub(self.landed)) {
            (0, bytes) => format!("{bytes} bytes of copies are missing"),
            (arrivals, 0) => format!("{arrivals} of {} arrivals are missing", self.count),
            (arrivals, bytes) => {
                format!("{arrivals} of {} arrivals and {bytes} bytes of copies are missing", self.count)
            }
        }
    }
}

/// Checks the count of bytes, which lies between -(2^20 - 1) and 2^20 - 1 (PTX ISA, "Tx-Count operation").
fn in_range(bytes: u64) -> Result<(), MbarrierMisuse> {
    if bytes < 1 << 20 { Ok(()) } else { Err(MbarrierMisuse::Bytes(bytes)) }
}

impl Display for MbarrierMisuse {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uninitialised => write!(f, "it is not initialised"),
            Self::InUse => write!(f, "it is given up in the middle of a phase"),
            Self::Valid => write!(f, "it is initialised again although no mbarrier.inval ended it"),
            Self::Count(count) => write!(f, "{count} arrivals end no phase"),
            Self::TooMany => write!(f, "more arrivals in a phase than it waits for"),
            Self::Early => write!(f, "used again although nothing tells that the phase before is complete"),
            Self::Ambiguous => write!(f, "nothing tells which of the phases of one parity is waited for"),
            Self::Skipped { warp } => {
                write!(f, "the phase may end although nothing tells that warp {warp} has seen the one before")
            }
            Self::Added { warp } => {
                write!(f, "the phase may end before warp {warp} adds to what it waits for")
            }
            Self::Accessed => write!(f, "an instruction that is none for barriers accesses it"),
            Self::Bytes(bytes) => write!(f, "{bytes} bytes are more than the 2^20 - 1 that it counts"),
            Self::Unexpected { expected, issued } => {
                write!(f, "copies bring {issued} bytes to a phase that expects {expected} (expect_tx)")
            }
        }
    }
}
