//! Vector clocks: a warp's knowledge of the progress of others.

use std::ops::{Index, IndexMut};

/// Warps that run together: those of a CTA, or of a cluster.
pub(super) const WARPS: usize = 48;
/// Barriers in shared memory that a CTA may use.
pub(super) const MOST_BARRIERS: usize = 96;

const COPIES: usize = WARPS;
const BULK: usize = COPIES + WARPS;
const BARRIERS: usize = BULK + WARPS;
const MATRICES: usize = BARRIERS + MOST_BARRIERS;
const FENCED: usize = MATRICES + WARPS;
const FENCED_COPIES: usize = FENCED + WARPS;
const EXECUTED: usize = FENCED_COPIES + WARPS;
const PART_LANES: usize = EXECUTED + WARPS;
const PART_TIMES: usize = PART_LANES + WARPS;
const SLOTS: usize = PART_TIMES + WARPS;

/// Bits of the number of a slot that accesses may belong to.
pub(super) const SLOT_BITS: u32 = 9;

/// Times up to which events are known to have happened:
///
/// - those of each warp, of its copies in groups and of its bulk copies,
/// - phases of a barrier in memory,
/// - products of matrices of each warp,
/// - writes of each warp, and of its copies in groups, that a proxy fence made known to copies,
/// - code that a warp has executed, which orders no accesses,
/// - accesses of some lanes of a warp, if they are known up to a later time than those of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VectorClock([u32; SLOTS]);

impl Default for VectorClock {
    fn default() -> Self {
        Self([0; SLOTS])
    }
}

impl Index<usize> for VectorClock {
    type Output = u32;

    fn index(&self, slot: usize) -> &u32 {
        &self.0[slot]
    }
}

impl IndexMut<usize> for VectorClock {
    fn index_mut(&mut self, slot: usize) -> &mut u32 {
        &mut self.0[slot]
    }
}

impl VectorClock {
    /// Joins with another clock: the least clock that covers both.
    pub(super) fn join(&mut self, other: &Self) {
        for (mine, theirs) in self.0[..PART_LANES].iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
        for warp in (0..WARPS).filter(|warp| other.0[PART_LANES + warp] != 0) {
            let ((lanes, time), (others, end)) = (self.part(warp), other.part(warp));
            let part = match (time > self.0[warp], end > self.0[warp]) {
                (true, true) if lanes & !others == 0 && time <= end => (others, end),
                (true, true) if others & !lanes == 0 && end <= time => (lanes, time),
                (true, true) => (lanes | others, time.min(end)),
                (false, true) => (others, end),
                _ => (lanes, time),
            };
            self.set_part(warp, part);
        }
    }

    /// Returns the lanes of the warp whose accesses are known up to a later time, and that time.
    pub(super) fn part(&self, warp: usize) -> (u32, u32) {
        (self.0[PART_LANES + warp], self.0[PART_TIMES + warp])
    }

    /// Makes the accesses of some lanes of a warp known up to this time.
    pub(super) fn set_part(&mut self, warp: usize, (lanes, time): (u32, u32)) {
        (self.0[PART_LANES + warp], self.0[PART_TIMES + warp]) = (lanes, time);
    }

    /// Whether the clock covers what these lanes of the warp, or what the slot stands for, did at this time.
    pub(super) fn covers(&self, slot: usize, lanes: u32, time: u32) -> bool {
        let of_lanes = || {
            let (part, end) = self.part(slot);
            lanes & !part == 0 && time <= end
        };
        time <= self.0[slot] || Self::is_warp(slot) && of_lanes()
    }

    /// Returns the slot of the warp's copies in groups.
    pub(super) fn copies(warp: usize) -> usize {
        COPIES + warp
    }

    /// Returns the slot of the warp's bulk copies in groups.
    pub(super) fn bulk(warp: usize) -> usize {
        BULK + warp
    }

    /// Returns the slot of the warp's products of matrices in groups.
    pub(super) fn matrices(warp: usize) -> usize {
        MATRICES + warp
    }

    /// Returns the warp whose products of matrices the slot belongs to.
    pub(super) fn warp_of_matrices(slot: usize) -> Option<usize> {
        (MATRICES..FENCED).contains(&slot).then(|| slot - MATRICES)
    }

    /// Notes that the warp has executed its code up to that time.
    pub(super) fn executed(&mut self, warp: usize, time: u32) {
        self.0[EXECUTED + warp] = time;
    }

    /// Whether the warp has executed its code up to that time.
    pub(super) fn has_executed(&self, warp: usize, time: u32) -> bool {
        time <= self.0[EXECUTED + warp]
    }

    /// Returns the slot of the phases of a barrier in memory.
    pub(super) fn barrier(index: usize) -> usize {
        BARRIERS + index
    }

    /// Returns the warp whose bulk copies the slot belongs to.
    pub(super) fn warp_of_bulk(slot: usize) -> Option<usize> {
        (BULK..BARRIERS).contains(&slot).then(|| slot - BULK)
    }

    /// Whether the slot is that of the phases of a barrier in memory.
    pub(super) fn is_barrier(slot: usize) -> bool {
        (BARRIERS..MATRICES).contains(&slot)
    }

    /// Whether the slot is that of a warp's own accesses.
    pub(super) fn is_warp(slot: usize) -> bool {
        slot < WARPS
    }

    /// Returns the time up to which the writes of the slot are known to copies; `None`: they always are.
    pub(super) fn fenced(&self, slot: usize) -> Option<u32> {
        match slot {
            0..WARPS => Some(self.0[FENCED + slot]),
            COPIES..BULK => Some(self.0[FENCED_COPIES + slot - COPIES]),
            _ => None,
        }
    }

    /// Applies a proxy fence: all writes that are known become known to copies, those of warp `own` up to `time`.
    pub(super) fn fence(&mut self, own: usize, time: u32) {
        for warp in 0..WARPS {
            let known = if warp == own { time } else { self.0[warp] };
            self.0[FENCED + warp] = self.0[FENCED + warp].max(known);
            self.0[FENCED_COPIES + warp] = self.0[FENCED_COPIES + warp].max(self.0[COPIES + warp]);
        }
    }

    /// Starts a CTA after the one before has ended, with all its copies.
    pub(super) fn start(&mut self, others: &[Self]) {
        others.iter().for_each(|other| self.join(other));
    }
}
