//! The two whole programs of the guide's page on GPUs: the compilers take them with the projects that the page makes, and they run.

use std::fs::{read_to_string, write};
use std::path::Path;
use std::process::Command;

use testkit::page::{fences, text};
use testkit::project::{cuda13, generate, has_gpu, run, there};
use testkit::{root, shipped};

/// The block of the page that is written to a file.
fn block(name: &str) -> String {
    let file = format!("file={name}");
    let found = fences(&text("guide/gpu.md")).into_iter().find(|(info, _)| info.ends_with(&file));
    found.unwrap_or_else(|| panic!("the page has no {name}")).1
}

/// The arguments of the page's command for a folder.
fn arguments(folder: &str) -> Vec<String> {
    let page = text("guide/gpu.md");
    let end = format!("-o {folder}");
    let line = page.lines().find(|line| line.ends_with(&end)).expect("the command");
    line.split(' ').skip(2).take_while(|word| *word != "--emit").map(str::to_owned).collect()
}

fn project(folder: &Path, name: &str) {
    let arguments = arguments(name);
    generate(&shipped("h2o2"), &folder.join(name), &arguments.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn the_program_in_cuda_builds_and_says_that_there_is_no_gpu() {
    let Some(cuda) = cuda13().filter(|_| there("cmake") && there("g++") && !has_gpu()) else { return };
    let folder = tempfile::tempdir().unwrap();
    project(folder.path(), "cuda");
    for name in ["solver.cu", "CMakeLists.txt"] {
        write(folder.path().join(name), block(name)).unwrap();
    }
    testkit::project::build(&cuda, folder.path(), &folder.path().join("build"), &["-DSINGE_FORTRAN=OFF"]);
    let output = Command::new(folder.path().join("build/solver")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && said.contains("device"), "{said}");
}

/// A stand-in for HIP runs the threads of a workgroup on the host.
#[test]
fn the_program_in_hip_computes() {
    if !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    project(folder.path(), "hip");
    write(folder.path().join("solver.cpp"), block("solver.hip")).unwrap();
    let mut sources = vec!["solver.cpp".to_owned()];
    for name in ["viscosity", "chemistry", "context"] {
        let source = read_to_string(folder.path().join(format!("hip/h2o2_{name}.hip"))).unwrap();
        sources.push(format!("h2o2_{name}.cpp"));
        write(folder.path().join(sources.last().unwrap()), source).unwrap();
    }
    run(Command::new("g++")
        .current_dir(folder.path())
        .args(["-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Werror"])
        .args(["-Wno-unknown-pragmas", "-Wno-attributes", "-Wno-dangling-pointer", "-Ihip", "-I"])
        .arg(root().join("tests/amd"))
        .args(&sources)
        .args(["-o", "solver"]));
    let said = String::from_utf8(run(&mut Command::new(folder.path().join("solver"))).stdout).unwrap();
    let numbers: Vec<f64> = said.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
    // 4.0e-5 Pa s is air's at 1000 K; hydrogen with oxygen alone makes atoms.
    assert!(numbers.len() == 2 && (3e-5..5e-5).contains(&numbers[0]) && numbers[1] > 0.0, "{said}");
}
