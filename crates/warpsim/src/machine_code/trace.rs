//! What the warps executed, for the model of time.

use ptx::inst::BarKind;

/// One warp instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub pc: u32,
    /// Passes that it takes on the pipe of memory: over the banks of shared memory, or 128 bytes each of another memory.
    pub passes: u32,
    pub barrier: Option<Arrival>,
}

/// A warp comes to a barrier of its CTA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrival {
    pub id: u32,
    pub waits: bool,
    /// Threads that complete the phase; `None` for all.
    pub threads: Option<u32>,
}

/// The steps of each warp of each CTA.
#[derive(Debug, Default)]
pub(super) struct Trace {
    pub ctas: Vec<Vec<Vec<Step>>>,
}

impl Trace {
    pub(super) fn begin(&mut self) {
        self.ctas.push(Vec::new());
    }

    pub(super) fn record(&mut self, warp: usize, step: Step) {
        let Some(cta) = self.ctas.last_mut() else { return };
        if cta.len() <= warp {
            cta.resize_with(warp + 1, Vec::new);
        }
        cta[warp].push(step);
    }
}

impl Arrival {
    pub(super) fn new(id: u32, kind: BarKind, threads: Option<u32>) -> Self {
        Self { id, waits: kind == BarKind::Sync, threads }
    }
}
