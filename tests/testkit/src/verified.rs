//! Kernels that are compiled, proven and verified.

use kernels::Kernel;
use kinetics::{Model, State};
use singe::driver::Request;
use singe::output::Unit;
use singe::report::KernelReport;
use singe::verify;

use crate::{request, skip};

/// The reports of all kernels of a request, each verified on 64 states at least.
pub fn reports(asked: &Request) -> Vec<KernelReport> {
    let (what, report) = (what(asked), request::report(asked));
    for kernel in &report.kernels {
        let found = kernel.verification.as_ref().expect("verification was asked for");
        assert!(found.states >= 64 && found.largest_error <= found.tolerance, "{what} {}: {found:?}", kernel.kernel);
        println!(
            "{what}: {} {} {} error {:.1e}, {:.0} slots, {:.0} shuffles, {} barriers, {} phases",
            kernel.codegen,
            kernel.form,
            kernel.kernel,
            found.largest_error,
            found.slots_per_point,
            found.shuffles_per_point,
            kernel.barriers,
            kernel.phases
        );
    }
    report.kernels
}

/// Kernels of a model at each number of warps, with what else a request is changed to; the largest error of all. Each is verified on 33
/// states, if no other number is asked for.
pub fn each(
    model: &Model,
    kernels: &[Kernel],
    change: impl Fn(&mut Request),
    warps: impl IntoIterator<Item = u32> + Clone,
) -> f64 {
    let plain = Request { verify: Some(33), ..request::new(crate::shipped("h2o2")) }.with(change);
    let cases = kernels.iter().flat_map(|&kernel| warps.clone().into_iter().map(move |warps| (kernel, warps)));
    let units = cases.map(|(kernel, warps)| unit(kernel, model, &plain.clone().with(|r| r.tuning.warps = warps)));
    units.map(|unit| unit.report.verification.map_or(0.0, |found| found.largest_error)).fold(0.0, f64::max)
}

/// Numbers of warps up to 32: some powers of two, and some that divide nothing evenly; with sweeps all.
pub fn numbers_of_warps() -> Vec<u32> {
    if skip::sweeps("all numbers of warps up to 32") { (1..=32).collect() } else { vec![1, 3, 8, 13, 32] }
}

/// A kernel of a model, whatever the mechanism that the request names.
pub fn unit(kernel: Kernel, model: &Model, asked: &Request) -> Unit {
    let what = format!("{} {kernel} {}", model.mechanism.name, what(asked));
    let unit = request::unit(kernel, model, asked);
    let found = unit.report.verification.as_ref().expect("verification was asked for");
    assert!(found.largest_error <= found.tolerance, "{what}: {found:?}");
    println!("{what} {}: error {:.1e}, {:.0} slots", unit.report.form, found.largest_error, found.slots_per_point);
    unit
}

/// The outputs on some states as bits, one state after the other; `gap` entries lie behind each row. Nothing is stored twice or behind the last state.
pub fn outputs(unit: &Unit, model: &Model, states: &[State], gap: usize) -> Vec<Vec<u64>> {
    let stride = states.len() + gap;
    let warps = unit.program.execution.warps();
    let run = verify::simulate(&unit.ptx, &unit.program.symbol, (model, &unit.graph), warps, states, stride);
    let (values, counts) = run.unwrap_or_else(|d| panic!("{} points: {d:?}", states.len()));
    assert_eq!(counts.total().global_store_bytes as usize, 8 * values.len() / stride * states.len(), "stored once");
    let of_state = |point| values.iter().skip(point).step_by(stride).map(|v| v.to_bits()).collect();
    (0..states.len()).map(of_state).collect()
}

fn what(request: &Request) -> String {
    let folder = request.files.mechanism.parent().and_then(|folder| folder.file_name()).unwrap_or_default().display();
    let (common, tuning) = (&request.common, &request.tuning);
    format!("{folder} for {}, {} warps, {:?}, {:?}", common.target.name, tuning.warps, request.codegen, tuning.form)
}
