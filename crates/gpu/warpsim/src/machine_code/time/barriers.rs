//! The named barriers of one CTA, in time.

use crate::machine_code::trace::Arrival;

#[derive(Default, Clone)]
struct Barrier {
    arrived: u32,
    /// Threads that the phase expects; `None` for all threads that have not ended.
    expected: Option<u32>,
    arrivals: Vec<(usize, u64)>,
    waiting: Vec<usize>,
}

/// A phase of a barrier that is complete.
pub(super) struct Complete {
    pub barrier: u32,
    /// Each warp that came, and its time.
    pub arrivals: Vec<(usize, u64)>,
    pub waiting: Vec<usize>,
}

pub(super) struct Barriers {
    barriers: [Barrier; 16],
    /// Threads that have not ended, in whole warps.
    threads: u32,
}

impl Barriers {
    pub(super) fn new(warps: usize) -> Self {
        Self { barriers: Default::default(), threads: 32 * warps as u32 }
    }

    /// Records an arrival of a warp; returns the phase if it was the last.
    pub(super) fn arrive(&mut self, warp: usize, arrival: Arrival, now: u64) -> Option<Complete> {
        let barrier = self.barriers.get_mut(arrival.id as usize)?;
        barrier.arrived += 32;
        barrier.expected = arrival.threads;
        barrier.arrivals.push((warp, now));
        if arrival.waits {
            barrier.waiting.push(warp);
        }
        let complete = barrier.arrived >= arrival.threads.unwrap_or(self.threads);
        complete.then(|| std::mem::take(barrier).complete(arrival.id))
    }

    /// Ends a warp; returns the phases that waited for it alone.
    pub(super) fn end(&mut self) -> Vec<Complete> {
        self.threads -= 32;
        let threads = self.threads;
        let complete = |b: &Barrier| b.expected.is_none() && b.arrived > 0 && b.arrived >= threads;
        let numbered = self.barriers.iter_mut().zip(0..).filter(|(barrier, _)| complete(barrier));
        numbered.map(|(barrier, id)| std::mem::take(barrier).complete(id)).collect()
    }
}

impl Barrier {
    fn complete(self, id: u32) -> Complete {
        Complete { barrier: id, arrivals: self.arrivals, waiting: self.waiting }
    }
}
