//! The CPU target in single precision: errors on many states, and the project. `tests/texts` compares the texts in bits with their graphs.

use std::process::Command;

use testkit::project::{build_for_cpu, generate, run, there};
use testkit::shipped;
use testkit::sweep::sweep;

/// `cargo bench --bench precision -- bounds` has 500 times as many.
#[test]
fn twenty_thousand_states_keep_to_the_bounds() {
    if !there("g++") {
        return;
    }
    for name in ["h2o2", "gri30"] {
        let folder = tempfile::tempdir().unwrap();
        for found in sweep(&shipped(name), folder.path(), [500, 40]) {
            let (error, bound) = (found.error, found.bound);
            println!(
                "{name} {} {}: {error:.2e} at {:.0} K, bound {bound:.2e}",
                found.kernel, found.form, found.temperature
            );
            assert!(error > bound / 100.0 && error <= bound, "{name} {}", found.kernel);
        }
    }
}

/// The driver of the project holds the kernels against the reference, within the bound that the header states.
#[test]
fn the_project_builds_and_its_driver_agrees_with_the_reference() {
    if !there("cmake") || !there("g++") {
        return;
    }
    for (io, parameter) in [("double", "const double *temperature"), ("single", "const float *temperature")] {
        let folder = tempfile::tempdir().unwrap();
        let (source, build) = (folder.path().join("h2o2"), folder.path().join("build"));
        let precision = format!("single,io={io}");
        let flags = ["--precision", &precision, "--kernel", "viscosity,conductivity,diffusion"];
        generate(&shipped("h2o2"), &source, &[&["--target", "cpu"][..], &flags].concat());
        for file in ["h2o2.h", "h2o2_viscosity.cpp"] {
            let text = std::fs::read_to_string(source.join(file)).unwrap().replace("\n// ", " ");
            assert!(text.contains("proven to err by at most") && text.contains(parameter), "{file}");
        }
        build_for_cpu(&source, &build, &[]);
        run(Command::new(build.join("h2o2_driver")).args(["--sizes", "3", "--repeat", "2"]));
        if there("gfortran") {
            let output = run(&mut Command::new(build.join("h2o2_fortran")));
            let text = String::from_utf8(output.stdout).unwrap();
            let viscosity: f64 = text.split_whitespace().last().unwrap().parse().unwrap();
            assert!((1e-5..1e-4).contains(&viscosity), "{text}");
        }
    }
}
