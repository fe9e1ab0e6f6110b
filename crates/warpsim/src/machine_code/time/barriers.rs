//! The named barriers of one CTA, in time.

use crate::machine_code::trace::Arrival;

#[derive(Default, Clone)]
struct Barrier {
    arrived: u32,
    /// Of the phase; `None` for all threads that have not ended.
    expected: Option<u32>,
    waiting: Vec<usize>,
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

    /// A warp arrives: those that go on when it was the last.
    pub(super) fn arrive(&mut self, warp: usize, arrival: Arrival) -> Option<Vec<usize>> {
        let barrier = self.barriers.get_mut(arrival.id as usize)?;
        barrier.arrived += 32;
        barrier.expected = arrival.threads;
        if arrival.waits {
            barrier.waiting.push(warp);
        }
        (barrier.arrived >= arrival.threads.unwrap_or(self.threads)).then(|| std::mem::take(barrier).waiting)
    }

    /// A warp ends: those that waited for it alone.
    pub(super) fn end(&mut self) -> Vec<usize> {
        self.threads -= 32;
        let threads = self.threads;
        let complete = |b: &&mut Barrier| b.expected.is_none() && b.arrived > 0 && b.arrived >= threads;
        self.barriers.iter_mut().filter(complete).flat_map(|barrier| std::mem::take(barrier).waiting).collect()
    }
}
