//! Cells per second of reactors on one core beside Cantera's and those of the program of CVODE, at equal errors. Writes docs/lab/reactors.md and its picture with `-- --write`; `-- --picture` draws that page's picture anew.
//! Cantera's wheel comes from `.toolchain`; `SINGE_PYTHON` names another Python. Files of `../shared` are taken where they are there.

mod cantera;
mod cvode;
mod explicit;
mod large;
mod picture;
mod sweep;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cantera::Cantera;
use serde_json::Value;

const HOST: &str = include_str!("host.cpp");
const CANTERA: &str = include_str!("cantera.py");

/// A mechanism, its fuel, how many states along its ignition, and how often each is there.
struct Case {
    name: &'static str,
    path: &'static str,
    fuel: &'static str,
    states: usize,
    repeats: usize,
    /// Optimisation flag for the compiler.
    optimisation: &'static str,
}

const CASES: [Case; 3] = [
    Case {
        name: "gri30",
        path: "mechanisms/gri30/chem.inp",
        fuel: "CH4:1",
        states: 201,
        repeats: 4,
        optimisation: "-O3",
    },
    Case {
        name: "dme",
        path: "../shared/mechanisms/dme/chem.inp",
        fuel: "CH3OCH3:1",
        states: 201,
        repeats: 4,
        optimisation: "-O3",
    },
    Case {
        name: "usc2",
        path: "../shared/mechanisms/usc2/chem.inp",
        fuel: "CH4:1",
        states: 101,
        repeats: 2,
        optimisation: "-O3",
    },
];

/// Relative tolerances of Cantera and CVODE.
const TOLERANCES_BESIDE: [f64; 3] = [1e-4, 1e-6, 1e-8];

/// Turns of all programs, one after the other.
const TURNS: usize = 2;

/// Row of the table, at a time and a tolerance.
#[derive(Clone)]
struct Row {
    tolerance: f64,
    cells: f64,
    wall: f64,
    steps: f64,
    rejected: f64,
    error: f64,
}

struct Run {
    seconds: f64,
    cantera: Vec<Row>,
    /// Nothing where SUNDIALS is absent.
    cvode: Vec<Row>,
    ours: Vec<Row>,
}

fn main() {
    let root = &testkit::root();
    let file = root.join("docs/lab/reactors.md");
    let old = std::fs::read_to_string(&file).unwrap_or_default();
    if std::env::args().any(|argument| argument == "--explicit") {
        return explicit::run(root);
    }
    if std::env::args().any(|argument| argument == "--picture") {
        return drawn(root, &old);
    }
    if std::env::args().any(|argument| argument == "--large") {
        let Some(section) = large::section(root) else { return };
        println!("{section}");
        let kept = large::kept(&old);
        let page = if kept.is_empty() { old.clone() + &section } else { old.replace(kept, &section) };
        if is_written() {
            std::fs::write(file, page).expect("docs can be written");
        }
        return;
    }
    let (mut page, mut random) = (head(), String::new());
    let mut is_whole = true;
    for case in CASES {
        if !root.join(case.path).exists() {
            println!("skipped: {} is absent", case.path);
            is_whole = false;
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder for the project");
        let made = prepared(&case, CANTERA, &root.join(case.path), folder.path());
        let timing = made.and_then(|mut made| timed(&case, &mut made).map(|timing| (made, timing)));
        let Some((made, (version, runs, two))) = timing else {
            is_whole = false;
            continue;
        };
        page += &table(&case, &version, &runs, two);
        if case.name == "gri30" {
            random = sweep::section(&made).unwrap_or_default();
        }
    }
    page += &random;
    page += large::kept(&old);
    print!("{page}");
    if is_written() && is_whole {
        drawn(root, &page);
        std::fs::write(file, page).expect("docs can be written");
    } else if is_written() {
        println!("the page stays as it is: a section could not be made");
    }
}

fn drawn(root: &Path, page: &str) {
    std::fs::write(root.join("docs/lab/reactors.svg"), picture::of_section(page, "gri30"))
        .expect("docs can be written");
}

fn is_written() -> bool {
    std::env::args().any(|argument| argument == "--write")
}

/// This machine's processor, its vectors and its load.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown");
    let width = if info.contains("avx512f") { "AVX-512" } else { "no AVX-512" };
    format!("{}, {width}; {:.1} programs ran or waited beside", name.trim_start_matches(['\t', ' ', ':']), load())
}

fn head() -> String {
    format!(
        "# Reactors, timed\n\n`cargo bench --bench reactor -- --write` makes this page. One core advances reactors at constant pressure over a time. Each starts from a \
         state along an\nignition at 1500 K and 1 atm, stoichiometric with air, by steps of Cantera's integrator. Cantera makes a new integrator for \
         each state, as\na splitting solver does, and so does the program of `--emit cvode`, with [the generated \
         factorisation](../guide/reactors.md#with-cvode-instead). Cells per second are states over the time of the processor, the best of {TURNS} turns. In each turn \
         all programs\nrun one after the other. The *error* is the root mean square over states and species of (Y - Y*) / (|Y*| + 1e-9). Y* is \
         Cantera's at a\nrelative tolerance of 1e-12. Absolute tolerances are a millionth of relative ones. *Over Cantera* and *over CVODE*, at equal error: the \
         fastest of ours\nwhose error is at most theirs, over theirs.\n\nMachine: {}. Method: rodas5p.\n\n![Reactors per second of a core over their error, gri30](reactors.svg)\n",
        machine()
    )
}

/// The mechanism as YAML, and a project of its reactors.
fn written(case: &Case, path: &Path, folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let written = folder.join("mechanism");
    singe(&["fmt", "--to", "yaml", "--reduction", "none", "--permissive", "-o"], &[&written, path])?;
    let yaml = written.join("chem.yaml");
    let project = folder.join("project");
    singe(
        &[
            "--target", "cpu", "--kernel", "reactor", "--verify", "off", "--emit", "cuda,cvode", "--name", case.name,
            "-o",
        ],
        &[&project, &yaml],
    )?;
    Some((yaml, project))
}

/// Prepared input of a mechanism's timing, on the states that Cantera made.
struct Prepared {
    yaml: PathBuf,
    cantera: Cantera,
    made: Value,
    programs: Programs,
}

fn prepared(case: &Case, script: &str, path: &Path, folder: &Path) -> Option<Prepared> {
    let (yaml, project) = written(case, path, folder)?;
    let (cantera, made) = Cantera::begun(script, &yaml, case)?;
    println!("{}: the states are there", case.name);
    let programs = built(case, &project, made["states"][0].as_array()?.len() - 1)?;
    Some(Prepared { yaml, cantera, made, programs })
}

/// Programs that run or wait, on average over a minute.
fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN)
}

/// Cantera's version, the runs, and the speed of two threads over one by the clock on the wall, where others leave them the machine.
fn timed(case: &Case, prepared: &mut Prepared) -> Option<(String, Vec<Run>, Option<f64>)> {
    let Prepared { cantera, made, programs, .. } = prepared;
    let conditions = run(&programs.host, &input(case, made, &[]), 1, &["conditions"])?;
    let (mut theirs, mut beside, mut ours, mut two) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        theirs.push(cantera.turn()?);
        if let Some(program) = &programs.cvode {
            beside.push(cvode::turn(program, &conditions, made)?);
        }
        ours.push(advanced(&programs.host, case, made, 1)?);
        if load() < 2.0 {
            two.push(advanced(&programs.host, case, made, 2)?);
        }
    }
    let (theirs, beside, ours, two) = (best(theirs), best(beside), best(ours), best(two));
    let runs = made["runs"].as_array()?.iter().map(|run| {
        let seconds = run["seconds"].as_f64().unwrap_or(f64::NAN);
        let of = |rows: &[(f64, Row)]| rows_at(rows, seconds);
        Run { seconds, cantera: of(&theirs), cvode: of(&beside), ours: of(&ours) }
    });
    let mut speedups: Vec<f64> = ours.iter().zip(&two).map(|((_, one), (_, two))| two.wall / one.wall).collect();
    speedups.sort_by(f64::total_cmp);
    Some((made["version"].as_str()?.to_owned(), runs.collect(), speedups.get(speedups.len() / 2).copied()))
}

/// The rows of a time.
fn rows_at(rows: &[(f64, Row)], seconds: f64) -> Vec<Row> {
    rows.iter().filter(|(time, _)| *time == seconds).map(|(_, row)| row.clone()).collect()
}

/// Merges turns of the same rows: each row keeps its highest speeds.
fn best(turns: Vec<Vec<(f64, Row)>>) -> Vec<(f64, Row)> {
    let better = |mut all: Vec<(f64, Row)>, turn: Vec<(f64, Row)>| {
        for ((_, row), (_, other)) in all.iter_mut().zip(turn) {
            row.cells = row.cells.max(other.cells);
            row.wall = row.wall.max(other.wall);
        }
        all
    };
    turns.into_iter().reduce(better).unwrap_or_default()
}

/// The compiler, built once.
fn program() -> &'static Path {
    static BUILT: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    BUILT.get_or_init(|| xtask::compiler::built(&testkit::root()).expect("the compiler is built"))
}

fn singe(arguments: &[&str], paths: &[&Path]) -> Option<()> {
    let output = Command::new(program()).args(arguments).args(paths).output().ok()?;
    if !output.status.success() {
        println!("singe {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    output.status.success().then_some(())
}

struct Programs {
    host: PathBuf,
    /// Program of `--emit cvode`, if SUNDIALS is there.
    cvode: Option<PathBuf>,
}

fn built(case: &Case, project: &Path, species: usize) -> Option<Programs> {
    let host = HOST.replace("NAME", case.name).replace("SPECIES", &species.to_string());
    std::fs::write(project.join("host.cpp"), host).ok()?;
    let compiler = || {
        let mut command = Command::new("g++");
        command
            .current_dir(project)
            .args(["-std=c++17", case.optimisation, "-march=native", "-fopenmp", "-fno-math-errno"]);
        command.arg("-Wno-psabi");
        command
    };
    let files: Vec<PathBuf> = std::fs::read_dir(project).ok()?.flatten().map(|entry| entry.path()).collect();
    let ignition = format!("{}_ignition", case.name);
    // Programs lie beside the kernels and the reactors.
    let is_part = |path: &&PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_program = name.ends_with("_driver.cpp") || *name == format!("{ignition}.cpp");
        name.starts_with(case.name) && name.ends_with(".cpp") && !is_program
    };
    let output = compiler().arg("-c").args(files.iter().filter(is_part)).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let objects: Vec<PathBuf> = files.iter().filter(is_part).map(|path| path.with_extension("o")).collect();
    let linked = |name: &str, libraries: &[&str]| {
        let source = format!("{name}.cpp");
        let output = compiler().arg(source).args(&objects).args(libraries).args(["-o", name]).output().ok()?;
        Some((project.join(name), output))
    };
    let (host, output) = linked("host", &[])?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (cvode, output) = linked(&ignition, &cvode::LIBRARIES)?;
    if !output.status.success() {
        println!("without CVODE: {}", String::from_utf8_lossy(&output.stderr));
    }
    Some(Programs { host, cvode: output.status.success().then_some(cvode) })
}

/// Writes the input of the host: states, and for each time the states at its end.
fn input(case: &Case, made: &Value, runs: &[Value]) -> String {
    let flat = |states: &Value| -> String {
        let rows = states.as_array().into_iter().flatten();
        rows.flat_map(|row| row.as_array().into_iter().flatten()).fold(String::new(), |all, x| all + &format!("{x} "))
    };
    let mut input =
        format!("{} {} {} {}\n{}\n", case.states, case.repeats, runs.len(), made["pressure"], flat(&made["states"]));
    for run in runs {
        let _ = writeln!(input, "{}\n{}", run["seconds"], flat(&run["exact"]));
    }
    input
}

/// Runs a program on this input and returns what it prints.
fn run(program: &Path, input: &str, threads: usize, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    command.env("OMP_NUM_THREADS", threads.to_string()).args(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take()?.write_all(input.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    assert!(output.status.success(), "{} failed", program.display());
    String::from_utf8(output.stdout).ok()
}

/// (time, row) of all times and tolerances.
fn advanced(host: &Path, case: &Case, made: &Value, threads: usize) -> Option<Vec<(f64, Row)>> {
    let text = run(host, &input(case, made, made["runs"].as_array()?), threads, &[])?;
    let rows = text.lines().map(|line| {
        let x: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap_or(f64::NAN)).collect();
        assert_eq!(x[7], 0.0, "all points of {} are done", case.name);
        (x[0], Row { tolerance: x[1], cells: x[2], wall: x[3], steps: x[4], rejected: x[5], error: x[6] })
    });
    Some(rows.collect())
}

fn table(case: &Case, version: &str, runs: &[Run], two: Option<f64>) -> String {
    let threads = match two {
        Some(two) => {
            format!("Two threads are {two:.2} times as fast as one, by the clock on the wall (median of all rows).")
        }
        None => "Two threads were not timed: the machine was busy.".to_owned(),
    };
    let mut text = format!(
        "\n## {}\n\n{} states, {} points. {threads}\n\n\
         | time | tolerance | Cantera {version}: cells/s | steps | error | CVODE: cells/s | steps | error | ours: cells/s | steps (rejected) | error | \
         over Cantera | over CVODE |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        case.name,
        case.states,
        case.states * case.repeats
    );
    for run in runs {
        text += &rows_of(run);
    }
    text
}

/// The rows of a table at a time.
fn rows_of(run: &Run) -> String {
    let mut text = String::new();
    for own in &run.ours {
        let at = |rows: &'_ [Row]| rows.iter().find(|row| row.tolerance == own.tolerance).cloned();
        let (cantera, cvode) = (at(&run.cantera), at(&run.cvode));
        let beside = |row: &Option<Row>| {
            row.as_ref()
                .map_or(" | | ".to_owned(), |row| format!("{:.0} | {:.1} | {:.1e}", row.cells, row.steps, row.error))
        };
        let ratio = |row: &Option<Row>| {
            let ratio = row.as_ref().and_then(|row| at_equal_error(row, &run.ours));
            ratio.map_or(String::new(), |ratio| format!("{ratio:.1}"))
        };
        let _ = writeln!(
            text,
            "| {:e} s | {:e} | {} | {} | {:.0} | {:.1} ({:.1}) | {:.1e} | {} | {} |",
            run.seconds,
            own.tolerance,
            beside(&cantera),
            beside(&cvode),
            own.cells,
            own.steps,
            own.rejected,
            own.error,
            ratio(&cantera),
            ratio(&cvode)
        );
    }
    text
}

fn at_equal_error(theirs: &Row, ours: &[Row]) -> Option<f64> {
    let exact = ours.iter().filter(|row| row.error <= theirs.error);
    exact.map(|row| row.cells / theirs.cells).max_by(f64::total_cmp)
}
