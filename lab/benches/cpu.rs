//! Points per second of the CPU target on one core, beside a scalar build of the same code and beside Cantera. Writes docs/lab/cpu.md
//! with `-- --write`. Times are of the processor, not of the clock on the wall, so that other programs disturb them little.

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::{Barrier, Mutex};
use std::time::Instant;

use kinetics::State;
use machine::target::Target;
use overlay::Codegen;
use serde_json::Value;
use singe::driver::Request;
use singe::plan::Emit;

#[path = "common/driver.rs"]
mod project;

use project::{built, median, number, of_a_core, this_machine, timed};

const MECHANISMS: [&str; 2] = ["h2o2", "gri30"];
const KERNELS: [&str; 4] = ["viscosity", "conductivity", "diffusion", "chemistry"];

/// Edge of the cube, and the number of times that it is computed.
const SIZES: [&str; 4] = ["--sizes", "16", "--repeat", "41"];

/// The same where threads share the points: 110,592, so that a run is long beside the wait for both threads.
const SHARED: [&str; 4] = ["--sizes", "48", "--repeat", "11"];

/// Rounds in which one thread and two take turns.
const ROUNDS: usize = 7;

/// Bytes of each of the arrays that a thread copies, more than its caches hold.
const COPIED: usize = 64 << 20;

/// Runs the same states through Cantera: setting a state, and asking for one property of it. The least times of many turns, in both orders of the
/// properties; a property alone takes what is left without the setting of states.
const CANTERA: &str = include_str!("cpu/cantera.py");

fn main() {
    let mut page = format!(
        "# The CPU target, timed\n\n`cargo bench --bench cpu -- --write` makes this page. Points per second of one core are points over the \
         time of the\nprocessor, the median of 41 runs over 4,096 points. The states are those that kernels are verified on. *Scalar* is the same \
         code with\nvectors of one point (`-DSINGE_WIDTH=1`). Cantera is called from Python: a state is set and one \
         property asked for; the\ncall itself is compiled code. *Alone* is the property without the setting of the state. Both are Cantera's best of 40 turns, \
         in both orders. *Two threads*, over 110,592 points: the fastest of 11 runs of one thread over that of two. Times are by the clock on \
         the wall,\nmedian of 7 turns. *GB/s*: what two threads then read and write in memory and its caches.\n\nMachine: {}. One thread copies {:.1} GB/s of \
         memory (read and\nwritten), two copy {:.1}. A kernel that takes as much from memory gains nothing by threads.\n",
        this_machine(),
        copied(1),
        copied(2),
    );
    for name in MECHANISMS {
        let folder = tempfile::tempdir().expect("a folder for the project");
        let states = write_project(name, folder.path());
        let programs = (built(folder.path(), "vectors", &[]), built(folder.path(), "scalar", &["-DSINGE_WIDTH=1"]));
        let (Some(program), Some(scalar)) = programs else {
            return println!("skipped: g++ is absent");
        };
        let [vectors, scalar] = [&program, &scalar].map(|program| timed(program, SIZES, 1));
        let turns: Vec<_> = (0..ROUNDS).map(|_| [1, 2].map(|threads| timed(&program, SHARED, threads))).collect();
        println!("{name}: timed");
        let cantera = cantera(folder.path(), name, &states);
        let version =
            cantera.as_ref().map_or("Cantera (absent)".to_owned(), |c| format!("Cantera {}", text(&c["version"])));
        let _ = write!(
            page,
            "\n## {name}\n\n| kernel | vectors | scalar | vectors / scalar | {version} | vectors / Cantera | alone | vectors / alone | two threads | GB/s |\n\
             |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
        );
        for kernel in KERNELS {
            let [fast, slow] = [&vectors, &scalar].map(|timings| of_a_core(timings, kernel));
            let of_cantera = |what: &str| cantera.as_ref().and_then(|found| found[what].as_f64());
            let beside = |other: Option<f64>| {
                other.map_or("– | –".to_owned(), |other| format!("{} | {:.1}", thousands(other), fast / other))
            };
            let _ = writeln!(
                page,
                "| {kernel} | {} | {} | {:.1} | {} | {} | {:.2} | {:.1} |",
                thousands(fast),
                thousands(slow),
                fast / slow,
                beside(of_cantera(kernel)),
                beside(of_cantera(&format!("{kernel} alone"))),
                median(turns.iter().map(|[one, two]| least_seconds(one, kernel) / least_seconds(two, kernel))),
                median(turns.iter().map(|[_, two]| traffic(two, kernel) * 1e-9)),
            );
        }
    }
    print!("{page}");
    if std::env::args().any(|argument| argument == "--write") {
        let path = testkit::root().join("docs/lab/cpu.md");
        std::fs::write(path, page).expect("docs can be written");
    }
}

/// Writes the project of a mechanism; returns the states for Cantera.
fn write_project(name: &str, folder: &Path) -> Vec<State> {
    let path = testkit::root().join("mechanisms").join(name).join("chem.inp");
    let files = mechanism::Files { mechanism: path, ..Default::default() };
    let request =
        Request { files, verify: None, emit: vec![Emit::Host], output: Some(folder.to_owned()), ..Request::default() };
    let request = request.with(|r| {
        r.common.target = Target::cpu();
        r.codegen = Codegen::DataParallel;
    });
    testkit::request::report(&request);
    let (mechanism, _) = mechanism::read(&request.files).expect("a shipped mechanism");
    kinetics::verification_states(&kinetics::model(mechanism).expect("a shipped mechanism"), 70)
}

/// GB/s that so many threads read and write at once when each copies an array of its own: the fastest of some rounds.
fn copied(threads: usize) -> f64 {
    let arrays: Vec<_> = (0..threads).map(|_| (vec![1u8; COPIED], vec![0u8; COPIED])).collect();
    let (seconds, start) = (Mutex::new(vec![0.0f64; ROUNDS]), Barrier::new(threads));
    std::thread::scope(|scope| {
        for (from, mut to) in arrays {
            let (seconds, start) = (&seconds, &start);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    start.wait();
                    let begin = Instant::now();
                    black_box(&mut to[..]).copy_from_slice(black_box(&from));
                    let taken = begin.elapsed().as_secs_f64();
                    let mut all = seconds.lock().expect("no thread panics");
                    all[round] = all[round].max(taken);
                }
            });
        }
    });
    let least = seconds.into_inner().expect("no thread panics").into_iter().fold(f64::INFINITY, f64::min);
    (2 * threads * COPIED) as f64 / least * 1e-9
}

/// Returns Cantera's figures for the same states; `SINGE_PYTHON` names a Python that has it.
fn cantera(folder: &Path, name: &str, states: &[State]) -> Option<Value> {
    let python = std::env::var("SINGE_PYTHON").unwrap_or("python3".to_owned());
    let states: Vec<_> = states.iter().map(|s| (s.temperature, s.pressure, &s.mole_fractions)).collect();
    let file = folder.join("states.json");
    std::fs::write(&file, serde_json::to_string(&states).ok()?).ok()?;
    let output = Command::new(&python).args(["-c", CANTERA, name]).arg(&file).output().ok()?;
    if !output.status.success() {
        println!("skipped: {python} has no Cantera (SINGE_PYTHON names one that has)");
        return None;
    }
    serde_json::from_slice(&output.stdout).ok()
}

/// Returns the least time on the wall: other programs can only make a run longer.
fn least_seconds(timings: &[Value], kernel: &str) -> f64 {
    number(timings, kernel, "least_seconds")
}

/// Bytes per second that a kernel reads and writes in its fastest run.
fn traffic(timings: &[Value], kernel: &str) -> f64 {
    number(timings, kernel, "points") * number(timings, kernel, "bytes_per_point") / least_seconds(timings, kernel)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}

/// Thousands of points per second.
fn thousands(points: f64) -> String {
    format!("{:.0} k", points * 1e-3)
}
