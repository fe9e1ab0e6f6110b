//! A project's library, installed: programs find it by CMake's `find_package` and by pkg-config.

use std::path::Path;
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

const FINDS: &str = "cmake_minimum_required(VERSION 3.18)
project(finds LANGUAGES C CXX)
find_package(h2o2 CONFIG REQUIRED)
add_executable(finds main.c)
target_link_libraries(finds PRIVATE h2o2::h2o2)
set_target_properties(finds PROPERTIES LINKER_LANGUAGE CXX)
";

/// Installs the project, and builds the program with what was installed alone. What each of the two programs prints.
fn installed(folder: &Path, arguments: &[&str], options: &[String]) -> Vec<String> {
    let at = |name: &str| folder.join(name);
    generate(&shipped("h2o2"), &at("project"), arguments);
    let cmake = |source: &str, build: &str, options: &[String]| {
        let mut configure = Command::new("cmake");
        run(configure.arg("-S").arg(at(source)).arg("-B").arg(at(build)).args(options));
        run(Command::new("cmake").arg("--build").arg(at(build)).args(["--parallel", "2"]));
    };
    let prefix = at("prefix");
    let place = [format!("-DCMAKE_INSTALL_PREFIX={}", prefix.display()), "-DCMAKE_INSTALL_LIBDIR=lib".to_owned()];
    cmake("project", "build", &[&place[..], options].concat());
    run(Command::new("cmake").arg("--install").arg(at("build")));
    // nothing but what was installed may be found
    std::fs::remove_dir_all(at("project")).unwrap();
    std::fs::remove_dir_all(at("build")).unwrap();
    std::fs::create_dir(at("user")).unwrap();
    std::fs::write(at("user/main.c"), PROGRAM).unwrap();
    std::fs::write(at("user/CMakeLists.txt"), FINDS).unwrap();
    cmake("user", "user-build", &[format!("-DCMAKE_PREFIX_PATH={}", prefix.display())]);
    let mut programs = vec![at("user-build/finds")];
    if there("pkg-config") {
        let mut ask = Command::new("pkg-config");
        let flags = run(ask.args(["--cflags", "--libs", "h2o2"]).env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")));
        let flags = String::from_utf8(flags.stdout).unwrap();
        let program = at("program");
        run(Command::new("gcc").arg(at("user/main.c")).arg("-o").arg(&program).args(flags.split_whitespace()));
        programs.push(program);
    }
    let said = |program: &std::path::PathBuf| run(&mut Command::new(program)).stdout;
    programs.iter().map(|program| String::from_utf8(said(program)).unwrap()).collect()
}

#[test]
fn a_library_for_a_cpu_is_found() {
    if !(there("cmake") && there("g++") && there("gcc")) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let said = installed(folder.path(), &["--target", "cpu", "--kernel", "viscosity"], &[]);
    // 1.97e-5 Pa s at 1000 K by GRI's transport data
    assert!(said.iter().all(|line| line.starts_with("1.9") && line.trim().ends_with("e-05")), "{said:?}");
}

#[test]
fn a_library_for_a_gpu_is_found() {
    let Some(cuda) = cuda13().filter(|_| there("cmake") && there("g++") && !project::has_gpu()) else { return };
    let folder = tempfile::tempdir().unwrap();
    let nvcc = format!("-DCMAKE_CUDA_COMPILER={}", cuda.join("bin/nvcc").display());
    let said = installed(folder.path(), &["--target", "hopper", "--kernel", "viscosity"], &[nvcc]);
    assert!(said.iter().all(|line| line.trim().parse::<i32>().is_ok_and(|status| status != 0)), "{said:?}");
}
