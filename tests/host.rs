//! The generated project: its headers through C and C++ compilers, its library, driver and Fortran example through CMake and
//! nvcc 13, and what the programs say where there is no GPU.

use std::path::Path;
use std::process::Command;

use testkit::project::{self, cuda13, has_gpu, run, there};

fn singe(mechanism: &str, out: &Path, arguments: &[&str]) {
    project::generate(&testkit::shipped(mechanism), out, arguments);
}

/// Statuses without a GPU: arguments are checked first, then the device is missed.
const STATUSES: &str = include_str!("host/statuses.c");

const WRAPPED: &str = include_str!("host/wrapped.cpp");

#[test]
fn c_and_cpp_compilers_accept_the_headers_without_a_remark() {
    let folder = tempfile::tempdir().unwrap();
    singe("h2o2", folder.path(), &["--target", "ampere"]);
    std::fs::write(folder.path().join("main.c"), STATUSES).unwrap();
    std::fs::write(folder.path().join("main.cpp"), WRAPPED).unwrap();
    for (compiler, standard, file) in
        [("gcc", "-std=c99", "main.c"), ("g++", "-std=c++11", "main.cpp"), ("g++", "-std=c++20", "main.cpp")]
    {
        if there(compiler) {
            let strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", standard, file];
            run(Command::new(compiler).current_dir(folder.path()).args(strict));
        }
    }
}

/// Prints the mole fractions of hydrogen, oxygen and nitrogen in two points, then the mass fractions that follow from these.
const CONVERSIONS: [(&str, &str); 3] = [
    ("c", include_str!("host/conversions.c")),
    ("cpp", include_str!("host/conversions.cpp")),
    ("f90", include_str!("host/conversions.f90")),
];

#[test]
fn fractions_are_converted_in_three_languages() {
    let folder = tempfile::tempdir().unwrap();
    singe("h2o2", folder.path(), &["--target", "cpu", "--kernel", "viscosity"]);
    let weights = testkit::model(&testkit::shipped("h2o2"));
    let weight = |name: &str| weights.species().iter().find(|species| species.name == name).unwrap().weight;
    let [h2, o2, n2] = ["H2", "O2", "N2"].map(weight);
    let expected: Vec<f64> = [true, false]
        .into_iter()
        .flat_map(|by_mole| {
            [0.0, 0.7451].into_iter().flat_map(move |nitrogen| {
                let masses = [(0.0285, h2), (0.2264, o2), (nitrogen, n2)];
                let amounts = masses.map(|(mass, weight)| if by_mole { mass / weight } else { mass });
                amounts.map(|amount| amount / amounts.iter().sum::<f64>())
            })
        })
        .collect();
    let names = ["abi", "context_create", "context_destroy", "status_text", "viscosity_launch"];
    let library: String = names.iter().map(|name| format!("int h2o2_{name}(void) {{ return 0; }}\n")).collect();
    std::fs::write(folder.path().join("library.c"), library).unwrap();
    for (extension, program) in CONVERSIONS {
        let file = format!("convert.{extension}");
        std::fs::write(folder.path().join(&file), program).unwrap();
        let (compiler, files): (&str, &[&str]) = match extension {
            "c" => ("gcc", &["-std=c99"]),
            "cpp" => ("g++", &["-std=c++11"]),
            // The module has functions that call the library.
            _ => ("gfortran", &["h2o2_module.f90", "library.c"]),
        };
        if !there(compiler) {
            continue;
        }
        let mut command = Command::new(compiler);
        command.current_dir(folder.path()).args(files).args([&file, "-o", "convert"]);
        run(&mut command);
        let printed = run(&mut Command::new(folder.path().join("convert"))).stdout;
        let found: Vec<f64> =
            String::from_utf8(printed).unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect();
        assert_eq!(found.len(), expected.len(), "{extension}");
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-14, "{extension}: {found} instead of {expected}");
        }
    }
}

#[test]
fn gfortran_accepts_the_module_without_a_remark() {
    if !there("gfortran") {
        return;
    }
    for name in ["h2o2", "gri30"] {
        let folder = tempfile::tempdir().unwrap();
        singe(name, folder.path(), &["--target", "ampere", "--units", "cgs"]);
        let strict = [
            "-Wall",
            "-Wextra",
            "-Werror",
            "-std=f2008",
            "-c",
            &format!("{name}_module.f90"),
            &format!("{name}_example.f90"),
        ];
        run(Command::new("gfortran").current_dir(folder.path()).args(strict));
    }
}

#[test]
fn the_project_builds_with_nvcc_13_and_its_programs_say_that_there_is_no_gpu() {
    let (Some(cuda), true) = (cuda13(), there("cmake")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (source, build) = (folder.path().join("h2o2"), folder.path().join("build"));
    singe("h2o2", &source, &["--target", "ampere", "--codegen", "overlay,switch,data-parallel"]);
    project::build(&cuda, &source, &build, &["-DCMAKE_CUDA_ARCHITECTURES=80;90;120"]);
    if has_gpu() {
        return;
    }
    let driver = Command::new(build.join("h2o2_driver")).output().unwrap();
    assert_eq!(driver.status.code(), Some(2));
    let message = String::from_utf8_lossy(&driver.stderr).into_owned();
    assert!(message.starts_with("no CUDA device: "), "{message}");
    let usage = Command::new(build.join("h2o2_driver")).args(["--sizes", "many"]).output().unwrap();
    assert_eq!(usage.status.code(), Some(1));
    assert!(run(Command::new(build.join("h2o2_driver")).arg("--help")).stdout.starts_with(b"usage: h2o2_driver"));
    if there("gfortran") {
        let fortran = Command::new(build.join("h2o2_fortran")).output().unwrap();
        assert_eq!(fortran.status.code(), Some(2));
        assert!(fortran.stdout.starts_with(b"h2o2: no context could be made, status -5"), "{fortran:?}");
    }
}

#[test]
fn statuses_without_a_gpu_are_the_documented_ones() {
    let (Some(cuda), true, true) = (cuda13(), there("cmake"), there("gcc")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (source, build) = (folder.path().join("h2o2"), folder.path().join("build"));
    singe("h2o2", &source, &["--target", "hopper", "--kernel", "viscosity"]);
    project::build(&cuda, &source, &build, &[]);
    std::fs::write(source.join("main.c"), STATUSES).unwrap();
    run(Command::new("gcc")
        .current_dir(&source)
        .args(["main.c", "-o", "main", "-I."])
        .arg(build.join("libh2o2.a"))
        .arg(format!("-L{}", cuda.join("lib").display()))
        .args(["-lcudart_static", "-lstdc++", "-ldl", "-lpthread", "-lrt"]));
    if has_gpu() {
        return;
    }
    let output = run(&mut Command::new(source.join("main")));
    let expected = "-5 1 -1 -1 -2 -3 0 -1 -1 -9 0\nH2O\nthere is no CUDA device, or its driver is absent or too old\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

/// Kernels of `examples/flame` beside its reactors.
const FLAME: [&str; 12] = [
    "--name",
    "h2",
    "--kernel",
    "reactor,conductivity",
    "--state",
    "TPY",
    "--set",
    "face=flux:TPY:mass-fluxes,enthalpy-flux",
    "--set",
    "gas=thermodynamics:TPY:h",
    "--set",
    "energy=temperature:HPY",
];

/// The guide runs the flame on a CPU; here it is compiled for GPUs, with CUDA's headers and with a stand-in for those of HIP.
#[test]
fn the_flame_compiles_for_gpus_without_a_remark() {
    if !there("g++") {
        return;
    }
    let includes = [
        ("hopper", "FLAME_CUDA", cuda13().map(|toolkit| toolkit.join("include"))),
        ("mi300x", "FLAME_HIP", Some(testkit::root().join("tests/amd"))),
    ];
    for (target, back_end, include) in includes {
        let Some(include) = include else { continue };
        let folder = tempfile::tempdir().unwrap();
        singe("h2o2", folder.path(), &[&FLAME[..], &["--target", target]].concat());
        let mut compiler = Command::new("g++");
        compiler.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]).arg(format!("-D{back_end}"));
        compiler.arg("-I").arg(folder.path()).arg("-isystem").arg(include);
        run(compiler.arg(testkit::root().join("examples/flame/flame.cpp")));
    }
}
