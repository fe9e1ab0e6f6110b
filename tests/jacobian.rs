//! Derivatives of the chemistry: proven, and verified against dual numbers through the reference, for every rate expression, in every
//! layout and form, for any number of warps and with every state.

use kinetics::reactor::Constant;
use kinetics::{Model, Stiffness};
use mechanism::{Companion, Files};
use singe::driver::{self, Request};
use singe::graph::Units;
use singe::kernels::{self, Form, Kernel, MatrixStorage, Options, StateVariables};
use singe::observer::Observer;
use singe::overlay::Codegen;

#[path = "common/request.rs"]
mod request;
#[path = "common/skip.rs"]
mod skip;

const KERNELS: [Kernel; 7] = [
    Kernel::Jacobian,
    Kernel::IsobaricJacobian,
    Kernel::IsochoricJacobian,
    Kernel::IsobaricSparseJacobian,
    Kernel::IsochoricSparseJacobian,
    Kernel::IsobaricJacobianVector,
    Kernel::IsochoricJacobianVector,
];

fn model(path: std::path::PathBuf) -> Model {
    let files =
        Files { mechanism: path, reduction: Companion::Ignored, transport: Companion::Ignored, ..Files::default() };
    kinetics::model(mechanism::read(&files).unwrap().0).unwrap()
}

fn reduced(path: std::path::PathBuf) -> Model {
    let files = Files { mechanism: path, transport: Companion::Ignored, ..Files::default() };
    let model = kinetics::model(mechanism::read(&files).unwrap().0).unwrap();
    assert!(!model.mechanism.quasi_steady().is_empty());
    model
}

/// The largest error of all.
fn verified(
    model: &Model,
    kernels: &[Kernel],
    change: impl Fn(&mut Request),
    warps: impl IntoIterator<Item = u32> + Clone,
) -> f64 {
    let mut worst = 0.0f64;
    for &kernel in kernels {
        for warps in warps.clone() {
            let request = Request { verify: Some(33), ..request::of(request::shipped("h2o2")) };
            let request = request.with(&change).with(|r| r.tuning.warps = warps);
            let begin = std::time::Instant::now();
            let unit = driver::compile_kernel(kernel, model, &request, &mut Observer::silent());
            let name = &model.mechanism.name;
            let unit = unit.unwrap_or_else(|failure| {
                panic!("{name} {kernel} {warps}: {:#?}", &failure.diagnostics[..failure.diagnostics.len().min(3)])
            });
            let verification = unit.report.verification.expect("it was asked for");
            println!(
                "{name} {kernel} {} {} warps: error {:.1e}, {:.0} slots, {:.1} s",
                unit.report.form,
                warps,
                verification.largest_error,
                verification.slots_per_point,
                begin.elapsed().as_secs_f64()
            );
            worst = worst.max(verification.largest_error);
        }
    }
    assert!(worst > 0.0);
    worst
}

#[test]
fn h2o2_is_verified_for_1_to_32_warps() {
    let model = model(request::shipped("h2o2"));
    verified(&model, &KERNELS, |r| r.tuning.form = Some(Form::LogSpace), 1..=32);
    verified(&model, &KERNELS, |_| {}, [1, 8]);
}

#[test]
fn every_layout_unit_and_state_is_verified() {
    let model = model(request::shipped("h2o2"));
    for codegen in [Codegen::DataParallel, Codegen::Straight, Codegen::Switch] {
        verified(&model, &KERNELS, |r| r.codegen = codegen, [4]);
    }
    verified(&model, &KERNELS, |r| r.common.units = Units::Cgs, [4]);
    let compressed = [Kernel::Jacobian, Kernel::IsobaricJacobian, Kernel::IsochoricJacobian];
    verified(&model, &compressed, |r| r.common.jacobian_storage = MatrixStorage::Compressed, [1, 4]);
    for state in [StateVariables::MassFractions, StateVariables::Density, StateVariables::Energy] {
        verified(&model, &KERNELS, |r| r.common.state = state, [4]);
    }
}

#[test]
fn gri30_is_verified() {
    let model = model(request::shipped("gri30"));
    let form = |r: &mut Request| r.tuning.form = Some(Form::LogSpace);
    verified(&model, &[Kernel::Jacobian], form, [8]);
    let parallel = |r: &mut Request| {
        r.codegen = Codegen::DataParallel;
        r.tuning.form = Some(Form::LogSpace);
    };
    let kernels =
        [Kernel::Jacobian, Kernel::IsobaricJacobian, Kernel::IsobaricSparseJacobian, Kernel::IsobaricJacobianVector];
    verified(&model, &kernels, parallel, [8]);
}

/// Quasi-steady species follow from the others, and so do their derivatives.
#[test]
fn mechanisms_with_quasi_steady_species_are_verified() {
    let methane = reduced(request::shipped("methane"));
    let off = |r: &mut Request| r.common.stiffness = Stiffness::Off;
    for form in [Form::Pairwise, Form::LogSpace] {
        let parallel = |r: &mut Request| {
            off(r);
            r.codegen = Codegen::DataParallel;
            r.tuning.form = Some(form);
        };
        verified(&methane, &KERNELS, parallel, [4]);
    }
    let form = |r: &mut Request| {
        off(r);
        r.tuning.form = Some(Form::LogSpace);
    };
    verified(&methane, &[Kernel::Jacobian, Kernel::IsobaricJacobianVector], form, [1, 6]);
    let Some(path) = skip::shared("mechanisms/dme/chem.inp") else { return };
    let parallel = |r: &mut Request| {
        form(r);
        r.codegen = Codegen::DataParallel;
    };
    verified(&reduced(path), &[Kernel::Jacobian, Kernel::IsochoricJacobianVector], parallel, [4]);
}

/// Where stiff species are scaled there are no derivatives; and quasi-steady species alone are no obstacle.
#[test]
fn stiff_species_have_no_derivatives() {
    let model = reduced(request::shipped("methane"));
    assert!(!model.mechanism.stiff().is_empty());
    let of = |stiffness| kernels::build(Kernel::Jacobian, &model, &Options { stiffness, ..Options::default() });
    assert_eq!(of(Stiffness::Sequential).unwrap_err()[0].id, "kernel::reduced-jacobian");
    assert!(of(Stiffness::Off).is_ok());
}

/// Every rate expression: three-body, falloff of all kinds, chemically activated, PLOG, Chebyshev, Landau-Teller, real orders and
/// coefficients, explicit reverse rates.
#[test]
fn every_rate_expression_is_verified() {
    for name in ["zoo", "zoo_forms", "fig4"] {
        let Some(path) = skip::shared(&format!("mechanisms/{name}/chem.inp")) else { return };
        for form in [Form::Pairwise, Form::LogSpace] {
            let parallel = |r: &mut Request| {
                r.codegen = Codegen::DataParallel;
                r.tuning.form = Some(form);
            };
            verified(&model(path.clone()), &KERNELS, parallel, [4]);
            verified(&model(path.clone()), &[Kernel::Jacobian], |r| r.tuning.form = Some(form), [4]);
        }
    }
}

/// What is left out is zero in all states, and nothing else is.
#[test]
fn compressed_matrices_store_what_is_not_always_zero() {
    let model = model(request::shipped("gri30"));
    let states = kinetics::verification_states(&model, 40);
    let size = model.species().len();
    for kernel in [Kernel::Jacobian, Kernel::IsochoricJacobian, Kernel::IsobaricJacobian] {
        let storage = MatrixStorage::Compressed;
        let options = Options { form: Form::LogSpace, storage, warps: 1, ..Options::default() };
        let graph = kernels::build(kernel, &model, &options).unwrap();
        let of = |state| match kernel {
            Kernel::Jacobian => kinetics::jacobian::production(&model, state),
            Kernel::IsobaricJacobian => kinetics::jacobian::tendency(&model, state, Constant::Pressure),
            _ => kinetics::jacobian::tendency(&model, state, Constant::Volume),
        };
        let all: Vec<_> = states.iter().map(of).collect();
        let rows = all[0].rows;
        let entries = rows * (size + 1);
        println!("{kernel}: {} of {entries} entries", graph.pattern.len());
        let places: Vec<usize> = graph.pattern.iter().map(|&(i, j)| j as usize * rows + i as usize).collect();
        assert!(places.is_sorted() && places.len() < entries);
        for at in 0..entries {
            let is_zero = all.iter().all(|jacobian| jacobian.values[at] == 0.0);
            let (row, column) = (at % rows, at / rows);
            assert_eq!(is_zero, places.binary_search(&at).is_err(), "{kernel}: row {row}, column {column}");
        }
    }
}

/// What the derivatives of gri30 cost beside its rates, in double-precision slots.
#[test]
fn derivatives_cost_a_few_times_what_rates_do() {
    let model = model(request::shipped("gri30"));
    let slots = |kernel| {
        let options = Options { form: Form::LogSpace, warps: 1, ..Options::default() };
        kernels::build(kernel, &model, &options).unwrap().slots(1) as f64
    };
    let rates = slots(Kernel::Chemistry);
    for kernel in KERNELS {
        println!("{kernel}: {} slots, {:.2} times the {rates} of the rates", slots(kernel), slots(kernel) / rates);
    }
    assert!(slots(Kernel::Jacobian) / rates <= 3.0);
}
