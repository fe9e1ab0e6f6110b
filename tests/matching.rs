//! A header of another run of singe is not taken for that of the library: a compiler says so, or else the first call.

use std::fs::{read_to_string, write};
use std::path::Path;
use std::process::Command;

use testkit::project::{generate, run, there};
use testkit::shipped;

const IN_C: &str = include_str!("matching/state.c");

const IN_CPP: &str = include_str!("matching/state.cpp");

const IN_FORTRAN: &str = "program matches
  use, intrinsic :: iso_c_binding
  use chem
  implicit none
  type(c_ptr) :: context
  integer(c_int) :: status
  status = chem_context_create(context)
  print '(i0, 1x, i0, 1x, a)', status, merge(0, 1, c_associated(context)), chem_status_text(status)
end program
";

const REFUSED: &str = "-10 1 the library is of another mechanism, of other options or of another version of singe than the header or module";

/// Projects of two mechanisms with one name, in the folders `own` and `other`.
fn two_projects(folder: &Path) {
    for (name, mechanism) in [("own", "h2o2"), ("other", "gri30")] {
        let arguments = ["--name", "chem", "--target", "cpu", "--kernel", "viscosity"];
        generate(&shipped(mechanism), &folder.join(name), &arguments);
    }
    for (name, text) in [("main.c", IN_C), ("main.cpp", IN_CPP), ("main.f90", IN_FORTRAN)] {
        write(folder.join(name), text).unwrap();
    }
    let sources = ["chem_context.cpp", "chem_viscosity.cpp"].map(|source| format!("own/{source}"));
    run(Command::new("g++").current_dir(folder).args(["-c", "-O1", "-Iown"]).args(sources));
}

/// Output of the programs, built with the library of `own` and the headers and the module of a folder.
fn outputs(folder: &Path, headers: &str) -> Vec<String> {
    let objects = ["chem_context.o", "chem_viscosity.o"];
    let include = format!("-I{headers}");
    let module = format!("{headers}/chem_module.f90");
    let mut programs = vec![("gcc", vec!["main.c"]), ("g++", vec!["main.cpp"])];
    if there("gfortran") {
        programs.push(("gfortran", vec![&module, "main.f90"]));
    }
    let output = |(compiler, sources): &(&str, Vec<&str>)| {
        let mut build = Command::new(compiler);
        run(build
            .current_dir(folder)
            .args([&include, "-o", "main"])
            .args(sources)
            .args(objects)
            .args(["-lstdc++", "-lm"]));
        String::from_utf8(run(&mut Command::new(folder.join("main"))).stdout).unwrap().trim().to_owned()
    };
    programs.iter().map(output).collect()
}

#[test]
fn the_first_call_refuses_a_library_of_another_run() {
    if !(there("g++") && there("gcc")) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    two_projects(folder.path());
    assert!(outputs(folder.path(), "own").iter().all(|line| line.starts_with('0')));
    let refused = outputs(folder.path(), "other");
    assert!(refused.len() >= 2 && refused.iter().all(|line| line == REFUSED), "{refused:?}");
}

/// As of another version of singe, whose number differs.
#[test]
fn a_compiler_refuses_files_of_another_run_beside_each_other() {
    if !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--name", "chem", "--target", "cpu", "--kernel", "reactor"];
    generate(&shipped("h2o2"), folder.path(), &arguments);
    let compiled = |source: &str| {
        let output = Command::new("g++").current_dir(folder.path()).args(["-fsyntax-only", "-I."]).arg(source).output();
        String::from_utf8(output.unwrap().stderr).unwrap()
    };
    write(folder.path().join("main.cpp"), "#include \"chem.hpp\"\n").unwrap();
    let files = ["main.cpp", "chem_context.cpp", "chem_reactor.cpp"];
    assert!(files.iter().all(|file| compiled(file).is_empty()));
    let header = folder.path().join("chem.h");
    let text = read_to_string(&header).unwrap();
    write(&header, text.replace("#define CHEM_ABI ", "#define CHEM_ABI 1")).unwrap();
    for file in files {
        let refusal = compiled(file);
        assert!(refusal.contains("chem.h is of another run of singe than this file"), "{file}: {refusal}");
    }
}
