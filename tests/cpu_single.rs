//! The C++ of the CPU target in single precision: compiled by g++ at every width of vectors, run, and compared in bits with what the
//! dataflow graph gives in single precision.

use std::path::Path;
use std::process::Command;

use graph::single::Machine;
use kernels::{Io, Kernel, Precision};
use kinetics::Model;
use machine::target::Target;
use overlay::Codegen;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::output::Unit;
use singe::plan::Emit;
use singe::verify;
use testkit::host_program;
use testkit::project::{generate, run, there};
use testkit::shipped;
use testkit::sweep::sweep;

/// Fills no whole number of vectors of any width.
const POINTS: usize = 75;
const STRIDE: usize = 80;
const KERNELS: [Kernel; 3] = [Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion];

/// Reads the inputs, and writes viscosity, conductivity and diffusion coefficients. The files have doubles, whatever the arrays hold.
const HOST: &str = r#"
#include "NAME.h"
#include <cstdio>
#include <vector>
int main()
{
  const int points = POINTS, stride = STRIDE;
  std::vector<NUMBER> t(stride), p(stride), x(NAME_SPECIES_ROWS * stride), out((2 + NAME_SPECIES_ROWS) * stride, -1.0);
  for (std::vector<NUMBER> *field : {&t, &p, &x}) {
    for (NUMBER &number : *field) {
      double read;
      if (std::fread(&read, sizeof read, 1, stdin) != 1) return 1;
      number = (NUMBER)read;
    }
  }
  NAME_context *context = nullptr;
  int status = NAME_context_create(&context);
  if (!status) status = NAME_viscosity_launch(context, t.data(), p.data(), x.data(), out.data(), points, stride, nullptr);
  if (!status) status = NAME_conductivity_launch(context, t.data(), p.data(), x.data(), out.data() + stride, points, stride, nullptr);
  if (!status) status = NAME_diffusion_launch(context, t.data(), p.data(), x.data(), out.data() + 2 * stride, points, stride, nullptr);
  for (const double number : out) std::fwrite(&number, sizeof number, 1, stdout);
  return status;
}
"#;

fn written(name: &str, io: Io, folder: &Path) -> (Model, Vec<Unit>) {
    let files = mechanism::Files { mechanism: shipped(name), ..Default::default() };
    let emit = vec![Emit::Host];
    let request = Request { files, emit, output: Some(folder.to_owned()), ..Request::default() }.with(|r| {
        r.kernels = KERNELS.to_vec();
        r.common.target = Target::cpu();
        r.common.precision.kernels = Precision::Single;
        r.common.precision.io = io;
        r.codegen = Codegen::DataParallel;
    });
    let request = request.for_target().unwrap();
    let report = driver::compile(&request, &mut Observer::silent()).map_err(|f| f.diagnostics).unwrap();
    for kernel in &report.kernels {
        let (single, found) = (kernel.single.as_ref().unwrap(), kernel.verification.as_ref().unwrap().single_error);
        let found = found.unwrap();
        println!("{name} {} {}: bound {:.2e}, found {found:.2e}", kernel.kernel, kernel.form, single.bound);
        assert!(found > 0.0 && found <= single.bound);
    }
    let (mechanism, _) = mechanism::read(&request.files).unwrap();
    let model = kinetics::model(mechanism).unwrap();
    let unit = |kernel| driver::compile_kernel(kernel, &model, &request, &mut Observer::silent());
    let units: Vec<Unit> = KERNELS.map(|kernel| unit(kernel).map_err(|f| f.diagnostics).unwrap()).into();
    let host = HOST
        .replace("NUMBER", io.c_type())
        .replace("NAME_SPECIES_ROWS", &model.species().len().to_string())
        .replace("NAME", name)
        .replace("POINTS", &POINTS.to_string())
        .replace("STRIDE", &STRIDE.to_string());
    std::fs::write(folder.join("host.cpp"), host).unwrap();
    (model, units)
}

fn gives_the_bits_of_the_graph(flags: &[&str], folder: &Path, name: &str, (model, units): &(Model, Vec<Unit>)) {
    let mut states = kinetics::verification_states(model, POINTS);
    states.truncate(POINTS);
    // An impossible temperature gives no number, in any lane.
    states[3].temperature = f64::NAN;
    states[40].temperature = -5.0;
    let fields: Vec<_> = states.iter().map(|state| verify::inputs(model, &units[0].graph, state)).collect();
    let inputs = host_program::inputs(&units[0], &fields, STRIDE);
    let found = host_program::outputs("g++", flags, folder, name, units, &inputs);
    let mut rows = found.chunks_exact(STRIDE);
    for unit in units {
        let graph = &unit.graph;
        let (output, array) = graph.arrays.iter().enumerate().find(|(_, array)| array.output).unwrap();
        let found: Vec<&[f64]> = rows.by_ref().take(array.rows as usize).collect();
        for point in 0..STRIDE {
            let Some(fields) = fields.get(point) else {
                // Elements beyond the last point stay as they were.
                assert!(found.iter().all(|row| row[point] == -1.0));
                continue;
            };
            let mut fields = fields.clone();
            fields[output].resize(array.rows as usize, f64::NAN);
            let mut machine = Machine::new(graph, &fields);
            for phase in &unit.proven.schedule().phases {
                phase.runs.iter().flatten().for_each(|&at| machine.step(at, &mut fields));
            }
            for (row, &expected) in fields[output].iter().enumerate() {
                let found = found[row][point];
                let is_same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
                assert!(
                    is_same,
                    "{name} {} {flags:?}: row {row} of point {point}: {found:e}, {expected:e}",
                    unit.kernel
                );
                assert_eq!(found.is_nan(), point == 3 || point == 40, "{name} {}: point {point}", unit.kernel);
            }
        }
    }
    assert_eq!(rows.next(), None);
}

#[test]
fn every_width_gives_the_bits_of_the_graph() {
    if !there("g++") {
        return;
    }
    for io in [Io::Double, Io::Single] {
        let folder = tempfile::tempdir().unwrap();
        let project = written("h2o2", io, folder.path());
        for flags in host_program::ways() {
            gives_the_bits_of_the_graph(&flags, folder.path(), "h2o2", &project);
        }
    }
}

#[test]
fn threads_and_a_larger_mechanism_give_the_bits_of_the_graph() {
    if !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let project = written("gri30", Io::Single, folder.path());
    gives_the_bits_of_the_graph(&["-O1", "-march=native", "-fopenmp"], folder.path(), "gri30", &project);
}

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
        let fortran = there("gfortran");
        let fortran_option = if fortran { "-DSINGE_FORTRAN=ON" } else { "-DSINGE_FORTRAN=OFF" };
        run(Command::new("cmake").arg("-S").arg(&source).arg("-B").arg(&build).arg(fortran_option));
        run(Command::new("cmake").arg("--build").arg(&build));
        run(Command::new(build.join("h2o2_driver")).args(["--sizes", "3", "--repeat", "2"]));
        if fortran {
            let output = run(&mut Command::new(build.join("h2o2_fortran")));
            let text = String::from_utf8(output.stdout).unwrap();
            let viscosity: f64 = text.split_whitespace().last().unwrap().parse().unwrap();
            assert!((1e-5..1e-4).contains(&viscosity), "{text}");
        }
    }
}
