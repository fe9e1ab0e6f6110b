//! Functions of one point: called by a kernel that NVRTC and Clang compile and the simulator runs, and by a program for the CPU; all
//! give the bits of the dataflow graph. nvcc takes them in a kernel of the user's own.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use graph::interpret::{Fields, Machine};
use kernels::Kernel;
use kinetics::Model;
use machine::target::Target;
use machine::toolchain;
use singe::compilers;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::output::Unit;
use singe::plan::Emit;
use singe::verify::{self, Subject};
use testkit::project::{cuda13, run, there};
use testkit::shipped;
use testkit::skip;

const KERNELS: [Kernel; 5] =
    [Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion, Kernel::Chemistry, Kernel::Isobaric];
const POINTS: usize = 9;

/// The header of h2o2's functions, their model, and the kernels that they are printed from.
fn written() -> (String, Model, Vec<Unit>) {
    let folder = tempfile::tempdir().unwrap();
    let files = mechanism::Files { mechanism: shipped("h2o2"), ..Default::default() };
    let request = Request {
        files,
        kernels: KERNELS.to_vec(),
        verify: None,
        emit: vec![Emit::Device],
        output: Some(folder.path().to_owned()),
        ..Request::default()
    };
    testkit::request::report(&request);
    let header = std::fs::read_to_string(folder.path().join("h2o2_device.h")).unwrap();
    let (mechanism, _) = mechanism::read(&request.files).unwrap();
    let (model, request) = (kinetics::model(mechanism).unwrap(), request.for_cpu());
    let unit = |kernel| driver::compile_kernel(kernel, &model, &request, &mut Observer::silent());
    let units = KERNELS.map(|kernel| unit(kernel).map_err(|f| f.diagnostics).unwrap()).into();
    (header, model, units)
}

fn function(unit: &Unit) -> &str {
    unit.program.symbol.strip_prefix("h2o2_").unwrap()
}

/// A kernel of the user's own, with the symbol and the arguments that the simulator expects.
fn kernel(unit: &Unit) -> String {
    let symbol = &unit.program.symbol;
    format!(
        "extern \"C\" __global__ void {symbol}(const double *t, const double *p, const double *x, double *out, int points, int stride)\n\
         {{\n  const int threads = 32 * {};\n\
         \x20 for (int point = threads * blockIdx.x + threadIdx.x; point < points; point += threads * gridDim.x) {{\n\
         \x20   h2o2_device::{}(t + point, p + point, x + point, stride, out + point, stride);\n  }}\n}}\n",
        unit.program.execution.warps(),
        function(unit),
    )
}

#[test]
fn kernels_that_call_them_give_the_bits_of_the_graph_in_the_simulator() {
    let (header, model, units) = written();
    for (target, front) in [("fermi", "Clang"), ("ampere", "NVRTC")] {
        let target = Target::by_name(target).unwrap();
        if let Err(absent) = toolchain::find_for(target.compute_capability) {
            skip::skip(format!("{front}: {absent}"));
            continue;
        }
        for unit in &units {
            // Clang remarks on functions that a file has and does not call.
            let text =
                format!("#define SINGE_POINT static __device__ __attribute__((unused))\n{header}{}", kernel(unit));
            let made = compilers::compile(target, &[(&unit.program.symbol, &text)]).unwrap().remove(0);
            let Unit { kernel, graph, mapping, proven, program, .. } = unit;
            let request = Request::default().common;
            let (stiffness, module) = (request.stiffness, &made.ptx);
            let model = &model;
            let subject = Subject { kernel: *kernel, model, stiffness, graph, mapping, proven, program, module };
            let verified = verify::verify_text(&subject, &made.compiler, 0, 38).unwrap();
            assert!(verified.largest_error > 0.0 && verified.states == 38, "{verified:?}");
        }
    }
}

/// Arrays of a thread's own: rows of inputs lie together, those of outputs two apart.
fn program(units: &[Unit], model: &Model) -> (String, Vec<f64>) {
    let states = kinetics::verification_states(model, POINTS);
    let mut text = String::from("#include \"h2o2_device.h\"\n#include <cstdio>\nint main()\n{\n");
    let mut expected = Vec::new();
    for unit in units {
        for state in &states {
            let mut fields: Fields = verify::inputs(model, &unit.graph, state);
            let list = |values: &[f64]| values.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
            let [t, p, x] = [0, 1, 2].map(|a| list(&fields[a]));
            let rows = unit.graph.arrays[3].rows;
            let name = function(unit);
            let _ = write!(
                text,
                "  {{\n    const double t[] = {{{t}}}, p[] = {{{p}}}, x[] = {{{x}}};\n    double out[2 * {rows}];\n    \
                 h2o2_device::{name}(t, p, x, 1, out, 2);\n    \
                 for (int i = 0; i < {rows}; ++i) std::fwrite(out + 2 * i, sizeof(double), 1, stdout);\n  }}\n"
            );
            let mut machine = Machine::new(&unit.graph, &fields);
            let steps = unit.proven.schedule().phases.iter().flat_map(|phase| phase.runs.iter().flatten());
            steps.for_each(|&at| machine.step(at, &mut fields));
            expected.extend(&fields[3]);
        }
    }
    (text + "}\n", expected)
}

/// The numbers that the program writes.
fn written_by(program: &Path) -> Vec<f64> {
    let bytes = run(&mut Command::new(program)).stdout;
    bytes.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect()
}

fn equal_in_bits(compiler: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.to_bits(), expected.to_bits(), "{compiler}: value {i}: {found:e}, {expected:e}");
    }
}

fn equal_but_for_roundings(compiler: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let allowed = 1e-13 * expected.abs() + 1e-16 * largest;
        assert!((found - expected).abs() <= allowed, "{compiler}: value {i}: {found:e}, {expected:e}");
    }
}

#[test]
fn compilers_for_a_cpu_give_the_bits_of_the_graph() {
    let (header, model, units) = written();
    let folder = tempfile::tempdir().unwrap();
    let (text, expected) = program(&units, &model);
    std::fs::write(folder.path().join("h2o2_device.h"), header).unwrap();
    std::fs::write(folder.path().join("main.cpp"), text).unwrap();
    for compiler in ["g++", "clang++"].into_iter().filter(|compiler| there(compiler)) {
        // The options of host codes that would change the meaning of arithmetic.
        for options in [&["-O1"][..], &["-O3", "-ffast-math"]] {
            let strict = ["-std=c++11", "-Wall", "-Wextra", "-Werror", "-march=native", "main.cpp", "-o", "main"];
            run(Command::new(compiler).current_dir(folder.path()).args(strict).args(options));
            let told = format!("{compiler} {}", options.join(" "));
            let found = written_by(&folder.path().join("main"));
            // Clang's pragmas do not reach what its code generator fuses under -ffast-math.
            match (compiler, options) {
                ("clang++", ["-O3", ..]) => equal_but_for_roundings(&told, &found, &expected),
                _ => equal_in_bits(&told, &found, &expected),
            }
        }
    }
}

/// The flags under which no compiler of CUDA's may remark anything.
const STRICT: [&str; 4] = ["-Werror", "all-warnings", "-Xcompiler=-Wall,-Wextra,-Werror", "-arch=sm_90"];

#[test]
fn nvcc_takes_them_without_a_remark() {
    let Some(cuda) = cuda13() else { return };
    let (header, _, units) = written();
    let folder = tempfile::tempdir().unwrap();
    let kernels = units.iter().map(kernel).collect::<String>();
    compiles(&cuda, folder.path(), &header, &kernels);
    // As a host code declares them that wants none on the host.
    compiles(&cuda, folder.path(), &format!("#define SINGE_POINT static __device__ inline\n{header}"), &kernels);
}

#[test]
fn functions_that_nvcc_makes_for_host_and_device_give_the_bits_of_the_graph_on_the_host() {
    let Some(cuda) = cuda13() else { return };
    let (header, model, units) = written();
    let folder = tempfile::tempdir().unwrap();
    let (text, expected) = program(&units, &model);
    std::fs::write(folder.path().join("h2o2_device.h"), header).unwrap();
    // Kernels of the same file call the same functions on the device.
    let text = text + &units.iter().map(kernel).collect::<String>();
    std::fs::write(folder.path().join("main.cu"), text).unwrap();
    // The host has the device's bits where it has its fused multiply-adds.
    let fused = cfg!(target_arch = "x86_64").then_some("-Xcompiler=-mfma");
    let nvcc = cuda.join("bin/nvcc");
    run(Command::new(nvcc).current_dir(folder.path()).args(STRICT).args(fused).args(["main.cu", "-o", "main"]));
    equal_in_bits("nvcc", &written_by(&folder.path().join("main")), &expected);
}

/// Prints the names, then writes what conversions give at a state.
const CONVERSIONS: &str = include_str!("device/conversions.cpp");

#[test]
fn names_weights_and_conversions_are_those_of_the_mechanism() {
    if !there("g++") {
        return;
    }
    let (header, model, _) = written();
    let state = kinetics::verification_states(&model, 1).remove(0);
    let kinetics::State { temperature: t, pressure: p, mole_fractions: x } = &state;
    let list = x.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
    let text = format!(
        "#include \"h2o2_device.h\"\n#include <cstdio>\n#include <string>\nusing namespace h2o2_device;\n\
         static void put(double x) {{ std::fwrite(&x, sizeof x, 1, stdout); }}\n\
         int main()\n{{\n  const double t = {t:?}, p = {p:?}, x[] = {{{list}}};\n{CONVERSIONS}}}\n"
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h2o2_device.h"), header).unwrap();
    std::fs::write(folder.path().join("main.cpp"), text).unwrap();
    let strict = ["-std=c++11", "-Wall", "-Wextra", "-Werror", "main.cpp", "-o", "main"];
    run(Command::new("g++").current_dir(folder.path()).args(strict));
    let (weight, density) =
        (kinetics::thermo::mean_weight(&model.mechanism, &state), kinetics::density(&model, &state));
    let mut expected = vec![weight, weight, density, density, *p, *p];
    let sum: f64 = x.iter().sum();
    for (species, x) in model.species().iter().zip(x) {
        expected.extend([x * species.weight / (weight * sum), x / sum, x / sum, species.weight]);
    }
    expected.extend([2.0, 1.0, 0.0]);
    let found = written_by(&folder.path().join("main"));
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert!((found - expected).abs() <= 1e-14 * expected.abs(), "value {i}: {found:e}, {expected:e}");
    }
}

fn compiles(cuda: &Path, folder: &Path, header: &str, kernels: &str) {
    std::fs::write(folder.join("h2o2_device.h"), header).unwrap();
    std::fs::write(folder.join("own.cu"), format!("#include \"h2o2_device.h\"\n{kernels}")).unwrap();
    run(Command::new(cuda.join("bin/nvcc")).current_dir(folder).args(STRICT).args(["-c", "own.cu"]));
}
