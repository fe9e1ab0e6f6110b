//! The whole compiler: the order of its steps, and nothing else.

mod kept;
mod on_compilers;
mod on_cpu;
mod other_layout;
mod reactors;
mod reactors_on_cpu;

use crate::cache::Cache;
use crate::emit;
use crate::fault;
use crate::forms::{self, Choice};
use crate::graph;
use crate::kernels::{self, ErrorBound, Io, Kernel, Precision};
use crate::lower;
use crate::mapping;
use crate::observer::Observer;
use crate::output;
use crate::overlay;
use crate::overlay::program::{Arithmetic, Program};
use crate::plan::{Common, Effort, Resolved};
use crate::report::{self, KernelReport, Report};
use crate::schedule::single::Claim;
use crate::schedule::{self, balance, proof, refine, single};
use crate::search::{self, Candidate, Draft, Found, ScheduleScore, Search, Sensitivity, Step};
use crate::verify::{self, Subject, Verification};
use diagnostics::Diagnostic;
use kinetics::{self, Model};
use mechanism::Mechanism;

pub use crate::failure::{Failure, FailureKind};
pub use crate::output::Unit;
pub use crate::plan::{Multiplier, POINTS_PER_LANE, Request, Tuning};
pub use kept::{Outcome, compile_kept};

/// Compiles a mechanism. Nothing is written unless every kernel was proven and verified.
pub fn compile(request: &Request, observer: &mut Observer) -> Result<Report, Failure> {
    let input = read(request, observer)?;
    let Compilation { mut report, files } = make(request, input, None, observer)?;
    report.notes = write(request, &report.mechanism, files, observer)?;
    Ok(report)
}

/// A mechanism as it was read, by the project's name, with what there is to say of it.
struct Input {
    mechanism: Mechanism,
    warnings: Vec<Diagnostic>,
}

/// What a compilation makes.
struct Compilation {
    report: Report,
    /// (name, text); none where nothing is to be written.
    files: Vec<(String, String)>,
}

fn read(request: &Request, observer: &mut Observer) -> Result<Input, Failure> {
    let (mut mechanism, warnings) = observer
        .pass("mechanism", None, || mechanism::read_with(&request.needed_files(), request.reading))
        .map_err(Failure::input)?;
    mechanism.name = request.name(&mechanism.name);
    Ok(Input { mechanism, warnings })
}

fn make(
    request: &Request,
    input: Input,
    cache: Option<&Cache>,
    observer: &mut Observer,
) -> Result<Compilation, Failure> {
    let Input { mechanism, mut warnings } = input;
    let request = &request.for_mechanism(&mechanism);
    request
        .check_outputs()
        .and_then(|()| request.check_precision())
        .and_then(|()| request.check_sets())
        .and_then(|()| request.check_library())
        .and_then(|()| request.check_diffusion(&mechanism))
        .and_then(|()| request.check_reactors())
        .map_err(|d| Failure::usage([d]))?;
    let progress = observer.progress("kinetics", "pairs");
    let made = || kinetics::model_with(mechanism, request.reading.permissive, &progress);
    let model = observer.pass("kinetics", None, made).map_err(Failure::input)?;
    warnings.extend(model.left_out.iter().cloned());
    observer.text("mechanism", None, || format!("{:#?}\n", model.mechanism));
    observer.text("kinetics", None, || format!("{:#?}\n", model.transport));
    let mut units = Vec::new();
    for part in &request.parts() {
        units.extend(compile_part(part, &model, &mut warnings, observer)?);
    }
    let beside = if request.needs_cpu() {
        observer.pass("kernels for a CPU", None, || compile_for_cpu(request, &model))?
    } else {
        Vec::new()
    };
    let texts = on_cpu::verify(request, &model, (&mut units, &beside), cache, observer)?;
    let kernels = units.iter().map(|unit| unit.report.clone()).collect();
    let programs = reactors::verify(request, &model, (&units, &beside), cache, observer)?;
    let report = report::report(request, &model, warnings, kernels, (programs, texts));
    let files = match request.output {
        Some(_) => observer.pass("files", None, || output::files(request, &model, &units, &beside, &report)),
        None => Vec::new(),
    };
    Ok(Compilation { report, files })
}

/// Writes the files where that is asked for, and tells what became of those of earlier runs.
fn write(
    request: &Request,
    name: &str,
    files: Vec<(String, String)>,
    observer: &mut Observer,
) -> Result<Vec<String>, Failure> {
    let Some(folder) = &request.output else { return Ok(Vec::new()) };
    let written =
        observer.pass("write", None, || output::write_project(folder, name, files, request.clean, request.force));
    written.map_err(Failure::input)
}

/// The fastest versions of the kernels outside of sets, or of those of one set.
fn compile_part(
    request: &Request,
    model: &Model,
    warnings: &mut Vec<Diagnostic>,
    observer: &mut Observer,
) -> Result<Vec<Unit>, Failure> {
    let mut units = Vec::new();
    for &kernel in &request.kernels {
        units.extend(compile_layouts(model, &request.of_kernel(kernel), observer)?);
    }
    units.iter_mut().for_each(|unit| fault::in_text(request.fault, unit.codegen, &mut unit.source));
    observer.trying_nothing();
    let units = search::best(request, units, &mut Versions { request, model, observer }, warnings)?;
    let mut units = other_layout::in_layouts_that_run(request, model, units, observer)?;
    observer.trying_nothing();
    for unit in &mut units {
        fault::in_ptx(request.fault, &mut unit.ptx);
        let Unit { program, graph, ptx, .. } = unit;
        let prove = || verify::prove_printed(program, graph.arrays.len(), ptx, request.common.target);
        observer.pass("prove ptx", Some(unit.kernel), prove).map_err(Failure::verification)?;
    }
    Ok(units)
}

/// The kernels for a CPU, beside those for another target.
fn compile_for_cpu(request: &Request, model: &Model) -> Result<Vec<Unit>, Failure> {
    let mut units = Vec::new();
    for part in request.for_cpu().parts() {
        for &kernel in &part.kernels {
            units.push(compile_kernel(kernel, model, &part, &mut Observer::silent())?);
        }
    }
    Ok(units)
}

/// One kernel in all layouts that were asked for, with the estimated time of data-parallel code beside others.
fn compile_layouts(model: &Model, own: &Resolved<'_>, observer: &mut Observer) -> Result<Vec<Unit>, Failure> {
    let mut units = Vec::new();
    let mut refused = None;
    for codegen in own.codegens() {
        match compile_one(model, &own.in_layout(codegen), observer) {
            Ok(unit) => units.push(unit),
            // Another layout may do.
            Err(failure) if own.keep_fastest && failure.kind == FailureKind::Input => refused = Some(failure),
            Err(failure) => return Err(failure),
        }
    }
    if units.is_empty()
        && let Some(failure) = refused
    {
        return Err(failure);
    }
    if let Some(layout) = search::data_parallel(own) {
        let alternative = compile_one(model, &layout, &mut Observer::silent()).ok();
        let time = alternative.and_then(|unit| unit.report.machine.estimated_ns);
        units.iter_mut().for_each(|unit| unit.report.data_parallel_ns = time);
    }
    Ok(units)
}

/// How the search has further versions made.
struct Versions<'a> {
    request: &'a Request,
    model: &'a Model,
    observer: &'a mut Observer,
}

impl search::VersionMaker for Versions<'_> {
    type Version = Unit;

    fn make(&mut self, own: &Resolved<'_>) -> Result<Unit, Failure> {
        compile_one(self.model, own, self.observer)
    }

    fn in_order(&mut self, unit: &Unit, own: &Resolved<'_>) -> Result<Option<Unit>, Failure> {
        in_order(own, self.model, unit, self.observer)
    }

    fn compile(&mut self, units: &mut [&mut Unit]) -> Result<(), Failure> {
        on_compilers::compile(self.request, self.model, units, self.observer)
    }

    fn verify(&mut self, unit: &mut Unit) -> Result<(), Failure> {
        on_compilers::verify(self.request, self.model, unit, self.observer)
    }

    fn alternative(&mut self, unit: &Unit, own: &Resolved<'_>) -> Result<Unit, Failure> {
        let mut program = unit.program.clone();
        program.symbol += "_alternative";
        let mut report = unit.report.clone();
        (report.symbol, report.alternative) = (program.symbol.clone(), true);
        again(own, self.model, unit, (program, report), self.observer)
    }

    fn sensitivity(&mut self, unit: &Unit) -> Result<Option<Sensitivity>, Failure> {
        on_compilers::sensitivity(self.request, self.model, unit, self.observer)
    }
}

/// A kernel with its constants in the order in which the machine code reads them; nothing where no other order is known.
fn in_order(own: &Resolved<'_>, model: &Model, unit: &Unit, observer: &mut Observer) -> Result<Option<Unit>, Failure> {
    let Some(program) = overlay::in_order(&unit.program, &unit.constants_read) else { return Ok(None) };
    let mut report = unit.report.clone();
    report.constants += ", as the machine code reads them";
    let unit = again(own, model, unit, (program, report), observer)?;
    Ok(Some(Unit { constants_read: Vec::new(), ..unit }))
}

/// A kernel with another program for the same schedule, and what is to be reported of it.
fn again(
    own: &Resolved<'_>,
    model: &Model,
    unit: &Unit,
    (program, report): (Program, KernelReport),
    observer: &mut Observer,
) -> Result<Unit, Failure> {
    let (target, kernel) = (own.asked.common.target, unit.kernel);
    let code = lowered(own, &program, &unit.proven, observer)?;
    let ptx = observer.pass("ptx", Some(kernel), || emit::ptx::print(&code, target.compute_capability));
    let codegen = unit.codegen;
    let (graph, mapping, proven) = (unit.graph.clone(), unit.mapping.clone(), unit.proven.clone());
    if let Some(states) = own.asked.verify {
        let (floor, stiffness) = (own.asked.common.floor, own.asked.common.stiffness);
        let (graph, mapping, proven, program, module) = (&graph, &mapping, &proven, &program, &ptx);
        let subject = Subject { kernel, model, floor, stiffness, graph, mapping, proven, program, module };
        observer.pass("verify", Some(kernel), || verify::verify(&subject, states)).map_err(Failure::verification)?;
    }
    let source = observer.pass("print", Some(kernel), || output::source(own, model, &code, &report));
    let kept = Draft {
        graph,
        mapping,
        proven,
        schedules: Vec::new(),
        program,
        code,
        ptx,
        registers_held: unit.report.registers_held,
        single: None,
        whole: None,
    };
    Ok(Unit::new(kernel, codegen, kept, source, report))
}

/// One kernel as it was asked for, in its first layout.
pub fn compile_kernel(
    kernel: Kernel,
    model: &Model,
    request: &Request,
    observer: &mut Observer,
) -> Result<Unit, Failure> {
    compile_one(model, &request.of_kernel(kernel), observer)
}

/// One kernel, from the model to a verified program: the best of the candidates that the search asks for.
fn compile_one(model: &Model, own: &Resolved<'_>, observer: &mut Observer) -> Result<Unit, Failure> {
    let (kernel, k) = (own.kernel, Some(own.kernel));
    observer.trying(&own.to_string());
    own.check_groups()
        .and_then(|()| own.check_residency())
        .and_then(|()| own.check_ptx())
        .and_then(|()| own.check_slots())
        .map_err(|d| Failure::usage([d]))?;
    let mut search = Search::new(*own);
    while let Some(step) = search.task() {
        match step {
            Step::Weigh { points_per_lane } => {
                search.weighed(weigh(model, &own.with_points(points_per_lane), observer)?);
            }
            Step::Draft(candidate) => search.drafted(draft(model, own, &candidate, observer))?,
        }
    }
    let Found { choice, draft, trials } = search.finish()?;
    observer.text("dataflow", k, || graph::text::text(&draft.graph));
    observer.text("map", k, || report::mapping_text(&draft.graph, &draft.mapping));
    observer.text("schedule", k, || report::schedule_text(&draft.graph, draft.proven.schedule()));
    observer.text("overlay", k, || format!("{:#?}\n", draft.program.body));
    observer.text("lower", k, || format!("{:#?}\n", draft.code.stream.body));
    observer.text("ptx", k, || draft.ptx.to_string());
    if let Some(Claim::Proven(plan)) = &draft.single {
        observer.text("precision", k, || graph::single::text(draft.whole.as_ref().unwrap_or(&draft.graph), plan));
    }
    let verified = match own.asked.verify {
        None => None,
        Some(states) => Some(verified(model, own, &draft, states, observer)?),
    };
    let report = report::kernel(own, choice, &draft, trials, verified);
    let source = observer.pass("print", k, || output::source(own, model, &draft.code, &report));
    Ok(Unit::new(kernel, own.codegen, draft, source, report))
}

/// What the forms of a kernel cost before scheduling.
fn weigh(model: &Model, own: &Resolved<'_>, observer: &mut Observer) -> Result<Choice, Failure> {
    let matrices = own.matrices().map_err(|d| Failure::usage([d]))?;
    let (options, rates) = (own.options(), own.rates());
    let choose = || forms::choose(own.kernel, model, &options, own.tuning.form, &matrices, rates);
    observer.pass("form", Some(own.kernel), choose).map_err(Failure::input)
}

/// One candidate, from the model to code, with the first room for its values that suffices.
fn draft(model: &Model, own: &Resolved<'_>, candidate: &Candidate, observer: &mut Observer) -> Result<Draft, Failure> {
    let (kernel, k) = (own.kernel, Some(own.kernel));
    let Candidate { options, limits, .. } = candidate;
    let graph = observer.pass("dataflow", k, || kernels::build(kernel, model, options)).map_err(Failure::input)?;
    let mut refused = None;
    for limits in own.rooms(limits, graph.values.len()) {
        match draft_within(model, own, (graph.clone(), options, &limits), observer) {
            Err(failure) if failure.diagnostics.iter().any(|d| d.id == schedule::SHORTAGE) => refused = Some(failure),
            made => return made,
        }
    }
    Err(refused.expect("a kernel has room somewhere"))
}

/// A graph with so much room for its values, to code.
fn draft_within(
    model: &Model,
    own: &Resolved<'_>,
    (graph, options, limits): (graph::Graph, &kernels::Options, &schedule::Limits),
    observer: &mut Observer,
) -> Result<Draft, Failure> {
    let (kernel, k) = (own.kernel, Some(own.kernel));
    let is_crowded = own.codegen == overlay::Codegen::Straight
        && limits.slots.is_some_and(|slots| mapping::partial_sums::is_crowded(&graph, slots));
    let graph = if is_crowded { observer.pass("inline", k, || mapping::partial_sums::inlined(&graph)) } else { graph };
    let Common { precision, error_bound, .. } = own.asked.common;
    let asked = own.asked.common.largest_error();
    let premises = (model.species().len(), options.fit_range, options.floor, own.asked.common.io);
    // What mixed precision is proven of: the graph in whose place one on singles stands.
    let is_nvidia = !own.asked.common.target.is_cpu() && !own.asked.common.target.is_amd();
    let bare = |graph, kinds| single::without_special_cases(kernel, graph, premises, (error_bound, kinds));
    let (graph, mixed) = match precision {
        Precision::Mixed => {
            let mix = || single::mix(kernel, &graph, premises, asked);
            let kinds = observer.pass("mix", k, mix).map_err(|d| Failure::input([d]))?;
            let graph = observer.pass("special cases", k, || bare(graph, Some(&kinds)));
            let writes_doubles = own.asked.common.io == Io::Double;
            (graph::single::expand::expand(&graph, &kinds, writes_doubles), Some((graph, kinds)))
        }
        Precision::Single if is_nvidia => (observer.pass("special cases", k, || bare(graph, None)), None),
        Precision::Double | Precision::Single => (graph, None),
    };
    let mapping =
        observer.pass("map", k, || mapping::map(&graph, options.warps, own.tuning.mapper, &own.tuning.weights));
    let (graph, mapping, mut ways) = match own.codegen {
        overlay::Codegen::Straight => with_partial_sums(own, limits, (&graph, &mapping), observer)?,
        _ => scheduled(own, limits, (graph, mapping), observer)?,
    };
    let schedules = ways.iter().map(ScheduleScore::of).collect();
    let mut schedule = ways.swap_remove(0).schedule;
    fault::in_schedule(own.asked.fault, &mut schedule);
    let proven = observer
        .pass("prove", k, || proof::prove(&graph, &mapping, schedule, limits.barriers))
        .map_err(Failure::verification)?;
    let single = match (precision, error_bound) {
        (Precision::Double, _) => None,
        (_, ErrorBound::Measured) => Some(Claim::Measured { limit: asked }),
        (_, ErrorBound::Proven) => {
            let (whole, kinds) = mixed.as_ref().map_or((&graph, None), |(whole, kinds)| (whole, Some(kinds)));
            let prove = || single::prove(kernel, whole, proven.schedule(), premises, (asked, kinds));
            Some(Claim::Proven(observer.pass("precision", k, prove).map_err(|d| Failure::input([d]))?))
        }
    };
    let whole = mixed.map(|(whole, _)| whole);
    let frame = overlay::Frame {
        warps: own.warps(),
        groups: own.groups(),
        registers: own.registers(),
        points_per_lane: limits.points_per_lane,
        cache_bytes: own.cache_bytes(),
        shared_bytes: own.shared_bytes(),
        staging_bytes: own.staging_bytes(),
        barriers: if is_crowded { limits.barriers } else { 0 },
    };
    let symbol = own.symbol(&model.mechanism.name);
    let mut program =
        observer.pass("overlay", k, || overlay::overlay(&graph, &proven, own.codegen, own.residence(), &symbol, frame));
    program.arrays.iter_mut().for_each(|array| array.io = own.asked.common.io);
    if let Some(claim) = &single {
        program.arithmetic = Arithmetic::Single { bound: claim.bound() };
    }
    if let Some(room) = limits.in_shared {
        program.spread(room);
    }
    let target = own.asked.common.target;
    if target.is_amd() {
        program = overlay::apart(&program).unwrap_or(program);
    }
    fault::in_program(own.asked.fault, &mut program);
    let code = lowered(own, &program, &proven, observer)?;
    let ptx = observer.pass("ptx", k, || emit::ptx::print(&code, target.compute_capability));
    Ok(Draft { single, whole, ..Draft::new(graph, mapping, (proven, schedules), program, (code, ptx)) })
}

/// A program as code for the target, with what is proven of its named barriers where these are AMD's.
fn lowered(
    own: &Resolved<'_>,
    program: &Program,
    proven: &proof::Proven,
    observer: &mut Observer,
) -> Result<lower::code::Code, Failure> {
    let (k, target) = (Some(own.kernel), own.asked.common.target);
    let mut code = observer.pass("lower", k, || lower::lower(program, target));
    if let Some(amd) = target.amd().filter(|amd| amd.has_named_barriers()) {
        let room = amd.named_barriers_per_workgroup;
        code.named_barriers = observer
            .pass("prove barriers", k, || lower::named_barriers::proven(&code, room, proven.programs()))
            .map_err(Failure::verification)?;
    }
    Ok(code)
}

/// A mapped graph, and the ways to schedule it.
type Scheduled = (graph::Graph, mapping::Mapping, Vec<schedule::Way>);

fn scheduled(
    own: &Resolved<'_>,
    limits: &schedule::Limits,
    (graph, mapping): (graph::Graph, mapping::Mapping),
    observer: &mut Observer,
) -> Result<Scheduled, Failure> {
    let ways = || schedule::ways(&graph, &mapping, own.tuning.placement, limits);
    let ways = observer.pass("schedule", Some(own.kernel), ways).map_err(|d| Failure::input([d]))?;
    Ok((graph, mapping, ways))
}

/// Sums split among the warps that make their terms, balanced by what runs at the same time: by depth at first, then by the phases that this gave. The
/// shorter of both is taken.
fn with_partial_sums(
    own: &Resolved<'_>,
    limits: &schedule::Limits,
    (graph, mapping): (&graph::Graph, &mapping::Mapping),
    observer: &mut Observer,
) -> Result<Scheduled, Failure> {
    let k = Some(own.kernel);
    let split = |class: &dyn Fn(graph::Op) -> u32| {
        let plan = mapping::partial_sums::plan(graph, mapping, class);
        let made = mapping::partial_sums::apply(graph, mapping, &plan);
        (plan, made)
    };
    let depth = graph.depths();
    let (first_plan, by_depth) = observer.pass("partial sums", k, || split(&|op| depth[op]));
    let first = scheduled(own, limits, by_depth, observer)?;
    let phases = balance::phases(&first.0, &first.2[0].schedule);
    let class = |op: graph::Op| phases.get(graph.ops[op].name.as_str()).copied().unwrap_or(0);
    let (second_plan, by_phase) = observer.pass("partial sums by phase", k, || split(&class));
    let second = scheduled(own, limits, by_phase, observer)?;
    let is_shorter = balance::is_shorter((&second.0, &second.2[0].schedule), (&first.0, &first.2[0].schedule));
    let (plan, found) = if is_shorter { (second_plan, second) } else { (first_plan, first) };
    if own.asked.effort == Effort::Quick {
        return Ok(found);
    }
    let refine = || refine::refined((graph, mapping), plan, limits, found);
    Ok(observer.pass("refine", k, refine))
}

/// Runs the code in the simulator and compares.
fn verified(
    model: &Model,
    own: &Resolved<'_>,
    draft: &Draft,
    states: usize,
    observer: &mut Observer,
) -> Result<Verification, Failure> {
    let Draft { graph, mapping, proven, program, ptx: module, .. } = draft;
    let (floor, stiffness) = (own.asked.common.floor, own.asked.common.stiffness);
    let subject = Subject { kernel: own.kernel, model, floor, stiffness, graph, mapping, proven, program, module };
    let verify = || -> Result<Verification, Vec<Diagnostic>> {
        // What the simulator knows of races is about shared memory: so the code first runs with all slots there.
        if program.first_global.is_some() {
            let program = &Program { first_global: None, ..program.clone() };
            let target = own.asked.common.target;
            let module = &emit::ptx::print(&lower::lower(program, target), target.compute_capability);
            verify::verify(&Subject { program, module, ..subject }, states)?;
        }
        // First, as it says which error was asked for.
        let whole = draft.whole.as_ref().unwrap_or(graph);
        let single_error = draft.single.as_ref().map(|claim| verify::verify_single(&subject, (whole, claim), states));
        let single_error = single_error.transpose()?;
        Ok(Verification { single_error, ..verify::verify(&subject, states)? })
    };
    observer.pass("verify", Some(own.kernel), verify).map_err(Failure::verification)
}
