//! The kernels that give rates of change at constant pressure and at constant volume: proven, and verified against the reference, in
//! both layouts, in both forms and for any number of warps.

use kernels::{Form, Kernel};
use kinetics::reactor::{Constant, tendency};
use overlay::Codegen;
use singe::driver::Request;
use testkit::verified::{each, numbers_of_warps};

const KERNELS: [Kernel; 2] = [Kernel::Isobaric, Kernel::Isochoric];

fn verified(name: &str, form: Form, codegen: Codegen, warps: impl IntoIterator<Item = u32> + Clone, states: usize) {
    let change = |r: &mut Request| (r.codegen, r.verify, r.tuning.form) = (codegen, Some(states), Some(form));
    let worst = each(&testkit::model(&testkit::shipped(name)), &KERNELS, change, warps);
    assert!(worst > 0.0 && worst <= 1e-10, "{worst:.1e}");
}

#[test]
fn h2o2_is_verified_in_log_space() {
    verified("h2o2", Form::LogSpace, Codegen::Overlay, [1, 4, 8, 32], 70);
    verified("h2o2", Form::LogSpace, Codegen::DataParallel, [4], 70);
}

#[test]
fn gri30_is_verified_for_1_to_32_warps() {
    verified("gri30", Form::LogSpace, Codegen::Overlay, numbers_of_warps(), 33);
    verified("gri30", Form::LogSpace, Codegen::DataParallel, [8], 70);
}

/// The temperature of a gas that burns at constant volume rises faster: nothing of the heat goes into work.
#[test]
fn a_burning_gas_heats_up_faster_in_a_closed_vessel() {
    let model = testkit::model(&testkit::shipped("h2o2"));
    let of = |name: &str| model.species().iter().position(|s| s.name == name).unwrap();
    let mut mole_fractions = vec![0.0; model.species().len()];
    for (name, x) in [("H2", 0.28), ("O2", 0.14), ("N2", 0.55), ("OH", 0.01), ("H", 0.02)] {
        mole_fractions[of(name)] = x;
    }
    let state = kinetics::State { temperature: 1500.0, pressure: 101_325.0, mole_fractions };
    let production = kinetics::production(&model, &state);
    let [pressure, volume] = [Constant::Pressure, Constant::Volume]
        .map(|constant| tendency(&model, &state, &production, constant).temperature);
    assert!(pressure > 0.0 && volume > pressure, "{pressure} {volume}");
}
