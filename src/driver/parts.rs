//! Requests that are compiled each by itself.

use crate::forms::Choice;
use crate::observer::Observer;
use crate::plan::{Part, Request, Resolved};
use command::Failure;
use diagnostics::Diagnostic;
use graph::fission;
use kernels::{Kernel, Precision};
use kinetics::Model;
use overlay::Codegen;

/// The choice of a kernel's form.
pub type Weigh = fn(&Model, &Resolved<'_>, &mut Observer) -> Result<Choice, Failure>;

/// The kernels outside of sets, then those of each set; a matrix whose straight code would be too long for compilers is made as several
/// kernels in data-parallel code, where that is among the layouts.
pub fn requests(
    request: &Request,
    model: &Model,
    weigh: Weigh,
    observer: &mut Observer,
) -> Result<Vec<Request>, Failure> {
    let mut requests = Vec::new();
    for request in request.parts() {
        let mut whole = Vec::new();
        for &kernel in &request.kernels {
            let rows = rows_of_parts(&request.of_kernel(kernel), model, weigh, observer)?;
            if rows.is_empty() {
                whole.push(kernel);
                continue;
            }
            requests.push(Request { kernels: std::mem::take(&mut whole), ..request.clone() });
            let of = rows.len();
            let parts = (1..).zip(rows).map(|(number, rows)| Part { number, of, rows });
            requests.extend(parts.map(|part| of_part(&request, kernel, part)));
        }
        requests.push(Request { kernels: whole, ..request });
    }
    requests.retain(|request| !request.kernels.is_empty());
    Ok(requests)
}

fn of_part(request: &Request, kernel: Kernel, part: Part) -> Request {
    let request = Request { kernels: vec![kernel], part: Some(part), ..request.clone() };
    request.with_fastest_of(&[Codegen::DataParallel])
}

/// Nothing for a kernel that is made as one.
fn rows_of_parts(
    own: &Resolved<'_>,
    model: &Model,
    weigh: Weigh,
    observer: &mut Observer,
) -> Result<Vec<Vec<u32>>, Failure> {
    let common = &own.asked.common;
    let is_data_parallel = own.codegens().any(|codegen| codegen == Codegen::DataParallel);
    let is_one = own.beside.is_empty() || own.keep_fastest;
    let is_sparse = matches!(own.kernel, Kernel::IsobaricSparseJacobian | Kernel::IsochoricSparseJacobian);
    if common.target.is_cpu()
        || common.precision.kernels != Precision::Double
        || !(is_data_parallel && is_one && is_sparse)
    {
        return Ok(Vec::new());
    }
    own.check().map_err(|d| Failure::usage([d]))?;
    let own = own.in_layout(Codegen::DataParallel).with_points(1);
    let options = own.options_of(weigh(model, &own, observer)?.variant);
    let k = Some(own.kernel);
    let build = || kernels::build(own.kernel, model, &options);
    let graph = observer.pass("dataflow", k, build).map_err(Failure::input)?;
    let longest = schedule::longest_straight(&graph, common.target);
    let rows = observer.pass("fission", k, || fission::plan(&graph, longest));
    let faults = if rows.is_empty() { Vec::new() } else { fission::faults(&graph, &rows) };
    let said = |fault| Diagnostic::error("verify::unwritten", format!("the parts of {}: {fault}", own.kernel));
    if faults.is_empty() {
        Ok(rows)
    } else {
        Err(Failure::verification(faults.into_iter().map(said).collect::<Vec<_>>()))
    }
}
