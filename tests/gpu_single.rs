//! Single precision on GPUs: the lowered PTX, the CUDA text as NVRTC compiles it and the machine code of that give the bits of the dataflow
//! graph in single precision, within the bound that is proven.

use kernels::{ErrorBound, Io, Kernel, Precision};
use machine::target::Target;
use machine::toolchain;
use overlay::Codegen;
use singe::driver::{self, Request};
use singe::fault::Fault;
use singe::observer::Observer;
use singe::plan::Emit;
use singe::report::Report;
use singe::verify::MachineCode;
use testkit::request;
use testkit::skip;

const TRANSPORT: [Kernel; 3] = [Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion];

fn compiled(mechanism: &str, target: &str, change: impl FnOnce(&mut Request)) -> Result<Report, String> {
    let request = request::new(testkit::shipped(mechanism)).with(|r| {
        r.common.target = if target == "cpu" { Target::cpu() } else { Target::by_name(target).unwrap() };
        r.common.precision.kernels = Precision::Single;
        r.kernels = TRANSPORT.to_vec();
        r.tuning.form = None;
        r.codegen = Codegen::DataParallel;
        change(r);
    });
    let request = request.for_target().map_err(|refused| format!("{refused:?}"))?;
    driver::compile(&request, &mut Observer::silent()).map_err(|failure| format!("{:?}", failure.diagnostics))
}

/// Whether text and machine code of the target are made and read here.
fn has_compilers(target: &str) -> bool {
    let capability = Target::by_name(target).unwrap().compute_capability;
    let tools = toolchain::find_for(capability).and_then(|_| toolchain::disassembler(capability));
    tools.map_err(skip::skip).is_ok()
}

fn keeps_to_its_bound(report: &Report) {
    for kernel in &report.kernels {
        let (single, verified) = (kernel.single.as_ref().unwrap(), kernel.verification.as_ref().unwrap());
        let found = verified.single_error.unwrap();
        println!(
            "{} {} {}: bound {:.2e}, found {found:.2e}",
            report.mechanism, kernel.kernel, kernel.form, single.bound
        );
        assert!(found > 0.0 && found <= single.bound);
    }
}

#[test]
fn the_lowered_text_gives_the_bits_of_the_graph() {
    for target in ["ada", "hopper"] {
        for io in [Io::Double, Io::Single] {
            let report = compiled("h2o2", target, |r| r.common.precision.io = io).unwrap();
            assert_eq!(report.kernels.len(), TRANSPORT.len());
            keeps_to_its_bound(&report);
        }
    }
}

#[test]
fn text_and_machine_code_give_them_too() {
    for (target, io) in [("ada", Io::Double), ("hopper", Io::Single)] {
        if !has_compilers(target) {
            return;
        }
        let report = compiled("h2o2", target, |r| {
            r.common.precision.io = io;
            r.real_compilers = true;
        })
        .unwrap();
        for kernel in &report.kernels {
            assert!(kernel.text.is_some(), "{target} {}", kernel.kernel);
            assert!(
                matches!(kernel.machine_code, Some(MachineCode::Verified(_))),
                "{target} {}: {:?}",
                kernel.kernel,
                kernel.machine_code
            );
            assert!(kernel.machine.predicted_ns.is_some_and(|time| time > 0.0), "{target} {}", kernel.kernel);
        }
    }
}

/// Where ranges are proven, the text has no quotient with a branch and no guard of a power, and rates, which have no proof, keep their quotients.
#[test]
fn special_cases_are_left_out_where_they_never_come() {
    let source = |change: fn(&mut Request)| {
        let request = request::new(testkit::shipped("h2o2")).with(|r| {
            r.common.target = Target::by_name("hopper").unwrap();
            r.common.precision.kernels = Precision::Single;
            r.tuning.form = None;
            r.codegen = Codegen::DataParallel;
            change(r);
        });
        let model = testkit::model(&testkit::shipped("h2o2"));
        let request = request.for_target().unwrap();
        let kernel = request.kernels[0];
        testkit::request::unit(kernel, &model, &request).source
    };
    let viscosity = source(|r| r.kernels = vec![Kernel::Viscosity]);
    assert!(viscosity.contains("reciprocal_near(") && viscosity.contains("singe_exp2_near("));
    // The logarithm of the temperature has one, whose operands are moderate whatever the temperature is.
    assert_eq!(viscosity.matches("__fdiv_rn").count(), 1);
    assert!(!viscosity.contains("singe_exp2("));
    let rates = source(|r| {
        r.kernels = vec![Kernel::Chemistry];
        r.common.error.bound = ErrorBound::Measured;
    });
    assert!(rates.contains("__fdiv_rn") && !rates.contains("quotient_near"));
}

/// A kernel that computes with other constants than its graph does not come through.
#[test]
fn a_wrong_constant_is_found() {
    let refused = compiled("h2o2", "ada", |r| r.fault = Some(Fault::Constant)).unwrap_err();
    assert!(refused.contains("verify::not-the-graph"), "{refused}");
}

#[test]
fn rates_are_measured_where_that_is_asked_for() {
    let refused = compiled("h2o2", "ada", |r| r.kernels = vec![Kernel::Chemistry]).unwrap_err();
    assert!(refused.contains("precision::not-offered") && refused.contains("--error measured"), "{refused}");
    for target in ["ada", "cpu"] {
        let report = compiled("h2o2", target, |r| {
            r.kernels = vec![Kernel::Chemistry];
            r.common.error.bound = ErrorBound::Measured;
        });
        let report = report.unwrap();
        let [kernel] = &report.kernels[..] else { panic!("{} kernels", report.kernels.len()) };
        let single = kernel.single.as_ref().unwrap();
        assert!(!single.proven && single.ranges.is_none() && single.to_string().contains("measured, not proven"));
        let found = kernel.verification.as_ref().unwrap().single_error.unwrap();
        println!("h2o2 chemistry on {target}: found {found:.2e}");
        assert!(found > 1e-7 && found <= 1e-4);
    }
}

#[test]
fn an_error_that_is_measured_keeps_to_what_is_asked_for() {
    let refused = compiled("h2o2", "cpu", |r| {
        r.kernels = vec![Kernel::Chemistry];
        r.common.error.bound = ErrorBound::Measured;
        r.common.error.largest = Some(1e-8);
    });
    assert!(refused.unwrap_err().contains("1.00e-8"));
}

/// Singles and pairs of singles keep an error that singles alone do not.
#[test]
fn mixed_precision_gives_the_bits_of_its_graph() {
    if !has_compilers("ada") {
        return;
    }
    let report = compiled("h2o2", "ada", |r| {
        r.common.precision.kernels = Precision::Mixed;
        r.common.error.largest = Some(1e-6);
        r.common.precision.io = Io::Single;
        r.real_compilers = true;
    })
    .unwrap();
    keeps_to_its_bound(&report);
    for kernel in &report.kernels {
        let mixed = kernel.single.as_ref().unwrap();
        let [singles, pairs] = mixed.operations.expect("single precision alone does not keep the error");
        println!("{}: {singles} singles, {pairs} pairs, {:.2e} with the form", kernel.kernel, mixed.total);
        assert!(mixed.proven && mixed.total <= 1e-6 && singles > 0 && pairs > 0);
        assert!(kernel.text.is_some());
        assert!(matches!(kernel.machine_code, Some(MachineCode::Verified(_))), "{:?}", kernel.machine_code);
    }
}

/// Doubles are read and written as pairs, which keep an error that singles in arrays do not.
#[test]
fn arrays_of_doubles_keep_an_error_of_a_billionth() {
    if !has_compilers("ada") {
        return;
    }
    let report = compiled("h2o2", "ada", |r| {
        r.common.precision.kernels = Precision::Mixed;
        r.common.error.largest = Some(1e-9);
        r.real_compilers = true;
    })
    .unwrap();
    keeps_to_its_bound(&report);
    assert_eq!(report.kernels.len(), TRANSPORT.len());
    for kernel in &report.kernels {
        let mixed = kernel.single.as_ref().unwrap();
        println!("{}: {:?} singles and pairs, {:.2e} with the form", kernel.kernel, mixed.operations, mixed.total);
        assert!(mixed.proven && mixed.total <= 1e-9);
        assert!(kernel.text.is_some());
        assert!(matches!(kernel.machine_code, Some(MachineCode::Verified(_))), "{:?}", kernel.machine_code);
    }
}

#[test]
fn mixed_precision_is_for_gpus_and_proven() {
    let mixed = |target: &str, bound: ErrorBound, error: f64| {
        compiled("h2o2", target, |r| {
            r.common.precision.kernels = Precision::Mixed;
            r.common.error.bound = bound;
            r.common.error.largest = Some(error);
        })
        .unwrap_err()
    };
    assert!(mixed("cpu", ErrorBound::Proven, 1e-6).contains("precision::not-offered"));
    assert!(mixed("ada", ErrorBound::Measured, 1e-6).contains("precision::not-offered"));
    let refused = compiled("h2o2", "ada", |r| {
        r.common.precision.kernels = Precision::Mixed;
        r.common.precision.io = Io::Single;
        r.common.error.largest = Some(1e-8);
    });
    assert!(refused.unwrap_err().contains("precision::not-proven"));
}

/// CPUs refuse mixed precision, so that a project has nothing in it for them.
#[test]
fn a_project_of_mixed_precision_has_no_kernels_for_cpus() {
    for (precision, has_kernels) in [(Precision::Single, true), (Precision::Mixed, false)] {
        let folder = tempfile::tempdir().unwrap();
        let change = |r: &mut Request| {
            r.common.precision.kernels = precision;
            r.kernels = vec![Kernel::Conductivity];
            r.verify = None;
            r.emit = vec![Emit::Host];
            r.output = Some(folder.path().to_owned());
        };
        compiled("h2o2", "ada", change).unwrap();
        let is_there = |file: &str| folder.path().join(file).exists();
        assert!(is_there("h2o2_conductivity.cu") && is_there("h2o2_driver.cu"));
        assert_eq!(is_there("h2o2_conductivity.cpp"), has_kernels, "{precision:?}");
    }
}
