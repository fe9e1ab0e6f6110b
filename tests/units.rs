//! Kernels in CGS: verified in the simulator against the reference in those units, and worth in SI what they should be.

use graph::{Units, interpret};
use kernels::{Kernel, Options};
use overlay::Codegen;
use singe::driver::Request;
use testkit::request;
use testkit::verified::reports;

#[test]
fn every_layout_and_form_is_verified_in_cgs() {
    for name in ["h2o2", "gri30"] {
        let cgs = request::new(testkit::shipped(name)).with(|r| r.common.units = Units::Cgs);
        reports(&cgs.clone().with(|r| r.tuning.form = None));
        reports(&Request { beside: vec![Codegen::Switch, Codegen::DataParallel], ..cgs }.with(|r| r.tuning.warps = 5));
    }
}

#[test]
fn reduced_chemistry_is_verified_in_cgs() {
    let methane = request::new(testkit::shipped("methane"));
    reports(&Request { kernels: vec![Kernel::Chemistry], ..methane }.with(|r| r.common.units = Units::Cgs));
}

/// The factors are written down here once more, from the definitions of the units.
#[test]
fn a_state_in_cgs_gives_the_same_physics() {
    let model = testkit::model(&testkit::shipped("h2o2"));
    // 1 Pa s = 10 P; 1 W/m/K = 1e7 erg/s / 100 cm / K; 1 m^2/s = 1e4 cm^2/s; 1 kmol/m^3/s = 1000 mol / 1e6 cm^3 / s
    for (kernel, factor) in [
        (Kernel::Viscosity, 10.0),
        (Kernel::Conductivity, 1e7 / 100.0),
        (Kernel::Diffusion, 1e4),
        (Kernel::Chemistry, 1000.0 / 1e6),
    ] {
        let outputs = [(Units::Si, 101_325.0), (Units::Cgs, 1_013_250.0)].map(|(units, pressure)| {
            let graph = kernels::build(kernel, &model, &Options { units, ..Options::default() }).unwrap();
            let species = model.species().len();
            let mut fields: Vec<Vec<f64>> = graph.arrays.iter().map(|a| vec![f64::NAN; a.rows as usize]).collect();
            for (field, array) in fields.iter_mut().zip(&graph.arrays) {
                match array.name {
                    "temperature" => field[0] = 1400.0,
                    "pressure" => field[0] = pressure,
                    "mole_fractions" => field.fill(1.0 / species as f64),
                    _ => {}
                }
            }
            interpret::run(&graph, &mut fields);
            fields.pop().unwrap()
        });
        for (si, cgs) in outputs[0].iter().zip(&outputs[1]) {
            // Rates of single species cancel; they are small beside the largest.
            let largest = outputs[0].iter().fold(0.0f64, |m, v| m.max(v.abs()));
            assert!((cgs - factor * si).abs() <= 1e-13 * factor * largest, "{kernel}: {si:e} {cgs:e}");
        }
        assert!(outputs[0].iter().any(|v| *v != 0.0));
    }
}
