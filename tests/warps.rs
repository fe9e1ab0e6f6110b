//! Every kernel in warp-specialized code, proven and verified at few, odd and all warps; `cargo lab warps` goes through every number.

use clap::ValueEnum;
use kernels::{Kernel, StateVariables};
use singe::driver::{self, Request};
use singe::observer::Observer;
use testkit::request;

#[test]
fn every_kernel_is_verified_for_few_and_many_warps() {
    let plain = request::new(testkit::shipped("h2o2"));
    let model = kinetics::model(mechanism::read(&plain.files).unwrap().0).unwrap();
    // Steps in time take other states, and have tests of their own (tests/steps.rs).
    let is_step = |kernel: &&Kernel| matches!(kernel, Kernel::IsobaricStep | Kernel::IsochoricStep);
    for &kernel in Kernel::value_variants().iter().filter(|kernel| !is_step(kernel)) {
        for warps in [1, 7, 32] {
            let request = Request { verify: Some(33), ..plain.clone() }.with(|r| {
                r.tuning.form = None;
                r.tuning.warps = warps;
                // the temperature kernel has nothing to do where the temperature is given
                r.common.state = StateVariables::Enthalpy;
            });
            let unit = driver::compile_kernel(kernel, &model, &request, &mut Observer::silent());
            let unit = unit.unwrap_or_else(|f| panic!("{kernel} at {warps} warps: {:?}", f.diagnostics));
            let verified = unit.report.verification.expect("it was asked for");
            println!("{kernel} at {warps} warps: {:.1e}", verified.largest_error);
            assert!(unit.report.verdict.starts_with("proven, verified"), "{}", unit.report.verdict);
            assert_eq!(unit.program.execution.warps(), warps, "{kernel}");
        }
    }
}
