//! The programs around kernels: reactors are compiled and run, where a compiler for the target is found, those for CPUs by `reactors_on_cpu`; of others it is told that they are not.

use std::collections::BTreeMap;

use super::{reactors_on_amd, reactors_on_cpu};
use crate::compilers::{self, CompilerOutput};
use crate::fault;
use crate::observer::Observer;
use crate::output::{self, ReactorText, Unit};
use crate::plan::{Effort, Emit, Request};
use crate::report::ProgramReport;
use crate::verify::{self, KernelTime, Part, Pipeline, ReactorSubject, ReactorVerification, simulate_reactors};
use cache::Cache;
use command::Failure;
use diagnostics::Diagnostic;
use emit_c::host;
use kinetics::Model;
use machine::target::Target;
use machine::toolchain;
use overlay::Codegen;
use sass::Cubin;
use warpsim::machine_code;

/// Bytes of CUDA text up to which reactors are compiled and run, unless the effort is thorough. H2O2's take a few seconds; GRI-Mech's 1 MB take NVRTC alone
/// over a minute.
const LONGEST: usize = 512 * 1024;

/// Verifies the programs of the request, and reports on them in the order of their files.
pub fn verify(
    request: &Request,
    model: &Model,
    units: &[Unit],
    beside: &[Unit],
    cache: Option<&Cache>,
    observer: &mut Observer,
) -> Result<Vec<ProgramReport>, Failure> {
    let target = request.common.target;
    let mut programs = Vec::new();
    if request.reactor_method.is_some() {
        let not_run = |reason: &str| ProgramReport::not_run(file(request, model), reason);
        programs.push(match why_not(request) {
            Some(reason) => not_run(reason),
            None if target.is_cpu() => {
                let progress = observer.progress("verify reactors", "points");
                let run = || reactors_on_cpu::run(request, model, units, cache, &progress);
                observer.pass("verify reactors", None, run)?
            }
            None => match output::reactor_text(request, model, units, beside) {
                Some(text) if text.text.len() > LONGEST && request.effort != Effort::Thorough => not_run(
                    "its text is longer than 512 kB, which compilers take minutes for: --effort thorough has them",
                ),
                Some(text) => observer.pass("verify reactors", None, || match target.amd() {
                    Some(amd) => reactors_on_amd::run(request, amd, model, units, &text),
                    None => run(request, model, units, &text),
                })?,
                None => not_run("its kernels are not there"),
            },
        });
    }
    if request.cvode_constant().is_some() {
        let file = host::ignition_file(&model.mechanism.name, target);
        programs.push(ProgramReport::not_run(file, "it takes SUNDIALS and a host"));
    }
    Ok(programs)
}

/// Name of the text of reactors.
pub fn file(request: &Request, model: &Model) -> String {
    let is_embedded = request.emit.contains(&Emit::PelephysicsReactor);
    let extension = if is_embedded { "cpp" } else { output::source_extension(request.common.target) };
    format!("{}_reactor.{extension}", model.mechanism.name)
}

/// Why the text of reactors is not run.
fn why_not(request: &Request) -> Option<&'static str> {
    let target = request.common.target;
    match request {
        _ if request.verify.is_none() => Some("--verify off"),
        _ if !request.real_compilers => Some("--verify no-compilers"),
        _ if target.is_amd() && !request.verify_machine_code => Some("--verify no-machine-code"),
        _ if target.is_cpu() || target.is_amd() => None,
        _ if toolchain::find_for(target.compute_capability).is_err() => Some("no compilers for the target are found"),
        _ => None,
    }
}

/// Has the compilers compile the reactors, and runs the PTX and the machine code that they make.
fn run(request: &Request, model: &Model, units: &[Unit], text: &ReactorText) -> Result<ProgramReport, Failure> {
    let target = request.common.target;
    let symbol = text.symbol.as_str();
    let mut source = text.text.clone();
    fault::in_text(request.fault, Codegen::DataParallel, &mut source);
    let made = compilers::compile(target, &[(symbol, &source)]).map_err(Failure::verification)?;
    let CompilerOutput { ptx, compiler, assembler, cubin, .. } =
        made.into_iter().next().expect("compilers for the target were found");
    let (subject, pipeline) = (subject(model, text), pipeline(model, units, &text.reactor));
    let options = warpsim::Options::default();
    let hazards = |what: String, hazards: &warpsim::Hazards| -> Vec<Diagnostic> {
        let said = |hazard| Diagnostic::error("simulator::hazard", format!("{symbol}: {hazard} ({what})"));
        hazards.list.iter().map(said).collect()
    };
    let mut proven = BTreeMap::new();
    let found = simulate_reactors(&subject, &pipeline, &mut |name, launch, buffers| {
        let kernel = format!("{symbol}_{name}");
        if !proven.contains_key(name) {
            proven.insert(name.to_owned(), verify::prove_launch(&ptx, &kernel, launch)?);
        }
        let run = warpsim::run(&ptx, &kernel, launch, buffers, &options);
        run.map(|_| ()).map_err(|failed| hazards(format!("the PTX of {compiler}"), &failed))
    });
    let found: ReactorVerification = found.map_err(Failure::verification)?;
    let file = file(request, model);
    let open: Vec<&str> = proven.iter().filter(|(_, is_proven)| !**is_proven).map(|(name, _)| name.as_str()).collect();
    let proof = match &open[..] {
        [] => "proven".to_owned(),
        open => format!("proven but for {}", open.join(", ")),
    };
    let of_text = format!("CUDA text, as {compiler} compiles it, {proof}");
    if !request.verify_machine_code {
        return Ok(ProgramReport::verified(file, &of_text, found));
    }
    if let Err(reason) = toolkit::cubin::reads_machine_code(target) {
        return Ok(ProgramReport::text_run(file, &of_text, &reason, found));
    }
    let cubin = toolkit::cubin::read_machine_code(symbol, &cubin).map_err(Failure::verification)?;
    let mut unknown = None;
    let again = simulate_reactors(&subject, &pipeline, &mut |name, launch, buffers| match machine_code::run(
        &cubin,
        &format!("{symbol}_{name}"),
        launch,
        buffers,
        &options,
    ) {
        Ok(_) => Ok(()),
        Err(machine_code::Failure::Hazards(failed)) => {
            Err(hazards(format!("the machine code of {assembler}"), &failed))
        }
        Err(machine_code::Failure::Unknown(diagnostics)) => {
            unknown = diagnostics.first().map(|first| first.message.clone());
            Err(diagnostics)
        }
    });
    match (unknown, again) {
        (Some(reason), _) => Ok(ProgramReport::text_run(file, &of_text, &reason, found)),
        (None, again) => {
            again.map_err(Failure::verification)?;
            let full = Pipeline { ctas: TIMED_CTAS, ..pipeline };
            let mut report = ProgramReport::verified(file, &format!("{of_text}; machine code of {assembler}"), found);
            if request.predict_time {
                report.times = timed(&full, &subject, &cubin, (units, target));
            }
            Ok(report)
        }
    }
}

pub fn subject<'a>(model: &'a Model, text: &'a ReactorText) -> ReactorSubject<'a> {
    let host::Reactor { constant, by_energy, method, .. } = text.reactor;
    ReactorSubject { model, symbol: &text.symbol, constant, by_energy, method }
}

/// Pipeline of the reactors, with launches of one CTA.
pub fn pipeline<'a>(model: &Model, units: &'a [Unit], reactor: &'a host::Reactor) -> Pipeline<'a> {
    let part = |symbol: &str| {
        let unit = units.iter().find(|unit| unit.program.symbol == symbol);
        unit.map(|unit| Part { graph: &unit.graph, proven: &unit.proven }).expect("reactors are made of units")
    };
    let (rates, jacobian) = (part(&reactor.rates), reactor.jacobian.iter().map(|symbol| part(symbol)).collect());
    Pipeline { reactor, species: model.species().len(), rates, jacobian, ctas: 1 }
}

/// CTAs on an SM for which a step is timed: more than fit at once.
const TIMED_CTAS: u32 = 8;

/// Times the kernels of a step on the target's board; nothing where one of them has no prediction.
fn timed(
    pipeline: &Pipeline<'_>,
    subject: &ReactorSubject<'_>,
    cubin: &Cubin,
    (units, target): (&[Unit], &Target),
) -> Vec<KernelTime> {
    let (reactor, method) = (pipeline.reactor, pipeline.reactor.method);
    let of = |symbol: &str, launches: u32| {
        let unit = units.iter().find(|unit| unit.program.symbol == symbol)?;
        let registers = unit.report.compiled.as_ref().map_or(0, |made| made.registers);
        let found = unit.report.prediction.as_ref()?;
        Some(KernelTime::from_prediction(&unit.report.kernel, launches, registers, found))
    };
    let evaluations = (0..method.m.len()).filter(|&stage| !method.takes_rates_over(stage)).count() as u32;
    let kernels = std::iter::once((&reactor.rates, evaluations)).chain(reactor.jacobian.iter().map(|part| (part, 1)));
    let kernels = kernels.filter(|_| reactor.fused.is_none()).map(|(symbol, launches)| of(symbol, launches));
    let Some(kernels) = kernels.collect::<Option<Vec<_>>>() else { return Vec::new() };
    let call_over = |time| verify::steady_call(subject, pipeline, time);
    let between = verify::time_steps(pipeline, &call_over, (cubin, subject.symbol), target);
    between.map_or(Vec::new(), |between| [kernels, between].concat())
}
