//! A project's library, installed: programs find it by CMake's `find_package` and by pkg-config.

use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::project::{self, cuda13, generate, run, there};
use testkit::shipped;

/// The viscosity of hydrogen at 1000 K; with a GPU's library, the status of a call without a context.
const PROGRAM: &str = include_str!("installed/finds.c");

/// The same in C++, which throws the status, and in Fortran.
const IN_CPP: &str = include_str!("installed/finds.cpp");

const IN_FORTRAN: &str = include_str!("installed/finds.f90");

const FINDS: &str = include_str!("installed/CMakeLists.txt");

/// Installs the project, moves what was installed, and builds the programs with that alone. What each of them prints.
fn installed(folder: &Path, arguments: &[&str], options: &[String]) -> Vec<String> {
    let at = |name: &str| folder.join(name);
    generate(&shipped("h2o2"), &at("project"), arguments);
    let cmake = |source: &str, build: &str, options: &[String]| {
        let mut configure = Command::new("cmake");
        run(configure.arg("-S").arg(at(source)).arg("-B").arg(at(build)).args(options));
        run(Command::new("cmake").arg("--build").arg(at(build)).args(["--parallel", "2"]));
    };
    cmake("project", "build", &[&["-DCMAKE_INSTALL_LIBDIR=lib".to_owned()], options].concat());
    run(Command::new("cmake").arg("--install").arg(at("build")).arg("--prefix").arg(at("first")));
    // nothing but what was installed may be found, and that elsewhere
    let prefix = at("prefix");
    std::fs::rename(at("first"), &prefix).unwrap();
    std::fs::remove_dir_all(at("project")).unwrap();
    std::fs::remove_dir_all(at("build")).unwrap();
    std::fs::create_dir(at("user")).unwrap();
    let sources = [("main.c", PROGRAM), ("main.cpp", IN_CPP), ("main.f90", IN_FORTRAN), ("CMakeLists.txt", FINDS)];
    sources.iter().for_each(|(name, text)| std::fs::write(at("user").join(name), text).unwrap());
    cmake("user", "user-build", &[format!("-DCMAKE_PREFIX_PATH={}", prefix.display())]);
    let names = ["finds", "finds_cpp", "finds_fortran"].map(|name| at("user-build").join(name));
    let mut programs: Vec<PathBuf> = names.into_iter().filter(|program| program.exists()).collect();
    if there("pkg-config") {
        let mut ask = Command::new("pkg-config");
        let flags = run(ask.args(["--cflags", "--libs", "h2o2"]).env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")));
        let flags = String::from_utf8(flags.stdout).unwrap();
        let program = at("program");
        run(Command::new("gcc").arg(at("user/main.c")).arg("-o").arg(&program).args(flags.split_whitespace()));
        programs.push(program);
    }
    let said = |program: &PathBuf| run(Command::new(program).env("LD_LIBRARY_PATH", prefix.join("lib"))).stdout;
    programs.iter().map(|program| String::from_utf8(said(program)).unwrap().to_lowercase()).collect()
}

#[test]
fn a_library_for_a_cpu_is_found_static_and_shared() {
    if !(there("cmake") && there("g++") && there("gcc")) {
        return;
    }
    let fortran = there("gfortran");
    for shared in ["OFF", "ON"] {
        let folder = tempfile::tempdir().unwrap();
        let with_fortran = if fortran { "ON" } else { "OFF" };
        let options = [format!("-DBUILD_SHARED_LIBS={shared}"), format!("-DSINGE_FORTRAN={with_fortran}")];
        let said = installed(folder.path(), &["--target", "cpu", "--kernel", "viscosity"], &options);
        assert!(said.len() >= 2 + usize::from(fortran), "{said:?}");
        let is_shared = folder.path().join("prefix/lib/libh2o2.so").exists();
        assert_eq!(is_shared, shared == "ON");
        // 1.97e-5 Pa s at 1000 K by GRI's transport data
        let is_right = |line: &String| line.trim().starts_with("1.9") && line.trim().ends_with("e-05");
        assert!(said.iter().all(is_right), "{said:?}");
    }
}

#[test]
fn a_library_for_a_gpu_is_found() {
    let Some(cuda) = cuda13().filter(|_| there("cmake") && there("g++") && !project::has_gpu()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let nvcc = format!("-DCMAKE_CUDA_COMPILER={}", cuda.join("bin/nvcc").display());
    let said = installed(folder.path(), &["--target", "hopper", "--kernel", "viscosity"], &[nvcc]);
    assert!(said.iter().all(|line| line.trim().parse::<i32>().is_ok_and(|status| status != 0)), "{said:?}");
}
