//! A compiled kernel.

use crate::graph::Graph;
use crate::kernels::Kernel;
use crate::lower::code::Code;
use crate::mapping::Mapping;
use crate::overlay::Codegen;
use crate::overlay::program::Program;
use crate::report::KernelReport;
use crate::schedule::proof::Proven;
use crate::search::{Told, Version};
use warpsim::machine_code::Cause;

/// What one kernel went through on its way to code.
pub struct Unit {
    pub kernel: Kernel,
    pub codegen: Codegen,
    /// CTAs that an SM must hold.
    pub ctas_per_sm: u32,
    pub graph: Graph,
    pub mapping: Mapping,
    pub proven: Proven,
    pub program: Program,
    pub code: Code,
    pub ptx: ptx::Module,
    /// Doubles of constant memory, as bits, in the order in which the machine code names them; empty where that was not read.
    pub constants_read: Vec<u64>,
    pub report: KernelReport,
}

impl Unit {
    pub fn version(&self) -> Version {
        Version { codegen: self.codegen, tuning: self.report.tuning }
    }

    /// What decides which other ways to make the kernel are tried; nothing where its machine code was not timed. `fastest`: what the
    /// fastest version of the kernel takes, in nanoseconds per point.
    pub fn told(&self, fastest: f64) -> Option<Told<'_>> {
        let prediction = self.report.prediction.as_ref()?;
        let [local, fetch] = [Cause::Local, Cause::Fetch].map(|cause| prediction.share(cause));
        let behind = prediction.nanoseconds_per_point / fastest;
        let over_bound = self.report.machine.bound_ns.map_or(1.0, |bound| prediction.nanoseconds_per_point / bound);
        Some(Told {
            kernel: self.kernel,
            program: &self.program,
            codegen: self.codegen,
            behind,
            over_bound,
            ctas: self.report.machine.ctas_per_sm,
            prefetch: self.report.prefetch,
            local,
            fetch,
        })
    }
}
