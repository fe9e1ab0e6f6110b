//! A project's library, installed: programs find it by CMake's `find_package` and by pkg-config.

use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::project::{self, cuda13, generate, run, there};
use testkit::shipped;

/// The viscosity of hydrogen at 1000 K; with a GPU's library, the status of a call without a context.
const PROGRAM: &str = r#"
#include "h2o2.h"
#include <stdio.h>
int main(void)
{
  double t[1] = {1000.0}, p[1] = {101325.0}, x[10] = {1.0}, out[1] = {0.0};
  struct h2o2_context *context = 0;
  if (h2o2_context_create(&context)) return printf("%d\n", h2o2_viscosity_launch(0, t, p, x, out, 1, 1, 0)), 0;
  if (h2o2_viscosity_launch(context, t, p, x, out, 1, 1, 0)) return 1;
  printf("%.4e\n", out[0]);
  return h2o2_context_destroy(context);
}
"#;

/// The same in C++, which throws the status, and in Fortran.
const IN_CPP: &str = r#"
#include "h2o2.hpp"
#include <cstdio>
int main()
try {
  double t[1] = {1000.0}, p[1] = {101325.0}, x[10] = {1.0}, out[1] = {0.0};
  h2o2::context context;
  context.viscosity(t, p, x, out, 1, 1, nullptr);
  std::printf("%.4e\n", out[0]);
} catch (const h2o2::error &error) {
  std::printf("%d\n", error.status());
}
"#;

const IN_FORTRAN: &str = "program finds
  use, intrinsic :: iso_c_binding
  use h2o2
  implicit none
  real(c_double), target :: t(1) = 1000, p(1) = 101325, x(1, h2o2_species) = 0, out(1)
  type(c_ptr) :: context
  x(1, h2o2_h2) = 1
  if (h2o2_context_create(context) /= h2o2_success) stop 1
  if (h2o2_viscosity_launch(context, c_loc(t), c_loc(p), c_loc(x), c_loc(out), 1_c_int, 1_c_int, c_null_ptr) &
    /= h2o2_success) stop 2
  print '(es10.4)', out(1)
  if (h2o2_context_destroy(context) /= h2o2_success) stop 3
end program
";

const FINDS: &str = "cmake_minimum_required(VERSION 3.18)
project(finds LANGUAGES C CXX)
find_package(h2o2 CONFIG REQUIRED)
add_executable(finds main.c)
add_executable(finds_cpp main.cpp)
target_link_libraries(finds PRIVATE h2o2::h2o2)
target_link_libraries(finds_cpp PRIVATE h2o2::h2o2)
set_target_properties(finds PROPERTIES LINKER_LANGUAGE CXX)
if(TARGET h2o2::h2o2_module)
  enable_language(Fortran)
  add_executable(finds_fortran main.f90)
  target_link_libraries(finds_fortran PRIVATE h2o2::h2o2_module)
endif()
";

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
