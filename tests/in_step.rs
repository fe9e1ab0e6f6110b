//! Warps that go through large straight-line code together, also where a CTA has fewer groups of points left than warps.

use kernels::{Form, Kernel};
use machine::target::Target;
use overlay::Codegen;
use singe::driver::Request;
use singe::verify;
use testkit::request;

#[test]
fn warps_without_a_group_of_points_wait_and_store_nothing() {
    let request = Request { codegen: Codegen::DataParallel, verify: None, ..request::new(testkit::shipped("gri30")) };
    let model = testkit::request::model(&request);
    // five groups, the last of which is not full
    let states = kinetics::verification_states(&model, 150);
    for (target, warps) in [("volta", 2), ("hopper", 3), ("hopper", 8)] {
        let mut request = request.clone();
        (request.common.target, request.tuning.warps) = (Target::by_name(target).unwrap(), warps);
        request.tuning.form = Some(Form::LowRank);
        let unit = testkit::request::unit(Kernel::Viscosity, &model, &request);
        assert!(unit.program.is_in_step());
        let (symbol, stride) = (&unit.program.symbol, states.len() + 5);
        let run = verify::simulate(&unit.ptx, symbol, (&model, &unit.graph), warps, &states, stride);
        let (outputs, counts) = run.unwrap_or_else(|d| panic!("{target}, {warps} warps: {d:?}"));
        assert_eq!(counts.total().global_store_bytes as usize, 8 * states.len(), "each output is stored once");
        let turns = 5u64.div_ceil(warps.into());
        assert!(counts.total().barriers >= turns * u64::from(warps), "a turn begins with a barrier");
        let options = request.common.stiffness;
        let error = verify::largest_error(unit.kernel, &model, &unit.graph, options, &states, stride, &outputs);
        assert!(error <= unit.graph.bound + 1e-12, "{target}, {warps} warps: {error:e}");
    }
}
