//! The C++ of the CPU target: compiled by g++ and clang++ where they are there, with optimisation, run, and compared with the dataflow
//! graph in bits; the project around it, in three languages.

use std::path::Path;
use std::process::Command;

use graph::interpret::{Fields, Machine};
use kernels::Kernel;
use kinetics::Model;
use machine::target::Target;
use overlay::Codegen;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::output::Unit;
use singe::plan::Emit;
use singe::verify;
use testkit::host_program;
use testkit::project::{build_for_cpu, generate, run, there};
use testkit::shipped;

/// Fills no whole number of vectors of any width.
const POINTS: usize = 70;
const STRIDE: usize = 75;

/// All that take temperature, pressure and mole fractions.
const KERNELS: [Kernel; 7] = [
    Kernel::Viscosity,
    Kernel::Conductivity,
    Kernel::Diffusion,
    Kernel::Chemistry,
    Kernel::Isobaric,
    Kernel::Isochoric,
    Kernel::Thermodynamics,
];

/// Reads the inputs of the kernels on some points, and writes their outputs.
const HOST: &str = include_str!("cpu/host.cpp");

fn request(name: &str, folder: &Path) -> Request {
    let files = mechanism::Files { mechanism: shipped(name), ..Default::default() };
    let request =
        Request { files, verify: None, emit: vec![Emit::Host], output: Some(folder.to_owned()), ..Request::default() };
    let request = request.with(|r| {
        r.kernels = KERNELS.to_vec();
        r.common.target = Target::cpu();
        r.codegen = Codegen::DataParallel;
    });
    request.for_target().unwrap()
}

/// The project of a mechanism in a folder, with a host program; its kernels and their model.
fn written(name: &str, folder: &Path) -> (Model, Vec<Unit>) {
    let request = request(name, folder);
    testkit::request::report(&request);
    let model = testkit::request::model(&request);
    let unit = |kernel| driver::compile_kernel(kernel, &model, &request, &mut Observer::silent());
    let units: Vec<Unit> = KERNELS.map(|kernel| unit(kernel).map_err(|f| f.diagnostics).unwrap()).into();
    let rows = |unit: &Unit| unit.graph.arrays.last().unwrap().rows;
    let call = |unit: &Unit| {
        format!("  status = status ? status : run(context, {}_launch, {});\n", unit.program.symbol, rows(unit))
    };
    let host = HOST
        .replace("NAME_SPECIES_ROWS", &model.species().len().to_string())
        .replace("NAME", name)
        .replace("POINTS", &POINTS.to_string())
        .replace("STRIDE", &STRIDE.to_string())
        .replace("CALLS", &units.iter().map(call).collect::<String>());
    std::fs::write(folder.join("host.cpp"), host).unwrap();
    (model, units)
}

/// The graph's outputs when its steps run in the order of the schedule.
fn in_schedule_order(unit: &Unit, fields: &mut Fields) {
    let mut machine = Machine::new(&unit.graph, fields);
    for phase in &unit.proven.schedule().phases {
        phase.runs.iter().flatten().for_each(|&at| machine.step(at, fields));
    }
}

/// Compiles the kernels and the host program, runs it on physical states and compares every output with the graph.
fn gives_the_bits_of_the_graph(
    compiler: &str,
    flags: &[&str],
    folder: &Path,
    name: &str,
    (model, units): &(Model, Vec<Unit>),
) {
    let states = kinetics::verification_states(model, POINTS);
    let mut inputs: Vec<f64> = Vec::new();
    let mut expected: Vec<f64> = Vec::new();
    for unit in units {
        let mut fields: Vec<_> = states.iter().map(|state| verify::inputs(model, &unit.graph, state)).collect();
        inputs.extend(host_program::inputs(unit, &fields, STRIDE));
        fields.iter_mut().for_each(|fields| in_schedule_order(unit, fields));
        let (output, place) = unit.graph.arrays.split_last().map(|(output, inputs)| (output, inputs.len())).unwrap();
        for row in 0..output.rows as usize {
            // Elements beyond the last point stay as they were.
            expected.extend((0..STRIDE).map(|point| fields.get(point).map_or(-1.0, |fields| fields[place][row])));
        }
    }
    let found = host_program::outputs(compiler, flags, folder, name, units, &inputs);
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert_eq!(
            found.to_bits(),
            expected.to_bits(),
            "{name}, {compiler} {flags:?}: value {i}: {found:e}, {expected:e}"
        );
    }
}

/// `tests/texts` has every width of vectors, without optimisation.
#[test]
fn optimised_code_gives_the_bits_of_the_graph() {
    let folder = tempfile::tempdir().unwrap();
    let project = written("h2o2", folder.path());
    for compiler in ["g++", "clang++"].into_iter().filter(|compiler| there(compiler)) {
        gives_the_bits_of_the_graph(compiler, &["-O2", "-march=native"], folder.path(), "h2o2", &project);
    }
    fast_math_is_refused(folder.path(), &project.1[0]);
}

/// Its sums with large numbers, which round, would be left out.
fn fast_math_is_refused(folder: &Path, unit: &Unit) {
    for (option, is_right) in [("-O3", true), ("-ffast-math", false), ("-Ofast", false)] {
        let mut command = Command::new("g++");
        command.current_dir(folder).args(["-std=c++17", "-fsyntax-only", option]);
        let Ok(output) = command.arg(format!("{}.cpp", unit.program.symbol)).output() else { return };
        assert_eq!(output.status.success(), is_right, "{option}");
        let told = String::from_utf8_lossy(&output.stderr).contains("make the values of these files wrong");
        assert_eq!(told, !is_right, "{option}");
    }
}

#[test]
fn threads_and_a_larger_mechanism_give_the_bits_of_the_graph() {
    if !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let project = written("gri30", folder.path());
    gives_the_bits_of_the_graph("g++", &["-O1", "-march=native", "-fopenmp"], folder.path(), "gri30", &project);
}

/// Statuses are those of the CUDA library where there is a GPU.
const STATUSES: &str = include_str!("cpu/statuses.c");

#[test]
fn the_project_builds_with_cmake_and_its_programs_agree_with_the_reference() {
    if !there("cmake") || !there("g++") || !there("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (source, build) = (folder.path().join("h2o2"), folder.path().join("build"));
    generate(&shipped("h2o2"), &source, &["--target", "cpu"]);
    build_for_cpu(&source, &build, &[]);
    let json = folder.path().join("result.json");
    let sizes = ["--sizes", "3", "--repeat", "2", "--json"];
    run(Command::new(build.join("h2o2_driver")).args(sizes).arg(&json));
    let result: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    let (checks, timings) = (result["checks"].as_array().unwrap(), result["timings"].as_array().unwrap());
    assert_eq!((checks.len(), timings.len()), (4, 4));
    assert!(checks.iter().all(|check| check["error"].as_f64().unwrap() > 0.0), "{checks:?}");
    assert!(timings.iter().all(|timing| timing["values_that_differ"] == 0), "{timings:?}");

    std::fs::write(folder.path().join("main.c"), STATUSES).unwrap();
    let include = format!("-I{}", source.display());
    let strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "main.c", "-o", "main.o"];
    run(Command::new("gcc").current_dir(folder.path()).arg(&include).args(strict));
    let library = build.join("libh2o2.a");
    run(Command::new("g++").current_dir(folder.path()).arg("main.o").arg(library).args(["-fopenmp", "-o", "main"]));
    let said = run(&mut Command::new(folder.path().join("main"))).stdout;
    let said = String::from_utf8(said).unwrap();
    let [statuses, texts @ ..] = &said.lines().collect::<Vec<_>>()[..] else { panic!("{said}") };
    assert_eq!(*statuses, "-1 0 -1 -2 -3 0 -1 -1 0");
    assert_eq!(texts, ["success", "the stride is below the number of points", "unknown status"]);
    if there("gfortran") {
        let said = run(&mut Command::new(build.join("h2o2_fortran"))).stdout;
        let said = String::from_utf8(said).unwrap();
        let value: f64 = said.trim().rsplit(' ').next().unwrap().parse().unwrap();
        // Pa s, of an equimolar mixture at 1500 K
        assert!((2e-5..1e-4).contains(&value), "{said}");
    }
}

/// The project of a GPU, where CMake is told to build it for CPUs.
#[test]
fn the_project_of_a_gpu_contains_the_same_for_cpus() {
    if !there("cmake") || !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (source, build) = (folder.path().join("h2o2"), folder.path().join("build"));
    generate(
        &shipped("h2o2"),
        &source,
        &["--target", "ampere", "--codegen", "overlay", "--kernel", "viscosity,chemistry"],
    );
    build_for_cpu(&source, &build, &["-DSINGE_CPU=ON"]);
    let json = folder.path().join("result.json");
    let sizes = ["--sizes", "3", "--repeat", "2", "--json"];
    run(Command::new(build.join("h2o2_driver")).args(sizes).arg(&json));
    let result: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    let checks = result["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 2);
    assert!(checks.iter().all(|check| check["error"].as_f64().unwrap() > 0.0), "{checks:?}");
}

/// A program that calls kernels with outputs in many places; prints what they return.
const IN_PLACE: &str = include_str!("cpu/in_place.cpp");

#[test]
fn outputs_in_the_place_of_inputs_are_refused() {
    if !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    generate(&shipped("h2o2"), folder.path(), &["--target", "cpu", "--kernel", "viscosity,chemistry"]);
    std::fs::write(folder.path().join("in_place.cpp"), IN_PLACE).unwrap();
    let files = ["viscosity", "chemistry", "context"].map(|file| format!("h2o2_{file}.cpp"));
    let strict = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", "-o", "in_place", "in_place.cpp"];
    run(Command::new("g++").current_dir(folder.path()).args(strict).args(files));
    let output = run(&mut Command::new(folder.path().join("in_place")));
    let expected = "0 -9 -9 -9 -9\n-9 -9 -9\n1\n0 0 0\nan output shares numbers with an input\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

/// Nobody can know the times; but each kernel has one, it is told where it was measured, and nothing is where nobody asked.
#[test]
fn kernels_are_measured_on_this_machine() {
    if !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let asked = Request {
        kernels: vec![Kernel::Viscosity, Kernel::Chemistry],
        verify: Some(4),
        real_compilers: true,
        measure: true,
        ..request("h2o2", folder.path())
    };
    let compiled = testkit::request::report(&asked);
    for kernel in &compiled.kernels {
        let found = kernel.measured.as_ref().expect("a time");
        assert!(found.nanoseconds_per_point > 0.1 && found.nanoseconds_per_point < 1e6, "{found:?}");
    }
    let brief = singe::report::brief(&compiled, &asked, folder.path());
    assert!(brief.contains("measured time (ns)") && brief.contains("measured on one core of "), "{brief}");
    let asked = Request { measure: false, ..asked };
    let compiled = testkit::request::report(&asked);
    assert!(compiled.kernels.iter().all(|kernel| kernel.measured.is_none()));
    assert!(!singe::report::brief(&compiled, &asked, folder.path()).contains("measured"));
}
