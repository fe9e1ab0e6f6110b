//! Whole generated projects of full-size mechanisms, whose kernels need more shared memory than a kernel may declare, and
//! host codes in C, C++ and Fortran around them.

use std::fmt::Write;
use std::fs::{read_to_string, write};
use std::path::Path;
use std::process::Command;

use machine::target::Target;
use testkit::project::{self, cuda13, generate, has_gpu, run, shared, there};
use testkit::shipped;

const BOTH_LAYOUTS: [&str; 2] = ["--codegen", "overlay,data-parallel"];

#[test]
fn gri30_builds_for_ampere_with_two_layouts_and_host_codes_in_three_languages() {
    let (Some(cuda), true) = (cuda13(), there("cmake")) else { return };
    // reduced DME has all kernels
    let large = ["--target", "ampere", "--kernel", "viscosity,diffusion"];
    builds(&cuda, &shipped("gri30"), "gri30", &[&large[..], &BOTH_LAYOUTS[..]].concat());
}

#[test]
fn reduced_dme_builds_for_hopper() {
    let (Some(cuda), true, Some(dme)) = (cuda13(), there("cmake"), shared("dme")) else { return };
    builds(&cuda, &dme, "dme", &["--target", "hopper"]);
}

/// Builds a project inside that of a host code, and runs the programs.
fn builds(cuda: &Path, mechanism: &Path, prefix: &str, arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let (source, build) = (folder.path().join(prefix), folder.path().join("build"));
    generate(mechanism, &source, arguments);
    let consumer = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/consumer");
    let place = format!("-DPROJECT={}", source.display());
    project::build(cuda, &consumer, &build, &[&place, &format!("-DPREFIX={prefix}")]);
    if has_gpu() {
        return;
    }
    for (language, said) in consumers(&build) {
        assert!(said.starts_with(b"-5"), "{language}: {}", String::from_utf8_lossy(&said));
    }
    let driver = Command::new(build.join(prefix).join(format!("{prefix}_driver"))).status().unwrap();
    assert_eq!(driver.code(), Some(2));
}

/// Runs the host codes, and returns what each language's prints.
fn consumers(build: &Path) -> Vec<(&'static str, Vec<u8>)> {
    let languages: &[&str] = if there("gfortran") { &["c", "cpp", "f90"] } else { &["c", "cpp"] };
    let program = |language: &&str| Command::new(build.join(format!("consumer_{language}")));
    languages.iter().map(|language| (*language, run(&mut program(language)).stdout)).collect()
}

/// A stand-in for HIP runs the host codes and the driver, which compares its values with those of the reference.
#[test]
fn a_project_for_amd_builds_with_host_codes_in_three_languages() {
    if !there("cmake") || !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (source, build) = (folder.path().join("h2o2"), folder.path().join("build"));
    let one = ["--target", "mi300x", "--kernel", "viscosity"];
    generate(&shipped("h2o2"), &source, &[&one[..], &BOTH_LAYOUTS[..]].concat());
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let places = [("PROJECT", source.as_path()), ("STAND_IN", &tests.join("amd"))];
    let [project, stand_in] = places.map(|(name, path)| format!("-D{name}={}", path.display()));
    let options = [&project, &stand_in, "-DPREFIX=h2o2", "-DLANES=64", "-DCMAKE_CXX_FLAGS=-Wall -Werror"];
    project::build_for_cpu(&tests.join("consumer/hip"), &build, &options);
    for (language, said) in consumers(&build) {
        assert!(!said.is_empty(), "{language}");
    }
    run(Command::new(build.join("h2o2_driver")).args(["--sizes", "8", "--repeat", "1"]));
}

/// nvcc 13 compiles for sm_75 and later. What runs on the host is C++ and the same for all: an ordinary compiler takes it with
/// the headers of CUDA's run-time library, below a declaration of the kernel.
#[test]
fn the_host_half_of_every_target_compiles_without_a_remark() {
    let (Some(cuda), true) = (cuda13(), there("g++")) else { return };
    let are_swept = testkit::skip::sweeps("the host half of further targets");
    for target in Target::all().filter(|target| are_swept || ["kepler", "hopper"].contains(&target.name.as_str())) {
        let folder = tempfile::tempdir().unwrap();
        generate(&shipped("gri30"), folder.path(), &[&["--target", &target.name], &BOTH_LAYOUTS[..]].concat());
        let mut text = String::new();
        let mut kernels = 0;
        for kernel in ["viscosity", "conductivity", "diffusion", "chemistry"] {
            for layout in ["overlay", "data_parallel"] {
                let source = read_to_string(folder.path().join(format!("gri30_{kernel}_{layout}.cu"))).unwrap();
                text += &host_half(&source);
                kernels += 1;
            }
        }
        assert_eq!(text.matches("_launch(").count(), kernels);
        text += &read_to_string(folder.path().join("gri30_context.cu")).unwrap();
        write(folder.path().join("host.cpp"), text).unwrap();
        run(Command::new("g++")
            .current_dir(folder.path())
            .args(["-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "host.cpp", "-isystem"])
            .arg(cuda.join("include")));
    }
}

/// Returns the part of a kernel's file that nvcc compiles for the host: the declaration of the kernel, and its functions.
fn host_half(source: &str) -> String {
    let (device, host) = source.split_once("#ifndef __CUDACC_RTC__\n").unwrap();
    let (_, kernel) = device.split_once("__global__ void __launch_bounds__").unwrap();
    let (signature, _) = kernel.split_once("\n{\n").unwrap();
    let (_, declaration) = signature.split_once('\n').unwrap();
    let mut out = String::new();
    writeln!(out, "extern \"C\" void {declaration};\n{}", host.strip_suffix("#endif\n").unwrap()).unwrap();
    out
}
