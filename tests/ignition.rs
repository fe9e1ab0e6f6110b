//! Reactors that SUNDIALS' CVODE integrates on generated code: the example builds where SUNDIALS is, agrees with the committed table of
//! ignition delays, and its analytic Jacobian saves evaluations of rates.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use testkit::project::{generate, run, there};
use testkit::shipped;
use testkit::skip;

/// A header of SUNDIALS, where Debian has it.
const HEADER: &str = "/usr/include/cvode/cvode.h";

fn sundials_is_there() -> bool {
    let found = Path::new(HEADER).is_file();
    if !found {
        skip::skip("SUNDIALS is absent (`cargo xtask toolchain` installs it on Debian)");
    }
    found
}

/// The project of a mechanism.
fn written(name: &str, folder: &Path, arguments: &[&str]) -> PathBuf {
    let source = folder.join(name);
    generate(&shipped(name), &source, &[&["--target", "cpu", "--emit", "cvode"], arguments].concat());
    source
}

/// The program for a mechanism, built in a folder as CMake does.
fn built(name: &str, folder: &Path, arguments: &[&str]) -> Command {
    let (source, build) = (written(name, folder, arguments), folder.join("build"));
    let strict = "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror";
    run(Command::new("cmake").arg("-S").arg(&source).arg("-B").arg(&build).arg(strict));
    run(Command::new("cmake").arg("--build").arg(&build).args(["--target", &format!("{name}_ignition")]));
    Command::new(build.join(format!("{name}_ignition")))
}

const AT_CONSTANT_VOLUME: [&str; 4] = ["--kernel", "isochoric,isochoric-jacobian", "--state", "TRY"];

fn integrated(program: &mut Command, conditions: &str) -> Output {
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(conditions.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// Delay, steps, rates, rates for Jacobians, Jacobians, of each condition.
fn rows(output: &Output) -> Vec<Vec<f64>> {
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(' ').skip(2).map(|word| word.parse().unwrap()).collect()).collect()
}

/// The rows of a mechanism in the committed table: temperature in K, pressure in atm, delay, Cantera's.
fn committed(name: &str) -> Vec<[f64; 4]> {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/lab/ignition.md")).unwrap();
    let section = page.split("\n## ").find(|section| section.starts_with(name)).unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| ") && !line.contains("T (K)"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        [1, 2, 3, 4].map(|i| cells[i].parse().unwrap())
    })
    .collect()
}

#[test]
fn committed_delays_are_within_a_thousandth_of_canteras() {
    for name in ["gri30", "dme"] {
        let rows = committed(name);
        assert_eq!(rows.len(), 20, "{name}");
        for [t, p, ours, theirs] in rows {
            assert!((ours / theirs - 1.0).abs() < 1e-3, "{name} at {t} K and {p} atm: {ours}, {theirs}");
        }
    }
}

#[test]
fn gri30_ignites_when_the_table_says_and_the_jacobian_saves_rates() {
    if !sundials_is_there() || !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = written("gri30", folder.path(), &AT_CONSTANT_VOLUME);
    // Not optimised, and in scalars: that compiles in seconds.
    let files = ["ignition.cpp", "gri30_isochoric.cpp", "gri30_isochoric_jacobian.cpp", "gri30_context.cpp"];
    let libraries =
        ["-lsundials_cvode", "-lsundials_nvecserial", "-lsundials_sunmatrixdense", "-lsundials_sunlinsoldense"];
    let options = ["-std=c++17", "-O0", "-march=native", "-DSINGE_WIDTH=1", "-fopenmp", "-o", "ignition"];
    run(Command::new("g++").current_dir(&source).args(options).args(files).args(libraries));
    let mut program = Command::new(source.join("ignition"));
    let some: Vec<[f64; 4]> = committed("gri30").into_iter().step_by(5).collect();
    let line = |[t, p, ..]: &[f64; 4]| format!("{t} {} CH4:1 O2:2 N2:7.52\n", p * 101325.0);
    let conditions: String = some.iter().map(line).collect();
    let analytic = rows(&integrated(&mut program, &conditions));
    let quotients = rows(&integrated(program.arg("--difference-quotients"), &conditions));
    assert_eq!((analytic.len(), quotients.len()), (some.len(), some.len()));
    for ((ours, quotients), [t, p, delay, _]) in analytic.iter().zip(&quotients).zip(&some) {
        assert!((ours[0] / delay - 1.0).abs() < 1e-5, "{t} K, {p} atm: {}, {delay}", ours[0]);
        assert!((quotients[0] / delay - 1.0).abs() < 1e-4, "{t} K, {p} atm: {}, {delay}", quotients[0]);
        assert_eq!(ours[3], 0.0, "an analytic Jacobian takes no rates");
        assert!(quotients[2] > 1.3 * ours[2], "{} rates, {} with quotients", ours[2], quotients[2]);
        // A Jacobian has the slots of 3.2 evaluations of rates.
        assert!(quotients[3] > 3.0 * 3.2 * ours[4], "{} rates for quotients, {} Jacobians", quotients[3], ours[4]);
    }
}

#[test]
fn a_reactor_of_constant_pressure_ignites_later_than_one_of_constant_volume_and_errors_are_told() {
    if !sundials_is_there() || !there("cmake") || !there("g++") {
        return;
    }
    let delay = |arguments: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let mut program = built("h2o2", folder.path(), arguments);
        let wrong = integrated(&mut program, "1200 101325 NO2:1\n");
        assert_eq!(wrong.status.code(), Some(1));
        let cold = rows(&integrated(program.args(["--until", "1e-6"]), "1000 101325 H2:2 O2:1 N2:3.76\n"));
        assert!(cold[0][0].is_nan());
        rows(&integrated(program.args(["--until", "10"]), "1000 101325 H2:2 O2:1 N2:3.76\n"))[0][0]
    };
    let volume = delay(&AT_CONSTANT_VOLUME);
    let pressure = delay(&["--kernel", "isobaric,isobaric-jacobian", "--state", "TPY"]);
    assert!(1e-5 < volume && volume < pressure && pressure < 1.1 * volume, "{volume}, {pressure}");
}
