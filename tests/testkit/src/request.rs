//! A request to vary, and what the driver makes of requests.

use kernels::{Form, Kernel};
use kinetics::Model;
use machine::target::Target;
use mechanism::Files;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::output::Unit;
use singe::report::Report;

/// All kernels of a mechanism at 8 warps for Kepler, in the paper's form, verified; nothing is written.
pub fn new(mechanism: std::path::PathBuf) -> Request {
    Request { files: Files { mechanism, ..Files::default() }, ..Request::default() }.with(|r| {
        r.common.target = Target::by_name("kepler").unwrap();
        r.tuning.form = Some(Form::Pairwise);
    })
}

/// The model of the mechanism that a request names.
pub fn model(request: &Request) -> Model {
    kinetics::model(mechanism::read(&request.files).expect("a valid mechanism").0).expect("a model")
}

/// The kernels of a request, with the model of its mechanism.
pub fn units(request: &Request) -> (Model, Vec<Unit>) {
    let model = model(request);
    let units = request.kernels.iter().map(|kernel| unit(*kernel, &model, request)).collect();
    (model, units)
}

/// A kernel of a model, whatever the mechanism that the request names.
pub fn unit(kernel: Kernel, model: &Model, request: &Request) -> Unit {
    let unit = driver::compile_kernel(kernel, model, request, &mut Observer::silent());
    unit.unwrap_or_else(|failure| panic!("{kernel} of {request:?}: {:?}", failure.diagnostics))
}

/// The report of all kernels that a request asks for.
pub fn report(request: &Request) -> Report {
    let report = driver::compile(request, &mut Observer::silent());
    report.unwrap_or_else(|failure| panic!("{request:?}: {:?}", failure.diagnostics))
}
