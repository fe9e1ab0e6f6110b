//! The HIP text of reactors: Clang compiles it, and the simulator runs its machine code, before anything is written.

use std::collections::BTreeMap;

use super::reactors::{file, pipeline, subject};
use crate::compilers::{self, AmdCompilerOutput};
use crate::fault;
use crate::output::{ReactorText, Unit};
use crate::plan::Request;
use crate::report::ProgramReport;
use crate::verify::{run_on_amd, simulate_reactors};
use command::Failure;
use diagnostics::Diagnostic;
use kinetics::Model;
use machine::target::Amd;
use overlay::Codegen;

/// Result of compiling and running the reactors.
///
/// Errors: the text is refused, its machine code has a hazard, or ends elsewhere than the plain integrator.
pub fn run(
    request: &Request,
    amd: &Amd,
    model: &Model,
    units: &[Unit],
    text: &ReactorText,
) -> Result<ProgramReport, Failure> {
    let file = file(request, model);
    let not_run = |reason: &str| Ok(ProgramReport::not_run(file.clone(), reason));
    let symbol = text.symbol.as_str();
    let mut source = text.text.clone();
    fault::in_text(request.fault, Codegen::DataParallel, &mut source);
    let made = compilers::compile_for_amd(amd, &format!("{symbol}_stage"), &source).map_err(Failure::verification)?;
    let Some(AmdCompilerOutput { compiler, assembly, .. }) = made else {
        return not_run("no clang that knows the target is found");
    };
    let mut kernels: BTreeMap<String, gcn::Kernel> = BTreeMap::new();
    let mut unknown = None;
    let (subject, pipeline) = (subject(model, text), pipeline(model, units, &text.reactor));
    // With approximations exact, then cut to what AMD documents of them.
    let mut found = None;
    for cut in [false, true] {
        let run = simulate_reactors(&subject, &pipeline, &mut |name, launch, buffers| {
            let kernel = format!("{symbol}_{name}");
            if !kernels.contains_key(&kernel) {
                match gcn::read(&assembly, &kernel) {
                    Ok(read) => _ = kernels.insert(kernel.clone(), read),
                    Err(refused) => {
                        unknown = refused.first().map(|first| format!("{kernel}, {first}"));
                        return Err(Vec::new());
                    }
                }
            }
            let run = run_on_amd(&kernels[&kernel], launch, buffers, gcn::Options { cut });
            run.map(|_| ()).map_err(|hazard| {
                let what = format!("{kernel}: {hazard} (the machine code of {compiler})");
                vec![Diagnostic::error("simulator::hazard", what)]
            })
        });
        if let Some(reason) = unknown {
            return not_run(&reason);
        }
        found = Some(run.map_err(Failure::verification)?);
    }
    let found = found.expect("it ran");
    Ok(ProgramReport::verified(file, &format!("machine code that {compiler} makes of the HIP text"), found))
}
