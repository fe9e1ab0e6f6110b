//! The sixteen named barriers of a CTA.

use super::clock::VectorClock;
use super::hazard::BarrierMisuse;
use ptx::inst::BarKind;

pub(super) struct Barriers {
    barriers: [Barrier; 16],
    /// Threads of the CTA, in whole warps.
    size: u32,
    /// Threads of the warps that ended, for which nobody waits.
    ended: u32,
    forgets: bool,
}

/// One phase of a barrier.
#[derive(Default, Clone)]
pub(super) struct Barrier {
    /// Threads that complete the phase; 0 before the first arrival.
    pub expected: u32,
    /// Whether all threads that have not ended are expected.
    all: bool,
    pub arrived: u32,
    pub waiting: Vec<usize>,
    participants: u64,
    /// Threads that brought a true predicate to `bar.red`, and those that brought any.
    pub votes: (u32, u32),
    /// Join of the clocks that all participants released.
    clock: VectorClock,
}

/// Effect of an arrival on its barrier.
pub(super) enum Outcome {
    Continue,
    Wait,
    /// The phase is complete: these warps go on, and acquire the clock with the arriving warp if that is its kind.
    Complete {
        released: Vec<usize>,
        clock: Box<VectorClock>,
        votes: (u32, u32),
    },
}

impl Barriers {
    /// Makes the barriers of a CTA of `size` threads. With `forgets`, a barrier without a count does not wait for threads that
    /// ended (from sm_70 on: CUDA C++ Programming Guide, "Independent Thread Scheduling").
    pub(super) fn new(size: u32, forgets: bool) -> Self {
        Self { barriers: Default::default(), size: size.next_multiple_of(32), ended: 0, forgets }
    }

    /// Ends a warp; returns the barriers that waited for nobody else, with their ids.
    pub(super) fn end(&mut self) -> Vec<(u32, Outcome)> {
        if !self.forgets {
            return Vec::new();
        }
        self.ended += 32;
        let expected = self.size - self.ended;
        let mut complete = Vec::new();
        for (id, barrier) in (0..).zip(&mut self.barriers).filter(|(_, barrier)| barrier.all) {
            barrier.expected = expected;
            if barrier.arrived == expected {
                complete.push((id, std::mem::take(barrier).complete()));
            }
        }
        complete
    }

    /// Records the arrival of warp `warp` with vector clock `clock`, and the predicates that it brings to `bar.red`.
    pub(super) fn arrive(
        &mut self,
        kind: BarKind,
        votes: Option<(u32, u32)>,
        id: u32,
        threads: Option<u32>,
        warp: usize,
        clock: &VectorClock,
    ) -> Result<Outcome, BarrierMisuse> {
        let barrier = self.barriers.get_mut(id as usize).ok_or(BarrierMisuse::Id)?;
        let all = kind == BarKind::Sync && threads.is_none();
        let threads = threads.unwrap_or(if all { self.size - self.ended } else { 0 });
        if threads == 0 || !threads.is_multiple_of(32) || threads > self.size {
            return Err(BarrierMisuse::Threads(threads));
        }
        if barrier.expected != 0 && barrier.expected != threads {
            return Err(BarrierMisuse::Mismatch { expected: barrier.expected, found: threads });
        }
        if barrier.participants >> warp & 1 == 1 {
            return Err(BarrierMisuse::Twice);
        }
        if barrier.expected != 0 && (barrier.votes.1 > 0) != votes.is_some() {
            return Err(BarrierMisuse::Mixed);
        }
        let (yes, voters) = votes.unwrap_or_default();
        barrier.votes = (barrier.votes.0 + yes, barrier.votes.1 + voters);
        barrier.expected = threads;
        barrier.all |= all;
        barrier.arrived += 32;
        barrier.participants |= 1 << warp;
        barrier.clock.join(clock);
        if kind == BarKind::Sync {
            barrier.waiting.push(warp);
        }
        if barrier.arrived == threads {
            return Ok(std::mem::take(barrier).complete());
        }
        Ok(if kind == BarKind::Sync { Outcome::Wait } else { Outcome::Continue })
    }

    /// Returns the barriers in the middle of a phase, with their ids.
    pub(super) fn incomplete(&self) -> impl Iterator<Item = (u32, &Barrier)> {
        (0..).zip(&self.barriers).filter(|(_, barrier)| barrier.expected != 0)
    }
}

impl Barrier {
    fn complete(self) -> Outcome {
        Outcome::Complete { released: self.waiting, clock: Box::new(self.clock), votes: self.votes }
    }
}
