//! The sixteen named barriers of a CTA.

use super::hazard::BarrierMisuse;
use super::shared::VectorClock;
use crate::simt::inst::BarKind;

#[derive(Default)]
pub(super) struct Barriers {
    barriers: [Barrier; 16],
}

/// One phase of a barrier.
#[derive(Default, Clone)]
pub(super) struct Barrier {
    /// Threads that complete the phase; 0 before the first arrival.
    pub expected: u32,
    pub arrived: u32,
    pub waiting: Vec<usize>,
    participants: u32,
    /// Threads that brought a true predicate, and those that brought any, to `bar.red`.
    pub votes: (u32, u32),
    /// What all participants had released.
    clock: VectorClock,
}

/// What an arrival did.
pub(super) enum Outcome {
    Continue,
    Wait,
    /// The phase is complete: these warps go on, and acquire the clock with the arriving warp if that is its kind.
    Complete {
        released: Vec<usize>,
        clock: VectorClock,
        votes: (u32, u32),
    },
}

impl Barriers {
    /// Adds the predicates that a warp brings to `bar.red`, before it arrives.
    pub(super) fn vote(&mut self, id: u32, yes: u32, all: u32) {
        if let Some(barrier) = self.barriers.get_mut(id as usize) {
            barrier.votes.0 += yes;
            barrier.votes.1 += all;
        }
    }

    /// Warp `warp` with vector clock `clock` arrives; `size` is the CTA's number of threads.
    pub(super) fn arrive(
        &mut self,
        kind: BarKind,
        id: u32,
        threads: Option<u32>,
        warp: usize,
        clock: &VectorClock,
        size: u32,
    ) -> Result<Outcome, BarrierMisuse> {
        let barrier = self.barriers.get_mut(id as usize).ok_or(BarrierMisuse::Id)?;
        let size = size.next_multiple_of(32);
        let threads = match (kind, threads) {
            (_, Some(threads)) => threads,
            (BarKind::Sync, None) => size,
            (BarKind::Arrive, None) => 0,
        };
        if threads == 0 || !threads.is_multiple_of(32) || threads > size {
            return Err(BarrierMisuse::Threads(threads));
        }
        if barrier.expected != 0 && barrier.expected != threads {
            return Err(BarrierMisuse::Mismatch { expected: barrier.expected, found: threads });
        }
        if barrier.participants >> warp & 1 == 1 {
            return Err(BarrierMisuse::Twice);
        }
        barrier.expected = threads;
        barrier.arrived += 32;
        barrier.participants |= 1 << warp;
        join(&mut barrier.clock, clock);
        if kind == BarKind::Sync {
            barrier.waiting.push(warp);
        }
        if barrier.arrived == threads {
            let done = std::mem::take(barrier);
            return Ok(Outcome::Complete { released: done.waiting, clock: done.clock, votes: done.votes });
        }
        Ok(if kind == BarKind::Sync { Outcome::Wait } else { Outcome::Continue })
    }

    /// The barriers in the middle of a phase, with their ids.
    pub(super) fn incomplete(&self) -> impl Iterator<Item = (u32, &Barrier)> {
        (0..).zip(&self.barriers).filter(|(_, barrier)| barrier.expected != 0)
    }
}

/// The least clock that covers both.
pub(super) fn join(clock: &mut VectorClock, other: &VectorClock) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}
