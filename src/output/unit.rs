//! A compiled kernel.

use crate::graph::Graph;
use crate::kernels::Kernel;
use crate::lower::code::Code;
use crate::mapping::Mapping;
use crate::overlay::Codegen;
use crate::overlay::program::Program;
use crate::report::KernelReport;
use crate::schedule::proof::Proven;
use crate::search::{LayoutTime, LevelTime, Made, Told, Version};
use warpsim::machine_code::Cause;

/// What one kernel went through on its way to code.
pub struct Unit {
    pub kernel: Kernel,
    pub codegen: Codegen,
    pub graph: Graph,
    pub mapping: Mapping,
    pub proven: Proven,
    pub program: Program,
    pub code: Code,
    pub ptx: ptx::Module,
    /// Its text: CUDA, or C++ for a CPU.
    pub source: String,
    /// Doubles of constant memory, as bits, in the order in which the machine code names them; empty where that was not read.
    pub constants_read: Vec<u64>,
    pub report: KernelReport,
}

impl Made for Unit {
    fn kernel(&self) -> Kernel {
        self.kernel
    }

    fn version(&self) -> Version {
        Version { codegen: self.codegen, tuning: self.report.tuning }
    }

    fn is_straight_line(&self) -> bool {
        self.program.is_straight_line()
    }

    fn copies_ahead(&self) -> bool {
        self.report.prefetch
    }

    fn registers_held(&self) -> u32 {
        self.report.registers_held
    }

    fn ctas_per_sm(&self) -> u32 {
        self.report.machine.ctas_per_sm
    }

    fn level_time(&self) -> LevelTime {
        self.report.level_time()
    }

    fn layout_time(&self) -> LayoutTime {
        self.report.layout_time()
    }

    fn predicted_ns(&self) -> Option<f64> {
        self.report.machine.predicted_ns
    }

    fn data_parallel_ns(&self) -> Option<f64> {
        self.report.data_parallel_ns
    }

    fn chosen_of_levels(&mut self, times: Vec<LevelTime>, data_parallel_ns: Option<f64>) {
        (self.report.levels, self.report.data_parallel_ns) = (times, data_parallel_ns);
    }

    fn chosen_of_layouts(&mut self, times: Vec<LayoutTime>) {
        self.report.layouts = times;
    }

    fn told(&self, fastest: f64) -> Option<Told<'_>> {
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
