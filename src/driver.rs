//! The whole compiler: the order of its steps, and nothing else.

use crate::compilers;
use crate::emit;
use crate::fault;
use crate::forms::{self, Choice};
use crate::graph;
use crate::kernels::{self, Kernel};
use crate::lower;
use crate::mapping;
use crate::observer::Observer;
use crate::output;
use crate::overlay;
use crate::plan::Occupancy;
use crate::report::{self, Report};
use crate::schedule::{self, proof};
use crate::search::{self, Candidate, Draft, Found, LayoutTime, Rival, ScheduleScore, Search, Step, Version};
use crate::verify::{self, MachineCode, Prediction, Subject, TextVerification, Verification};
use diagnostics::Diagnostic;
use kinetics::{self, Model};
use ptx::occupancy::Direction;
use ptx::occupancy::settle::settle;
use sass::Cubin;

pub use crate::failure::{Failure, FailureKind};
pub use crate::output::Unit;
pub use crate::plan::{Multiplier, POINTS_PER_LANE, Request, Tuning};

/// Compiles a mechanism. Nothing is written unless every kernel was proven and verified.
pub fn compile(request: &Request, observer: &mut Observer) -> Result<Report, Failure> {
    let (mut mechanism, mut warnings) = observer
        .pass("mechanism", None, || mechanism::read_with(&request.needed_files(), request.reading))
        .map_err(Failure::input)?;
    mechanism.name = request.name(&mechanism.name);
    request.check_outputs().and_then(|()| request.reactor()).map_err(|d| Failure::usage([d]))?;
    let progress = observer.progress("kinetics", "pairs");
    let model =
        observer.pass("kinetics", None, || kinetics::model_with(mechanism, &progress)).map_err(Failure::input)?;
    observer.text("mechanism", None, || format!("{:#?}\n", model.mechanism));
    observer.text("kinetics", None, || format!("{:#?}\n", model.transport));
    let mut units = Vec::new();
    for &kernel in &request.kernels {
        units.extend(compile_layouts(kernel, &model, &request.of_kernel(kernel), observer)?);
    }
    let beside = if request.needs_cpu() {
        observer.pass("kernels for a CPU", None, || compile_for_cpu(request, &model))?
    } else {
        Vec::new()
    };
    let mut sources = observer.pass("print", None, || output::sources(request, &model, &units));
    sources.iter_mut().for_each(|source| fault::in_text(request.fault, source));
    if request.real_compilers {
        check_texts(request, &model, &mut units, &sources, observer)?;
    }
    (units, sources) = at_best_levels(request, &model, (units, sources), observer)?;
    (units, sources) = with_rivals(request, &model, (units, sources), &mut warnings, observer)?;
    (units, sources) = with_neighbors(request, &model, (units, sources), &mut warnings, observer)?;
    (units, sources) = fastest(request, units, sources);
    let kernels = units.iter().map(|unit| unit.report.clone()).collect();
    let mut report = report::report(request, &model, warnings, kernels);
    if let Some(folder) = &request.output {
        let files = observer.pass("files", None, || output::files(request, &model, &units, sources, &beside, &report));
        let written = observer.pass("write", None, || output::write_project(folder, &model.mechanism.name, files));
        report.notes = written.map_err(|d| Failure::input([d]))?;
    }
    Ok(report)
}

/// The kernels for a CPU, beside those for another target.
fn compile_for_cpu(request: &Request, model: &Model) -> Result<Vec<Unit>, Failure> {
    let request = request.for_cpu();
    let compile = |&kernel: &Kernel| compile_kernel(kernel, model, &request.of_kernel(kernel), &mut Observer::silent());
    request.kernels.iter().map(compile).collect()
}

/// One kernel in all layouts that were asked for, with the estimated time of data-parallel code beside others.
fn compile_layouts(
    kernel: Kernel,
    model: &Model,
    request: &Request,
    observer: &mut Observer,
) -> Result<Vec<Unit>, Failure> {
    let mut units = Vec::new();
    let mut refused = None;
    for codegen in request.codegens() {
        match compile_kernel(kernel, model, &Request { codegen, ..request.clone() }, observer) {
            Ok(unit) => units.push(unit),
            // Another layout may do.
            Err(failure) if request.keep_fastest && failure.kind == FailureKind::Input => refused = Some(failure),
            Err(failure) => return Err(failure),
        }
    }
    if units.is_empty()
        && let Some(failure) = refused
    {
        return Err(failure);
    }
    if let Some(layout) = search::data_parallel(request) {
        let alternative = compile_kernel(kernel, model, &layout, &mut Observer::silent()).ok();
        let time = alternative.and_then(|unit| unit.report.machine.estimated_ns);
        units.iter_mut().for_each(|unit| unit.report.data_parallel_ns = time);
    }
    Ok(units)
}

/// Each kernel whose occupancy is not fixed with the number of CTAs per SM with which it takes least time: from the first version on more
/// of them as long as that does not take longer, as an application finds it out while it runs.
fn at_best_levels(
    request: &Request,
    model: &Model,
    (units, sources): (Vec<Unit>, Vec<String>),
    observer: &mut Observer,
) -> Result<(Vec<Unit>, Vec<String>), Failure> {
    let mut kept = (Vec::new(), Vec::new());
    for (unit, source) in units.into_iter().zip(sources) {
        let own = request.of_kernel(unit.kernel).with(|own| own.codegen = unit.codegen);
        let (unit, source) = match own.tuning.occupancy {
            Occupancy::Fixed => (unit, source),
            Occupancy::Auto => at_best_level(&own, model, (unit, source), observer)?,
        };
        kept.0.push(unit);
        kept.1.push(source);
    }
    Ok(kept)
}

/// One kernel of [`at_best_levels`].
fn at_best_level(
    request: &Request,
    model: &Model,
    (unit, source): (Unit, String),
    observer: &mut Observer,
) -> Result<(Unit, String), Failure> {
    let report = &unit.report;
    let resident = report.machine.ctas_per_sm.max(request.tuning.ctas_per_sm);
    let levels = match report.level_time().nanoseconds {
        Some(_) => search::levels(request, report.registers_held, resident),
        None => Vec::new(),
    };
    let (kernel, data_parallel_ns) = (unit.kernel, unit.report.data_parallel_ns);
    let mut made = vec![Some((unit, source))];
    let mut refused = None;
    let settled = settle(1 + levels.len(), 0, Direction::Increasing, |at| {
        if at > 0 {
            let tuning = Tuning { ctas_per_sm: levels[at - 1], ..request.tuning };
            let version = version(kernel, model, &Request { tuning, ..request.clone() }, observer);
            made.push(version.unwrap_or_else(|failure| {
                refused = refused.take().or(Some(failure));
                None
            }));
        }
        made[at].as_ref().and_then(|(unit, _)| unit.report.level_time().nanoseconds).unwrap_or(f64::INFINITY)
    });
    if let Some(failure) = refused.filter(|failure| failure.kind == FailureKind::Verification) {
        return Err(failure);
    }
    let times = made.iter().flatten().map(|(unit, _)| unit.report.level_time()).collect();
    let (mut unit, source) = made.swap_remove(settled.chosen).expect("a version that takes a time was made");
    (unit.report.levels, unit.report.data_parallel_ns) = (times, data_parallel_ns);
    Ok((unit, source))
}

/// A kernel with its source, tried on the compilers.
fn version(
    kernel: Kernel,
    model: &Model,
    request: &Request,
    observer: &mut Observer,
) -> Result<Option<(Unit, String)>, Failure> {
    let unit = compile_kernel(kernel, model, request, observer)?;
    checked(request, model, unit, observer)
}

/// A kernel with its source, which was tried on the compilers.
fn checked(
    request: &Request,
    model: &Model,
    unit: Unit,
    observer: &mut Observer,
) -> Result<Option<(Unit, String)>, Failure> {
    let mut unit = [unit];
    let texts = output::sources(request, model, &unit);
    if request.real_compilers {
        check_texts(request, model, &mut unit, &texts, observer)?;
    }
    Ok(unit.into_iter().zip(texts).next())
}

/// Behind each kernel whose machine code was timed the same kernel made differently, where that shows what another one may save. Where the request names the layouts itself they are as they are.
fn with_rivals(
    request: &Request,
    model: &Model,
    (units, sources): (Vec<Unit>, Vec<String>),
    warnings: &mut Vec<Diagnostic>,
    observer: &mut Observer,
) -> Result<(Vec<Unit>, Vec<String>), Failure> {
    let mut all = (Vec::new(), Vec::new());
    let fastest: Vec<f64> = units.iter().map(|unit| least_time(&units, unit.kernel)).collect();
    for ((unit, source), fastest) in units.into_iter().zip(sources).zip(fastest) {
        let mut made = vec![(unit, source)];
        // the rivals of the first one, and of that one of them whose inputs are not copied ahead
        for at in 0.. {
            let Some((unit, _)) = made.get(at) else { break };
            if made[..at].iter().any(|(earlier, _)| earlier.report.prefetch == unit.report.prefetch) {
                continue;
            }
            made.extend(rivals(request, model, (unit, fastest), warnings, observer)?);
        }
        let (units, sources): (Vec<Unit>, Vec<String>) = made.into_iter().unzip();
        all.0.extend(units);
        all.1.extend(sources);
    }
    Ok(all)
}

/// Behind the versions of each kernel those with other numbers of warps, and on tensor cores, as long as the fastest straight-line and the
/// fastest warp-specialized one show that these may save time.
fn with_neighbors(
    request: &Request,
    model: &Model,
    (units, sources): (Vec<Unit>, Vec<String>),
    warnings: &mut Vec<Diagnostic>,
    observer: &mut Observer,
) -> Result<(Vec<Unit>, Vec<String>), Failure> {
    let mut all: Vec<(Unit, String)> = Vec::new();
    let mut made: Vec<(Unit, String)> = units.into_iter().zip(sources).collect();
    for &kernel in &request.kernels {
        let (mut of_kernel, rest) = made.into_iter().partition::<Vec<_>, _>(|(unit, _)| unit.kernel == kernel);
        made = rest;
        let own = request.of_kernel(kernel);
        for straight in [true, false].into_iter().filter(|_| own.keep_fastest) {
            let mut tried: Vec<Version> = of_kernel.iter().map(|(unit, _)| unit.version()).collect();
            while let Some(next) = next_neighbor(&own, &of_kernel, straight, &tried) {
                tried.push(next);
                let own = own.clone().with(|own| (own.codegen, own.tuning) = (next.codegen, next.tuning));
                let made = version(kernel, model, &own, observer);
                let Some((unit, source)) = attempted(made, warnings)? else { continue };
                // one that was not timed cannot be compared
                let Some(time) = unit.report.machine.predicted_ns else { continue };
                if straight {
                    of_kernel.extend(rivals(request, model, (&unit, time), warnings, observer)?);
                }
                of_kernel.push((unit, source));
            }
        }
        all.append(&mut of_kernel);
    }
    Ok(all.into_iter().unzip())
}

/// Beside the fastest of all versions whose code is straight-line, or is not.
fn next_neighbor(request: &Request, versions: &[(Unit, String)], straight: bool, tried: &[Version]) -> Option<Version> {
    let time = |unit: &Unit| unit.report.machine.predicted_ns.unwrap_or(f64::INFINITY);
    let units = || versions.iter().map(|(unit, _)| unit);
    let alike = units().filter(|unit| unit.program.is_straight_line() == straight);
    let fastest = alike.min_by(|a, b| time(a).total_cmp(&time(b)))?;
    let least = units().map(time).fold(f64::INFINITY, f64::min);
    search::neighbor(request, &fastest.told(least)?, fastest.version(), tried)
}

/// Of all versions of a kernel that were timed, in nanoseconds per point.
fn least_time(units: &[Unit], kernel: Kernel) -> f64 {
    let own = units.iter().filter(|unit| unit.kernel == kernel);
    own.filter_map(|unit| unit.report.machine.predicted_ns).fold(f64::INFINITY, f64::min)
}

/// What became of a version that is tried beside others, which are there and have passed: one that cannot be made is none, and one that
/// fails a check is left out with a warning.
fn attempted<T>(made: Result<Option<T>, Failure>, warnings: &mut Vec<Diagnostic>) -> Result<Option<T>, Failure> {
    match made {
        Err(failure) if failure.kind == FailureKind::Input => Ok(None),
        Err(failure) if failure.kind == FailureKind::Verification => {
            let left_out = |d: &Diagnostic| {
                format!("a version that --codegen auto tried failed a check and is left out: {}", d.message)
            };
            warnings.extend(failure.diagnostics.iter().map(|d| Diagnostic::warning(d.id, left_out(d))));
            Ok(None)
        }
        made => made,
    }
}

fn rivals(
    request: &Request,
    model: &Model,
    (unit, fastest): (&Unit, f64),
    warnings: &mut Vec<Diagnostic>,
    observer: &mut Observer,
) -> Result<Vec<(Unit, String)>, Failure> {
    let own = request.of_kernel(unit.kernel);
    let request = own.with(|own| (own.codegen, own.tuning) = (unit.codegen, unit.report.tuning));
    if !request.keep_fastest {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for rival in search::rivals(&request, unit.told(fastest)) {
        let changed = |change: &dyn Fn(&mut Request)| request.clone().with(change);
        let made = match rival {
            Rival::InOrder => in_order(&request, model, unit, observer),
            Rival::Tuned(tuning) => version(unit.kernel, model, &changed(&|own| own.tuning = tuning), observer),
            Rival::Layout(codegen) => version(unit.kernel, model, &changed(&|own| own.codegen = codegen), observer),
        };
        found.extend(attempted(made, warnings)?);
    }
    Ok(found)
}

/// A kernel with its constants in the order in which the machine code reads them, with its source.
fn in_order(
    request: &Request,
    model: &Model,
    unit: &Unit,
    observer: &mut Observer,
) -> Result<Option<(Unit, String)>, Failure> {
    let (target, kernel) = (request.common.target, unit.kernel);
    let Some(program) = overlay::in_order(&unit.program, &unit.constants_read) else { return Ok(None) };
    let code = observer.pass("lower", Some(kernel), || lower::lower(&program, target));
    let ptx = observer.pass("ptx", Some(kernel), || emit::ptx::print(&code, target.compute_capability));
    let Unit { graph, mapping, proven, .. } = unit;
    let (floor, stiffness) = (request.common.floor, request.common.stiffness);
    let subject = Subject { kernel, model, floor, stiffness, graph, mapping, proven, program: &program, module: &ptx };
    if let Some(states) = request.verify {
        observer.pass("verify", Some(kernel), || verify::verify(&subject, states)).map_err(Failure::verification)?;
    }
    let mut report = unit.report.clone();
    report.constants += ", as the machine code reads them";
    let (codegen, ctas_per_sm) = (unit.codegen, unit.ctas_per_sm);
    let (graph, mapping, proven) = (graph.clone(), mapping.clone(), proven.clone());
    let constants_read = Vec::new();
    let unit =
        Unit { kernel, codegen, ctas_per_sm, graph, mapping, proven, program, code, ptx, constants_read, report };
    checked(request, model, unit, observer)
}

/// The layout of each kernel that takes least time, with its source; its report has the times of all. Where the request names the
/// layouts itself all of them are kept.
fn fastest(request: &Request, units: Vec<Unit>, sources: Vec<String>) -> (Vec<Unit>, Vec<String>) {
    let mut all: Vec<(Unit, String)> = units.into_iter().zip(sources).collect();
    let mut kept = Vec::new();
    while let Some((first, _)) = all.first() {
        let kernel = first.kernel;
        let rest = all.iter().position(|(unit, _)| unit.kernel != kernel).unwrap_or(all.len());
        let mut rivals: Vec<(Unit, String)> = all.drain(..rest).collect();
        if !request.of_kernel(kernel).keep_fastest {
            kept.append(&mut rivals);
            continue;
        }
        let times: Vec<LayoutTime> = rivals.iter().map(|(unit, _)| unit.report.layout_time()).collect();
        let (mut unit, source) = rivals.swap_remove(search::fastest(&times));
        unit.report.layouts = times;
        kept.push((unit, source));
    }
    kept.into_iter().unzip()
}

/// One kernel, from the model to a verified program: the best of the candidates that the search asks for.
pub fn compile_kernel(
    kernel: Kernel,
    model: &Model,
    request: &Request,
    observer: &mut Observer,
) -> Result<Unit, Failure> {
    let k = Some(kernel);
    request
        .check_groups()
        .and_then(|()| request.check_residency())
        .and_then(|()| request.check_ptx())
        .map_err(|d| Failure::usage([d]))?;
    let mut search = Search::new(kernel, request);
    while let Some(step) = search.task() {
        match step {
            Step::Weigh { points_per_lane } => {
                search.weighed(weigh(kernel, model, &request.with_points(points_per_lane), observer)?);
            }
            Step::Draft(candidate) => search.drafted(draft(kernel, model, request, &candidate, observer))?,
        }
    }
    let Found { choice, draft, trials } = search.finish()?;
    observer.text("dataflow", k, || graph::text::text(&draft.graph));
    observer.text("map", k, || report::mapping_text(&draft.graph, &draft.mapping));
    observer.text("schedule", k, || report::schedule_text(&draft.graph, draft.proven.schedule()));
    observer.text("overlay", k, || format!("{:#?}\n", draft.program.body));
    observer.text("lower", k, || format!("{:#?}\n", draft.code.stream.body));
    observer.text("ptx", k, || draft.ptx.to_string());
    let verified = match request.verify {
        None => None,
        Some(states) => Some(verified(kernel, model, request, &draft, states, observer)?),
    };
    let report = report::kernel(kernel, request, choice, &draft, trials, verified);
    let Draft { graph, mapping, proven, program, code, ptx, .. } = draft;
    let (codegen, ctas_per_sm) = (request.codegen, request.tuning.ctas_per_sm);
    let constants_read = Vec::new();
    Ok(Unit { kernel, codegen, ctas_per_sm, graph, mapping, proven, program, code, ptx, constants_read, report })
}

/// What the forms of a kernel cost before scheduling.
fn weigh(kernel: Kernel, model: &Model, request: &Request, observer: &mut Observer) -> Result<Choice, Failure> {
    let matrices = request.matrices().map_err(|d| Failure::usage([d]))?;
    let (options, rates) = (request.options(), request.rates());
    let choose = || forms::choose(kernel, model, &options, request.tuning.form, &matrices, rates);
    observer.pass("form", Some(kernel), choose).map_err(Failure::input)
}

/// One candidate, from the model to code.
fn draft(
    kernel: Kernel,
    model: &Model,
    request: &Request,
    Candidate { options, limits, .. }: &Candidate,
    observer: &mut Observer,
) -> Result<Draft, Failure> {
    let k = Some(kernel);
    let graph = observer.pass("dataflow", k, || kernels::build(kernel, model, options)).map_err(Failure::input)?;
    let mapping = observer
        .pass("map", k, || mapping::map(&graph, options.warps, request.tuning.mapper, &request.tuning.weights))
        .map_err(|d| Failure::input([d]))?;
    let mut ways = observer
        .pass("schedule", k, || schedule::ways(&graph, &mapping, request.tuning.placement, limits))
        .map_err(|d| Failure::input([d]))?;
    let schedules = ways.iter().map(ScheduleScore::of).collect();
    let mut schedule = ways.swap_remove(0).schedule;
    fault::in_schedule(request.fault, &mut schedule);
    let proven = observer
        .pass("prove", k, || proof::prove(&graph, &mapping, schedule, limits.barriers))
        .map_err(Failure::verification)?;
    let frame = overlay::Frame {
        warps: request.warps(),
        groups: request.groups(),
        registers: request.registers(),
        points_per_lane: limits.points_per_lane,
        cache_bytes: request.cache_bytes(),
        staging_bytes: request.staging_bytes(),
    };
    let symbol = request.symbol(&model.mechanism.name, kernel);
    let mut program = observer
        .pass("overlay", k, || overlay::overlay(&graph, &proven, request.codegen, request.residence(), &symbol, frame));
    fault::in_program(request.fault, &mut program);
    let target = request.common.target;
    let code = observer.pass("lower", k, || lower::lower(&program, target));
    let ptx = observer.pass("ptx", k, || emit::ptx::print(&code, target.compute_capability));
    Ok(Draft::new(graph, mapping, (proven, schedules), program, (code, ptx)))
}

/// Runs the code in the simulator and compares.
fn verified(
    kernel: Kernel,
    model: &Model,
    request: &Request,
    draft: &Draft,
    states: usize,
    observer: &mut Observer,
) -> Result<Verification, Failure> {
    let Draft { graph, mapping, proven, program, ptx: module, .. } = draft;
    let (floor, stiffness) = (request.common.floor, request.common.stiffness);
    let subject = Subject { kernel, model, floor, stiffness, graph, mapping, proven, program, module };
    observer.pass("verify", Some(kernel), || verify::verify(&subject, states)).map_err(Failure::verification)
}

/// Tries the texts on the real compilers, where they are installed, runs and times what they make of them, and takes the figures
/// into the reports.
fn check_texts(
    request: &Request,
    model: &Model,
    units: &mut [Unit],
    sources: &[String],
    observer: &mut Observer,
) -> Result<(), Failure> {
    let target = request.common.target;
    let symbols: Vec<&str> = units.iter().map(|unit| unit.program.symbol.as_str()).collect();
    let made = observer.pass("compilers", None, || compilers::compile(target, &symbols, sources));
    for (unit, made) in units.iter_mut().zip(made.map_err(Failure::verification)?) {
        let kernel = Some(unit.kernel);
        let verified = observer.pass("verify text", kernel, || verify_text(request, model, unit, &made));
        let verified = verified.map_err(Failure::verification)?;
        let cubin = machine_code(request, unit, &made).map_err(Failure::verification)?;
        let run = || verify_machine_code(request, model, unit, &made, cubin.as_ref());
        let run = observer.pass("verify machine code", kernel, run).map_err(Failure::verification)?;
        unit.report.measured(target, &unit.program, made.needs.clone(), verified, run);
        let predicted = || predict(request, model, unit, &made, cubin.as_ref());
        let predicted = observer.pass("time", kernel, predicted).map_err(Failure::verification)?;
        unit.report.predicted(predicted);
        let code = cubin.as_ref().and_then(|cubin| cubin.as_ref().ok()?.kernel(&unit.program.symbol));
        unit.constants_read = code.map(sass::Kernel::constants).unwrap_or_default();
    }
    Ok(())
}

/// Verifies what the compilers made of a kernel's text, unless the request leaves the simulation out.
fn verify_text(
    request: &Request,
    model: &Model,
    unit: &Unit,
    made: &compilers::Made,
) -> Result<Option<TextVerification>, Vec<Diagnostic>> {
    let (subject, shared) = (made_subject(request, model, unit, made), unit.report.shared_bytes);
    request.verify.map(|states| verify::verify_text(&subject, &made.compiler, shared, states)).transpose()
}

/// The machine code of a kernel where the request wants it run, or why nothing here can read it.
fn machine_code(
    request: &Request,
    unit: &Unit,
    made: &compilers::Made,
) -> Result<Option<Result<Cubin, String>>, Vec<Diagnostic>> {
    if request.verify.is_none() || !(request.verify_machine_code || request.predict_time) {
        return Ok(None);
    }
    if let Err(reason) = compilers::reads_machine_code(request.common.target) {
        return Ok(Some(Err(reason)));
    }
    compilers::read_machine_code(&unit.program.symbol, &made.cubin).map(|cubin| Some(Ok(cubin)))
}

/// Verifies the machine code, unless the request leaves that out.
fn verify_machine_code(
    request: &Request,
    model: &Model,
    unit: &Unit,
    made: &compilers::Made,
    cubin: Option<&Result<Cubin, String>>,
) -> Result<Option<MachineCode>, Vec<Diagnostic>> {
    let Some((states, cubin)) = request.verify.filter(|_| request.verify_machine_code).zip(cubin) else {
        return Ok(None);
    };
    match cubin {
        Err(reason) => Ok(Some(MachineCode::NotRun(reason.clone()))),
        Ok(cubin) => {
            let (subject, shared) = (made_subject(request, model, unit, made), unit.report.shared_bytes);
            verify::verify_machine_code(&subject, cubin, &made.assembler, shared, states).map(Some)
        }
    }
}

/// Runs the full model of time on the machine code, unless the request leaves that out.
fn predict(
    request: &Request,
    model: &Model,
    unit: &Unit,
    made: &compilers::Made,
    cubin: Option<&Result<Cubin, String>>,
) -> Result<Option<Prediction>, Vec<Diagnostic>> {
    let Some(Ok(cubin)) = cubin.filter(|_| request.predict_time) else { return Ok(None) };
    let (subject, report) = (made_subject(request, model, unit, made), &unit.report);
    verify::predict(&subject, cubin, (report.shared_bytes, report.machine.ctas_per_sm), request.common.target)
}

fn made_subject<'a>(request: &Request, model: &'a Model, unit: &'a Unit, made: &'a compilers::Made) -> Subject<'a> {
    let Unit { kernel, graph, mapping, proven, program, .. } = unit;
    let (floor, stiffness) = (request.common.floor, request.common.stiffness);
    Subject { kernel: *kernel, model, floor, stiffness, graph, mapping, proven, program, module: &made.ptx }
}
