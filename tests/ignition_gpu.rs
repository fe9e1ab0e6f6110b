//! The program that integrates a batch of reactors on a GPU as one system: it compiles, and on a CPU, where each launch is a loop over the
//! reactors, it gives the ignition delays of reactors that are integrated alone.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use testkit::project::{cuda13, generate, run, there};
use testkit::shipped;
use testkit::skip;

/// SUNDIALS, where Debian has it. Its package has no vectors for CUDA.
const HEADERS: &str = "/usr/include";

/// The functions of CUDA that the program calls, on a CPU.
const RUNTIME: &str = include_str!("ignition/runtime.h");

/// Vectors of a CPU by the names of those for CUDA.
const VECTORS: &str = "
#pragma once
#include <nvector/nvector_serial.h>
#define N_VNewManaged_Cuda N_VNew_Serial
#define N_VGetDeviceArrayPointer_Cuda N_VGetArrayPointer
";

/// Declarations that the program needs for vectors of CUDA.
const DECLARED: &str = "
#pragma once
#include <sundials/sundials_nvector.h>
extern \"C\" {
N_Vector N_VNewManaged_Cuda(sunindextype length, SUNContext context);
double *N_VGetDeviceArrayPointer_Cuda(N_Vector vector);
}
";

const LAUNCH: &str = "all<<<(count + 127) / 128, 128>>>(count, function);";
const LOOP: &str = "for (int r = 0; r < count; ++r) function(r);";

fn sundials_is_there() -> bool {
    let found = Path::new(HEADERS).join("cvode/cvode.h").is_file();
    if !found {
        skip::skip("SUNDIALS is absent (`cargo xtask toolchain` installs it on Debian)");
    }
    found
}

/// The project of h2o2 for a GPU, with the same for CPUs.
fn written(folder: &Path) -> PathBuf {
    let source = folder.join("h2o2");
    let kernels = ["--kernel", "isochoric,isochoric-jacobian", "--state", "TRY", "--emit", "cvode"];
    generate(&shipped("h2o2"), &source, &[&["--target", "hopper"], &kernels[..]].concat());
    source
}

/// Writes a header of a library into a folder.
fn header(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// Runs a program of the project on these conditions and returns the delays that it prints.
fn delays(source: &Path, program: &str, conditions: &str) -> Vec<f64> {
    let files = ["h2o2_isochoric.cpp", "h2o2_isochoric_jacobian.cpp", "h2o2_context.cpp"];
    let options = ["-std=c++17", "-O1", "-march=native", "-DSINGE_WIDTH=1", "-fopenmp", "-Wall", "-Wextra", "-Werror"];
    let libraries =
        ["-lsundials_cvode", "-lsundials_nvecserial", "-lsundials_sunmatrixdense", "-lsundials_sunlinsoldense"];
    let mut compiler = Command::new("g++");
    compiler.current_dir(source).args(options).args(["-Icuda", "-o", "program", program]).args(files).args(libraries);
    run(&mut compiler);
    let mut program = Command::new(source.join("program"));
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(conditions.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(' ').nth(2).unwrap().parse().unwrap()).collect()
}

#[test]
fn a_batch_ignites_as_its_reactors_do_alone() {
    if !sundials_is_there() || !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = written(folder.path());
    header(&source, "cuda/cuda_runtime.h", RUNTIME);
    header(&source, "cuda/nvector/nvector_cuda.h", VECTORS);
    let text = fs::read_to_string(source.join("h2o2_ignition.cu")).unwrap();
    assert_eq!((text.matches("<<<").count(), text.matches(LAUNCH).count()), (1, 1));
    fs::write(source.join("batch.cpp"), text.replace(LAUNCH, LOOP)).unwrap();
    let air = "H2:2 O2:1 N2:3.76\n";
    let conditions = format!("1000 101325 {air}1100 101325 {air}1300 1013250 H2:1 O2:1 N2:3.76\n950 101325 {air}");
    let alone = delays(&source, "h2o2_ignition.cpp", &conditions);
    let batch = delays(&source, "batch.cpp", &conditions);
    assert_eq!((alone.len(), batch.len()), (4, 4));
    for (alone, batch) in alone.iter().zip(&batch) {
        assert!(*alone > 0.0 && (batch / alone - 1.0).abs() < 1e-5, "{alone} {batch}");
    }
}

fn compiles(source: &Path, folder: &str) {
    let Some(cuda) = cuda13() else { return };
    let strict = ["-std=c++17", "-Werror", "all-warnings", "-Xcompiler=-Wall,-Wextra,-Werror", "-arch=sm_90"];
    let files = ["-I", folder, "-c", "h2o2_ignition.cu"];
    run(Command::new(cuda.join("bin/nvcc")).current_dir(source).args(strict).args(files));
}

#[test]
fn the_program_compiles() {
    if !sundials_is_there() || !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = written(folder.path());
    header(&source, "declared/nvector/nvector_cuda.h", DECLARED);
    compiles(&source, "declared");
}

/// `SUNDIALS_ROOT` names the folder of a SUNDIALS that was built with CUDA.
#[test]
fn the_program_compiles_with_the_vectors_of_sundials() {
    let own = std::env::var_os("SUNDIALS_ROOT").map(|root| Path::new(&root).join("include"));
    let include = own.unwrap_or_else(|| HEADERS.into());
    if !include.join("nvector/nvector_cuda.h").is_file() {
        return skip::skip("SUNDIALS' vectors for CUDA are absent (SUNDIALS_ROOT names a folder; Debian has none)");
    }
    let folder = tempfile::tempdir().unwrap();
    compiles(&written(folder.path()), include.to_str().unwrap());
}
