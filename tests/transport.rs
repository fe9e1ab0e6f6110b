//! The transport kernel: proven and verified against the reference for any number of warps, in every form, layout, unit and state; what
//! its parts share is computed once.

use graph::Units;
use kernels::{Form, Kernel, Options, StateVariables, TRANSPORT_PARTS};
use kinetics::Model;
use overlay::Codegen;
use singe::driver::Request;
use testkit::verified::each;

fn verified(model: &Model, change: impl Fn(&mut Request), warps: impl IntoIterator<Item = u32> + Clone) {
    assert!(each(model, &[Kernel::Transport], change, warps) > 0.0);
}

#[test]
fn h2o2_is_verified_for_1_to_32_warps() {
    verified(&testkit::detailed(&testkit::shipped("h2o2")), |_| {}, 1..=32);
}

#[test]
fn every_form_layout_unit_and_state_is_verified() {
    let model = testkit::detailed(&testkit::shipped("h2o2"));
    for form in Form::allowed(Kernel::Transport, Some(1e-4)) {
        verified(&model, |r| r.tuning.form = Some(form), [3]);
    }
    for codegen in [Codegen::DataParallel, Codegen::Switch] {
        verified(&model, |r| r.codegen = codegen, [4]);
    }
    verified(&model, |r| r.common.units = Units::Cgs, [4]);
    for state in [StateVariables::MassFractions, StateVariables::Density, StateVariables::Enthalpy] {
        verified(&model, |r| r.common.state = state, [4]);
    }
}

#[test]
fn gri30_is_verified_and_shares_what_its_parts_have_in_common() {
    let model = testkit::detailed(&testkit::shipped("gri30"));
    verified(&model, |r| r.tuning.form = Some(Form::Symmetric), [8]);
    let options = Options { form: Form::Pairwise, warps: 1, ..Options::default() };
    let built = |kernel| kernels::build(kernel, &model, &options).unwrap();
    let parts = TRANSPORT_PARTS.map(built);
    let whole = built(Kernel::Transport);
    let (steps, slots): (usize, u64) =
        (parts.iter().map(|g| g.ops.len()).sum(), parts.iter().map(|g| g.slots(1)).sum());
    println!("operations: {} of {steps}; slots: {} of {slots}", whole.ops.len(), whole.slots(1));
    assert!(whole.ops.len() <= steps && whole.slots(1) < slots);
}
