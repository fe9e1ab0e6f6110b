//! Every kernel with all of its outputs, proven and verified against the reference: at 1 to 32 warps, and in every form, layout, unit and
//! state.

use clap::ValueEnum;
use graph::Units;
use kernels::{Form, Kernel, Output, Outputs, StateVariables};
use overlay::Codegen;
use singe::driver::Request;
use testkit::request;
use testkit::verified::{numbers_of_warps, unit};

/// Verifies each kernel at these numbers of warps, in each of the requests that `ways` makes of its own.
fn verified(warps: impl IntoIterator<Item = u32> + Clone, ways: impl Fn(Kernel, Request) -> Vec<Request>) {
    let path = testkit::shipped("h2o2");
    let model = testkit::detailed(&path);
    // Steps in time take other states, and have tests of their own (tests/steps.rs).
    let is_step = |kernel: &&Kernel| matches!(kernel, Kernel::IsobaricStep | Kernel::IsochoricStep);
    for &kernel in Kernel::value_variants().iter().filter(|kernel| !is_step(kernel)) {
        let plain = Request { verify: Some(33), ..request::new(path.clone()) }.with(|r| {
            r.common.soret = kernel == Kernel::Flux;
            r.common.outputs = outputs(kernel).unwrap_or(r.common.outputs);
            if kernel == Kernel::Temperature {
                r.common.state = StateVariables::Enthalpy;
            }
        });
        for way in ways(kernel, plain) {
            for warps in warps.clone() {
                let request = way.clone().with(|r| r.tuning.warps = warps);
                let unit = unit(kernel, &model, &request);
                assert!(unit.report.verdict.starts_with("proven, verified"), "{}", unit.report.verdict);
                assert_eq!(unit.graph.arrays[0].name, request.common.state.arrays()[0], "{kernel}");
            }
        }
    }
}

/// All outputs of a kernel that has a choice of them.
fn outputs(kernel: Kernel) -> Option<Outputs> {
    let names: Vec<String> = Output::all().filter(|output| output.kernel() == kernel).map(Output::name).collect();
    (!names.is_empty()).then(|| Outputs::parse(&names.join(",")).unwrap())
}

#[test]
fn every_kernel_is_verified_for_1_to_32_warps() {
    verified(numbers_of_warps(), |_, plain| vec![plain]);
}

#[test]
fn every_form_is_verified() {
    verified([8], |kernel, plain| {
        let forms = Form::allowed(kernel, Some(1e-4)).into_iter().map(Some).chain([None]);
        forms.map(|form| plain.clone().with(|r| r.tuning.form = form)).collect()
    });
}

/// Units are a factor of inputs and outputs in the graph, which no layout knows: each layout has one by turns; with sweeps both.
#[test]
fn every_layout_is_verified_and_every_unit() {
    let are_swept = testkit::skip::sweeps("every layout in every unit");
    let layouts = [Codegen::DataParallel, Codegen::Straight, Codegen::Switch, Codegen::Partial, Codegen::Overlay];
    let all = layouts.into_iter().zip(0..).flat_map(|(codegen, at)| {
        let units = [Units::Si, Units::Cgs].into_iter().zip(0..).filter(move |(_, of)| are_swept || at % 2 == *of);
        units.map(move |(units, _)| (codegen, units))
    });
    verified([4], |_, plain| {
        let ways = all.clone();
        ways.map(|(codegen, units)| Request { codegen, ..plain.clone() }.with(|r| r.common.units = units)).collect()
    });
}

#[test]
fn every_state_is_verified() {
    verified([8], |kernel, plain| {
        let is_known =
            |state: &&StateVariables| kernel != Kernel::Temperature || !state.arrays().contains(&"temperature");
        let states = StateVariables::value_variants().iter().filter(is_known);
        states.map(|&state| plain.clone().with(|r| r.common.state = state)).collect()
    });
}
