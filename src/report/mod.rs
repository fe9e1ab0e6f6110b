//! The report of a compilation: data first, then the table for people and the picture of the schedule.

pub mod accuracy;
mod amd;
mod causes;
mod on_cpu;
pub mod page;
mod peaks;
mod picture;
mod programs;
mod single;
mod steps;
mod table;
mod unheeded;

pub use amd::OnAmd;
pub use causes::shares;
pub use on_cpu::{MeasuredTime, TextForCpu};
pub use peaks::Machine;
use peaks::{Needs, Turns};
pub use picture::{phases, schedule_picture, straight_line_picture};
pub use programs::{ProgramReport, ReactorReport};
pub use single::Single;
pub use table::{brief, cells, forms, grounds, layouts, levels, summary, table};

use serde::Serialize;

use self::steps::steps;
use crate::backend::Backend;
use crate::compilers::Compiled;
use crate::forms::{Choice, Count};
use crate::plan::{Part, Request, Resolved, Tuning};
use crate::search::{Draft, LayoutTime, LevelTime, Trial};
use crate::verify::{CodeOnAmd, MachineCode, Prediction, TextOnCpu, TextVerification, Verification};
use diagnostics::Diagnostic;
use graph::{Graph, StepRef, critical};
use kernels::{Io, Kernel};
use kinetics::Model;
use lower::code::Code;
use machine::target::Target;
use mapping::{Cost, Mapping};
use overlay::Codegen;
use overlay::program::{Array, Program};
use schedule::balance::{self, Balance};
use schedule::overlap::{self, Overlap};
use schedule::{Schedule, Storage};
use warpsim::machine_code::Steady;

#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub mechanism: String,
    pub species: usize,
    /// Names of the species, in the order of the rows of arrays.
    pub species_names: Vec<String>,
    /// kg/kmol, in the same order.
    pub species_weights: Vec<f64>,
    pub reactions: usize,
    pub target: String,
    pub codegen: String,
    /// Units of the kernels' arrays.
    pub units: String,
    pub command: String,
    pub warnings: Vec<String>,
    /// K: the temperatures over which transport data are fitted; absent where no kernel uses them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport_range: Option<[f64; 2]>,
    /// Phase of a file with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Model of diffusion, where it is not mixture-averaged and a kernel uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diffusion: Option<String>,
    /// Method of reactors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<String>,
    /// Fate of the files of an earlier run; not a part of what this run made.
    #[serde(skip)]
    pub notes: Vec<String>,
    /// Results of further texts for CPUs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts_for_cpu: Vec<TextForCpu>,
    pub kernels: Vec<KernelReport>,
    /// Further programs that are compiled and run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ProgramReport>,
    /// Figures of reactors on a GPU, where their machine code was timed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reactor: Option<ReactorReport>,
}

/// One row of the table. Counts are per kernel unless they say otherwise.
#[derive(Debug, Clone, Serialize)]
pub struct KernelReport {
    pub kernel: String,
    /// Name of its launch function without `_launch`, and the arrays that it takes, in order.
    pub symbol: String,
    pub arrays: Vec<Argument>,
    /// Whether it stands beside the chosen version of the kernel and may be faster.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub alternative: bool,
    /// Number of the part, for a kernel made as several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// Layout of the code.
    pub codegen: String,
    /// Algebra of the kernel, a proven bound of its relative error against the exact form (rounding aside), and what every form
    /// costs where the compiler chose.
    pub form: String,
    pub form_error: f64,
    /// K: where the bound holds, and where products are proven to stay in the range of doubles; absent: everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form_range: Option<[f64; 2]>,
    /// Method of a kernel that takes steps in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<String>,
    /// Error of single precision, where the text has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub single: Option<Single>,
    pub forms: Vec<Count>,
    /// Tuning that was asked for.
    pub tuning: Tuning,
    /// All that was tried, in order, and why it was not taken.
    pub candidates: Vec<Trial>,
    /// Double-precision slots that an `mma.sync.m8n8k4` counts as; 0 for a kernel without.
    pub slots_per_matrix_product: u32,
    /// Warps that share the work on a group of points; of data-parallel code those of a CTA.
    pub warps: u32,
    /// Groups of so many warps in a CTA.
    pub groups_per_cta: u32,
    pub points_per_lane: u32,
    pub operations: usize,
    /// Edges of the dataflow graph between operations of different warps.
    pub cross_warp_edges: u32,
    /// Values that other warps read: synchronisation points before grouping.
    pub sync_points: u32,
    /// Barrier uses per group of points, after grouping.
    pub barriers: u32,
    /// Named barriers (hardware resources) that these uses share.
    pub named_barriers: u32,
    pub phases: usize,
    /// Balance of the work over the phases, and its limit, where warps work together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance: Option<Balance>,
    /// Overlap of the quasi-steady solution with rates, where a group of warps has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qssa_overlap: Option<Overlap>,
    pub placement: String,
    pub shared_bytes: u32,
    /// Bytes of the workspace in global memory, where some of the values that warps hand over lie there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_bytes_per_cta: Option<u64>,
    /// Memory of the constants.
    pub constants: String,
    /// Whether a warp's next inputs are copied to shared memory while it computes.
    pub prefetch: bool,
    /// Bytes that a thread stores and loads by spill code of the text itself, beside that of compilers.
    #[serde(skip_serializing_if = "none")]
    pub own_spill_bytes: usize,
    /// Registers of constants per thread: doubles, integers.
    pub real_constants_per_thread: u32,
    pub index_constants_per_thread: u32,
    pub flops_per_point: u64,
    /// Double-precision results that wait for each other in the longest chain from inputs to outputs.
    pub critical_path: u64,
    /// Cost of the mapping.
    pub mapping_cost: Cost,
    /// 32-bit registers that a thread holds from block to block of the simulated code; what an assembler takes with what lives
    /// shortly, as estimated; and how many the target leaves.
    pub registers_held: u32,
    pub registers_estimated: u32,
    pub registers_available: u32,
    /// Instructions in the text of the simulated code.
    pub ptx_instructions: u64,
    pub verification: Option<Verification>,
    /// Verification of the CUDA text itself, where NVRTC is installed.
    pub text: Option<TextVerification>,
    /// Verification of the C++ text for a CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_on_cpu: Option<TextOnCpu>,
    /// Time on this machine, where it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredTime>,
    /// Verification of the machine code, where ptxas and nvdisasm are installed.
    pub machine_code: Option<MachineCode>,
    /// Prediction of the SM's model, where ptxas and nvdisasm are installed and the target's pipeline is described.
    pub prediction: Option<Prediction>,
    /// Results of the real compilers, where NVRTC and ptxas are installed.
    pub compiled: Option<Compiled>,
    /// Results of the machine code for AMD, where a Clang that knows the target is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_amd: Option<OnAmd>,
    /// Branches and registers by our own backend, on NVIDIA's targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend: Option<Backend>,
    /// Residency and bounds on the target.
    pub machine: Machine,
    /// The estimated time of data-parallel code for the same kernel, where another layout was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_parallel_ns: Option<f64>,
    /// The numbers of CTAs per SM that were tried, where the compiler chose.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelTime>,
    /// The layouts that were tried, where the compiler chose.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<LayoutTime>,
    /// Statement of what was shown, with the text that it is about in parentheses.
    pub verdict: String,
}

/// An array of a kernel: field r of point p is at `r * stride + p`.
#[derive(Debug, Clone, Serialize)]
pub struct Argument {
    pub name: String,
    pub rows: u32,
    pub output: bool,
    /// Absent where it holds doubles.
    #[serde(skip_serializing_if = "is_double")]
    pub io: Io,
}

fn is_double(io: &Io) -> bool {
    *io == Io::Double
}

impl KernelReport {
    /// Returns the title of the kernel's column.
    pub fn title(&self) -> String {
        if self.alternative { format!("{}, alternative", self.kernel) } else { self.kernel.clone() }
    }

    /// Returns the warning about spills: those of ptxas where it was asked, else those that the estimate makes likely.
    fn spill_warning(&self) -> Option<String> {
        let was_chosen = self.layouts.iter().any(|layout| layout.predicted_ns.is_some());
        let remedy = if was_chosen {
            "by the model no other version that was tried is the better choice"
        } else {
            "use more warps, or fewer CTAs per SM"
        };
        if self.codegen == Codegen::DataParallel.name() {
            // A thread that has a point to itself keeps what its registers have no room for in local memory. It is counted there.
            return None;
        }
        match &self.compiled {
            Some(compiled) if compiled.spilled_bytes() > 0 => Some(format!(
                "{}: ptxas spills {} bytes per thread at {} registers; {remedy}",
                self.kernel,
                compiled.spilled_bytes(),
                compiled.registers
            )),
            None => self.backend.as_ref().filter(|found| found.local_bytes > 0).map(|found| {
                format!(
                    "{}: our allocator spills {} bytes per thread at {} registers; {remedy}",
                    self.kernel, found.local_bytes, found.registers
                )
            }),
            _ => None,
        }
    }

    /// Returns what is known of the kernel's time.
    pub fn layout_time(&self) -> LayoutTime {
        LayoutTime {
            codegen: self.codegen.clone(),
            warps: self.warps,
            ctas_per_sm: self.machine.ctas_per_sm,
            form: self.form.clone(),
            constants: self.constants.clone(),
            prefetch: self.prefetch,
            estimated_ns: self.machine.estimated_ns,
            predicted_ns: self.machine.predicted_ns,
            range_ns: self.prediction.as_ref().and_then(|prediction| Some(prediction.settled.as_ref()?.range_ns)),
            left_out: false,
            sensitivity: None,
            undecided: false,
        }
    }

    /// The kernel with as many CTAs per SM as it was asked for.
    pub fn level_time(&self) -> LevelTime {
        let lacking = 4 * self.registers_held.saturating_sub(self.registers_available);
        let estimated = self.machine.estimated_ns.filter(|_| lacking == 0);
        LevelTime {
            ctas_per_sm: self.tuning.ctas_per_sm.count,
            registers: self.machine.registers,
            spilled_bytes: self.compiled.as_ref().map_or(lacking, Compiled::spilled_bytes),
            nanoseconds: self.machine.predicted_ns.or(estimated),
        }
    }

    /// Whether data-parallel code is estimated to take less time.
    fn is_slower_than_data_parallel(&self) -> bool {
        self.data_parallel_ns.zip(self.machine.estimated_ns).is_some_and(|(other, own)| other < own)
    }

    fn needs(&self) -> Needs {
        Needs {
            registers_estimated: self.registers_estimated,
            shared_bytes: self.shared_bytes,
            named_barriers: self.named_barriers,
            text: self.ptx_instructions,
            stored: self.part.as_ref().map(|part| part.rows.len()),
        }
    }

    /// Takes in the result of our own backend: its registers stand where no compiler tells others.
    pub fn allocated(&mut self, target: &Target, program: &Program, backend: Option<Backend>) {
        if let (Some(found), None) = (&backend, &self.compiled) {
            let registers = Some((found.registers, "allocated"));
            self.machine = peaks::machine(target, program, self.needs(), registers, self.verification.as_ref());
        }
        self.backend = backend;
    }

    /// Takes in what the real compilers say.
    pub fn compiled(&mut self, target: &Target, program: &Program, compiled: Compiled) {
        let registers = Some((compiled.registers, "ptxas"));
        self.machine = peaks::machine(target, program, self.needs(), registers, self.verification.as_ref());
        self.compiled = Some(compiled);
    }

    /// Takes in what Clang says of the text for AMD.
    pub fn measured_on_amd(&mut self, target: &Target, program: &Program, on_amd: OnAmd) {
        let needs = Needs { shared_bytes: on_amd.code.lds_bytes, named_barriers: 0, ..self.needs() };
        let registers = Some((on_amd.code.vgprs, "clang"));
        self.machine = peaks::machine(target, program, needs, registers, self.verification.as_ref());
        self.on_amd = Some(on_amd);
    }

    /// Takes in what running the machine code for AMD showed.
    pub fn ran_on_amd(&mut self, run: CodeOnAmd) {
        let Some(on_amd) = &mut self.on_amd else { return };
        self.verdict = match &run {
            CodeOnAmd::Verified(_) => format!("proven, verified (own PTX; machine code of {})", on_amd.compiler),
            CodeOnAmd::NotRun(_) => {
                format!("proven, simulated (own PTX only; machine code of {} not run)", on_amd.compiler)
            }
        };
        on_amd.run = Some(run);
    }

    /// Why the machine code, which was there to be run, was not run.
    pub fn not_run(&self) -> Option<&str> {
        let run = self.on_amd.as_ref().and_then(|on_amd| on_amd.run.as_ref());
        match (run, &self.machine_code) {
            (Some(CodeOnAmd::NotRun(reason)), _) | (_, Some(MachineCode::NotRun(reason))) => Some(reason),
            _ => None,
        }
    }

    /// Returns the reason why the PTX of the text is not proven, where its run found no fault.
    pub fn undecided(&self) -> Option<&str> {
        self.text.as_ref().and_then(|text| text.undecided.as_deref())
    }

    /// Takes in what the full model of time says, and what the machine code executed on the way.
    pub fn predicted(&mut self, target: &Target, program: &Program, prediction: Option<Prediction>) {
        if let Some(prediction) = &prediction {
            let machine =
                self.bounded(target, program, Turns { counts: &prediction.executed, points: prediction.turned_points });
            self.machine = machine.predicted(prediction.nanoseconds_per_point);
        }
        self.prediction = prediction;
    }

    /// Takes in what the full model of time says of the steady state.
    pub fn settled(&mut self, target: &Target, steady: &Steady) {
        if let Some(prediction) = &mut self.prediction {
            prediction.settle(steady, &target.board);
            self.machine = self.machine.clone().predicted(prediction.nanoseconds_per_point);
        }
    }

    /// Takes in what was verified of the compilers' PTX and of the machine code.
    pub fn verified(
        &mut self,
        target: &Target,
        program: &Program,
        text: Option<TextVerification>,
        machine_code: Option<MachineCode>,
    ) {
        self.verdict = verdict(self.verification.as_ref(), text.as_ref(), machine_code.as_ref());
        if let Some(MachineCode::Verified(code)) = &machine_code {
            self.machine = self.bounded(target, program, Turns { counts: &code.turn, points: code.points_per_turn });
        }
        (self.text, self.machine_code) = (text, machine_code);
    }

    /// Takes in what became of the C++ text for a CPU, which alone is what is shipped.
    pub fn ran_on_cpu(&mut self, run: TextOnCpu) {
        self.verdict = match &run {
            TextOnCpu::Verified(text) => format!("proven, verified (C++ text, as {} compiles it)", text.compiler),
            TextOnCpu::NotRun(reason) => format!("proven, simulated (own PTX only; text not run: {reason})"),
        };
        self.text_on_cpu = Some(run);
    }

    fn bounded(&self, target: &Target, program: &Program, turns: Turns<'_>) -> Machine {
        self.machine.clone().bounded(turns, self.critical_path, program.groups_under_way(), target)
    }
}

pub fn report(
    request: &Request,
    model: &Model,
    warnings: Vec<Diagnostic>,
    kernels: Vec<KernelReport>,
    programs: Vec<ProgramReport>,
    texts_for_cpu: Vec<TextForCpu>,
) -> Report {
    let mut warnings: Vec<String> = warnings
        .into_iter()
        .map(|d| {
            let place = d.span.as_ref().map_or(String::new(), |span| {
                let (line, column) = span.line_column();
                format!("{}:{line}:{column}: ", span.source.name)
            });
            format!("{place}{}", d.message)
        })
        .collect();
    warnings.extend(unheeded::unheeded(request, &kernels));
    warnings.extend(kernels.iter().filter_map(KernelReport::spill_warning));
    let has_transport = request.all_kernels().any(Kernel::is_transport);
    let fits = model.transport.as_ref().filter(|_| has_transport);
    let mut layouts: Vec<&str> = Vec::new();
    for kernel in &kernels {
        if !layouts.contains(&kernel.codegen.as_str()) {
            layouts.push(&kernel.codegen);
        }
    }
    Report {
        mechanism: model.mechanism.name.clone(),
        species: model.species().len(),
        species_names: model.species().iter().map(|species| species.name.clone()).collect(),
        species_weights: model.species().iter().map(|species| species.weight).collect(),
        reactions: model.mechanism.reactions.len(),
        target: match request.common.target {
            target if target.is_cpu() => target.name.clone(),
            target => format!("{} ({})", target.name, target.machine_code()),
        },
        codegen: layouts.join(", "),
        units: request.common.units.name().into(),
        command: request.command.clone(),
        transport_range: fits.map(|fits| [fits.t_min, fits.t_max]),
        phase: model.mechanism.phase.0.choice(),
        diffusion: request.all_kernels().find_map(|kernel| diffusion(model, kernel)),
        steps: request.reactor_method.as_ref().map(steps),
        warnings,
        notes: Vec::new(),
        texts_for_cpu,
        kernels,
        reactor: programs.iter().find_map(ProgramReport::reactor),
        programs,
    }
}

/// Diffusion model of a kernel in words, where it is not mixture-averaged.
pub fn diffusion(model: &Model, kernel: Kernel) -> Option<String> {
    let is_other = kernel.has_diffusion() && model.lewis_numbers().is_some();
    is_other.then(|| format!("diffusion by {}: lambda/(rho cp Le)", model.mechanism.diffusion))
}

/// Returns the resources that a draft needs.
fn needs(own: &Resolved<'_>, draft: &Draft) -> Needs {
    Needs {
        registers_estimated: draft.registers().min(own.registers()),
        shared_bytes: draft.code.shared_bytes(),
        named_barriers: draft.proven.schedule().barrier_ids(),
        text: draft.ptx.entries().map(|entry| entry.insts.len() as u64).sum(),
        stored: own.asked.part.as_ref().map(|part| part.rows.len()),
    }
}

/// Builds the report of a kernel before the real compilers have seen it.
pub fn kernel(
    own: &Resolved<'_>,
    choice: Choice,
    draft: &Draft,
    candidates: Vec<Trial>,
    verification: Option<Verification>,
) -> KernelReport {
    let Draft { graph, mapping, proven, program, .. } = draft;
    let schedule = proven.schedule();
    let (available, mapping_cost) = (own.registers(), mapping::cost(graph, mapping));
    let needs = needs(own, draft);
    let Needs { registers_estimated, shared_bytes, text: ptx_instructions, .. } = needs;
    let machine = peaks::machine(own.asked.common.target, program, needs, None, verification.as_ref());
    let argument = |&Array { ref name, rows, output, io }: &Array| Argument { name: name.clone(), rows, output, io };
    KernelReport {
        kernel: own.title(),
        symbol: program.symbol.clone(),
        alternative: false,
        part: own.asked.part.clone(),
        arrays: program.arrays.iter().map(argument).collect(),
        codegen: own.codegen.name().into(),
        form: choice.variant.to_string(),
        slots_per_matrix_product: graph.slots_per_matrix_product(),
        form_error: graph.bound,
        form_range: graph.range.map(|range| [range.coldest, range.hottest]),
        steps: own.kernel.is_step().then(|| steps(&own.asked.common.integrator.method())),
        single: draft.single.as_ref().map(|claim| Single::new(claim, graph.bound)),
        forms: choice.considered,
        tuning: own.tuning,
        candidates,
        warps: own.tuning.warps,
        groups_per_cta: own.groups(),
        points_per_lane: program.points_per_lane,
        operations: graph.ops.len(),
        cross_warp_edges: mapping_cost.crossing,
        sync_points: schedule.crossing_values,
        barriers: schedule.sync_points(),
        named_barriers: schedule.barrier_ids(),
        phases: schedule.phases.len(),
        balance: balance::balance(graph, schedule),
        qssa_overlap: overlap::overlap(graph, schedule),
        placement: match schedule.storage {
            Storage::Shared => format!("{:?}", schedule.placement).to_lowercase(),
            Storage::Local => "local".into(),
            Storage::Registers => "registers".into(),
        },
        shared_bytes,
        workspace_bytes_per_cta: program.workspace_bytes_per_cta(),
        constants: residence(program, &draft.code),
        prefetch: draft.code.copies_inputs(),
        own_spill_bytes: draft.code.spill_bytes(),
        real_constants_per_thread: program.constants.real_registers,
        index_constants_per_thread: program.constants.index_registers,
        critical_path: critical::path(graph),
        flops_per_point: graph.ops.keys().map(|op| graph.flops(op)).sum(),
        mapping_cost,
        registers_held: draft.registers_held,
        registers_estimated,
        registers_available: available,
        ptx_instructions,
        verdict: verdict(verification.as_ref(), None, None),
        verification,
        text: None,
        text_on_cpu: None,
        measured: None,
        machine_code: None,
        prediction: None,
        compiled: None,
        on_amd: None,
        backend: None,
        machine,
        data_parallel_ns: None,
        levels: Vec::new(),
        layouts: Vec::new(),
    }
}

fn verdict(
    verification: Option<&Verification>,
    text: Option<&TextVerification>,
    machine_code: Option<&MachineCode>,
) -> String {
    match (verification, text, machine_code) {
        (None, ..) => "proven, not simulated".into(),
        (Some(_), None, _) => "proven, verified (own PTX only)".into(),
        (Some(_), Some(text), Some(MachineCode::Verified(code))) => {
            format!(
                "proven, verified (CUDA text, as {} compiles it; machine code of {})",
                text.compiler, code.assembler
            )
        }
        (Some(_), Some(text), Some(MachineCode::NotRun(_))) => {
            format!("proven, text run (CUDA text, as {} compiles it, verified; machine code not run)", text.compiler)
        }
        (Some(_), Some(text), None) => format!("proven, verified (CUDA text, as {} compiles it)", text.compiler),
    }
}

/// Returns the memory of a program's constants, with the bytes of a bank.
fn none(bytes: &usize) -> bool {
    *bytes == 0
}

fn residence(program: &Program, code: &Code) -> String {
    let constants = &program.constants;
    if !constants.real_bank.is_empty() && code.tables.is_empty() {
        return "in instructions".into();
    }
    match constants.bank_bytes() {
        0 => "striped".into(),
        bytes if constants.shared => format!("shared, {bytes} B"),
        bytes if constants.in_constant_memory() && constants.real_registers + constants.index_registers > 0 => {
            format!("constant bank, {bytes} B, and striped")
        }
        bytes if constants.in_constant_memory() => format!("constant bank, {bytes} B"),
        bytes => format!("global memory, {bytes} B"),
    }
}

/// The operations of each warp, with their floating-point operations.
pub fn mapping_text(graph: &Graph, mapping: &Mapping) -> String {
    let mut out = String::new();
    for w in 0..mapping.warps {
        let ops: Vec<_> = graph.ops.keys().filter(|&op| mapping.warp_of[op] == w).collect();
        let flops: u64 = ops.iter().map(|&op| graph.flops(op)).sum();
        out += &format!("warp {w}: {flops} flops\n");
        for op in ops {
            out += &format!("  {} ({} flops)\n", graph.ops[op].name, graph.flops(op));
        }
    }
    out
}

/// Phases, steps and barriers by warp.
pub fn schedule_text(graph: &Graph, schedule: &Schedule) -> String {
    let mut out = String::new();
    for (k, phase) in schedule.phases.iter().enumerate() {
        out += &format!("phase {}\n", k + 1);
        for (w, run) in phase.runs.iter().enumerate() {
            let names: Vec<String> =
                run.iter().map(|&StepRef { op, part }| format!("{} {part:?}", graph.ops[op].name)).collect();
            out += &format!("  warp {w}: {}\n", names.join("; "));
        }
        for s in &phase.syncs {
            out += &format!("  barrier {} threads {} arrive {:#x} wait {:#x}\n", s.id, s.threads, s.arrive, s.wait);
        }
    }
    out
}
