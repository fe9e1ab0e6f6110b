//! Kernels on the real compilers: what these make of the texts is verified, run and timed.

use crate::compilers::{self, AmdCompilerOutput};
use crate::observer::Observer;
use crate::output::{OnCompilers, Unit};
use crate::plan::Request;
use crate::report::OnAmd;
use crate::verify::{self, MachineCode, Prediction, Subject, TextVerification};
use command::Failure;
use diagnostics::Diagnostic;
use kinetics::Model;
use machine::target::Amd;
use sass::Cubin;

/// Compiles the texts with the real compilers, where they are installed and the request wants it, times what they make, and takes the figures
/// into the reports.
pub fn compile(
    request: &Request,
    model: &Model,
    units: &mut [&mut Unit],
    observer: &mut Observer,
) -> Result<(), Failure> {
    if !request.real_compilers || units.is_empty() || request.common.target.is_cpu() {
        return Ok(());
    }
    let target = request.common.target;
    if let Some(amd) = target.amd() {
        return on_amd(request, model, amd, units, observer);
    }
    let texts: Vec<(&str, &str)> =
        units.iter().map(|unit| (unit.program.symbol.as_str(), unit.source.as_str())).collect();
    let made = observer.pass("compilers", None, || compilers::compile(target, &texts));
    for (unit, made) in units.iter_mut().zip(made.map_err(Failure::verification)?) {
        let cubin = machine_code(request, unit, &made).map_err(Failure::verification)?;
        unit.report.compiled(target, &unit.program, made.needs.clone());
        let predicted = || predict(request, model, unit, &made, cubin.as_ref());
        let predicted = observer.pass("time", Some(unit.kernel), predicted);
        let code = cubin.as_ref().and_then(|cubin| cubin.as_ref().ok()?.kernel(&unit.program.symbol));
        unit.constants_read = code.map(sass::Kernel::constants).unwrap_or_default();
        unit.compiled = Some(OnCompilers { made, cubin });
        match predicted {
            Ok(predicted) => unit.report.predicted(target, &unit.program, predicted),
            Err(hazards) => {
                // Verification, where it is wanted, says where in the text they come from.
                verify(request, model, unit, observer)?;
                return Err(Failure::verification(hazards));
            }
        }
    }
    Ok(())
}

/// Verifies what the compilers made of a kernel, once.
pub fn verify(request: &Request, model: &Model, unit: &mut Unit, observer: &mut Observer) -> Result<(), Failure> {
    let Some(OnCompilers { made, cubin }) = &unit.compiled else { return Ok(()) };
    if unit.report.text.is_some() {
        return Ok(());
    }
    let kernel = Some(unit.kernel);
    let text = observer.pass("verify text", kernel, || verify_text(request, model, unit, made));
    let text = text.map_err(Failure::verification)?;
    let run = || verify_machine_code(request, model, unit, made, cubin.as_ref());
    let run = observer.pass("verify machine code", kernel, run).map_err(Failure::verification)?;
    unit.report.verified(request.common.target, &unit.program, text, run);
    Ok(())
}

/// Has Clang make machine code for AMD of the texts, where one that knows the machine is installed, and runs it where all
/// its instructions are known here.
fn on_amd(
    request: &Request,
    model: &Model,
    amd: &Amd,
    units: &mut [&mut Unit],
    observer: &mut Observer,
) -> Result<(), Failure> {
    let target = request.common.target;
    for unit in units {
        let compile = || compilers::compile_for_amd(amd, &unit.program.symbol, &unit.source);
        let made = observer.pass("compilers", Some(unit.kernel), compile).map_err(Failure::verification)?;
        let Some(AmdCompilerOutput { compiler, listing, assembly }) = made else { continue };
        let made = OnAmd::new(compiler, listing, target, amd);
        unit.report.measured_on_amd(target, &unit.program, made);
        let Some(states) = request.verify.filter(|_| request.verify_machine_code) else { continue };
        let subject = subject(request, model, unit, &unit.ptx);
        let run = || verify::verify_on_amd(&subject, &assembly, compiler, states);
        let run = observer.pass("verify machine code", Some(unit.kernel), run).map_err(Failure::verification)?;
        unit.report.ran_on_amd(run);
    }
    Ok(())
}

/// Verifies what the compilers made of a kernel's text, unless the request leaves the simulation out.
fn verify_text(
    request: &Request,
    model: &Model,
    unit: &Unit,
    made: &compilers::CompilerOutput,
) -> Result<Option<TextVerification>, Vec<Diagnostic>> {
    let (subject, shared) = (subject(request, model, unit, &made.ptx), unit.report.shared_bytes);
    request.verify.map(|states| verify::verify_text(&subject, &made.compiler, shared, states)).transpose()
}

/// The machine code of a kernel where the request wants it run, or why nothing here can read it.
fn machine_code(
    request: &Request,
    unit: &Unit,
    made: &compilers::CompilerOutput,
) -> Result<Option<Result<Cubin, String>>, Vec<Diagnostic>> {
    let is_verified = request.verify.is_some() && request.verify_machine_code;
    if !(is_verified || request.predict_time) {
        return Ok(None);
    }
    if let Err(reason) = toolkit::cubin::reads_machine_code(request.common.target) {
        return Ok(Some(Err(reason)));
    }
    toolkit::cubin::read_machine_code(&unit.program.symbol, &made.cubin).map(|cubin| Some(Ok(cubin)))
}

/// Verifies the machine code, unless the request leaves that out.
fn verify_machine_code(
    request: &Request,
    model: &Model,
    unit: &Unit,
    made: &compilers::CompilerOutput,
    cubin: Option<&Result<Cubin, String>>,
) -> Result<Option<MachineCode>, Vec<Diagnostic>> {
    let Some((states, cubin)) = request.verify.filter(|_| request.verify_machine_code).zip(cubin) else {
        return Ok(None);
    };
    match cubin {
        Err(reason) => Ok(Some(MachineCode::NotRun(reason.clone()))),
        Ok(cubin) => {
            let (subject, shared) = (subject(request, model, unit, &made.ptx), unit.report.shared_bytes);
            verify::verify_machine_code(&subject, cubin, &made.assembler, shared, states).map(Some)
        }
    }
}

/// Runs the full model of time on the machine code, unless the request leaves that out.
fn predict(
    request: &Request,
    model: &Model,
    unit: &Unit,
    made: &compilers::CompilerOutput,
    cubin: Option<&Result<Cubin, String>>,
) -> Result<Option<Prediction>, Vec<Diagnostic>> {
    let Some(Ok(cubin)) = cubin.filter(|_| request.predict_time) else { return Ok(None) };
    let (subject, report) = (subject(request, model, unit, &made.ptx), &unit.report);
    verify::predict(&subject, cubin, report.shared_bytes, report.machine.ctas_per_sm, request.common.target)
}

/// Times a kernel in the steady state, where it was timed at all.
pub fn settle(request: &Request, model: &Model, unit: &mut Unit, observer: &mut Observer) -> Result<(), Failure> {
    unit.is_settled = true;
    let target = request.common.target;
    let settled = timed_again(request, model, unit, observer, |subject, cubin, shared, ctas| {
        verify::steady(subject, cubin, shared, ctas, target)
    })?;
    if let Some(steady) = settled {
        unit.report.settled(target, &steady);
    }
    Ok(())
}

/// Times a kernel in the steady state if what is assumed of the target is otherwise, where it was timed at all.
pub fn doubt(request: &Request, model: &Model, unit: &mut Unit, observer: &mut Observer) -> Result<(), Failure> {
    unit.is_doubted = true;
    let target = request.common.target;
    unit.sensitivity = timed_again(request, model, unit, observer, |subject, cubin, shared, ctas| {
        verify::sensitivity(subject, cubin, shared, ctas, target)
    })?;
    Ok(())
}

/// Runs the model of time on the machine code of a kernel that was timed before. `run` gets its shared memory and CTAs per SM.
fn timed_again<T>(
    request: &Request,
    model: &Model,
    unit: &Unit,
    observer: &mut Observer,
    run: impl FnOnce(&Subject<'_>, &Cubin, u32, u32) -> Result<Option<T>, Vec<Diagnostic>>,
) -> Result<Option<T>, Failure> {
    let Some(OnCompilers { made, cubin: Some(Ok(cubin)) }) = &unit.compiled else { return Ok(None) };
    if unit.report.prediction.is_none() {
        return Ok(None);
    }
    let (subject, report) = (subject(request, model, unit, &made.ptx), &unit.report);
    let (shared, ctas) = (report.shared_bytes, report.machine.ctas_per_sm);
    observer.pass("time", Some(unit.kernel), || run(&subject, cubin, shared, ctas)).map_err(Failure::verification)
}

/// Returns the subject of verification for a kernel.
pub(super) fn subject<'a>(request: &Request, model: &'a Model, unit: &'a Unit, module: &'a ptx::Module) -> Subject<'a> {
    let Unit { kernel, graph, mapping, proven, program, .. } = unit;
    let stiffness = request.common.stiffness;
    Subject { kernel: *kernel, model, stiffness, graph, mapping, proven, program, module }
}
