//! The C++ text of reactors: compiled for this machine's CPU with the kernels that it calls, and run, before anything is written.

use super::on_cpu::run_or_known;
use crate::fault;
use crate::output::{self, ReactorFiles, Unit};
use crate::plan::Request;
use crate::report::ProgramReport;
use crate::verify::{Progress, ReactorCall, ReactorSubject, reactor_options};
use cache::Cache;
use command::Failure;
use diagnostics::Diagnostic;
use emit_c::cpu::{self, CalledReactor};
use emit_c::host;
use kinetics::Model;
use machine::toolchain::{self, HostCompiler};
use overlay::Codegen;

/// Bytes of text up to which reactors are compiled and run. GRI-Mech's 2.2 MB take g++ 5 s and the 4.7 MB of 111 species 11 s. The 7.3 MB of 631 species take
/// it 13 s; the time of the plain integrator's dense matrices grows as the cube of the number of species.
const LONGEST: usize = 8 << 20;

/// Result of compiling and running the reactors.
///
/// Errors: the text is refused, or ends elsewhere than the plain integrator.
pub fn run(
    request: &Request,
    model: &Model,
    units: &[Unit],
    cache: Option<&Cache>,
    progress: Progress<'_>,
) -> Result<ProgramReport, Failure> {
    let file = format!("{}_reactor.cpp", model.mechanism.name);
    let compiler = match toolchain::host_compiler() {
        Ok(compiler) => compiler,
        Err(absent) => return Ok(ProgramReport::not_run(file, &absent.to_string())),
    };
    let Some(mut text) = output::reactor_files(request, model, units) else {
        return Ok(ProgramReport::not_run(file, "its kernels are not there"));
    };
    if text.sources.iter().map(|(_, text)| text.len()).sum::<usize>() > LONGEST {
        return Ok(ProgramReport::not_run(file, "its text is longer than 8 MB, which takes minutes"));
    }
    if let Some((_, own)) = text.sources.first_mut() {
        fault::in_text(request.fault, Codegen::DataParallel, own);
    }
    let host::Reactor { constant, by_energy, method, .. } = text.reactor;
    let subject = ReactorSubject { model, symbol: &text.symbol, constant, by_energy, method };
    let call = ReactorCall::new(&subject, progress);
    let outputs = outputs(compiler, model, &text, &call, cache).map_err(Failure::verification)?;
    let found = call.judge(&subject, &compiler.name, &outputs).map_err(Failure::verification)?;
    Ok(ProgramReport::verified(file, &format!("C++ text, as {} compiles it", compiler.name), found))
}

/// The numbers that the text gives, now or in an earlier run.
fn outputs(
    compiler: &HostCompiler,
    model: &Model,
    text: &ReactorFiles,
    call: &ReactorCall,
    cache: Option<&Cache>,
) -> Result<Vec<f64>, Vec<Diagnostic>> {
    let called = CalledReactor {
        species: model.species().len(),
        points: ReactorCall::POINTS,
        stride: ReactorCall::STRIDE,
        options: &reactor_options(),
    };
    let program = ("reactors.cpp".to_owned(), cpu::program_of_reactors(&model.mechanism.name, &called));
    let compiled = 1 + text.sources.len();
    let files: Vec<(String, String)> =
        [program].into_iter().chain(text.sources.iter().chain(&text.headers).cloned()).collect();
    run_or_known(compiler, (&files, compiled), &call.inputs(), call.outputs(), cache)
}
