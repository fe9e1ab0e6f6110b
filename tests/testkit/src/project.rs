//! Generated projects, and the compilers that build them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use machine::toolchain::installations;

use crate::skip;

/// Writes the whole project of a mechanism, unverified: other tests verify the same kernels.
pub fn generate(mechanism: &Path, out: &Path, arguments: &[&str]) {
    assert_cmd::Command::cargo_bin("singe")
        .unwrap()
        .arg(mechanism)
        .args(["--emit", "host", "--verify", "off,no-compilers", "-o"])
        .arg(out)
        .args(arguments)
        .assert()
        .success();
}

/// A published mechanism; where it is absent, the test is skipped.
pub fn shared(name: &str) -> Option<PathBuf> {
    skip::shared(&format!("mechanisms/{name}/chem.inp"))
}

/// A program that answers `--version`; where it is absent, says what is skipped.
pub fn there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    if !found {
        skip::skip(format!("{program} is absent (`cargo xtask toolchain` installs it on Debian)"));
    }
    found
}

/// The folder of CUDA 13, with `bin`, `include` and `lib`.
pub fn cuda13() -> Option<PathBuf> {
    let nvcc = installations().iter().filter(|found| found.release.0 == 13).find_map(|found| found.nvcc.as_ref());
    if nvcc.is_none() {
        skip::skip("nvcc 13 is absent (`cargo xtask toolchain` installs it)");
    }
    nvcc?.parent()?.parent().map(Path::to_owned)
}

/// Whether the programs would do more than to say that there is no GPU; says so.
pub fn has_gpu() -> bool {
    let found = Command::new("nvidia-smi").output().is_ok_and(|o| o.status.success());
    if found {
        skip::skip("there is a GPU, so that the programs do more than to say that there is none");
    }
    found
}

/// Configures with CMake and builds. Every remark of nvcc, and of the compilers that it calls or that stand beside it, is an
/// error.
pub fn build(cuda: &Path, source: &Path, build: &Path, options: &[&str]) {
    const STRICT: &str = "-Wall -Wextra -Werror";
    let fortran = there("gfortran");
    run(Command::new("cmake")
        .arg("-S")
        .arg(source)
        .arg("-B")
        .arg(build)
        .arg(format!("-DCMAKE_CUDA_COMPILER={}", cuda.join("bin/nvcc").display()))
        .arg("-DCMAKE_CUDA_FLAGS=-Werror all-warnings -Xcompiler=-Wall,-Wextra,-Werror")
        .args(["C", "CXX", "Fortran"].map(|language| format!("-DCMAKE_{language}_FLAGS={STRICT}")))
        .args(["--no-warn-unused-cli", if fortran { "-DSINGE_FORTRAN=ON" } else { "-DSINGE_FORTRAN=OFF" }])
        .args(options));
    run(Command::new("cmake").arg("--build").arg(build).args(["--parallel", "2"]));
}

/// The same with ordinary compilers alone; every remark is an error.
pub fn build_for_cpu(source: &Path, build: &Path, options: &[&str]) {
    let strict = ["C", "CXX", "Fortran"].map(|language| format!("-DCMAKE_{language}_FLAGS=-Wall -Wextra -Werror"));
    let fortran = if there("gfortran") { "-DSINGE_FORTRAN=ON" } else { "-DSINGE_FORTRAN=OFF" };
    run(Command::new("cmake")
        .arg("-S")
        .arg(source)
        .arg("-B")
        .arg(build)
        .args(strict)
        .args(["--no-warn-unused-cli", fortran])
        .args(options));
    run(Command::new("cmake").arg("--build").arg(build).args(["--parallel", "2"]));
}

/// Makes a program of C++ in a folder. Each source is compiled by itself: ccache keeps objects, but no programs.
pub fn program(
    compiler: &str,
    folder: &Path,
    options: &[impl AsRef<OsStr>],
    sources: &[impl AsRef<str>],
    libraries: &[&str],
    name: &str,
) {
    let compiler = || {
        let mut command = Command::new(compiler);
        command.current_dir(folder).args(options);
        command
    };
    let objects: Vec<String> = sources.iter().map(|source| format!("{}.{name}.o", source.as_ref())).collect();
    for (source, object) in sources.iter().zip(&objects) {
        run(compiler().args(["-c", source.as_ref(), "-o", object]));
    }
    run(compiler().args(&objects).args(libraries).args(["-o", name]));
}

pub fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}\n{}{}", text(&output.stdout), text(&output.stderr));
    output
}
