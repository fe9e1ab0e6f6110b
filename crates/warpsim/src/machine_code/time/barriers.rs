//! The named barriers of one CTA, in time.

use crate::machine_code::trace::Arrival;

#[derive(Default, Clone)]
struct Barrier {
    /// Threads, in whole warps.
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

/// A phase that is complete.
pub(super) struct Phase {
    /// Warps.
    pub arrived: u32,
    pub waiting: Vec<usize>,
}

impl Barriers {
    pub(super) fn new(warps: usize) -> Self {
        Self { barriers: Default::default(), threads: 32 * warps as u32 }
    }

    /// A warp arrives: the phase, when it was the last.
    pub(super) fn arrive(&mut self, warp: usize, arrival: Arrival) -> Option<Phase> {
        let barrier = self.barriers.get_mut(arrival.id as usize)?;
        barrier.arrived += 32;
        barrier.expected = arrival.threads;
        if arrival.waits {
            barrier.waiting.push(warp);
        }
        (barrier.arrived >= arrival.threads.unwrap_or(self.threads)).then(|| complete(barrier))
    }

    /// A warp ends: the phases that waited for it alone.
    pub(super) fn end(&mut self) -> Vec<Phase> {
        self.threads -= 32;
        let threads = self.threads;
        let ends = |b: &&mut Barrier| b.expected.is_none() && b.arrived > 0 && b.arrived >= threads;
        self.barriers.iter_mut().filter(ends).map(complete).collect()
    }
}

fn complete(barrier: &mut Barrier) -> Phase {
    let Barrier { arrived, waiting, .. } = std::mem::take(barrier);
    Phase { arrived: arrived / 32, waiting }
}
