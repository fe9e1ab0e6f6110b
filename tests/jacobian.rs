//! Derivatives of the chemistry: proven, and verified against dual numbers through the reference, for every rate expression, in every
//! layout and form, for any number of warps and with every state.

use std::path::Path;

use graph::fission;
use kernels::{Form, Kernel, MatrixStorage, Options, StateVariables};
use kinetics::reactor::Constant;
use kinetics::{Model, Stiffness};
use machine::target::Target;
use overlay::Codegen;
use singe::driver::Request;
use singe::output::Unit;
use singe::plan::Part;
use singe::verify::{self, Subject};
use testkit::reference::own;
use testkit::skip;
use testkit::verified::{each, numbers_of_warps};

const KERNELS: [Kernel; 7] = [
    Kernel::Jacobian,
    Kernel::IsobaricJacobian,
    Kernel::IsochoricJacobian,
    Kernel::IsobaricSparseJacobian,
    Kernel::IsochoricSparseJacobian,
    Kernel::IsobaricJacobianVector,
    Kernel::IsochoricJacobianVector,
];

fn reduced(path: &Path) -> Model {
    let model = testkit::model(path);
    assert!(!model.mechanism.quasi_steady().is_empty());
    model
}

#[test]
fn h2o2_is_verified_in_log_space() {
    let model = testkit::detailed(&testkit::shipped("h2o2"));
    each(&model, &KERNELS, |r| r.tuning.form = Some(Form::LogSpace), numbers_of_warps());
}

#[test]
fn compressed_storage_is_verified() {
    let model = testkit::detailed(&testkit::shipped("h2o2"));
    let compressed = [Kernel::Jacobian, Kernel::IsobaricJacobian, Kernel::IsochoricJacobian];
    each(&model, &compressed, |r| r.common.jacobian_storage = MatrixStorage::Compressed, [1, 4]);
}

#[test]
fn gri30_is_verified() {
    let model = testkit::detailed(&testkit::shipped("gri30"));
    let form = |r: &mut Request| r.tuning.form = Some(Form::LogSpace);
    each(&model, &[Kernel::Jacobian], form, [8]);
    let parallel = |r: &mut Request| {
        r.codegen = Codegen::DataParallel;
        r.tuning.form = Some(Form::LogSpace);
    };
    let kernels =
        [Kernel::Jacobian, Kernel::IsobaricJacobian, Kernel::IsobaricSparseJacobian, Kernel::IsobaricJacobianVector];
    each(&model, &kernels, parallel, [8]);
}

/// Quasi-steady species follow from the others, and so do their derivatives.
#[test]
fn mechanisms_with_quasi_steady_species_are_verified() {
    let methane = reduced(&testkit::shipped("methane"));
    let off = |r: &mut Request| r.common.stiffness = Stiffness::Off;
    for form in [Form::Pairwise, Form::LogSpace] {
        let parallel = |r: &mut Request| {
            off(r);
            r.codegen = Codegen::DataParallel;
            r.tuning.form = Some(form);
        };
        each(&methane, &KERNELS, parallel, [4]);
    }
    let form = |r: &mut Request| {
        off(r);
        r.tuning.form = Some(Form::LogSpace);
    };
    each(&methane, &[Kernel::Jacobian, Kernel::IsobaricJacobianVector], form, [1, 6]);
    let parallel = |r: &mut Request| {
        form(r);
        r.codegen = Codegen::DataParallel;
    };
    each(&methane, &[Kernel::Jacobian, Kernel::IsochoricJacobianVector], parallel, [4]);
}

/// Where stiff species are scaled there are no derivatives; and quasi-steady species alone are no obstacle.
#[test]
fn stiff_species_have_no_derivatives() {
    let model = reduced(&testkit::shipped("methane"));
    assert!(!model.mechanism.stiff().is_empty());
    let of = |stiffness| kernels::build(Kernel::Jacobian, &model, &Options { stiffness, ..Options::default() });
    assert_eq!(of(Stiffness::Sequential).unwrap_err()[0].id, "kernel::reduced-jacobian");
    assert!(of(Stiffness::Off).is_ok());
}

/// Every rate expression: three-body, falloff of all kinds, chemically activated, PLOG, Chebyshev, Landau-Teller, real orders and
/// coefficients, explicit reverse rates.
#[test]
fn every_rate_expression_is_verified() {
    verified(&testkit::detailed(&own("forms").mechanism));
}

#[test]
fn published_mechanisms_are_verified() {
    for name in ["zoo", "zoo_forms", "fig4"] {
        let Some(path) = skip::shared(&format!("mechanisms/{name}/chem.inp")) else { return };
        verified(&testkit::detailed(&path));
    }
}

fn verified(model: &Model) {
    for form in [Form::Pairwise, Form::LogSpace] {
        let parallel = |r: &mut Request| {
            r.codegen = Codegen::DataParallel;
            r.tuning.form = Some(form);
        };
        each(model, &KERNELS, parallel, [4]);
        each(model, &[Kernel::Jacobian], |r| r.tuning.form = Some(form), [4]);
    }
}

/// A sparse matrix as several kernels. One that does not store just the rows of its part is refused.
#[test]
fn parts_of_a_sparse_matrix_are_verified() {
    let model = testkit::model(&testkit::shipped("h2o2"));
    let (kernel, state) = (Kernel::IsobaricSparseJacobian, StateVariables::MassFractions);
    let whole = kernels::build(kernel, &model, &Options { state, ..Options::default() }).unwrap();
    let longest = whole.steps().map(|at| whole.body(at).insts.len()).sum::<usize>() / 3;
    let parts = fission::plan(&whole, longest);
    assert!(parts.len() > 1);
    for (number, rows) in (1..).zip(&parts) {
        let part = Part { number, of: parts.len(), rows: rows.clone() };
        let request = testkit::request::new(testkit::shipped("h2o2")).with(|r| {
            (r.part, r.codegen, r.common.state) = (Some(part), Codegen::DataParallel, state);
        });
        let unit = testkit::request::unit(kernel, &model, &request);
        assert!(unit.report.verification.is_some());
        for wrong in [&rows[1..], &[&rows[..], &parts[number % parts.len()]].concat()] {
            let mut graph = unit.graph.clone();
            graph.part = wrong.to_vec();
            graph.part.sort_unstable();
            let Unit { mapping, proven, program, ptx: module, .. } = &unit;
            let stiffness = Stiffness::Off;
            let subject = Subject { kernel, model: &model, stiffness, graph: &graph, mapping, proven, program, module };
            assert_eq!(verify::verify(&subject, 10).unwrap_err()[0].id, "verify::unwritten");
        }
    }
}

/// Exactly those entries are left out that are zero in all states.
#[test]
fn compressed_matrices_store_what_is_not_always_zero() {
    let model = testkit::detailed(&testkit::shipped("gri30"));
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

/// Compares the cost of gri30's derivatives with that of its rates, in double-precision slots.
#[test]
fn derivatives_cost_a_few_times_what_rates_do() {
    let model = testkit::detailed(&testkit::shipped("gri30"));
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

/// Straight-line code that keeps far more numbers than a thread has registers for brings its own spill code.
#[test]
fn spilled_numbers_are_verified() {
    let model = testkit::model(&testkit::shipped("ammonia"));
    let kernel = Kernel::IsobaricSparseJacobian;
    let request = testkit::request::new(testkit::shipped("ammonia")).with(|r| {
        r.common.target = Target::by_name("hopper").unwrap();
        (r.codegen, r.common.state) = (Codegen::DataParallel, StateVariables::MassFractions);
    });
    let unit = testkit::request::unit(kernel, &model, &request);
    assert!(unit.code.spilled > 0 && unit.report.verification.is_some());
}
