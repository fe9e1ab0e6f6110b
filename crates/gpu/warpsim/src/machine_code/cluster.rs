//! CTAs of a cluster, which are executed together: the barrier of all their warps.

use crate::clock::VectorClock;

/// Each warp comes once in each phase (`UCGABAR_ARV`), and may wait for the end of the phase later (`UCGABAR_WAIT`).
#[derive(Default)]
pub(super) struct Cluster {
    /// Phases that each warp has come to; `None` when it has ended.
    came: Vec<Option<u32>>,
    /// Complete phases.
    complete: u32,
    /// What the arrivals have released.
    clock: VectorClock,
    waiting: Vec<usize>,
    woken: Vec<usize>,
}

impl Cluster {
    pub(super) fn begin(&mut self, warps: usize) {
        *self = Self { came: vec![Some(0); warps], ..Self::default() };
    }

    /// Errors: the warp has come to the phase already.
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

    /// What the warp learns when the phase that it came to is over; `None`: it has to wait.
    pub(super) fn wait(&mut self, warp: usize) -> Option<VectorClock> {
        let is_over = self.came[warp].is_none_or(|came| came <= self.complete);
        if !is_over {
            self.waiting.push(warp);
        }
        is_over.then_some(self.clock)
    }

    /// The warps that wait no longer.
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
