//! States that are told by concentrations, density, energy or enthalpy: proven and verified in a larger mechanism, and the temperature kernel.

use graph::interpret;
use kernels::{Form, Kernel, Options, StateVariables};
use kinetics::approximation::range::TemperatureRange;
use overlay::Codegen;
use singe::driver::Request;
use testkit::request;
use testkit::verified::unit;

const STATES: [StateVariables; 5] = [
    StateVariables::Concentrations,
    StateVariables::DensityByMole,
    StateVariables::Density,
    StateVariables::Energy,
    StateVariables::Enthalpy,
];

fn verified(name: &str, kernels: &[Kernel], change: impl Fn(&mut Request), warps: impl IntoIterator<Item = u32>) {
    let model = testkit::model(&testkit::shipped(name));
    let plain = Request { verify: Some(33), ..request::new(testkit::shipped(name)) }.with(change);
    for warps in warps {
        for (kernel, state) in kernels.iter().flat_map(|&kernel| STATES.map(|state| (kernel, state))) {
            let request = plain.clone().with(|r| (r.common.state, r.tuning.warps) = (state, warps));
            let unit = unit(kernel, &model, &request);
            assert_eq!(unit.graph.arrays[0].name, state.arrays()[0]);
        }
    }
}

#[test]
fn the_temperature_kernel_is_verified() {
    verified("gri30", &[Kernel::Temperature], |_| {}, [1, 2, 5, 8, 16, 32]);
}

#[test]
fn a_larger_mechanism_takes_every_state() {
    verified("gri30", &[Kernel::Chemistry, Kernel::Diffusion], |r| r.tuning.form = None, [8]);
    let parallel = |r: &mut Request| {
        r.codegen = Codegen::DataParallel;
        r.tuning.form = Some(Form::LogSpace);
    };
    verified("gri30", &[Kernel::Temperature, Kernel::Isochoric], parallel, [8]);
}

/// The range within which temperatures are found is all or nearly all of what is promised elsewhere; beyond it there is no number.
#[test]
fn an_energy_that_no_temperature_has_gives_no_number() {
    for name in ["h2o2", "gri30"] {
        let model = testkit::model(&testkit::shipped(name));
        for state in [StateVariables::Energy, StateVariables::Enthalpy] {
            let options = Options { state, ..Options::default() };
            let graph = kernels::build(Kernel::Temperature, &model, &options).unwrap();
            let range = graph.range.unwrap();
            println!("{name} {state:?}: {range}");
            assert_eq!(range.coldest, TemperatureRange::DEFAULT.coldest);
            assert!(range.hottest >= 3000.0, "{range}");
            for (energy, is_number) in [(0.0, true), (-1e9, false), (1e12, false), (f64::NAN, false)] {
                let composition = model.species().iter().map(|s| f64::from(u8::from(s.name == "N2"))).collect();
                let mut fields = vec![vec![energy], vec![1.0], composition, vec![f64::NAN; 2]];
                interpret::run(&graph, &mut fields);
                assert_eq!(fields[3][0].is_nan(), !is_number, "{name} {energy}: {:?}", fields[3]);
            }
        }
    }
}
