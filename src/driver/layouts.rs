//! Kernels in every layout that was asked for.

use super::printed;
use crate::observer::Observer;
use crate::output::Unit;
use crate::plan::{Request, Resolved};
use crate::search;
use command::{Failure, FailureKind};
use kinetics::Model;

/// The compilation of one kernel in one layout.
pub type Compile = fn(&Model, &Resolved<'_>, &mut Observer) -> Result<Unit, Failure>;

/// The kernels for a CPU, beside those for another target.
pub fn compile_for_cpu(request: &Request, model: &Model, compile: Compile) -> Result<Vec<Unit>, Failure> {
    let mut units = Vec::new();
    for part in request.for_cpu().parts() {
        for &kernel in &part.kernels {
            units.push(compile(model, &part.of_kernel(kernel), &mut Observer::silent())?);
        }
    }
    Ok(units)
}

/// One kernel in all layouts that were asked for, with the estimated time of data-parallel code beside others.
pub fn compile_layouts(
    model: &Model,
    own: &Resolved<'_>,
    compile: Compile,
    observer: &mut Observer,
) -> Result<Vec<Unit>, Failure> {
    let mut units = Vec::new();
    let mut refused = None;
    for codegen in own.codegens() {
        match compile(model, &own.in_layout(codegen), observer) {
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
        let mut alternative = compile(model, &layout, &mut Observer::silent()).ok();
        if let Some(unit) = &mut alternative {
            printed::allocate(own.asked, unit, &mut Observer::silent())?;
        }
        let time = alternative.and_then(|unit| unit.report.machine.estimated_ns);
        units.iter_mut().for_each(|unit| unit.report.data_parallel_ns = time);
    }
    Ok(units)
}
