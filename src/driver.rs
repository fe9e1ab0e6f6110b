//! The whole compiler: the order of its steps, and nothing else.

use crate::compilers;
use crate::fault;
use crate::forms::{self, Variant};
use crate::graph::{self, Graph};
use crate::kernels::{self, Kernel};
use crate::lower;
use crate::mapping::{self, Mapping};
use crate::observer::Observer;
use crate::output::{self, Emit};
use crate::overlay::program::Program;
use crate::overlay::{self, Codegen};
use crate::report::{self, KernelReport, Report};
use crate::schedule::proof::{self, Proven};
use crate::schedule::{self, Limits};
use crate::search::{self, Draft, Plan};
use crate::verify::{self, Subject, TextVerification};
use diagnostics::Diagnostic;
use kinetics::{self, Model};
use mechanism;

pub use crate::failure::{Failure, FailureKind};
pub use crate::request::{Multiplier, POINTS_PER_LANE, Request, Tuning};

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
    pub ptx: ptx::Module,
    pub report: KernelReport,
    /// SVG of the schedule; empty when it was not asked for.
    pub picture: String,
}

/// Compiles a mechanism. Nothing is written unless every kernel was proven and verified.
pub fn compile(request: &Request, observer: &mut Observer) -> Result<Report, Failure> {
    let (mut mechanism, warnings) = observer
        .pass("mechanism", None, || mechanism::read_with(&request.needed_files(), request.reading))
        .map_err(Failure::input)?;
    mechanism.name = request.name(&mechanism.name);
    let progress = observer.progress("kinetics", "pairs");
    let model =
        observer.pass("kinetics", None, || kinetics::model_with(mechanism, &progress)).map_err(Failure::input)?;
    observer.text("mechanism", None, || format!("{:#?}\n", model.mechanism));
    observer.text("kinetics", None, || format!("{:#?}\n", model.transport));
    let mut units = Vec::new();
    for &kernel in &request.kernels {
        for codegen in request.codegens() {
            let layout = Request { codegen, ..request.of_kernel(kernel) };
            units.push(compile_kernel(kernel, &model, &layout, observer)?);
        }
        let alternative = search::data_parallel(request, |layout| {
            let unit = compile_kernel(kernel, &model, &layout.of_kernel(kernel), &mut Observer::silent());
            unit.map(|unit| unit.report)
        });
        let own = units.iter_mut().filter(|unit| unit.kernel == kernel && unit.codegen != Codegen::DataParallel);
        own.for_each(|unit| unit.report.data_parallel_ns = alternative);
    }
    let mut sources = observer.pass("print", None, || output::sources(request, &model, &units));
    sources.iter_mut().for_each(|source| fault::in_text(request.fault, source));
    if request.real_compilers {
        let made = observer.pass("compilers", None, || compilers::compile(request.target, &units, &sources));
        for (unit, made) in units.iter_mut().zip(made.map_err(Failure::verification)?) {
            let verified =
                observer.pass("verify text", Some(unit.kernel), || verify_text(request, &model, unit, &made));
            let verified = verified.map_err(Failure::verification)?;
            unit.report.measured(request.target, &unit.program, made.needs, verified);
        }
    }
    let mut report = report::report(request, &model, warnings, &units);
    if let Some(folder) = &request.output {
        let files = output::files(request, &model, &units, sources, &report);
        let written = observer.pass("write", None, || output::write_project(folder, &model.mechanism.name, files));
        report.notes = written.map_err(|d| Failure::input([d]))?;
    }
    Ok(report)
}

/// Verifies what the compilers made of a kernel's text, unless the request leaves the simulation out.
fn verify_text(
    request: &Request,
    model: &Model,
    unit: &Unit,
    made: &compilers::Made,
) -> Result<Option<TextVerification>, Vec<Diagnostic>> {
    let Unit { kernel, graph, mapping, proven, program, report, .. } = unit;
    let (floor, stiffness) = (request.floor, request.stiffness);
    let subject =
        Subject { kernel: *kernel, model, floor, stiffness, graph, mapping, proven, program, module: &made.ptx };
    request.verify.map(|states| verify::verify_text(&subject, &made.compiler, report.shared_bytes, states)).transpose()
}

/// One kernel, from the model to a verified program. `search` makes several drafts where the request leaves a choice.
pub fn compile_kernel(
    kernel: Kernel,
    model: &Model,
    request: &Request,
    observer: &mut Observer,
) -> Result<Unit, Failure> {
    let k = Some(kernel);
    request.check_residency().and_then(|()| request.check_ptx()).map_err(|d| Failure::usage([d]))?;
    let (choice, mut draft) = search::points_per_lane(request, |request| {
        let (options, rates) = (request.options(), request.rates());
        let matrices = request.matrices().map_err(|d| Failure::usage([d]))?;
        let choice = observer
            .pass("form", k, || forms::choose(kernel, model, &options, request.form, &matrices, rates))
            .map_err(Failure::input)?;
        search::form(request, choice, |variant| {
            search::slots(kernel, request, |limits| draft(kernel, model, request, variant, limits, observer))
        })
    })?;
    fault::in_program(request.fault, &mut draft.program);
    observer.text("overlay", k, || format!("{:#?}\n", draft.program.body));
    let ptx = observer.pass("lower", k, || lower::lower(&draft.program, request.target.compute_capability));
    observer.text("lower", k, || ptx.to_string());
    let verified = match request.verify {
        None => None,
        Some(states) => {
            let Draft { graph, mapping, proven, program } = &draft;
            let (floor, stiffness) = (request.floor, request.stiffness);
            let subject = Subject { kernel, model, floor, stiffness, graph, mapping, proven, program, module: &ptx };
            let verified = observer.pass("verify", k, || verify::verify(&subject, states));
            Some(verified.map_err(Failure::verification)?)
        }
    };
    let picture = if request.emit.contains(&Emit::Picture) {
        let title = format!("{}: {} warps, {}", draft.program.symbol, request.warps, request.target.name);
        observer.pass("picture", k, || report::schedule_picture(&draft.graph, draft.proven.schedule(), &title))
    } else {
        String::new()
    };
    let report = report::kernel(kernel, request, choice, &draft, verified);
    let Draft { graph, mapping, proven, program } = draft;
    let Request { codegen, ctas_per_sm, .. } = *request;
    Ok(Unit { kernel, codegen, ctas_per_sm, graph, mapping, proven, program, ptx, report, picture })
}

/// Graph, mapping, schedule, proof and program of one form within the limits.
fn draft(
    kernel: Kernel,
    model: &Model,
    request: &Request,
    variant: Variant,
    limits: &Limits,
    observer: &mut Observer,
) -> Result<Draft, Failure> {
    let k = Some(kernel);
    let plan = search::inputs(kernel, &request.options_of(variant), limits, |options| {
        let graph = observer.pass("dataflow", k, || kernels::build(kernel, model, options)).map_err(Failure::input)?;
        let mapping = observer
            .pass("map", k, || mapping::map(&graph, options.warps, request.mapper, &request.weights))
            .map_err(|d| Failure::input([d]))?;
        let schedule = observer
            .pass("schedule", k, || schedule::schedule(&graph, &mapping, request.placement, limits))
            .map_err(|d| Failure::input([d]))?;
        Ok(Plan { graph, mapping, schedule })
    });
    let Plan { graph, mapping, mut schedule } = plan?;
    observer.text("dataflow", k, || graph::text::text(&graph));
    observer.text("map", k, || report::mapping_text(&graph, &mapping));
    observer.text("schedule", k, || report::schedule_text(&graph, &schedule));
    fault::in_schedule(request.fault, &mut schedule);
    let proven = observer
        .pass("prove", k, || proof::prove(&graph, &mapping, schedule, limits.barriers))
        .map_err(Failure::verification)?;
    let (registers, points_per_lane) = (request.registers(), request.points());
    let frame = overlay::Frame { warps: request.warps, registers, points_per_lane };
    let symbol = request.symbol(&model.mechanism.name, kernel);
    let program = observer
        .pass("overlay", k, || overlay::overlay(&graph, &proven, request.codegen, request.constants, &symbol, frame));
    Ok(Draft { graph, mapping, proven, program })
}
