//! The whole compiler: the order of its steps, and nothing else.

mod arithmetic;
mod kept;
mod layouts;
mod lowered;
mod module_on_cpu;
mod on_compilers;
mod on_cpu;
mod other_layout;
mod overlaid;
mod parts;
mod printed;
mod reactors;
mod reactors_on_amd;
mod reactors_on_cpu;
mod texts;
mod verified;
mod versions;
mod ways;

use crate::fault;
use crate::forms::{self, Choice};
use crate::observer::Observer;
use crate::output;
use crate::plan::Resolved;
use crate::report::{self, Report};
use crate::search::{self, Candidate, Draft, Found, ScheduleScore, Search, Step};
use cache::Cache;
use command::files;
use diagnostics::Diagnostic;
use kernels::Kernel;
use kinetics::{self, Model};
use mechanism::Mechanism;
use schedule::proof;

pub use crate::output::Unit;
pub use crate::plan::{Multiplier, POINTS_PER_LANE, Request, Tuning};
pub use command::{Failure, FailureKind};
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

/// Result of a compilation.
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
    request.check(&mechanism).map_err(|d| Failure::usage([d]))?;
    let progress = observer.progress("kinetics", "pairs");
    let made = || kinetics::model_with(mechanism, request.reading.permissive, &progress);
    let model = observer.pass("kinetics", None, made).map_err(Failure::input)?;
    warnings.extend(model.left_out.iter().cloned());
    observer.text("mechanism", None, || format!("{:#?}\n", model.mechanism));
    observer.text("kinetics", None, || format!("{:#?}\n", model.transport));
    let mut units = Vec::new();
    for part in &parts::requests(request, &model, weigh, observer)? {
        units.extend(compile_part(part, &model, &mut warnings, observer)?);
    }
    let beside = if request.needs_cpu(model.species().len()) {
        observer.pass("kernels for a CPU", None, || layouts::compile_for_cpu(request, &model, compile_one))?
    } else {
        Vec::new()
    };
    let mut texts = on_cpu::verify(request, &model, &mut units, &beside, cache, observer)?;
    let of_cpu = if request.common.target.is_cpu() { &units } else { &beside };
    texts.extend(module_on_cpu::verify(request, &model, of_cpu, cache, observer)?);
    let kernels = units.iter().map(|unit| unit.report.clone()).collect();
    let programs = reactors::verify(request, &model, &units, &beside, cache, observer)?;
    let report = report::report(request, &model, warnings, kernels, programs, texts);
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
        observer.pass("write", None, || files::write_project(folder, name, files, request.clean, request.force));
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
        units.extend(layouts::compile_layouts(model, &request.of_kernel(kernel), compile_one, observer)?);
    }
    units.iter_mut().for_each(|unit| fault::in_text(request.fault, unit.codegen, &mut unit.source));
    observer.trying_nothing();
    let mut versions = versions::Versions { request, model, observer, warnings: Vec::new() };
    let units = search::best(request, units, &mut versions, warnings)?;
    warnings.append(&mut versions.warnings);
    let mut units = other_layout::in_layouts_that_run(request, model, units, observer)?;
    observer.trying_nothing();
    for unit in &mut units {
        printed::prove(request, unit, observer)?;
        printed::allocate(request, unit, observer)?;
    }
    Ok(units)
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
    observer.trying(&own.to_string());
    own.check().map_err(|d| Failure::usage([d]))?;
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
    texts::show(own.kernel, &draft, observer);
    let verified = verified::verified(model, own, &draft, observer)?;
    let report = report::kernel(own, choice, &draft, trials, verified);
    let source = observer.pass("print", Some(own.kernel), || output::source(own, model, &draft.code, &report));
    Ok(Unit::new(own.kernel, own.codegen, draft, source, report))
}

/// Weighs the costs of a kernel's forms before scheduling.
fn weigh(model: &Model, own: &Resolved<'_>, observer: &mut Observer) -> Result<Choice, Failure> {
    let (options, rates, matrices) = (own.options(), own.rates(), own.matrices());
    let choose = || forms::choose(own.kernel, model, &options, own.tuning.form, &matrices, rates);
    observer.pass("form", Some(own.kernel), choose).map_err(Failure::input)
}

/// One candidate, from the model to code, with the first room for its values that suffices.
fn draft(model: &Model, own: &Resolved<'_>, candidate: &Candidate, observer: &mut Observer) -> Result<Draft, Failure> {
    let (kernel, k) = (own.kernel, Some(own.kernel));
    let Candidate { options, limits, .. } = candidate;
    let build = || kernels::build(kernel, model, options).map(|whole| own.part(whole));
    let graph = observer.pass("dataflow", k, build).map_err(Failure::input)?;
    let mut refused = None;
    for limits in own.rooms(limits, graph.values.len()) {
        match draft_within(model, own, graph.clone(), options, &limits, observer) {
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
    graph: graph::Graph,
    options: &kernels::Options,
    limits: &schedule::Limits,
    observer: &mut Observer,
) -> Result<Draft, Failure> {
    let k = Some(own.kernel);
    let is_crowded = own.is_crowded(&graph, limits);
    let graph = if is_crowded { observer.pass("inline", k, || mapping::partial_sums::inlined(&graph)) } else { graph };
    let (graph, mixed) = arithmetic::in_precision(own, model, options, graph, observer)?;
    let mapping = observer.pass("map", k, || mapping::map(&graph, options.warps));
    let (graph, mapping, mut ways) = ways::ways(own, limits, graph, mapping, observer)?;
    let schedules = ways.iter().map(ScheduleScore::from_way).collect();
    let mut schedule = ways.swap_remove(0).schedule;
    fault::in_schedule(own.asked.fault, &mut schedule);
    let proven = observer
        .pass("prove", k, || proof::prove(&graph, &mapping, schedule, limits.barriers))
        .map_err(Failure::verification)?;
    let single = arithmetic::claim(own, model, options, &graph, mixed.as_ref(), proven.schedule(), observer)?;
    let whole = mixed.map(|(whole, _)| whole);
    let symbol = own.symbol(&model.mechanism.name);
    let program = overlaid::overlaid(own, (&graph, &proven), single.as_ref(), (limits, is_crowded), &symbol, observer);
    let code = lowered::lowered(own, &program, &proven, observer)?;
    let ptx = observer.pass("ptx", k, || emit_ptx::print(&code, own.asked.common.target.compute_capability));
    Ok(Draft { single, whole, ..Draft::new(graph, mapping, proven, schedules, program, code, ptx) })
}
