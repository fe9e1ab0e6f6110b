//! Several states and outputs in one project: `--set`.

use std::path::Path;
use std::process::Command;

use kernels::{Kernel, Outputs, StateVariables};
use kinetics::integrator::RODAS5P;
use singe::driver::Request;
use singe::plan::Set;
use testkit::project::{build_for_cpu, generate, run, there};
use testkit::{request, shipped};

const SETS: [&str; 3] =
    ["rho=chemistry:TRY:production-rates,heat-release-rate", "bulk=chemistry,thermodynamics:HPY", "raw=chemistry"];

/// The project's driver compares every kernel with the reference evaluator, in the kernel's own state and outputs.
#[test]
fn every_set_of_a_project_agrees_with_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let plain = ["--target", "cpu", "--kernel", "viscosity,chemistry"];
    let checks = checked(folder.path(), &plain, &[]);
    let kernels = ["viscosity", "chemistry", "rho-chemistry", "bulk-chemistry", "bulk-thermodynamics", "raw-chemistry"];
    assert!(checks.is_empty() || checks == kernels, "{checks:?}");
}

#[test]
fn the_project_of_a_gpu_has_the_same_sets_for_cpus() {
    let folder = tempfile::tempdir().unwrap();
    let plain = ["--target", "ampere", "--codegen", "overlay", "--kernel", "chemistry"];
    let checks = checked(folder.path(), &plain, &["-DSINGE_CPU=ON"]);
    let kernels = ["chemistry", "rho-chemistry", "bulk-chemistry", "bulk-thermodynamics", "raw-chemistry"];
    assert!(checks.is_empty() || checks == kernels, "{checks:?}");
}

/// The kernels that the driver of a project with the sets has checked; none where the tools to build it are absent.
fn checked(folder: &Path, plain: &[&str], options: &[&str]) -> Vec<String> {
    if !there("cmake") || !there("g++") {
        return Vec::new();
    }
    let (source, build) = (folder.join("h2o2"), folder.join("build"));
    let sets = SETS.iter().flat_map(|set| ["--set", set]);
    generate(&shipped("h2o2"), &source, &plain.iter().copied().chain(sets).collect::<Vec<_>>());
    build_for_cpu(&source, &build, options);
    let json = folder.join("result.json");
    run(Command::new(build.join("h2o2_driver")).args(["--sizes", "3", "--repeat", "2", "--json"]).arg(&json));
    let result: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    let checks = result["checks"].as_array().unwrap();
    assert!(checks.iter().all(|check| check["error"].as_f64().unwrap() > 0.0), "{checks:?}");
    checks.iter().map(|check| check["kernel"].as_str().unwrap().to_owned()).collect()
}

/// A set's kernel is the one that the same state and outputs give without sets, but for its name.
#[test]
fn a_set_compiles_to_what_its_state_and_outputs_alone_compile_to() {
    let of = |change: &dyn Fn(&mut Request)| {
        let request = Request { verify: Some(5), ..request::new(shipped("h2o2")) }.with(|r| {
            r.kernels = vec![Kernel::Chemistry];
            change(r);
        });
        testkit::request::report(&request).kernels
    };
    let with_set = of(&|r| r.sets = vec![Set::parse("rho=chemistry:TRY:heat-release-rate").unwrap()]);
    let alone = of(&|r| {
        (r.common.state, r.common.outputs) = (StateVariables::Density, Outputs::parse("heat-release-rate").unwrap());
    });
    let names: Vec<&str> = with_set.iter().map(|kernel| kernel.symbol.as_str()).collect();
    assert_eq!(names, ["h2o2_chemistry", "h2o2_rho_chemistry"]);
    assert_eq!((with_set[1].operations, with_set[1].phases), (alone[0].operations, alone[0].phases));
    assert_ne!(with_set[0].operations, with_set[1].operations);
}

/// A set without a state takes that of `--state`, also beside reactors told by enthalpies, whose own kernels take temperatures.
#[test]
fn a_set_beside_reactors_has_the_state_that_was_asked_for() {
    let emit = vec![singe::plan::Emit::Host];
    let mut asked = Request { emit, reactor_method: Some(RODAS5P), ..request::new(shipped("h2o2")) }.with(|r| {
        r.common.state = StateVariables::Enthalpy;
        r.kernels.clear();
    });
    asked.sets = ["raw=chemistry", "rho=chemistry:TRY"].map(|text| Set::parse(text).unwrap()).into();
    let states: Vec<_> = asked.for_target().unwrap().parts().iter().map(|part| part.common.state).collect();
    assert_eq!(states, [StateVariables::MassFractions, StateVariables::Enthalpy, StateVariables::Density]);
}
