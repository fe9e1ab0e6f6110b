//! Points that are not stiff: `-- --explicit` times `--integrator auto` beside rodas5p on one core, and with `--write` makes the table of
//! docs/lab/reactor-method.md. Needs a compiler of C++ alone.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kinetics::Model;
use kinetics::constants::ATMOSPHERE;
use kinetics::integrator::RODAS5P;
use kinetics::integrator::advance::{Status, advance};
use kinetics::integrator::options::Options;
use kinetics::integrator::reference::Reference;
use kinetics::reactor::Constant;

use super::{is_written, load, singe};

const HOST: &str = include_str!("explicit.cpp");

const TIMES: [&str; 4] = ["1e-7", "1e-6", "1e-5", "1e-4"];

const HEAD: &str = "| states | time | tolerance | rodas5p: µs per point | steps | error | auto: µs per point | not stiff | their steps | error | rodas5p / auto |\n\
     |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";

const STATES: usize = 201;

pub fn run(root: &Path) {
    let model = testkit::detailed(&testkit::shipped("gri30"));
    let folder = tempfile::tempdir().expect("a folder for the projects");
    let Some(program) = program(folder.path()) else { return };
    let mut text = HEAD.to_owned();
    for (name, states) in states(&model) {
        text += &rows(&program, name, &states);
    }
    println!("{:.1} programs ran or waited beside\n{text}", load());
    if is_written() {
        let file = root.join("docs/lab/reactor-method.md");
        let page = std::fs::read_to_string(&file).expect("the page");
        let begin = page.find("| states | time | tolerance |").expect("the page has the table");
        let end = begin + page[begin..].find("\n\n").expect("text stands behind the table") + 1;
        std::fs::write(file, page[..begin].to_owned() + &text + &page[end..]).expect("docs can be written");
    }
}

/// States with their names: unknowns are mass fractions, then the temperature.
fn states(model: &Model) -> [(&'static str, Vec<Vec<f64>>); 4] {
    let species = model.species();
    // Methane and air of an equivalence ratio.
    let fresh = |ratio: f64, temperature: f64| -> Vec<f64> {
        let moles = |name: &str| match name {
            "CH4" => ratio,
            "O2" => 2.0,
            "N2" => 7.52,
            _ => 0.0,
        };
        let masses: Vec<f64> = species.iter().map(|s| moles(&s.name) * s.weight).collect();
        let mass: f64 = masses.iter().sum();
        masses.iter().map(|m| m / mass).chain([temperature]).collect()
    };
    let ignition = ignition(model, fresh(1.0, 1500.0));
    let burnt = ignition.last().expect("states of an ignition").clone();
    let share = |i: usize| i as f64 / (STATES - 1) as f64;
    // Equivalence ratios and temperatures that have nothing to do with each other: a sequence of low discrepancy.
    let cold = (0..STATES).map(|i| fresh(0.2 * 25f64.powf(share(i)), 300.0 + 600.0 * (0.618_034 * i as f64).fract()));
    let unburnt = fresh(1.0, 300.0);
    let mixed = |x: f64| burnt.iter().zip(&unburnt).map(|(hot, cold)| x.mul_add(*hot, (1.0 - x) * cold)).collect();
    let colder = |x: f64| {
        let mut state = burnt.clone();
        state[species.len()] -= 1500.0 * x;
        state
    };
    [
        ("cold", cold.collect()),
        ("flame", (0..STATES).map(|i| mixed(share(i))).collect()),
        ("quench", (0..STATES).map(|i| colder(share(i))).collect()),
        ("ignition", ignition),
    ]
}

/// Half of the states at times that grow by equal factors, half at temperatures that do so by equal steps; the last one is burnt.
fn ignition(model: &Model, start: Vec<f64>) -> Vec<Vec<f64>> {
    let species = model.species().len();
    let system = Reference { model, constant: Constant::Pressure, fixed: ATMOSPHERE };
    let (mut now, mut next) = (0.0, 1e-7);
    let mut all = vec![start];
    while next < 1e-2 {
        let y = all.last().expect("the state before");
        let end = advance(&system, &RODAS5P, y, next - now, &Options::default());
        assert_eq!(end.status, Status::Done);
        all.push(end.y);
        (now, next) = (next, next * 1.03);
    }
    let (first, last) = (all[0][species], all[all.len() - 1][species]);
    let half = STATES / 2;
    let by_temperature = (0..half).filter_map(|i| {
        let wanted = first + (last - first) * i as f64 / half as f64;
        all.iter().find(|state| state[species] >= wanted)
    });
    let by_time = (0..STATES - half).map(|i| &all[i * (all.len() - 1) / (STATES - half - 1)]);
    by_temperature.chain(by_time).cloned().collect()
}

/// The reactors of both methods in one program; nothing where there is no compiler.
fn program(folder: &Path) -> Option<PathBuf> {
    let mechanism = testkit::shipped("gri30");
    let mut sources = vec![PathBuf::from("host.cpp")];
    let mut includes = Vec::new();
    for (name, integrator) in [("stiff", "rodas5p"), ("chosen", "auto")] {
        let project = folder.join(name);
        let arguments = ["--target", "cpu", "--kernel", "reactor", "--integrator", integrator, "--verify", "off"];
        singe(&[&arguments[..], &["--emit", "cuda", "--name", name, "-o"]].concat(), &[&project, &mechanism])?;
        let files = std::fs::read_dir(&project).ok()?.flatten().map(|entry| entry.path());
        sources.extend(files.filter(|path| path.extension().is_some_and(|extension| extension == "cpp")));
        includes.push(project);
    }
    std::fs::write(folder.join("host.cpp"), HOST).ok()?;
    let mut compiler = Command::new("g++");
    compiler.current_dir(folder).args(["-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-Wno-psabi"]);
    includes.iter().for_each(|folder| _ = compiler.arg("-I").arg(folder));
    let output = compiler.args(sources).args(["-o", "host"]).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(folder.join("host"))
}

fn rows(program: &Path, name: &str, states: &[Vec<f64>]) -> String {
    let numbers = states.iter().flatten().fold(String::new(), |all, x| all + &format!("{x} "));
    let mut command = Command::new(program);
    let mut child = command.args(TIMES).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("it reads");
    input.write_all(format!("{} {ATMOSPHERE}\n{numbers}", states.len()).as_bytes()).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{name} failed");
    let mut text = String::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let (time, rest) = line.split_once(' ').expect("a time");
        let x: Vec<f64> = rest.split(' ').map(|word| word.parse().expect("a number")).collect();
        assert_eq!(x[8], 0.0, "all points of {name} are done");
        let their_steps = if x[5] > 0.0 { format!("{:.2}", x[6]) } else { String::new() };
        let _ = writeln!(
            text,
            "| {name} | {time} s | {:e} | {:.1} | {:.2} | {:.1e} | {:.1} | {:.0} % | {their_steps} | {:.1e} | {:.2} |",
            x[0],
            x[1],
            x[2],
            x[3],
            x[4],
            100.0 * x[5],
            x[7],
            x[1] / x[4],
        );
    }
    text
}
