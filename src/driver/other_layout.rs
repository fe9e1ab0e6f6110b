//! Another layout for kernels whose machine code could not be run, where nobody asked for the layout.

use super::{compile_one, on_compilers};
use crate::observer::Observer;
use crate::output::Unit;
use crate::plan::Request;
use command::{Failure, FailureKind};
use kinetics::Model;
use overlay::Codegen;

/// Layouts that are tried in the place of data-parallel code, the shortest code first.
const OTHERS: [Codegen; 3] = [Codegen::Overlay, Codegen::Partial, Codegen::Switch];

/// The kernels, each whose machine code was not run in the first other layout whose machine code is, if there is one.
pub fn in_layouts_that_run(
    request: &Request,
    model: &Model,
    units: Vec<Unit>,
    observer: &mut Observer,
) -> Result<Vec<Unit>, Failure> {
    let settled = units.into_iter().map(|unit| {
        let is_settled = !request.unset.layout || unit.report.not_run().is_none();
        if is_settled { Ok(unit) } else { in_another(request, model, unit, observer) }
    });
    settled.collect()
}

fn in_another(request: &Request, model: &Model, unit: Unit, observer: &mut Observer) -> Result<Unit, Failure> {
    for codegen in OTHERS {
        let own = request.of_kernel(unit.kernel).in_layout(codegen);
        let mut other = match compile_one(model, &own, observer) {
            Err(failure) if failure.kind == FailureKind::Input => continue,
            made => made?,
        };
        on_compilers::compile(request, model, &mut [&mut other], observer)?;
        if other.report.not_run().is_none() {
            return Ok(other);
        }
    }
    Ok(unit)
}
