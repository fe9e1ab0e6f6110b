//! The whole compiler: the order of its steps, and nothing else.

use std::path::PathBuf;

use crate::compilers;
use crate::dataflow::{self, Exponential, Form, Graph, Kernel, Matrix, Units};
use crate::diagnostic::Diagnostic;
use crate::emit::overlay::{self, Codegen, Residence};
use crate::emit::program::Program;
use crate::fault::{self, Fault};
use crate::forms::{self, Choice, Rates, Variant};
use crate::kinetics::{self, Model, Stiffness};
use crate::mapping::{self, Mapper, Mapping, Weights};
use crate::mechanism::{self, Files};
use crate::observer::Observer;
use crate::output::{self, Emit};
use crate::report::{self, KernelReport, Report};
use crate::schedule::proof::{self, Proven};
use crate::schedule::{self, Limits, Placement, Schedule};
use crate::simt;
use crate::target::{Shuffle, Target};
use crate::verify::{self, Subject};

/// How many grid points a lane may work on at once.
pub const POINTS_PER_LANE: [u32; 3] = [1, 2, 4];

/// All that a compilation depends on.
#[derive(Debug, Clone)]
pub struct Request {
    pub files: Files,
    pub reading: mechanism::Options,
    pub kernels: Vec<Kernel>,
    pub warps: u32,
    /// Grid points that each lane works on at once, of [`POINTS_PER_LANE`]; `None` lets the compiler choose.
    pub points_per_lane: Option<u32>,
    pub target: &'static Target,
    pub ctas_per_sm: u32,
    pub mapper: Mapper,
    pub weights: Weights,
    pub placement: Placement,
    /// Values of a group of points that shared memory holds at most; `None` leaves this to the machine.
    pub buffer: Option<u32>,
    /// In how many passes, at least, values go through shared memory.
    pub passes: Option<u32>,
    pub codegen: Codegen,
    /// Further layouts of the same kernels, side by side with the first; their symbols then end in the layout's name.
    pub beside: Vec<Codegen>,
    /// Where the constants of warp-specialized code live.
    pub constants: Residence,
    /// The units of the kernels' arrays.
    pub units: Units,
    /// Smallest mole fraction of the diffusion kernel.
    pub floor: f64,
    /// Algebra of the kernels; `None` lets the compiler choose.
    pub form: Option<Form>,
    /// What multiplies vectors with constant matrices in warp-specialized code; `None` lets the compiler choose.
    pub matrix: Option<Multiplier>,
    /// Largest relative error of polynomials against the exact form; `None` for exact forms only.
    pub fit_tolerance: Option<f64>,
    /// How the chemistry kernel treats stiff species.
    pub stiffness: Stiffness,
    /// Keeps the operations that solve for quasi-steady species to this many warps, while the others go on.
    pub qssa_warps: Option<u32>,
    /// Number of states that every kernel is verified on; `None` leaves the simulation out.
    pub verify: Option<usize>,
    /// Compile the CUDA text with NVRTC and ptxas where they are installed, and report registers and spills.
    pub real_compilers: bool,
    pub emit: Vec<Emit>,
    /// `None` writes nothing.
    pub output: Option<PathBuf>,
    /// The command line, for the header of the generated files.
    pub command: String,
    /// Breaks the compiler on purpose, to see that the checks notice.
    pub fault: Option<Fault>,
}

/// What multiplies doubles with constant matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multiplier {
    /// Fused multiply-adds of each point.
    Dfma,
    /// Matrix products on tensor cores, in the kernels and forms that have constant matrices.
    Dmma,
}

impl Request {
    /// All layouts of the kernels.
    pub fn codegens(&self) -> impl Iterator<Item = Codegen> + '_ {
        std::iter::once(self.codegen).chain(self.beside.iter().copied())
    }

    /// Grid points of a lane, where they are given.
    fn points(&self) -> u32 {
        self.points_per_lane.unwrap_or(1)
    }

    /// The symbol of a kernel.
    fn symbol(&self, mechanism: &str, kernel: Kernel) -> String {
        let layout = match self.codegen {
            _ if self.beside.is_empty() => "",
            Codegen::Overlay => "_overlay",
            Codegen::Switch => "_switch",
            Codegen::DataParallel => "_data_parallel",
        };
        format!("{mechanism}_{kernel}{layout}")
    }
}

/// Why a compilation ended without result.
#[derive(Debug)]
pub struct Failure {
    pub kind: FailureKind,
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The input is wrong: exit code 1.
    Input,
    /// The command line is wrong: exit code 2.
    Usage,
    /// A kernel failed its proof or its verification: exit code 3.
    Verification,
}

/// What one kernel went through on its way to code.
pub struct Unit {
    pub kernel: Kernel,
    pub codegen: Codegen,
    pub graph: Graph,
    pub mapping: Mapping,
    pub proven: Proven,
    pub program: Program,
    pub ptx: simt::Module,
    pub report: KernelReport,
    /// SVG of the schedule; empty when it was not asked for.
    pub picture: String,
}

/// Compiles a mechanism. Nothing is written unless every kernel was proven and verified.
pub fn compile(request: &Request, observer: &mut Observer) -> Result<Report, Failure> {
    let input = |diagnostics| Failure { kind: FailureKind::Input, diagnostics };
    let verification = |diagnostics| Failure { kind: FailureKind::Verification, diagnostics };
    let (mechanism, warnings) =
        observer.pass("mechanism", None, || mechanism::read_with(&request.files, request.reading)).map_err(input)?;
    let progress = observer.progress("kinetics", "pairs");
    let model = observer.pass("kinetics", None, || kinetics::model_with(mechanism, &progress)).map_err(input)?;
    observer.text("mechanism", None, || format!("{:#?}\n", model.mechanism));
    observer.text("kinetics", None, || format!("{:#?}\n", model.transport));
    let mut units = Vec::new();
    let layouts: Vec<Request> = request.codegens().map(|codegen| Request { codegen, ..request.clone() }).collect();
    for &kernel in &request.kernels {
        for layout in &layouts {
            units.push(compile_kernel(kernel, &model, layout, observer)?);
        }
    }
    let sources = observer.pass("print", None, || output::sources(request, &model, &units));
    if request.real_compilers {
        let usages = observer.pass("compilers", None, || compilers::measure(request.target, &units, &sources));
        for (unit, usage) in units.iter_mut().zip(usages.map_err(verification)?) {
            unit.report.measured(request.target, &unit.program, usage);
        }
    }
    let report = report::report(request, &model, warnings, &units);
    if let Some(folder) = &request.output {
        let files = output::files(request, &model, &units, sources, &report);
        observer.pass("write", None, || output::write(folder, &files)).map_err(|d| input(vec![d]))?;
    }
    Ok(report)
}

/// A proven plan with its program.
type Settled = (Graph, Mapping, Proven, Program);

/// One kernel, from the model to a verified program.
pub fn compile_kernel(
    kernel: Kernel,
    model: &Model,
    request: &Request,
    observer: &mut Observer,
) -> Result<Unit, Failure> {
    let k = Some(kernel);
    let verification = |diagnostics| Failure { kind: FailureKind::Verification, diagnostics };
    let symbol = request.symbol(&model.mechanism.name, kernel);
    let (choice, (graph, mapping, proven, mut program)) = of_all_points(kernel, model, request, &symbol, observer)?;
    let costs = mapping::costs(&graph, &mapping, &request.weights);
    fault::in_program(request.fault, &mut program);
    observer.text("overlay", k, || format!("{:#?}\n", program.body));
    let ptx = observer.pass("lower", k, || simt::lower::lower(&program));
    observer.text("lower", k, || ptx.to_string());
    let verified = match request.verify {
        None => None,
        Some(states) => {
            let (graph, mapping, proven, program, module) = (&graph, &mapping, &proven, &program, &ptx);
            let (floor, stiffness) = (request.floor, request.stiffness);
            let subject = Subject { kernel, model, floor, stiffness, graph, mapping, proven, program, module };
            Some(observer.pass("verify", k, || verify::verify(&subject, states)).map_err(verification)?)
        }
    };
    let picture = if request.emit.contains(&Emit::Picture) {
        let title = format!("{symbol}: {} warps, {}", request.warps, request.target.name);
        observer.pass("picture", k, || report::schedule_picture(&graph, proven.schedule(), &title))
    } else {
        String::new()
    };
    let report = report::kernel(kernel, request, choice, &graph, &mapping, costs, &proven, &program, verified);
    Ok(Unit { kernel, codegen: request.codegen, graph, mapping, proven, program, ptx, report, picture })
}

/// The plan for as many points per lane as the request says. Where the compiler may choose: for the most whose every step up
/// saves a tenth of the clocks, as long as registers suffice.
fn of_all_points(
    kernel: Kernel,
    model: &Model,
    request: &Request,
    symbol: &str,
    observer: &mut Observer,
) -> Result<(Choice, Settled), Failure> {
    let clocks = |request: &Request, (graph, ..): &Settled| rates(request).clocks(graph, options(request).warps);
    let mut best = of_some_points(kernel, model, request, symbol, observer)?;
    let mut least = clocks(request, &best.1);
    for &points in POINTS_PER_LANE[1..].iter().filter(|_| request.points_per_lane.is_none()) {
        let request = Request { points_per_lane: Some(points), ..request.clone() };
        let Ok(wider) = of_some_points(kernel, model, &request, symbol, observer) else { break };
        let (graph, mapping, _, program) = &wider.1;
        let registers = report::estimated_registers(graph, mapping, program);
        let now = clocks(&request, &wider.1);
        if now > 0.9 * least || registers > report::available_registers(&request) {
            break;
        }
        (best, least) = (wider, now);
    }
    Ok(best)
}

/// The plan with the wanted form, or the cheapest one.
fn of_some_points(
    kernel: Kernel,
    model: &Model,
    request: &Request,
    symbol: &str,
    observer: &mut Observer,
) -> Result<(Choice, Settled), Failure> {
    let limits = limits(request);
    let matrices = matrices(request).map_err(|d| Failure { kind: FailureKind::Usage, diagnostics: vec![d] })?;
    let (options, rates) = (options(request), rates(request));
    let mut choice = observer
        .pass("form", Some(kernel), || forms::choose(kernel, model, &options, request.form, &matrices, rates))
        .map_err(|diagnostics| Failure { kind: FailureKind::Input, diagnostics })?;
    let settled = settle_cheapest(kernel, model, request, &mut choice, symbol, limits, observer)?;
    Ok((choice, settled))
}

/// The cheapest form that fits shared memory and registers. Where registers suffice for none, the one that exceeds them
/// least.
fn settle_cheapest(
    kernel: Kernel,
    model: &Model,
    request: &Request,
    choice: &mut Choice,
    symbol: &str,
    limits: Limits,
    observer: &mut Observer,
) -> Result<Settled, Failure> {
    let mut tried: Vec<(Variant, u32)> = Vec::new();
    let mut best: Option<(Variant, u32, Settled)> = None;
    let mut refusals = Vec::new();
    while let Some(variant) = choice.next(&tried) {
        match settle(kernel, model, request, variant, symbol, limits, observer) {
            Ok(settled) => {
                choice.recount(variant, &settled.0, options(request).warps);
                let excess = crowding(request, &settled.3);
                tried.push((variant, excess));
                let before = |other: Variant| choice.is_cheaper(variant, other);
                if best.as_ref().is_none_or(|&(other, least, _)| excess < least || excess == least && before(other)) {
                    best = Some((variant, excess, settled));
                }
            }
            Err(failure) => {
                tried.push((variant, u32::MAX));
                refusals.push(failure);
            }
        }
    }
    match best {
        Some((variant, _, settled)) => {
            choice.variant = variant;
            Ok(settled)
        }
        None => Err(refusals.swap_remove(0)),
    }
}

/// By how much the values that pass from block to block exceed a thread's registers.
fn crowding(request: &Request, program: &Program) -> u32 {
    if request.codegen == Codegen::DataParallel {
        return 0;
    }
    let module = simt::lower::lower(program);
    let needed = module.entries().map(simt::analysis::pressure::compute).max().unwrap_or(0);
    let available = report::available_registers(request);
    // Registers are given away in units, but a thread cannot have more than the most.
    let unit = (request.target.register_unit / 32).max(1);
    let whole = if available < request.target.max_registers_per_thread { available / unit * unit } else { available };
    needed.saturating_sub(whole)
}

/// One variant. Constants in shared memory, and slots that matrix products read, leave less room to the
/// slots; how much is known only when the program is there.
fn settle(
    kernel: Kernel,
    model: &Model,
    request: &Request,
    variant: Variant,
    symbol: &str,
    mut limits: Limits,
    observer: &mut Observer,
) -> Result<Settled, Failure> {
    let k = Some(kernel);
    let points_per_lane = request.points();
    let total = limits.slots.map(|slots| slots * points_per_lane);
    loop {
        let (graph, mapping, mut schedule) = plan(kernel, model, request, variant, &limits, observer)?;
        fault::in_schedule(request.fault, &mut schedule);
        let proven = observer
            .pass("prove", k, || proof::prove(&graph, &mapping, schedule, limits.barriers))
            .map_err(|diagnostics| Failure { kind: FailureKind::Verification, diagnostics })?;
        let registers = report::available_registers(request);
        let frame = overlay::Frame { warps: request.warps, registers, points_per_lane };
        let (codegen, constants) = (request.codegen, request.constants);
        let program =
            observer.pass("overlay", k, || overlay::overlay(&graph, &proven, codegen, constants, symbol, frame));
        let rows = program.constants.shared_rows().iter().sum::<u32>();
        // Slots lie further apart where matrix products read them.
        match total.map(|total| total * 32 / program.pitch()) {
            Some(total) if program.slots + rows > total => {
                // The slots shrink with every turn, so this ends.
                let left = (total.saturating_sub(rows) / points_per_lane)
                    .min((program.slots / points_per_lane).saturating_sub(1));
                if left == 0 {
                    let message = format!(
                        "{kernel}: the constants take {} bytes of shared memory, and a CTA may have {}",
                        8 * program.pitch() * rows,
                        8 * program.pitch() * total
                    );
                    let remedy =
                        "use --constants stripe or constant-bank, more warps, or fewer CTAs per SM or points per lane";
                    let diagnostic = Diagnostic::error("schedule::constants", message).help(remedy);
                    return Err(Failure { kind: FailureKind::Input, diagnostics: vec![diagnostic] });
                }
                limits.slots = Some(left);
            }
            _ => return Ok((graph, mapping, proven, program)),
        }
    }
}

/// Graph, mapping and schedule. Inputs pass through shared memory, unless leaving them in global memory gives a
/// shorter schedule or is all that fits. The lean chemistry does without activities where they do not fit.
fn plan(
    kernel: Kernel,
    model: &Model,
    request: &Request,
    Variant { form, matrix }: Variant,
    limits: &Limits,
    observer: &mut Observer,
) -> Result<(Graph, Mapping, Schedule), Failure> {
    let k = Some(kernel);
    let input = |diagnostics| Failure { kind: FailureKind::Input, diagnostics };
    let options = options(request);
    let warps = options.warps;
    let mut best: Option<(Graph, Mapping, Schedule)> = None;
    let mut shortage = Vec::new();
    for (stage_inputs, activities) in [(true, true), (false, true), (false, false)] {
        if !activities && (best.is_some() || form != Form::Lean || kernel != Kernel::Chemistry) {
            continue;
        }
        let options = dataflow::Options { stage_inputs, activities, form, matrix, ..options };
        let graph = observer.pass("dataflow", k, || dataflow::build(kernel, model, &options)).map_err(input)?;
        let mapping = observer
            .pass("map", k, || mapping::map(&graph, warps, request.mapper, &request.weights))
            .map_err(|d| input(vec![d]))?;
        let schedule = observer.pass("schedule", k, || schedule::schedule(&graph, &mapping, request.placement, limits));
        match schedule {
            Ok(schedule) => {
                let cost = |schedule: &Schedule, graph| schedule.cost(graph, limits.points_per_lane);
                if best.as_ref().is_none_or(|(before, _, other)| cost(&schedule, &graph) < cost(other, before)) {
                    best = Some((graph, mapping, schedule));
                }
            }
            Err(diagnostic) => shortage = vec![diagnostic],
        }
    }
    let (graph, mapping, schedule) = best.ok_or_else(|| input(shortage))?;
    observer.text("dataflow", k, || dataflow::text::text(&graph));
    observer.text("map", k, || report::mapping_text(&graph, &mapping));
    observer.text("schedule", k, || report::schedule_text(&graph, &schedule));
    Ok((graph, mapping, schedule))
}

/// What the request says about the graph, before the form is chosen.
fn options(request: &Request) -> dataflow::Options {
    dataflow::Options {
        warps: if request.codegen == Codegen::DataParallel { 1 } else { request.warps },
        stage_inputs: true,
        floor: request.floor,
        form: Form::Pairwise,
        fit_tolerance: request.fit_tolerance,
        stiffness: request.stiffness,
        qssa_warps: request.qssa_warps.map(|n| n.min(request.warps)),
        units: request.units,
        activities: true,
        exponential: exponential(request.target),
        matrix: Matrix::Dfma,
        states: states(request),
    }
}

/// The ways to multiply with constant matrices that the request leaves. Data-parallel code has no shared memory through
/// which lanes could exchange points.
fn matrices(request: &Request) -> Result<Vec<Matrix>, Diagnostic> {
    let slots = request.target.slots_per_matrix_product();
    let dmma = slots.map(|slots| Matrix::Dmma { slots }).filter(|_| request.codegen != Codegen::DataParallel);
    match (request.matrix, dmma, slots) {
        (Some(Multiplier::Dmma), _, None) => {
            let message =
                format!("{} has no fast products of matrices of doubles on tensor cores", request.target.name);
            let remedy = "use --matrix dfma or auto, or --target ampere, hopper or blackwell";
            Err(Diagnostic::error("target::no-matrix-products", message).help(remedy))
        }
        (Some(Multiplier::Dmma), Some(dmma), _) => Ok(vec![dmma]),
        (None, Some(dmma), _) => Ok(vec![Matrix::Dfma, dmma]),
        _ => Ok(vec![Matrix::Dfma]),
    }
}

fn rates(request: &Request) -> Rates {
    let striped = request.constants == Residence::Striped && request.codegen != Codegen::DataParallel;
    Rates::of(request.target, striped, report::available_registers(request), request.points())
}

/// The table is read by shuffle.
fn exponential(target: &Target) -> Exponential {
    if target.shuffle == Shuffle::Mirror { Exponential::Polynomial } else { Exponential::Table }
}

/// Doubles of running states that a thread has room for.
fn states(request: &Request) -> u32 {
    if request.codegen == Codegen::DataParallel {
        return u32::MAX;
    }
    overlay::most_states(report::available_registers(request), request.points())
}

/// What one CTA of the target may use.
fn limits(request: &Request) -> Limits {
    let (target, ctas, points_per_lane) = (request.target, request.ctas_per_sm, request.points());
    if request.codegen == Codegen::DataParallel {
        return Limits { slots: None, barriers: 0, states: states(request), points_per_lane, passes: None };
    }
    let shared =
        target.shared_bytes_per_cta.min(target.shared_bytes_per_sm / ctas - target.reserved_shared_bytes_per_cta);
    // Whether there are doubles and integers to broadcast is known only when the program is there.
    let striped = request.constants == Residence::Striped;
    let shared = shared.saturating_sub(target.mirror_bytes_per_warp(striped, striped) * request.warps);
    let barriers = target.named_barriers_per_cta.min(target.barrier_pool() / ctas);
    let states = states(request);
    let slots = (shared / (256 * points_per_lane)).min(request.buffer.unwrap_or(u32::MAX));
    Limits { slots: Some(slots), barriers, states, points_per_lane, passes: request.passes }
}
