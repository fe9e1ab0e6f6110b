//! Names of a project: those that mean something to a compiler, long ones, and two projects in one program.

use std::path::Path;
use std::process::Command;

use singe::plan::Request;
use testkit::project::{self, cuda13, generate, has_gpu, run, there};
use testkit::request;
use testkit::shipped;

#[test]
fn a_project_is_named_after_the_mechanism_or_as_the_user_says() {
    let plain = request::new(shipped("h2o2"));
    let named = |name: &str| Request { name: Some(name.to_owned()), ..plain.clone() };
    let long = "a_very_long_name_of_a_mechanism_with_all_that_was_ever_done_to_it";
    for (request, mechanism, name) in [
        (&plain, "gri30", "gri30"),
        (&plain, "double", "v_double"),
        (&plain, "main", "v_main"),
        (&plain, "std", "v_std"),
        (&plain, "a__b_", "a_b"),
        (&plain, long, "a_very_long_name_of_a_mechanism_with_all_that_was_ever_done"),
        (&named("mine"), "gri30", "mine"),
    ] {
        assert_eq!(request.name(mechanism), name);
        assert_eq!(request.of_kernel(kernels::Kernel::Viscosity).symbol(mechanism), format!("{name}_viscosity"));
    }
}

/// Files of a project that have the same name for every mechanism.
const COMMON: [&str; 2] = ["CMakeLists.txt", "singe_vector.h"];

#[test]
fn every_file_and_every_symbol_begins_with_the_name() {
    let folder = tempfile::tempdir().unwrap();
    // Straight-line code has variables named after species, H2O2 among them.
    generate(&shipped("h2o2"), folder.path(), &["--name", "mine", "--codegen", "overlay"]);
    let mut named = 0;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        if !COMMON.contains(&file.as_str()) {
            assert!(file.starts_with("mine"), "{file}");
        }
        // The mechanism's own name stands in comments only: the command and the files that it read.
        let code = text.lines().filter(|line| !line.starts_with(['/', '!', '#']) && !line.contains("mechanisms/h2o2"));
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let begins = |line: &str| line.split(|c| !word(c)).any(|name| name.to_lowercase().starts_with("h2o2_"));
        assert!(!code.into_iter().any(begins), "{file}");
        named += usize::from(text.contains("mine_"));
    }
    assert!(named >= 10, "{named}");
    let header = std::fs::read_to_string(folder.path().join("mine.h")).unwrap();
    for line in [
        "#ifndef SINGE_MINE_H",
        concat!("#define MINE_VERSION \"", env!("CARGO_PKG_VERSION"), "\""),
        "#define MINE_UNITS \"si\"",
        "#define MINE_TARGET \"ampere\"",
        "#define MINE_COMPUTE_CAPABILITY 80",
    ] {
        assert!(header.lines().any(|found| found == line), "no {line}");
    }
}

#[test]
fn a_name_that_cannot_be_one_is_refused() {
    for (name, word) in [("int", "v_int"), ("2d", "v_2d"), ("a-b", "a_b"), ("a__b", "a_b"), ("", "identifier")] {
        let output = Command::new(env!("CARGO_BIN_EXE_singe")).arg(shipped("h2o2")).args(["--name", name]).output();
        let output = output.unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && message.contains(word), "{name}: {message}");
    }
    let long = "a".repeat(28);
    let output =
        Command::new(env!("CARGO_BIN_EXE_singe")).arg(shipped("h2o2")).args(["--name", &long]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("at most 27"), "{output:?}");
}

/// Mechanisms called by a keyword, by what C calls its first function, and by more than Fortran has room for.
#[test]
fn compilers_accept_headers_and_modules_of_awkward_names() {
    for name in ["double", "main", "std", "program", "an_extraordinarily_long_name_of_a_mechanism_for_h2_and_o2"] {
        let folder = tempfile::tempdir().unwrap();
        let (mechanism, out) = (folder.path().join(name), folder.path().join("out"));
        std::fs::create_dir(&mechanism).unwrap();
        for file in ["chem.inp", "therm.dat", "tran.dat"] {
            std::fs::copy(shipped("h2o2").with_file_name(file), mechanism.join(file)).unwrap();
        }
        generate(&mechanism.join("chem.inp"), &out, &[]);
        let prefix = request::new(shipped("h2o2")).name(name);
        for kernel in ["viscosity", "conductivity", "diffusion", "chemistry"] {
            let text = std::fs::read_to_string(out.join(format!("{prefix}_{kernel}.cu"))).unwrap();
            assert!(text.contains(&format!("#include \"{prefix}.h\"\n")), "{name}");
        }
        if there("g++") {
            let file = out.join("include.cpp");
            std::fs::write(&file, format!("#include \"{prefix}.hpp\"\n")).unwrap();
            run(Command::new("g++").args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"]).arg(file));
        }
        if there("gfortran") {
            let strict = [
                "-Wall",
                "-Wextra",
                "-Werror",
                "-std=f2008",
                "-c",
                &format!("{prefix}_module.f90"),
                &format!("{prefix}_example.f90"),
            ];
            run(Command::new("gfortran").current_dir(&out).args(strict));
        }
    }
}

#[test]
fn two_projects_of_one_mechanism_are_parts_of_one_program() {
    let (Some(cuda), true) = (cuda13(), there("cmake")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let [first, second, build] = ["one", "two", "build"].map(|name| folder.path().join(name));
    let kernels = ["--kernel", "viscosity,conductivity"];
    generate(&shipped("h2o2"), &first, &[&["--name", "first", "--target", "ampere"], &kernels[..]].concat());
    let second_options = ["--name", "second", "--target", "hopper", "--units", "cgs"];
    generate(&shipped("h2o2"), &second, &[&second_options[..], &kernels].concat());
    let consumer = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/consumer_of_two");
    let places = [format!("-DFIRST={}", first.display()), format!("-DSECOND={}", second.display())];
    project::build(&cuda, &consumer, &build, &[&places[0], &places[1]]);
    if has_gpu() {
        return;
    }
    let expected = "-5 ampere hopper si cgs there is no CUDA device, or its driver is absent or too old\n";
    let languages: &[&str] = if there("gfortran") { &["c", "f90"] } else { &["c"] };
    for language in languages {
        let said = run(&mut Command::new(build.join(format!("both_{language}")))).stdout;
        assert_eq!(String::from_utf8_lossy(&said), expected);
    }
    assert_eq!(run(&mut Command::new(build.join("both_cpp"))).stdout, b"-5\n");
}
