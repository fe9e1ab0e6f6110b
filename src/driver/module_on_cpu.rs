//! The Fortran module of procedures of one point: compiled for this machine's CPU and run, before anything is written.

use super::on_compilers::subject;
use super::on_cpu::run_or_known;
use crate::observer::Observer;
use crate::output::{self, DeviceModule, Unit};
use crate::plan::Request;
use crate::report::TextForCpu;
use crate::verify::{Points, TextOnCpu};
use cache::Cache;
use command::Failure;
use diagnostics::Diagnostic;
use emit_c::fortran::{self, Called};
use kinetics::Model;
use machine::toolchain::{self, HostCompiler};

/// Verifies the module, where the request has it.
///
/// Errors: the compiler refuses the text or remarks on it, or a number is too far from the reference.
pub fn verify(
    request: &Request,
    model: &Model,
    of_cpu: &[Unit],
    cache: Option<&Cache>,
    observer: &mut Observer,
) -> Result<Option<TextForCpu>, Failure> {
    let Some(states) = request.verify else { return Ok(None) };
    let Some(module) = output::device_module(request, model, of_cpu) else { return Ok(None) };
    let compiler = match request.real_compilers {
        true => toolchain::fortran_compiler().map_err(|absent| absent.to_string()),
        false => Err("compilers are off".to_owned()),
    };
    let runs = match compiler {
        Err(reason) => vec![TextOnCpu::NotRun(reason)],
        Ok(compiler) => {
            let run = || run(request, model, of_cpu, &module, states, compiler, cache);
            observer.pass("verify Fortran", None, run).map_err(Failure::verification)?
        }
    };
    Ok(TextForCpu::new(module.file, &runs))
}

/// Runs all procedures and returns the results.
fn run(
    request: &Request,
    model: &Model,
    of_cpu: &[Unit],
    module: &DeviceModule,
    states: usize,
    compiler: &HostCompiler,
    cache: Option<&Cache>,
) -> Result<Vec<TextOnCpu>, Vec<Diagnostic>> {
    let subjects: Vec<_> = of_cpu.iter().map(|unit| subject(request, model, unit, &unit.ptx)).collect();
    let points: Vec<Points> = subjects.iter().map(|subject| Points::new(subject, states, &|_, _| ())).collect();
    let calls = of_cpu.iter().zip(&points).map(|(unit, points)| Called {
        symbol: &unit.program.symbol,
        arrays: &unit.program.arrays,
        points: points.points,
        stride: points.stride,
    });
    let program = fortran::program(&module.interface, &calls.collect::<Vec<_>>());
    let files = [(module.file.clone(), module.text.clone()), ("texts.f90".to_owned(), program)];
    let inputs: Vec<f64> = points.iter().flat_map(|points| points.inputs.iter().copied()).collect();
    let count = points.iter().map(|points| points.outputs.len()).sum();
    let outputs = run_or_known(compiler, (&files, 2), &inputs, count, cache)?;
    let (mut rest, mut runs) = (&outputs[..], Vec::new());
    for ((unit, points), subject) in of_cpu.iter().zip(&points).zip(&subjects) {
        let (own, others) = rest.split_at(points.outputs.len());
        rest = others;
        let what = format!("{}: the Fortran procedure", unit.program.symbol);
        runs.push(TextOnCpu::Verified(points.judge(subject, &what, &compiler.name, own, false)?));
    }
    Ok(runs)
}
