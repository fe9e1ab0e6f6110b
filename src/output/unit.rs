//! A compiled kernel.

use crate::compilers::CompilerOutput;
use crate::report::KernelReport;
use crate::search::{self, Draft, LayoutTime, LevelTime, Sensitivity, TimedKernel, Version, Waits};
use graph::Graph;
use kernels::Kernel;
use lower::code::Code;
use mapping::Mapping;
use overlay::Codegen;
use overlay::program::Program;
use sass::Cubin;
use schedule::proof::Proven;
use warpsim::machine_code::Cause;

/// Results of the real compilers for a kernel.
pub struct OnCompilers {
    pub made: CompilerOutput,
    /// The machine code, where the request wants it run and something here can read it; else why not.
    pub cubin: Option<Result<Cubin, String>>,
}

/// Stages of one kernel on its way to code.
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
    /// Results of the real compilers for the text.
    pub compiled: Option<OnCompilers>,
    /// It was not compiled, as its estimate is far from the fastest time.
    pub left_out: bool,
    /// It was tried beside others, which are there if it fails.
    pub beside: bool,
    /// Its time is of the steady state, or nothing can tell it; and it was timed under other assumptions about the target, too.
    pub is_settled: bool,
    pub is_doubted: bool,
    pub sensitivity: Option<Sensitivity>,
    pub report: KernelReport,
}

impl Unit {
    /// One that no compiler has seen.
    pub fn new(kernel: Kernel, codegen: Codegen, draft: Draft, source: String, report: KernelReport) -> Self {
        let Draft { graph, mapping, proven, program, code, ptx, .. } = draft;
        let (constants_read, compiled, left_out, beside) = (Vec::new(), None, false, false);
        Self {
            kernel,
            codegen,
            graph,
            mapping,
            proven,
            program,
            code,
            ptx,
            source,
            constants_read,
            compiled,
            left_out,
            beside,
            is_settled: false,
            is_doubted: false,
            sensitivity: None,
            report,
        }
    }
}

impl search::KernelVersion for Unit {
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
        LayoutTime { left_out: self.left_out, sensitivity: self.sensitivity, ..self.report.layout_time() }
    }

    fn predicted_ns(&self) -> Option<f64> {
        self.report.machine.predicted_ns
    }

    fn is_settled(&self) -> bool {
        self.is_settled
    }

    fn is_doubted(&self) -> bool {
        self.is_doubted
    }

    fn estimated_ns(&self) -> Option<f64> {
        self.report.machine.estimated_ns
    }

    fn floor_ns(&self) -> f64 {
        self.report.machine.bandwidth_floor_ns
    }

    fn leave_out(&mut self) {
        self.left_out = true;
    }

    fn is_left_out(&self) -> bool {
        self.left_out
    }

    fn take_in(&mut self) {
        self.left_out = false;
    }

    fn has_unknown_code(&self) -> bool {
        let is_read = self.compiled.as_ref().is_some_and(|compiled| matches!(compiled.cubin, Some(Ok(_))));
        is_read && self.report.not_run().is_some()
    }

    fn tried_beside(&mut self) {
        self.beside = true;
    }

    fn was_tried_beside(&self) -> bool {
        self.beside
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

    fn timed(&self, fastest: f64) -> Option<TimedKernel<'_>> {
        let machine = &self.report.machine;
        let (time, least, waits) = match &self.report.prediction {
            Some(prediction) => {
                let time = prediction.nanoseconds_per_point;
                let [local, fetch] = [Cause::Local, Cause::Fetch].map(|cause| prediction.share(cause));
                (time, machine.bound_ns.unwrap_or(time), Some(Waits { local, fetch }))
            }
            // A version that was left out has an estimated time, but no waits.
            None if self.left_out => (machine.estimated_ns?, machine.floor_ns(), None),
            None => return None,
        };
        Some(TimedKernel {
            kernel: self.kernel,
            program: &self.program,
            codegen: self.codegen,
            behind: time / fastest,
            over_bound: time / least,
            ctas: self.report.machine.ctas_per_sm,
            prefetch: self.report.prefetch,
            waits,
        })
    }
}
