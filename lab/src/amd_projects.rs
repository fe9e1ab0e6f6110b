//! Whole generated projects for AMD without ROCm: Clang makes a code object of every kernel, the host's compilers build the project and host
//! codes around it, and a stand-in for HIP runs its driver.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::projects::{PROJECTS, Project, row};
use xtask::program;

/// An architecture, and the lanes of its waves.
struct Machine {
    target: &'static str,
    gfx: &'static str,
    lanes: &'static str,
}

const MACHINES: [Machine; 3] = [
    Machine { target: "mi250x", gfx: "gfx90a", lanes: "64" },
    Machine { target: "mi300x", gfx: "gfx942", lanes: "64" },
    Machine { target: "gfx1250", gfx: "gfx1250", lanes: "32" },
];

/// Compiler and flags, as the report's compiler is called.
const DEVICE: [&str; 14] = [
    "clang",
    "-x",
    "hip",
    "--cuda-device-only",
    "-nogpuinc",
    "-nogpulib",
    "-nostdinc",
    "-O3",
    "-std=c++17",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-parameter",
    "-Wno-pass-failed",
];

/// Builds every project whose mechanism is there, of those whose names start with the word: one row of the table for each. What is left out is told on stderr.
///
/// Errors: a project does not build without a remark of a compiler, its programs do not end as documented, or its driver finds another value
/// than that of the reference.
pub fn build(root: &Path, only: &str) -> Result<Vec<Value>, String> {
    let zig = root.join(".toolchain/zig/ziglang/zig");
    if !zig.is_file() || !program::runs("cmake", &["--version"]) {
        eprintln!(
            "No project for AMD is built: Zig's Clang or CMake is absent (`cargo xtask toolchain` installs them)."
        );
        return Ok(Vec::new());
    }
    let mut rows = Vec::new();
    for project in PROJECTS.iter().filter(|project| project.name.starts_with(only)) {
        if !root.join(project.mechanism).is_file() {
            eprintln!("Not built: {} ({}), whose mechanism is absent.", project.name, project.remark);
            continue;
        }
        for machine in &MACHINES {
            eprintln!("Building {} ({}) for {}", project.name, project.remark, machine.target);
            rows.push(one(root, &zig, project, machine)?);
        }
    }
    Ok(rows)
}

fn one(root: &Path, zig: &Path, project: &Project, machine: &Machine) -> Result<Value, String> {
    let Project { name, mechanism, options, remark } = project;
    let Machine { target, gfx, lanes } = machine;
    let folder = root.join("target/projects").join(format!("{name}-{remark}-{target}"));
    let (source, build) = (folder.join(name), folder.join("build"));
    program::output(
        program::cargo(root)
            .args(["run", "--release", "--quiet", "--", mechanism, "--target", target, "--emit", "host,report"])
            .args(["--codegen", "overlay,data-parallel", "--verify", "off,no-compilers", "-o"])
            .arg(&source)
            .args(*options),
    )?;
    for kernel in kernels(&source, name)? {
        code_object(zig, &kernel, gfx)?;
    }
    let fortran = program::runs("gfortran", &["--version"]);
    program::output(
        Command::new("cmake")
            .arg("-S")
            .arg(root.join("tests/consumer/hip"))
            .arg("-B")
            .arg(&build)
            .arg(format!("-DPROJECT={}", source.display()))
            .arg(format!("-DPREFIX={name}"))
            .arg(format!("-DSTAND_IN={}", root.join("tests/amd").display()))
            .arg(format!("-DLANES={lanes}"))
            .args(["C", "Fortran"].map(|language| format!("-DCMAKE_{language}_FLAGS=-Wall -Wextra -Werror")))
            .arg("-DCMAKE_CXX_FLAGS=-Wall -Werror")
            .args(["--no-warn-unused-cli", if fortran { "-DSINGE_FORTRAN=ON" } else { "-DSINGE_FORTRAN=OFF" }]),
    )?;
    program::output(Command::new("cmake").arg("--build").arg(&build).args(["--parallel", "2"]))?;
    let languages: &[&str] = if fortran { &["c", "cpp", "f90"] } else { &["c", "cpp"] };
    for language in languages {
        program::output(&mut Command::new(build.join(format!("consumer_{language}"))))?;
    }
    program::output(Command::new(build.join(format!("{name}_driver"))).args(["--sizes", "8", "--repeat", "1"]))?;
    let compiler = format!("{}, and g++", version(zig)?);
    row(project, &source, languages, &compiler, "no; by a stand-in on the host")
}

/// The texts of the kernels, in their order.
fn kernels(source: &Path, name: &str) -> Result<Vec<PathBuf>, String> {
    let entries = source.read_dir().map_err(|e| format!("{}: {e}", source.display()))?;
    let is_kernel = |path: &PathBuf| {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let is_text = path.extension().is_some_and(|extension| extension == "hip");
        is_text && stem != "driver" && stem != format!("{name}_context")
    };
    let mut all: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_kernel).collect();
    all.sort();
    if all.is_empty() { Err(format!("{} has no kernels", source.display())) } else { Ok(all) }
}

/// Builds the file that a device loads. Clang calls a linker of ROCm's for that; Zig has the same one under another name.
fn code_object(zig: &Path, kernel: &Path, gfx: &str) -> Result<(), String> {
    let [listing, object, linked] = ["s", "o", "hsaco"].map(|extension| kernel.with_extension(extension));
    let call = || Command::new(zig);
    program::output(
        call().args(DEVICE).arg(format!("--offload-arch={gfx}")).arg("-S").arg(kernel).arg("-o").arg(&listing),
    )?;
    let machine = ["clang", "--target=amdgcn-amd-amdhsa", &format!("-mcpu={gfx}"), "-c"];
    program::output(call().args(machine).arg(&listing).arg("-o").arg(&object))?;
    program::output(call().args(["ld.lld", "-shared"]).arg(&object).arg("-o").arg(&linked))?;
    Ok(())
}

/// Returns the version, such as `clang 22.1.8`.
fn version(zig: &Path) -> Result<String, String> {
    let text = program::output(Command::new(zig).args(["clang", "--version"]))?;
    let number = text.split_once("clang version ").and_then(|(_, rest)| rest.split_whitespace().next());
    Ok(format!("clang {}", number.unwrap_or("of an unknown version")))
}
