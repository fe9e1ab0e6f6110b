//! CTAs of a cluster, which are executed together: the barrier of all their warps.

use crate::clock::VectorClock;

/// The barrier of a cluster. Each warp comes once in each phase (`UCGABAR_ARV`), and may wait for the end of the phase later (`UCGABAR_WAIT`).
#[derive(Default)]
pub(super) struct Cluster {
    /// Number of phases that each warp has come to; `None` once it has ended.
    came: Vec<Option<u32>>,
    /// Number of complete phases.
    complete: u32,
    /// Clock that the arrivals have released.
    clock: VectorClock,
    waiting: Vec<usize>,
    woken: Vec<usize>,
}

impl Cluster {
    pub(super) fn begin(&mut self, warps: usize) {
        *self = Self { came: vec![Some(0); warps], ..Self::default() };
    }

    /// Records an arrival. Errors: the warp has come to the phase already.
    pub(super) fn arrive(&mut self, warp: usize, clock: &VectorClock) -> Result<(), ()> {
        let came = self.came[warp].get_or_insert(0);
        if *came > self.complete {
            return Err(());
        }
        *came += 1;
        self.clock.join(clock);
        self.settle();
        Ok(())
    }

    pub(super) fn end(&mut self, warp: usize) {
        self.came[warp] = None;
        self.settle();
    }

    /// Returns the clock that the warp acquires once the phase that it came to is over; `None`: it has to wait.
    pub(super) fn wait(&mut self, warp: usize) -> Option<VectorClock> {
        let is_over = self.came[warp].is_none_or(|came| came <= self.complete);
        if !is_over {
            self.waiting.push(warp);
        }
        is_over.then_some(self.clock)
    }

    /// Returns the warps that wait no longer.
    pub(super) fn woken(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.woken)
    }

    pub(super) fn clock(&self) -> &VectorClock {
        &self.clock
    }

    pub(super) fn waits(&self, warp: usize) -> bool {
        self.waiting.contains(&warp)
    }

    fn settle(&mut self) {
        let mut all = self.came.iter().flatten();
        if all.clone().next().is_some() && all.all(|came| *came > self.complete) {
            self.complete += 1;
            self.woken.append(&mut self.waiting);
        }
    }
}
