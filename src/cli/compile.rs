//! `singe MECHANISM`: the main job.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::args::values::{Check, Layout, ReportForm};
use super::args::{CompileArguments, InputArguments};
use super::command_line::command_line;
use super::config;
use crate::driver::{self, Failure, Outcome, Request};
use crate::observer::Observer;
use crate::plan::{self, Common, Emit, KernelChoice, ReactorSteps, Unset, VERIFIED_STATES};
use cache::Cache;
use clap::ArgMatches;
use clap::parser::ValueSource;
use command::exit::tell;
use command::print;
use diagnostics::Diagnostic;
use kernels::{Kernel, StateVariables};
use kinetics::integrator::Method;
use mechanism::{Companion, Files, LewisNumbers, Options};
use overlay::Codegen;
use toml::Table;

/// `matches` tells which of the arguments were given.
pub fn run(arguments: &CompileArguments, matches: &ArgMatches, words: &[OsString]) -> Result<(), Failure> {
    let request = completed(arguments, matches, command_line("singe", words))?;
    let (_, flags) = for_hosts(arguments, matches);
    if !arguments.quiet && !flags.is_empty() {
        diagnostics::to_stderr(format_args!("note: these files need {}\n", flags.join(" ")));
    }
    let mut observer = if arguments.quiet { Observer::silent() } else { Observer::new(arguments.print_after.clone()) };
    // Passes are shown where they run.
    let shows_passes = arguments.print_after.is_some() || arguments.time_passes;
    let cache = if arguments.no_cache || shows_passes { None } else { Cache::of_user() };
    let result = driver::compile_kept(&request, cache.as_ref(), &mut observer);
    observer.finish();
    if arguments.time_passes {
        diagnostics::to_stderr(format_args!("{}", observer.time_table()));
    }
    let told = result.map_err(Failure::told)?;
    for warning in &told.warnings {
        diagnostics::to_stderr(format_args!("warning: {warning}\n"));
    }
    if !arguments.quiet {
        tell_outcome(arguments, &request, &told)?;
    }
    // The report has the reasons.
    if told.is_run { Ok(()) } else { Err(Failure::not_run([])) }
}

fn tell_outcome(arguments: &CompileArguments, request: &Request, told: &Outcome) -> Result<(), Failure> {
    for note in &told.notes {
        diagnostics::to_stderr(format_args!("note: {note}\n"));
    }
    if arguments.json {
        return print(format_args!("{}\n", told.json));
    }
    match arguments.report {
        ReportForm::Brief => print(format_args!("{}", told.brief)),
        ReportForm::Full => {
            let folder = request.output.as_ref().expect("a command writes somewhere");
            print(format_args!("{}\nwritten to {}\n", told.full, folder.display()))
        }
    }
}

/// Builds the request of the arguments and their configuration file, as the target can have it. `matches` tells which
/// arguments were given; `command` stands in the header of the generated files.
///
/// Errors: the file cannot be read or is wrong; the target cannot have what is asked for.
pub fn completed(arguments: &CompileArguments, matches: &ArgMatches, command: String) -> Result<Request, Failure> {
    let (common, _) = for_hosts(arguments, matches);
    let asked = request(arguments, command).with(|request| request.common = common);
    let given = |flag: &str| is_given(flag, arguments, matches);
    let with_state = |request: Request| match state_of_reactors(&request).filter(|_| !given("state")) {
        Some(state) => request.with(|request| request.common.state = state),
        None => request,
    };
    // A library for OpenFOAM has kernels of its own, and a reactor for PelePhysics is one.
    let is_reactor = asked.emit.contains(&Emit::PelephysicsReactor) && !given("kernel");
    let has_own_kernels = is_reactor || asked.emit.contains(&Emit::Openfoam) && !given("kernel");
    // The places of files and the printed form do not affect the outcome.
    let deciding = [plan::common_keys(), plan::tuning_keys(), ["effort", "lewis-numbers"].map(str::to_owned).into()];
    let request = with_state(Request {
        kernels: if has_own_kernels { Vec::new() } else { asked.kernels },
        reactor_method: if is_reactor { Some(common.integrator.method()) } else { asked.reactor_method },
        flags: deciding.concat().into_iter().filter(|flag| given(flag)).collect(),
        unset: Unset { warps: !given("warps"), matrix: !given("matrix"), layout: false },
        ..asked
    });
    let with_kernels = |request: Request, wanted: &[KernelChoice]| {
        let (kernels, reactor_method) = kernels_and_method(wanted, &request.common);
        with_state(Request { kernels, reactor_method, ..request })
    };
    let request = match &arguments.config {
        Some(path) => config::complete(request, path, given, with_kernels)?,
        None => request,
    };
    let reactor_method = request.reactor_method.map(|_| request.common.integrator.method());
    let request = Request { reactor_method, ..request };
    request.for_target().map_err(|d| Failure::usage([d]))
}

/// The settings of all kernels, as files for host codes need them, and the flags that stand for what was set.
fn for_hosts(arguments: &CompileArguments, matches: &ArgMatches) -> (Common, Vec<String>) {
    plan::for_emitted(&arguments.common, &arguments.emit, |flag| is_given(flag, arguments, matches))
}

/// Whether a flag, or a key of `--layout`, stands on the command line.
pub fn is_given(flag: &str, arguments: &CompileArguments, matches: &ArgMatches) -> bool {
    let source =
        matches.try_contains_id(&flag.replace('-', "_")).is_ok().then(|| matches.value_source(&flag.replace('-', "_")));
    source.flatten() == Some(ValueSource::CommandLine) || arguments.layout.iter().any(|(key, _)| key == flag)
}

/// The kernels among what is wanted, and what reactors are advanced by where these are.
fn kernels_and_method(wanted: &[KernelChoice], common: &Common) -> (Vec<Kernel>, Option<Method>) {
    let kernels: Vec<Kernel> = wanted.iter().filter_map(|wanted| wanted.kernel()).collect();
    let reactor = wanted.contains(&KernelChoice::Reactor).then(|| common.integrator.method());
    (without_repeats(&kernels), reactor)
}

/// Returns the state variables for a request that names none and asks for reactors, or for steps of one kind.
fn state_of_reactors(request: &Request) -> Option<StateVariables> {
    let has = |kernel: Kernel| request.kernels.contains(&kernel);
    // PeleC's reactors are at constant volume.
    if request.emit.contains(&Emit::PelephysicsReactor) {
        return Some(StateVariables::Density);
    }
    let is_advanced = request.reactor_method.is_some() || request.emit.contains(&Emit::Openfoam);
    match (is_advanced, has(Kernel::IsobaricStep), has(Kernel::IsochoricStep)) {
        (true, _, _) | (false, true, false) => Some(StateVariables::MassFractions),
        (false, false, true) => Some(StateVariables::Density),
        (false, ..) => None,
    }
}

/// Builds the request of the arguments; `command` stands in the header of the generated files.
pub fn request(arguments: &CompileArguments, command: String) -> Request {
    let files = files(&arguments.input);
    let folder = || match &arguments.name {
        Some(name) => PathBuf::from(format!("singe-{name}")),
        None => default_folder(&files.mechanism),
    };
    let output = arguments.output.clone().unwrap_or_else(folder);
    let codegens: Vec<Codegen> = arguments.codegen.iter().flat_map(|layout| layout.codegens()).collect();
    let codegens = without_repeats(&codegens);
    let (kernels, reactor_method) = kernels_and_method(&arguments.kernel, &arguments.common);
    let leaves_out = |check: Check| arguments.verify.contains(&check);
    let states = arguments.verify.iter().rev().find_map(|check| match check {
        Check::States(states) => Some(Some(*states)),
        Check::Off => Some(None),
        _ => None,
    });
    let layout = Table::from_iter(arguments.layout.iter().cloned());
    let (codegen, beside) = codegens.split_first().expect("clap gives at least the default");
    Request {
        files,
        name: arguments.name.clone(),
        reading: options(&arguments.input),
        kernels,
        sets: arguments.set.clone(),
        set: None,
        part: None,
        reactor_method,
        by_energy: false,
        steps: ReactorSteps::default(),
        common: arguments.common,
        tuning: plan::set(&arguments.tuning, &layout).expect("each value was accepted alone"),
        own: Vec::new(),
        codegen: *codegen,
        beside: beside.to_vec(),
        keep_fastest: arguments.codegen.contains(&Layout::Auto),
        effort: arguments.effort,
        flags: Vec::new(),
        alternatives: true,
        unset: Unset::default(),
        own_layouts: Vec::new(),
        verify: states.unwrap_or(Some(VERIFIED_STATES)),
        real_compilers: !leaves_out(Check::NoCompilers),
        verify_machine_code: !leaves_out(Check::NoMachineCode),
        predict_time: !leaves_out(Check::NoTime),
        measure: arguments.verify.contains(&Check::Measure),
        emit: arguments.emit.clone(),
        output: Some(output),
        clean: arguments.clean,
        force: arguments.force,
        command,
        config: None,
        fault: arguments.inject_fault,
    }
}

/// The input files of a command.
pub fn files(input: &InputArguments) -> Files {
    let mechanism = input.mechanism.clone().expect("clap refuses a command line without a mechanism");
    let companion = |path: &Option<PathBuf>| match path {
        None => Companion::Beside,
        Some(path) if path.as_os_str() == "none" => Companion::Ignored,
        Some(path) => Companion::At(path.clone()),
    };
    let (transport, reduction) = (companion(&input.transport), companion(&input.reduction));
    let lewis = match &input.lewis_numbers {
        None => LewisNumbers::OfPhase,
        Some(path) if path.as_os_str() == "unity" => LewisNumbers::Unity,
        Some(path) => LewisNumbers::At(path.clone()),
    };
    Files { mechanism, thermo: input.thermo.clone(), transport, reduction, phase: input.phase.clone(), lewis }
}

/// Returns the options for reading a command's input files.
pub fn options(input: &InputArguments) -> Options {
    Options { permissive: input.permissive, single_intermediate_temperature: input.single_intermediate_temperature }
}

/// `singe-gri30` for `mechanisms/gri30/chem.inp`, else after the file itself.
pub fn default_folder(mechanism: &Path) -> PathBuf {
    let stem = mechanism.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = mechanism.parent().and_then(Path::file_name).map(|f| f.to_string_lossy().into_owned());
    let name = if stem == "chem" { folder.unwrap_or(stem) } else { stem };
    PathBuf::from(format!("singe-{name}"))
}

fn without_repeats<T: Copy + PartialEq>(list: &[T]) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for &item in list {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

/// Diagnostics that do not stop anything go to stderr all the same.
pub fn warn(warnings: &[Diagnostic]) {
    tell(warnings);
}
