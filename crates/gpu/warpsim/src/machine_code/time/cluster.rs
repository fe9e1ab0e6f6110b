//! The barrier of a cluster, in time: each warp comes to it, and may wait later for the phase that it came to.

#[derive(Default)]
pub(super) struct ClusterBarrier {
    /// Number of phases that each warp has come to; `None` once it has ended.
    came: Vec<Option<usize>>,
    /// Time at which the warps of each complete phase go on.
    complete: Vec<u64>,
    waiting: Vec<usize>,
    latency: u32,
}

impl ClusterBarrier {
    pub(super) fn new(warps: usize, latency: u32) -> Self {
        Self { came: vec![Some(0); warps], latency, ..Self::default() }
    }

    /// Records an arrival; returns the warps that go on, and their time.
    pub(super) fn arrive(&mut self, warp: usize, now: u64) -> (Vec<usize>, u64) {
        if let Some(came) = &mut self.came[warp] {
            *came += 1;
        }
        self.settle(now)
    }

    pub(super) fn end(&mut self, warp: usize, now: u64) -> (Vec<usize>, u64) {
        self.came[warp] = None;
        self.settle(now)
    }

    /// Returns the time at which a waiting warp goes on; `None`: nobody knows yet.
    pub(super) fn wait(&mut self, warp: usize) -> Option<u64> {
        let phase = self.came[warp].unwrap_or_default();
        let over = if phase == 0 { Some(0) } else { self.complete.get(phase - 1).copied() };
        if over.is_none() {
            self.waiting.push(warp);
        }
        over
    }

    fn settle(&mut self, now: u64) -> (Vec<usize>, u64) {
        let mut all = self.came.iter().flatten();
        if all.clone().next().is_none() || all.any(|came| *came <= self.complete.len()) {
            return (Vec::new(), 0);
        }
        let released = now + u64::from(self.latency);
        self.complete.push(released);
        (std::mem::take(&mut self.waiting), released)
    }
}
