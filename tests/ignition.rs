//! Reactors that SUNDIALS' CVODE integrates on generated code: the example builds where SUNDIALS is, agrees with the committed table of
//! ignition delays, and its analytic Jacobian saves evaluations of rates. The generated integrator has the delays of that table, too.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use testkit::project::{self, generate, run, there};
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

const SPARSE: [&str; 4] = ["--kernel", "isobaric,isobaric-sparse-jacobian", "--state", "TPY"];
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
    let files = ["gri30_ignition.cpp", "gri30_isochoric.cpp", "gri30_isochoric_jacobian.cpp", "gri30_context.cpp"];
    let libraries =
        ["-lsundials_cvode", "-lsundials_nvecserial", "-lsundials_sunmatrixdense", "-lsundials_sunlinsoldense"];
    let options = ["-std=c++17", "-O0", "-march=native", "-DSINGE_WIDTH=1", "-fopenmp"];
    project::program("g++", &source, &options, &files, &libraries, "ignition");
    let mut program = Command::new(source.join("ignition"));
    let some: Vec<[f64; 4]> = committed("gri30").into_iter().step_by(5).collect();
    let line = |[t, p, ..]: &[f64; 4]| format!("{t} {} CH4:1 O2:2 N2:7.52\n", p * 101325.0);
    let conditions: String = some.iter().map(line).collect();
    let analytic = rows(&integrated(&mut program, &conditions));
    // Until little fuel is left: below zero rates go on by the Jacobian that there is. A new one for each evaluation would be 241 in 846 steps.
    let burnt = ["--rtol", "1e-6", "--atol", "1e-12", "--rise", "1400", "--until", "2"];
    let mut until_burnt = Command::new(source.join("ignition"));
    let all = rows(&integrated(until_burnt.args(burnt), "1200 101325 CH4:1 O2:2 N2:7.52\n"));
    let (steps, jacobians) = (all[0][1], all[0][4]);
    println!("{jacobians} Jacobians in {steps} steps");
    assert!(15.0 * jacobians < steps, "{jacobians} Jacobians in {steps} steps");
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

/// The host of reactors that looks for their ignition.
const DELAYS: &str = include_str!("ignition/delays.cpp");

/// Within 0.05 % of Cantera's delay at a tolerance of 1e-10, the generated integrator's at 1e-6 ignites: less has not, more has.
#[test]
fn reactors_of_the_generated_integrator_ignite_when_the_table_says() {
    if !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("gri30");
    let reactor = ["--target", "cpu", "--kernel", "reactor", "--state", "TRY"];
    generate(&shipped("gri30"), &source, &reactor);
    let host = DELAYS.replace("NAME_SPECIES", "GRI30_SPECIES").replace("NAME_REACTOR", "GRI30_REACTOR");
    std::fs::write(source.join("delays.cpp"), host.replace("NAME", "gri30")).unwrap();
    let parts =
        ["isochoric", "isochoric_sparse_jacobian", "context", "reactor"].map(|file| format!("gri30_{file}.cpp"));
    let files: Vec<String> = parts.into_iter().chain(["delays.cpp".to_owned()]).collect();
    let options = ["-std=c++17", "-O1", "-march=native", "-DSINGE_LOOPS", "-Wall", "-Wextra", "-Werror", "-Wno-psabi"];
    project::program("g++", &source, &options, &files, &[], "delays");
    let table = committed("gri30");
    let line = |[t, p, _, delay]: &[f64; 4]| format!("{t} {} {delay} 1.0005\n", p * 101325.0);
    let conditions: String = table.iter().map(line).collect();
    let mut program = Command::new(source.join("delays"));
    let output = integrated(program.args(["CH4:1", "O2:2", "N2:7.52"]), &conditions);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!((output.status.success(), text.lines().count()), (true, table.len()));
    for (line, [t, p, _, delay]) in text.lines().zip(&table) {
        let [found, before, after] = line.split(' ').map(|word| word.parse::<f64>().unwrap()).collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        assert!(before < 400.0 && after > 400.0, "{t} K, {p} atm: {before} K, {after} K");
        assert!((found / delay - 1.0).abs() < 5e-4, "{t} K, {p} atm: {found}, {delay}");
    }
}

/// Mass fractions a little below zero are zero at the beginning; others are refused by the line that has them.
fn below_zero(program: &mut Command) {
    let mixture = "1200 101325 H2:2 O2:1 N2:3.76";
    let of = |program: &mut Command, line: &str| rows(&integrated(program, &format!("{line}\n")))[0][0];
    let delay = of(program, mixture);
    // Moles of 141 kg of the mixture: -1.2e-10 and -9.6e-7 of its mass. As a fraction of an integration they would grow.
    for moles in ["-1e-9", "-8e-6"] {
        let found = of(program, &format!("{mixture} OH:{moles}"));
        assert!((found / delay - 1.0).abs() < 1e-5, "{moles}: {found:e}, {delay:e}");
    }
    let wrong = integrated(program.stderr(Stdio::piped()), &format!("{mixture}\n{mixture} OH:-9e-6\n"));
    let told = String::from_utf8(wrong.stderr).unwrap();
    assert_eq!(wrong.status.code(), Some(1));
    assert!(told.starts_with(&format!("a mass fraction below -1e-6: {mixture} OH:-9e-6\n")), "{told}");
    program.stderr(Stdio::inherit());
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
        below_zero(&mut program);
        let cold = rows(&integrated(program.args(["--until", "1e-6"]), "1000 101325 H2:2 O2:1 N2:3.76\n"));
        assert!(cold[0][0].is_nan());
        rows(&integrated(program.args(["--until", "10"]), "1000 101325 H2:2 O2:1 N2:3.76\n"))[0][0]
    };
    let volume = delay(&AT_CONSTANT_VOLUME);
    let pressure = delay(&["--kernel", "isobaric,isobaric-jacobian", "--state", "TPY"]);
    assert!(1e-5 < volume && volume < pressure && pressure < 1.1 * volume, "{volume}, {pressure}");
}

/// Integrates some hydrogen until a time in seconds: returns the steps that a solver takes, and the states at the end.
fn ends(program: &Path, solver: &str, until: &str) -> Option<(Vec<f64>, Vec<f64>)> {
    let conditions = "1200 101325 H2:2 O2:1 N2:3.76\n1000 1013250 H2:2 O2:1 N2:3.76\n1500 10132 H2:1 O2:4 AR:9\n";
    let options = ["--rise", "1e9", "--until", until, "--rtol", "1e-9", "--states", "--solver", solver];
    let output = integrated(Command::new(program).args(options), conditions);
    if !output.status.success() {
        return None;
    }
    let rows = rows(&output);
    Some((rows.iter().map(|row| row[1]).collect(), rows.iter().flat_map(|row| row[5..].to_vec()).collect()))
}

/// Whether a solver ends where the dense one does, after about as many steps: wrong factors cost steps before they cost digits.
fn is_like(dense: &(Vec<f64>, Vec<f64>), other: &Option<(Vec<f64>, Vec<f64>)>) -> bool {
    let Some((steps, states)) = other else { return false };
    let is_near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-6 * y.abs() + 1e-12;
    steps.iter().zip(&dense.0).all(|(own, dense)| (own / dense - 1.0).abs() < 0.1)
        && states.len() == dense.1.len()
        && states.iter().zip(&dense.1).all(is_near)
}

/// Program that prints the residual of a system's solution, in place of the usual one.
const RESIDUAL: &str = include_str!("ignition/residual.cpp");

#[test]
fn the_generated_factorisation_solves_what_dense_matrices_do_and_a_broken_entry_shows() {
    if !sundials_is_there() || !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = written("h2o2", folder.path(), &SPARSE);
    let objects = ["h2o2_isobaric", "h2o2_isobaric_sparse_jacobian", "h2o2_context"];
    let options = ["-std=c++17", "-O1", "-march=native", "-Wall", "-Wextra", "-Werror"];
    for name in objects {
        run(Command::new("g++").current_dir(&source).args(options).arg("-c").arg(format!("{name}.cpp")));
    }
    let text = std::fs::read_to_string(source.join("h2o2_ignition.cpp")).unwrap();
    let has_klu = Path::new("/usr/include/suitesparse/klu.h").is_file();
    let program = |name: &str, text: &str, defined: &[&str]| {
        std::fs::write(source.join(format!("{name}.cpp")), text).unwrap();
        let libraries =
            ["-lsundials_cvode", "-lsundials_nvecserial", "-lsundials_sunmatrixdense", "-lsundials_sunlinsoldense"];
        let klu =
            ["-DSINGE_KLU", "-I/usr/include/suitesparse", "-lsundials_sunlinsolklu", "-lsundials_sunmatrixsparse"];
        let mut compiler = Command::new("g++");
        compiler.current_dir(&source).args(options).args(defined).args(["-o", name, &format!("{name}.cpp")]);
        compiler.args(objects.map(|object| format!("{object}.o"))).args(libraries);
        run(compiler.args(&klu[..if has_klu { klu.len() } else { 0 }]));
        source.join(name)
    };
    let whole = program("whole", &text, &[]);
    let end = "1e-2";
    let dense = ends(&whole, "dense", end).unwrap();
    assert!(is_like(&dense, &ends(&whole, "generated", end)));
    assert!(is_like(&dense, &ends(&program("loops", &text, &["-DSINGE_LOOPS"]), "generated", end)));
    if has_klu {
        assert!(is_like(&dense, &ends(&whole, "klu", end)));
    } else {
        skip::skip("KLU is absent (Debian's package libsuitesparse-dev has its header)");
    }
    // A product of the elimination with the wrong sign.
    let residual = |name: &str, text: &str| -> f64 {
        let text = text.replace("int main(int argc", "int main_of_program(int argc") + RESIDUAL;
        let output = Command::new(program(name, &text, &["-O0"])).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
    };
    assert!(residual("solved", &text) < 1e-9);
    let products: Vec<usize> = text.match_indices("fma(-l").map(|(at, _)| at).collect();
    for n in [0, products.len() / 2, products.len() - 1] {
        let broken = [&text[..products[n]], "fma(l", &text[products[n] + 6..]].concat();
        let off = residual("broken", &broken);
        assert!(off.is_nan() || off >= 1e-9, "product {n}: {off}");
    }
    // Both sides divided by gamma: without that the correction is wrong by that factor.
    assert!(text.contains("N_VScale(1.0 / system->gamma, right, solution);"));
    let unscaled = text.replace("N_VScale(1.0 / system->gamma, right", "N_VScale(1.0, right");
    // Its steps are so short that a tenth of the time is enough.
    let early = "1e-3";
    let dense = ends(&whole, "dense", early).unwrap();
    assert!(is_like(&dense, &ends(&whole, "generated", early)));
    assert!(!is_like(&dense, &ends(&program("unscaled", &unscaled, &[]), "generated", early)));
}
