//! Reactors on GPUs by the model of time: the machine code of the whole kernel is run on states along an ignition, and timed on an SM. Writes
//! docs/lab/reactors-gpu.md with `-- --write`; other words name the cases that are taken, such as `h2o2`.

use std::fmt::Write as _;
use std::time::Instant;

use kinetics::Model;
use kinetics::constants::ATMOSPHERE;
use kinetics::integrator::RODAS5P;
use kinetics::integrator::advance::{Status, advance};
use kinetics::integrator::options::Options;
use kinetics::integrator::reference::Reference;
use kinetics::reactor::Constant;
use machine::target::Target;
use ptx::inst::Type;
use sass::Cubin;
use singe::compilers::{self, Made};
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::overlay::Codegen;
use singe::plan::Emit;
use testkit::gpu_reactor::{self, Kept, Points, STATUS, STEPS, THREADS};
use warpsim::Buffer;
use warpsim::machine_code::{self, Cause, Timing};

struct Case {
    name: &'static str,
    fuel: &'static str,
    /// Moles of oxygen for one of fuel.
    oxygen: f64,
}

const CASES: [Case; 2] =
    [Case { name: "h2o2", fuel: "H2", oxygen: 0.5 }, Case { name: "gri30", fuel: "CH4", oxygen: 2.0 }];

const TARGETS: [&str; 2] = ["hopper", "ampere"];

/// What points are advanced over in s, and by which relative tolerance.
const RUNS: [(f64, f64); 4] = [(1e-7, 1e-4), (1e-6, 1e-4), (1e-6, 1e-6), (1e-5, 1e-4)];

/// States along an ignition, and the time in s that it takes.
const STATES: usize = 64;
const END: f64 = 2e-3;

/// Points of each thread.
const TURNS: usize = 2;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let mut page = HEAD.to_owned();
    for case in CASES.iter().filter(|case| words.is_empty() || words.iter().any(|word| word == case.name)) {
        let model = testkit::model(&testkit::shipped(case.name));
        let states = ignition(&model, case);
        for target in TARGETS {
            let Some(section) = section(case, &states, Target::by_name(target).unwrap()) else { return };
            print!("{section}");
            page += &section;
        }
    }
    if std::env::args().any(|word| word == "--write") {
        std::fs::write(testkit::root().join("docs/lab/reactors-gpu.md"), page).expect("docs can be written");
    }
}

const HEAD: &str = "\
# Reactors on GPUs, modelled

`cargo bench --bench reactor_gpu -- --write` makes this page. Nothing on it is measured: [the model of time](time.md) runs the machine code that ptxas makes of the whole kernel,
with all its steps, on points at constant pressure from states along an ignition at 1500 K and 1 atm (stoichiometric with air), in an order by chance. One SM holds as many
CTAs as fit, each thread advances 2 points, and the board does what all its SMs do. Absolute tolerances are a millionth of relative ones.

Where the simulator runs CTAs one after the other, the first would empty the queue. So here threads take their points in turns, each from a counter of its own:
the rest of the code is the same.
";

/// States along an ignition, at times that grow by equal factors.
fn ignition(model: &Model, case: &Case) -> Vec<Vec<f64>> {
    let species = model.species();
    let moles = |name: &str| match name {
        "O2" => case.oxygen,
        "N2" => 3.76 * case.oxygen,
        name if name == case.fuel => 1.0,
        _ => 0.0,
    };
    let masses: Vec<f64> = species.iter().map(|s| moles(&s.name) * s.weight).collect();
    let mass: f64 = masses.iter().sum();
    let mut y: Vec<f64> = masses.iter().map(|m| m / mass).chain([1500.0]).collect();
    let system = Reference { model, constant: Constant::Pressure, fixed: ATMOSPHERE };
    let mut states = vec![y.clone()];
    let factor = (END / 1e-7).powf(1.0 / (STATES - 2) as f64);
    let (mut now, mut next) = (0.0, 1e-7);
    while states.len() < STATES {
        let end = advance(&system, &RODAS5P, &y, next - now, &Options::default());
        assert_eq!(end.status, Status::Done);
        y = end.y;
        states.push(y.clone());
        (now, next) = (next, next * factor);
    }
    states
}

/// The tables of a mechanism on a target.
fn section(case: &Case, states: &[Vec<f64>], target: &'static Target) -> Option<String> {
    let began = Instant::now();
    let (made, rows) = made(case.name, target)?;
    let seconds = began.elapsed().as_secs_f64();
    let cubin = compilers::read_machine_code(case.name, &made.cubin).expect("machine code that is read");
    let symbol = format!("{}_reactor", case.name);
    let kernel = cubin.kernel(&symbol).expect("it has the kernel");
    let needs = &made.needs;
    let mut text = format!(
        "\n## {} on {}\n\n{}: {} registers, {} bytes of stack, {} of them spilled, {} instructions, {} bytes of workspace for each thread; compiled in {seconds:.0} s.\n\n\
         | time | tolerance | steps | CTAs per SM | clocks per point and SM | ns per point | million points/s | issued | global | local | fetch | latency |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        case.name,
        target.name,
        needs.compilers,
        needs.registers,
        needs.stack_bytes,
        needs.spill_store_bytes,
        kernel.instructions.len(),
        8 * rows,
    );
    for (time, tolerance) in RUNS {
        let run = Run { states, time, tolerance, rows };
        let resident = timed(&cubin, &symbol, target, &run, 1).0.resident_ctas;
        let (timing, steps, points) = timed(&cubin, &symbol, target, &run, resident);
        let clocks = timing.cycles as f64 / points as f64;
        let each = target.board.nanoseconds(clocks);
        let share = |cause| share(&timing, cause);
        let _ = writeln!(
            text,
            "| {time:.0e} s | {tolerance:.0e} | {steps:.1} | {resident} | {clocks:.0} | {each:.1} | {:.2} | {} | {} | {} | {} | {} |",
            1e3 / each,
            share(Cause::Issued),
            share(Cause::Global),
            share(Cause::Local),
            share(Cause::Fetch),
            share(Cause::FixedLatency),
        );
    }
    Some(text)
}

/// What all warps' clocks went to.
fn share(timing: &Timing, cause: Cause) -> String {
    let all: u64 = timing.warps.iter().map(|warp| warp.cycles()).sum();
    let part: u64 = timing.warps.iter().map(|warp| warp.of(cause)).sum();
    format!("{:.0} %", 100.0 * part as f64 / all.max(1) as f64)
}

/// What the compilers make of the kernel, and the rows of a thread's workspace; nothing where they are absent.
fn made(name: &str, target: &'static Target) -> Option<(Made, usize)> {
    let folder = tempfile::tempdir().expect("a folder for the project");
    let files = mechanism::Files { mechanism: testkit::shipped(name), ..Default::default() };
    let request = Request {
        files,
        verify: None,
        emit: vec![Emit::Cuda],
        output: Some(folder.path().to_owned()),
        reactor: Some(RODAS5P),
        codegen: Codegen::DataParallel,
        ..Request::default()
    };
    let request = request.with(|r| {
        r.common.target = target;
        r.common.state = singe::kernels::StateVariables::MassFractions;
        r.kernels = r.common.reactor_kernels().to_vec();
    });
    let request = request.for_target().expect("a request");
    driver::compile(&request, &mut Observer::silent()).map_err(|f| f.diagnostics).expect("it compiles");
    let text = gpu_reactor::text(folder.path(), name);
    let rows = gpu_reactor::rows(&text);
    let in_turns = text.replace(QUEUE, TURN);
    assert_ne!(text, in_turns);
    let made = compilers::compile(target, &[(&format!("{name}_reactor"), &in_turns)]).expect("the compilers take it");
    if made.is_empty() {
        println!("skipped: compilers for {} are absent", target.name);
    }
    Some((made.into_iter().next()?, rows))
}

const QUEUE: &str = "return atomicAdd(next, 1);";
const TURN: &str = "return atomicAdd(next + blockIdx.x * spacing + threadIdx.x, gridDim.x * spacing);";

struct Run<'a> {
    states: &'a [Vec<f64>],
    time: f64,
    tolerance: f64,
    rows: usize,
}

/// The time of so many CTAs, steps per point, and points.
fn timed(cubin: &Cubin, symbol: &str, target: &'static Target, run: &Run, ctas: u32) -> (Timing, f64, usize) {
    let threads = ctas as usize * THREADS;
    let count = TURNS * threads;
    let species = run.states[0].len() - 1;
    // A step that has no divisor with the number of states: an order by chance that is the same each time.
    let state = |p: usize| &run.states[p * 37 % run.states.len()];
    let points = Points {
        told: (0..count).map(|p| state(p)[species]).collect(),
        fixed: vec![ATMOSPHERE; count],
        fractions: (0..species).flat_map(|k| (0..count).map(move |p| state(p)[k])).collect(),
        times: vec![run.time; count],
        sources: [vec![0.0; species * count], vec![0.0; count]],
        tolerances: vec![1e-6 * run.tolerance; species],
    };
    let kept = Kept { relative_tolerance: run.tolerance, absolute_tolerance: 1e-6 * run.tolerance, most_steps: 10_000 };
    let queue = (0..threads as u64).collect();
    let (launch, mut buffers) = gpu_reactor::launch(points, &kept, ctas, run.rows, queue);
    let options = warpsim::Options::default();
    let (_, timing) = machine_code::time(cubin, symbol, &launch, &mut buffers, &options, target)
        .unwrap_or_else(|failure| panic!("{failure:?}"));
    let number = |buffer: &Buffer, p: usize| buffer.element(Type::B32, p).expect("it was written") as i32;
    assert!((0..count).all(|p| number(&buffers[STATUS], p) == 0), "all points reach their ends");
    let steps: i32 = (0..count).map(|p| number(&buffers[STEPS], p)).sum();
    (timing, f64::from(steps) / count as f64, count)
}
