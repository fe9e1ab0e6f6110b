//! The flux kernel: proven and verified against the reference with every choice of outputs, with and without thermal diffusion; the fluxes
//! sum to zero.

use graph::interpret;
use kernels::{Form, Kernel, Options, Outputs};
use kinetics::Model;
use overlay::Codegen;
use singe::driver::Request;
use singe::verify::inputs;
use testkit::verified::each;

const ALL: &str = "mass-fluxes,enthalpy-flux,thermal-diffusion-ratios";

fn verified(model: &Model, change: impl Fn(&mut Request), warps: impl IntoIterator<Item = u32> + Clone) {
    let all = |r: &mut Request| {
        r.common.outputs = Outputs::parse(ALL).unwrap();
        r.common.soret = true;
        change(r);
    };
    assert!(each(model, &[Kernel::Flux], all, warps) > 0.0);
}

#[test]
fn every_choice_of_outputs_is_verified_with_and_without_thermal_diffusion() {
    let model = testkit::detailed(&testkit::shipped("h2o2"));
    for soret in [false, true] {
        for outputs in ["default", "enthalpy-flux", "thermal-diffusion-ratios", ALL] {
            let outputs = Outputs::parse(outputs).unwrap();
            verified(&model, |r| (r.common.soret, r.common.outputs) = (soret, outputs), [4]);
        }
    }
}

#[test]
fn gri30_is_verified() {
    let model = testkit::detailed(&testkit::shipped("gri30"));
    verified(&model, |r| r.tuning.form = Some(Form::Polynomial), [8]);
    verified(&model, |r| r.codegen = Codegen::DataParallel, [4]);
}

/// Mass moves, but not as a whole; and thermal diffusion changes what hydrogen does.
#[test]
fn fluxes_sum_to_zero() {
    let model = testkit::detailed(&testkit::shipped("gri30"));
    let built = |soret| kernels::build(Kernel::Flux, &model, &Options { soret, ..Options::default() }).unwrap();
    let graphs = [built(false), built(true)];
    let hydrogen = model.species().iter().position(|s| s.name == "H2").unwrap();
    for state in kinetics::verification_states(&model, 20) {
        let [ordinary, thermal] = graphs.each_ref().map(|graph| {
            let mut fields = inputs(&model, graph, &state);
            interpret::run(graph, &mut fields);
            fields.pop().unwrap()
        });
        for fluxes in [&ordinary, &thermal] {
            let sizes: f64 = fluxes.iter().map(|flux| flux.abs()).sum();
            assert!(sizes > 0.0 && fluxes.iter().sum::<f64>().abs() <= 1e-12 * sizes);
        }
        if state.mole_fractions[hydrogen] > 1e-3 && state.mole_fractions[hydrogen] < 0.999 {
            assert_ne!(ordinary[hydrogen], thermal[hydrogen]);
        }
    }
}
