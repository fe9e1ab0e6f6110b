//! Reactors on GPUs by the model of time: the machine code of the whole kernel is run on states along an ignition, and timed on an SM. Writes
//! sections of docs/lab/reactors-gpu.md with `-- --write`; other words name the mechanisms, targets and factors that are taken, such as `h2o2` or `single`.

#[path = "../common/page.rs"]
mod page;

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::time::Instant;

use kernels::Factors;
use kernels::elimination::{self, matrix};
use kinetics::Model;
use kinetics::constants::ATMOSPHERE;
use kinetics::integrator::RODAS5P;
use kinetics::integrator::advance::{Status, advance};
use kinetics::integrator::options::Options;
use kinetics::integrator::reference::Reference;
use kinetics::reactor::Constant;
use machine::target::Target;
use overlay::Codegen;
use ptx::inst::Type;
use sass::Cubin;
use singe::compilers::{self, CompilerOutput};
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::plan::Emit;
use testkit::gpu_reactor::{self, Kept, Points, STATUS, STEPS, THREADS};
use warpsim::Buffer;
use warpsim::machine_code::{self, Cause, Counts, Report, Timing};

struct Case {
    name: &'static str,
    fuel: &'static str,
    /// Moles of oxygen for one of fuel.
    oxygen: f64,
}

const CASES: [Case; 2] =
    [Case { name: "h2o2", fuel: "H2", oxygen: 0.5 }, Case { name: "gri30", fuel: "CH4", oxygen: 2.0 }];

const TARGETS: [&str; 2] = ["hopper", "ampere"];

/// Precisions of the factors of a step's matrix.
const FACTORS: [(&str, Factors); 2] = [("double", Factors::Double), ("single", Factors::Single)];

/// Runs of the points: the time in s, and the relative tolerance.
const RUNS: [(f64, f64); 4] = [(1e-7, 1e-4), (1e-6, 1e-4), (1e-6, 1e-6), (1e-5, 1e-4)];

/// Numbers of states along an ignition and of its times, and the first and the last of these times in s.
const STATES: usize = 64;
const TIMES: usize = 500;
const ENDS: [f64; 2] = [1e-7, 4e-3];

/// Points of each thread.
const TURNS: usize = 2;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let file = testkit::root().join("docs/lab/reactors-gpu.md");
    let old = std::fs::read_to_string(&file).unwrap_or_default();
    let mut page = HEAD.to_owned() + old.find("\n## ").map_or("", |at| &old[at..]);
    let is_wanted = |name: &str, all: &[&str]| {
        words.iter().all(|word| !all.contains(&word.as_str())) || words.iter().any(|word| word == name)
    };
    for case in CASES.iter().filter(|case| is_wanted(case.name, &CASES.map(|case| case.name))) {
        let model = testkit::model(&testkit::shipped(case.name));
        let states = ignition(&model, case);
        for target in TARGETS.into_iter().filter(|target| is_wanted(target, &TARGETS)) {
            let target = Target::by_name(target).unwrap();
            for (_, factors) in FACTORS.into_iter().filter(|(word, _)| is_wanted(word, &FACTORS.map(|(word, _)| word)))
            {
                let beside = if factors == Factors::Single { ", factors in single precision" } else { "" };
                let heading = format!("\n## {} on {}{beside}\n", case.name, target.name);
                let Some(section) = section(case, &model, &states, (target, factors)) else { return };
                print!("{heading}{section}");
                page = page::with_section(&page, &heading, &section);
                if std::env::args().any(|word| word == "--write") {
                    std::fs::write(&file, &page).expect("docs can be written");
                }
            }
        }
    }
}

const HEAD: &str = "\
# Reactors on GPUs, modelled

`cargo bench --bench reactor_gpu -- --write` makes this page. Nothing on it is measured: [the model of time](time.md) runs the machine code that ptxas makes of the whole kernel,
with all its steps, on points at constant pressure from states along an ignition at 1500 K and 1 atm (stoichiometric with air), half of them at times that grow by
equal factors from 1e-7 to 4e-3 s, half at equal steps of the temperature, mixed. One SM holds as many CTAs as fit, each thread advances 2 points, and the board does what all its SMs do. Absolute tolerances are a millionth of relative ones. *Global* and *local* kB
are what lanes load and store per step of a point, as the simulator counts them; percentages say what the warps' clocks went to.

Where the simulator runs CTAs one after the other, the first would empty the queue. So here threads take their points in turns, each from a counter of its own:
the rest of the code is the same. *By steps*: the same points, ordered by the steps that they took in a call before, most first (`by_steps` of the
[options](../guide/reactors.md#on-gpus)); what the ordering itself takes is not in it. The compilers are the first that know the machine; others may make other code.

*The matrix's part*, by counting the operations of the text: stores and loads of the Jacobian, the factorisation's loads of entries above (one for each product) and its stores, and the
loads of all solutions. A version whose warps keep the matrix of their points in registers and shared memory would not move these bytes; what it would spend on barriers and
exchanges instead is not in this count. Of the loop of steps no such version was made; [one step as a kernel](reactor-step.md) has them.
";

/// States along an ignition: half of them at times that grow by equal factors, half at temperatures that do so by equal steps.
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
    let factor = (ENDS[1] / ENDS[0]).powf(1.0 / (TIMES - 1) as f64);
    let (mut now, mut next) = (0.0, ENDS[0]);
    let mut all = vec![y.clone()];
    for _ in 0..TIMES {
        let end = advance(&system, &RODAS5P, &y, next - now, &Options::default());
        assert_eq!(end.status, Status::Done);
        y = end.y;
        all.push(y.clone());
        (now, next) = (next, next * factor);
    }
    let temperature = |state: &[f64]| state[species.len()];
    let (cold, hot) = (temperature(&all[0]), all.iter().map(|state| temperature(state)).fold(0.0, f64::max));
    let half = STATES / 2;
    let by_time = (0..half).map(|n| &all[n * TIMES / (half - 1)]);
    let by_temperature = (0..half).filter_map(|n| {
        let wanted = cold + (hot - cold) * n as f64 / half as f64;
        all.iter().find(|state| temperature(state) >= wanted)
    });
    by_time.chain(by_temperature).cloned().collect()
}

/// The tables of a mechanism on a target.
fn section(
    case: &Case,
    model: &Model,
    states: &[Vec<f64>],
    (target, factors): (&'static Target, Factors),
) -> Option<String> {
    let began = Instant::now();
    let (made, rows, matrix) = made(case.name, model, target, factors)?;
    let seconds = began.elapsed().as_secs_f64();
    let cubin = compilers::read_machine_code(case.name, &made.cubin).expect("machine code that is read");
    let symbol = format!("{}_reactor", case.name);
    let kernel = cubin.kernel(&symbol).expect("it has the kernel");
    let needs = &made.needs;
    let mut text = format!(
        "\n{}: {} registers, {} bytes of stack (with that of the functions it calls), {} instructions, {} bytes of workspace for each \
         thread; written and compiled in {seconds:.0} s. The matrix's part: {:.1} kB per step.\n\n\
         | time | tolerance | steps | CTAs per SM | clocks per point and SM | ns per point | by steps: ns per point | million points/s | global kB | local kB | issued | global | local | fetch |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        needs.compilers,
        needs.registers,
        needs.stack_bytes,
        kernel.instructions.len(),
        8 * rows,
        1e-3 * matrix as f64,
    );
    for (time, tolerance) in RUNS {
        let run = Run { states, time, tolerance, rows };
        let resident = timed(&cubin, &symbol, target, &run, 1, None).timing.resident_ctas;
        let Timed { timing, report, steps: taken } = timed(&cubin, &symbol, target, &run, resident, None);
        let points = taken.len();
        let steps = taken.iter().sum::<i32>() as f64 / points as f64;
        let clocks = timing.cycles as f64 / points as f64;
        let each = target.board.nanoseconds(clocks);
        let mut order: Vec<usize> = (0..points).collect();
        order.sort_by_key(|&p| Reverse(taken[p]));
        let together = timed(&cubin, &symbol, target, &run, resident, Some(order)).timing.cycles as f64 / points as f64;
        let together = target.board.nanoseconds(together);
        let share = |cause| share(&timing, cause);
        let kilobytes =
            |of: fn(&Counts) -> u64| 1e-3 * report.warps.iter().map(of).sum::<u64>() as f64 / (steps * points as f64);
        let _ = writeln!(
            text,
            "| {time:.0e} s | {tolerance:.0e} | {steps:.1} | {resident} | {clocks:.0} | {each:.1} | {together:.1} | {:.2} | {:.1} | {:.1} | {} | {} | {} | {} |",
            1e3 / each,
            kilobytes(|counts| counts.global_load_bytes + counts.global_store_bytes),
            kilobytes(|counts| counts.local_bytes),
            share(Cause::Issued),
            share(Cause::Global),
            share(Cause::Local),
            share(Cause::Fetch),
        );
    }
    Some(text)
}

/// Returns a cause's share of the clocks of all warps.
fn share(timing: &Timing, cause: Cause) -> String {
    let all: u64 = timing.warps.iter().map(|warp| warp.cycles()).sum();
    let part: u64 = timing.warps.iter().map(|warp| warp.of(cause)).sum();
    format!("{:.0} %", 100.0 * part as f64 / all.max(1) as f64)
}

/// Compiles the kernel. Returns the compilers' output, the rows of a thread's workspace, and the bytes of the matrix
/// that a step moves; `None` without the compilers.
fn made(
    name: &str,
    model: &Model,
    target: &'static Target,
    factors: Factors,
) -> Option<(CompilerOutput, usize, usize)> {
    let folder = tempfile::tempdir().expect("a folder for the project");
    let files = mechanism::Files { mechanism: testkit::shipped(name), ..Default::default() };
    let request = Request {
        files,
        verify: None,
        emit: vec![Emit::Cuda],
        output: Some(folder.path().to_owned()),
        reactor_method: Some(RODAS5P),
        codegen: Codegen::DataParallel,
        ..Request::default()
    };
    let request = request.with(|r| {
        r.common.target = target;
        r.common.precision.factors = factors;
        r.common.state = kernels::StateVariables::MassFractions;
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
    Some((made.into_iter().next()?, rows, moved(model, &request)))
}

/// Bytes of the matrix that a step stores and loads.
fn moved(model: &Model, request: &Request) -> usize {
    let [_, jacobian] = request.common.reactor_kernels();
    let made = driver::compile_kernel(jacobian, model, &request.for_cpu(), &mut Observer::silent());
    let pattern = &made.map_err(|f| f.diagnostics).expect("it compiles").graph.pattern;
    let species = model.species().len();
    let plan = elimination::plan(&matrix(pattern, species), &[species, species + 1]);
    let factors: usize = plan.lower.iter().chain(&plan.upper).map(Vec::len).sum();
    let numbers = factors + plan.order.len();
    let of_factor = if request.common.precision.factors == Factors::Single { 4 } else { 8 };
    8 * 2 * pattern.len() + of_factor * (plan.multiply_adds() + numbers + RODAS5P.m.len() * numbers)
}

const QUEUE: &str = "return atomicAdd(next, 1);";
const TURN: &str = "return atomicAdd(next + blockIdx.x * spacing + threadIdx.x, gridDim.x * spacing);";

struct Run<'a> {
    states: &'a [Vec<f64>],
    time: f64,
    tolerance: f64,
    rows: usize,
}

struct Timed {
    timing: Timing,
    report: Report,
    /// Steps of each point.
    steps: Vec<i32>,
}

/// Times a launch of so many CTAs, with points as they lie or in an order.
fn timed(
    cubin: &Cubin,
    symbol: &str,
    target: &'static Target,
    run: &Run,
    ctas: u32,
    order: Option<Vec<usize>>,
) -> Timed {
    let threads = ctas as usize * THREADS;
    let count = TURNS * threads;
    let species = run.states[0].len() - 1;
    // A stride that has no divisor with the number of states mixes them.
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
    let order = order.unwrap_or_else(|| (0..count).collect()).into_iter().map(|p| p as u64).collect();
    let (launch, mut buffers) = gpu_reactor::launch(points, &kept, ctas, run.rows, queue, order);
    let options = warpsim::Options::default();
    let (report, timing) = machine_code::time(cubin, symbol, &launch, &mut buffers, &options, target)
        .unwrap_or_else(|failure| panic!("{failure:?}"));
    let number = |buffer: &Buffer, p: usize| buffer.element(Type::B32, p).expect("it was written") as i32;
    assert!((0..count).all(|p| number(&buffers[STATUS], p) == 0), "all points reach their ends");
    let steps = (0..count).map(|p| number(&buffers[STEPS], p)).collect();
    Timed { timing, report, steps }
}
