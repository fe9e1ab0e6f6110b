//! Reactors on GPUs by the model of time: each kernel of a step is timed on an SM that is full of points, and the sum gives steps and whole calls. Writes
//! sections of docs/lab/reactors-gpu.md with `-- --write`; other words name the mechanisms, targets, factors and methods that are taken, such as `h2o2`, `single` or
//! `rodas3`. A word with a slash is a folder with a mechanism of methane in `mechanism.inp`. `-- --random` takes random states instead, `-- --methods` the steps and
//! errors of all methods.

#[path = "../common/page.rs"]
mod page;
mod random;
mod steps;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use kernels::Factors;
use kinetics::Model;
use kinetics::constants::ATMOSPHERE;
use kinetics::integrator::advance::{Status, advance};
use kinetics::integrator::options::Options;
use kinetics::integrator::reference::Reference;
use kinetics::integrator::{AUTO, METHODS, Method, RODAS5P};
use kinetics::reactor::Constant;
use machine::target::Target;
use overlay::Codegen;
use sass::Cubin;
use singe::compilers;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::output::Unit;
use singe::plan::{Effort, Emit, ReactorSteps, Unset};
use singe::verify::{self, KernelTime};
use testkit::gpu_reactor::{self, Kept, Points};
use warpsim::machine_code::Cause;

struct Case<'a> {
    name: &'a str,
    /// Folder of the mechanism; `None`: it is shipped.
    folder: Option<&'a Path>,
    fuel: &'static str,
    /// Moles of oxygen for one of fuel.
    oxygen: f64,
    /// Ways to take a step that are compared.
    steps: &'static [(&'static str, ReactorSteps)],
}

const PIPELINE: (&str, ReactorSteps) = ("pipeline", ReactorSteps::Pipeline);
const FUSED: (&str, ReactorSteps) = ("fused", ReactorSteps::Fused);

const CASES: [Case<'_>; 3] = [
    Case { name: "h2o2", folder: None, fuel: "H2", oxygen: 0.5, steps: &[FUSED, PIPELINE] },
    Case { name: "ammonia", folder: None, fuel: "NH3", oxygen: 0.75, steps: &[FUSED, PIPELINE] },
    Case { name: "gri30", folder: None, fuel: "CH4", oxygen: 2.0, steps: &[PIPELINE] },
];

impl<'a> Case<'a> {
    fn from_folder(folder: &'a str) -> Self {
        let folder = Path::new(folder);
        let name = folder.file_name().and_then(|name| name.to_str()).expect("the name of a folder");
        Case { name, folder: Some(folder), fuel: "CH4", oxygen: 2.0, steps: &[FUSED, PIPELINE] }
    }

    fn mechanism(&self) -> PathBuf {
        self.folder.map_or_else(|| testkit::shipped(self.name), |folder| folder.join("mechanism.inp"))
    }
}

const TARGETS: [&str; 2] = ["hopper", "ampere"];

/// Precisions of the factors of a step's matrix.
const FACTORS: [(&str, Factors); 2] = [("double", Factors::Double), ("single", Factors::Single)];

/// Runs of the points: the time in s, and the relative tolerance.
const RUNS: [(f64, f64); 5] = [(1e-7, 1e-4), (1e-6, 1e-3), (1e-6, 1e-4), (1e-6, 1e-6), (1e-5, 1e-4)];

/// The tolerance of what errors are told beside.
const EXACT: f64 = 1e-9;

/// Numbers of states along an ignition and of its times, and the first and the last of these times in s.
const STATES: usize = 64;
const TIMES: usize = 500;
const ENDS: [f64; 2] = [1e-7, 4e-3];

/// Points of a launch on one SM: several times as many as fit at once; half of them beyond so many species, whose kernels take the simulator long.
const LAUNCHED: usize = 2048;
const LARGE: usize = 100;

fn launched(model: &Model) -> usize {
    if model.species().len() > LARGE { LAUNCHED / 2 } else { LAUNCHED }
}

/// Points of a call: as many as a cube has with 64 along an edge.
const CUBE: usize = 64 * 64 * 64;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let file = testkit::root().join("docs/lab/reactors-gpu.md");
    let old = std::fs::read_to_string(&file).unwrap_or_default();
    let mut page = HEAD.to_owned() + old.find("\n## ").map_or("", |at| &old[at..]);
    if std::env::args().any(|word| word == "--random") {
        let Some(section) = random::section() else { return };
        print!("{}{section}", random::HEADING);
        page = page::with_section(&page, random::HEADING, &section);
        if std::env::args().any(|word| word == "--write") {
            std::fs::write(&file, &page).expect("docs can be written");
        }
        return;
    }
    let is_wanted = |name: &str, all: &[&str]| {
        words.iter().all(|word| !all.contains(&word.as_str())) || words.iter().any(|word| word == name)
    };
    let folders: Vec<Case> =
        words.iter().filter(|word| word.contains('/')).map(|word| Case::from_folder(word)).collect();
    let shipped = CASES.iter().filter(|case| {
        is_wanted(case.name, &CASES.map(|case| case.name))
            && (folders.is_empty() || words.iter().any(|word| word == case.name))
    });
    let methods: Vec<Method> =
        METHODS.into_iter().filter(|method| words.iter().any(|word| word == method.name)).collect();
    let methods = if methods.is_empty() { vec![RODAS5P] } else { methods };
    for case in shipped.chain(&folders) {
        let model = testkit::model(&case.mechanism());
        let states = ignition(&model, case);
        if std::env::args().any(|word| word == "--methods") {
            print!("\n## {}: methods\n{}", case.name, steps::of_methods(&model, &states));
            continue;
        }
        for target in TARGETS.into_iter().filter(|target| is_wanted(target, &TARGETS)) {
            let target = Target::by_name(target).unwrap();
            for (_, factors) in FACTORS.into_iter().filter(|(word, _)| is_wanted(word, &FACTORS.map(|(word, _)| word)))
            {
                let ways = case.steps.iter().filter(|(way, _)| is_wanted(way, &[FUSED.0, PIPELINE.0]));
                for ((way, steps), method) in ways.flat_map(|way| methods.iter().map(move |method| (way, method))) {
                    let beside = if factors == Factors::Single { ", factors in single precision" } else { "" };
                    let by = if method.name == RODAS5P.name { String::new() } else { format!(", {}", method.name) };
                    let heading = format!("\n## {} on {}, {way}{beside}{by}\n", case.name, target.name);
                    let way = Way { factors, steps: *steps, method: *method };
                    let Some(section) = section(case, &model, &states, target, way) else { return };
                    print!("{heading}{section}");
                    page = page::with_section(&page, &heading, &section);
                    if std::env::args().any(|word| word == "--write") {
                        std::fs::write(&file, &page).expect("docs can be written");
                    }
                }
            }
        }
    }
}

const HEAD: &str = "\
# Reactors on GPUs, modelled

`cargo bench --bench reactor_gpu -- --write` makes this page. Nothing on it is measured. [The model of time](time.md) runs the machine code that ptxas makes of
each kernel of [a step](../guide/reactors.md#on-gpus).

- *Points* have constant pressure. Their states lie along an ignition at 1500 K and 1 atm, stoichiometric with air. Half of the states are at times that grow by
  equal factors from 1e-7 to 4e-3 s. The other half are at equal steps of the temperature. Both halves are mixed.
- *Board*: one SM works on 2,048 points, and the board does what all its SMs do.
- *Global* and *local* kB are what lanes load and store per point and launch, as the simulator counts them. Percentages are shares of the warps' clocks.
- *Rates and Jacobian* are the project's kernels, as the compiler chooses them by itself.
- *A step*: all points take one at once, each of its own length. So a step costs the same whatever its neighbours are.
- *Fused*: one kernel takes a whole step, and a thread has a point. Singe takes it for mechanisms of up to 10 species, with factors in floats up to 13. There the
  values of a thread stay in the L1 cache, and the code of a stage in that for instructions.
- *Pipeline*: rates, Jacobian, factorisation and stages have kernels of their own.

*Whole calls* are for a cube of 64 points along each edge, from the same states mixed.

- The steps of each point are those of the plain integrator.
- Each round of the host's loop costs what its listed points do. Each launch costs 2.5 microseconds more, and the look at the list 10. No launch overlaps another
  one.
- Absolute tolerances are a millionth of relative ones.
- *Error*: the largest one of any point and unknown, relative to |y| + 1e-9, beside a tolerance of 1e-9.
- With `--integrator auto` a first pass takes [points that are not stiff](reactor-method.md#points-that-are-not-stiff) explicitly. Its errors are larger at the
  same tolerance, so compare times between rows of like errors.

Sections called *before* are of the single kernel that held a whole integration until then, with two points for each thread. They are kept to compare with, and
no command makes them any more. *By steps* there are the same points in the order of the steps that they took in a call before. *The matrix's part* is what the
factors and the Jacobian move.
";

/// States along an ignition: half of them at times that grow by equal factors, half at temperatures that do so by equal steps.
fn ignition(model: &Model, case: &Case<'_>) -> Vec<Vec<f64>> {
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

/// How points are advanced.
#[derive(Clone, Copy)]
struct Way {
    factors: Factors,
    steps: ReactorSteps,
    /// The method for stiff points.
    method: Method,
}

impl Way {
    /// The method with the explicit one beside it.
    fn auto(&self) -> Method {
        Method { explicit: AUTO.explicit, ..self.method }
    }
}

/// In ns: the host waits for the list and looks at it. An assumption.
const LOOK: f64 = 10_000.0;

/// Causes of clocks that the tables have.
const CAUSES: [Cause; 4] = [Cause::Issued, Cause::Global, Cause::Local, Cause::Fetch];

/// The tables of a mechanism on a target; `None` without the compilers.
fn section(case: &Case<'_>, model: &Model, states: &[Vec<f64>], target: &'static Target, way: Way) -> Option<String> {
    let method = way.method;
    let (began, species) = (Instant::now(), model.species().len());
    let project = made(case, model, target, way)?;
    let mut all = project.kernels;
    let slots = project.slots;
    if let Some(rates) = all.first_mut() {
        rates.launches = (0..method.m.len()).filter(|&stage| !method.takes_rates_over(stage)).count() as u32;
    }
    let rates = all.first().map_or(0.0, |rates| rates.nanoseconds_per_point);
    all.extend(glue(case.name, model, states, &project.units, &project.cubin, target, way));
    let mut text = format!(
        "\nNVRTC and ptxas 11.8; {slots} slots. The file of the reactors was compiled in {:.0} s; all of this was made in {:.0} s.{}\n\n\
         | kernel | launches | registers | ns per point and launch | ns per step | global kB | local kB | issued | global | local | fetch |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        project.compiled_in,
        began.elapsed().as_secs_f64(),
        if species > LARGE {
            format!(" {} points; rates and Jacobian by `--effort quick`.", launched(model))
        } else {
            String::new()
        },
    );
    let (mut sums, mut explicit) = ([0.0; 3], 0.0);
    for kernel in &all {
        let KernelTime { name, launches, registers, nanoseconds_per_point: nanoseconds, .. } = kernel;
        let shares = CAUSES.map(|cause| format!("{:.0} %", 100.0 * kernel.shares[cause as usize])).join(" | ");
        let [global, local] = [kernel.global_bytes_per_point, kernel.local_bytes_per_point].map(|bytes| 1e-3 * bytes);
        let count = if kernel.is_of_each_point() { f64::from(*launches) } else { 0.0 };
        let _ = writeln!(
            text,
            "| {name} | {launches} | {registers} | {nanoseconds:.3} | {:.2} | {global:.2} | {local:.2} | {shares} |",
            count * nanoseconds,
        );
        if kernel.is_explicit() {
            explicit += f64::from(*launches) * nanoseconds;
            if name == "explicit_stage" {
                explicit += f64::from(*launches) * rates;
            }
        }
        let of_launch = [*nanoseconds, global, local];
        sums.iter_mut().zip(of_launch).for_each(|(sum, of_launch)| *sum += count * of_launch);
    }
    let launches = |are_explicit: bool| -> u32 {
        let of = all.iter().filter(|kernel| kernel.is_of_round() || kernel.is_explicit() == are_explicit);
        of.map(|kernel| kernel.launches).sum()
    };
    let [step, global, local] = sums;
    let count = launches(false);
    let _ = writeln!(text, "| **a step** | {count} | | | **{step:.2}** | {global:.1} | {local:.1} | | | | |");
    let _ = writeln!(text, "| **an explicit step** | {} | | | **{explicit:.2}** | | | | | | |", launches(true));
    let launch = f64::from(target.board.launch_nanoseconds.unwrap_or_default());
    let round = |launches: u32| launch * f64::from(launches) + LOOK;
    // Each point is placed once in a pass.
    let place = all.iter().find(|kernel| kernel.name == "place").map_or(0.0, |kernel| kernel.nanoseconds_per_point);
    let [explicit_round, round] = [true, false].map(|are_explicit| round(launches(are_explicit)));
    let _ = writeln!(
        text,
        "\nWith all {slots} slots listed, launches add {:.2} ns to a step.\n\n\
         | time | tolerance | error | steps | rounds | ns per point | ns per step | like points: ns per point | million points/s |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        round / slots as f64
    );
    let mut auto = String::new();
    let mut exact = Vec::new();
    for (run, (time, tolerance)) in RUNS.into_iter().enumerate() {
        if run == 0 || RUNS[run - 1].0 != time {
            exact = steps::points(model, states, &RODAS5P, time, EXACT);
        }
        let [stiff, chosen] = [method, way.auto()].map(|method| steps::points(model, states, &method, time, tolerance));
        let [error, of_auto] = [&stiff, &chosen].map(|found| steps::largest_error(found, &exact));
        let mean = stiff.iter().map(|point| point.steps).sum::<usize>() as f64 / stiff.len() as f64;
        // A stride that has no divisor with the number of states mixes them.
        let mixed = |p: usize| p * 37 % stiff.len();
        let (rounds, nanoseconds) = call((0..CUBE).map(|p| stiff[mixed(p)].steps), slots, step, round);
        let like = (0..CUBE).map(|_| mean.round() as usize);
        let of_like = place + call(like, slots, step, round).1 * mean / mean.round();
        let nanoseconds = place + nanoseconds;
        let _ = writeln!(
            text,
            "| {time:.0e} s | {tolerance:.0e} | {error:.1e} | {mean:.1} | {rounds} | {nanoseconds:.1} | {:.1} | {of_like:.1} | {:.2} |",
            nanoseconds / mean,
            1e3 / nanoseconds,
        );
        let (_, tried) = call((0..CUBE).map(|p| chosen[mixed(p)].explicit), slots, explicit, explicit_round);
        let left: Vec<usize> = (0..CUBE).map(|p| chosen[mixed(p)].steps).filter(|&steps| steps > 0).collect();
        let share = left.len() as f64 / CUBE as f64;
        let of_both = tried + place + share * (call(left.into_iter(), slots, step, round).1 + place);
        let _ = writeln!(
            auto,
            "| {time:.0e} s | {tolerance:.0e} | {of_auto:.1e} | {:.0} % | {of_both:.1} | {:.2} |",
            100.0 * (1.0 - share),
            1e3 / of_both
        );
    }
    text += "\nWith `--integrator auto`:\n\n\
             | time | tolerance | error | not stiff | ns per point | million points/s |\n\
             |---:|---:|---:|---:|---:|---:|\n";
    text += &auto;
    Some(text)
}

/// Follows the list of a call whose points take so many steps each. Returns its rounds, and the time for each point in ns, where a step takes so many ns and a round
/// so many besides.
fn call(points: impl Iterator<Item = usize>, slots: usize, step: f64, round: f64) -> (usize, f64) {
    let mut points = points;
    let (mut count, mut rounds, mut time) = (0, 0, 0.0);
    let mut listed: Vec<usize> = Vec::new();
    loop {
        let before = listed.len();
        listed.extend(points.by_ref().take(slots - before));
        count += listed.len() - before;
        if listed.is_empty() {
            return (rounds, time / (count as f64).max(1.0));
        }
        rounds += 1;
        time += listed.len() as f64 * step + round;
        listed.iter_mut().for_each(|left| *left -= 1);
        listed.retain(|&left| left > 0);
    }
}

/// A project that was compiled.
struct Project {
    /// Rates and their Jacobian.
    kernels: Vec<KernelTime>,
    /// The same kernels for a CPU, whose graphs are evaluated between the kernels that are timed.
    units: [Unit; 2],
    cubin: Cubin,
    compiled_in: f64,
    slots: usize,
}

/// Compiles the project; `None` without the compilers.
fn made(case: &Case<'_>, model: &Model, target: &'static Target, way: Way) -> Option<Project> {
    let folder = tempfile::tempdir().expect("a folder for the project");
    let name = case.name;
    let files = mechanism::Files { mechanism: case.mechanism(), ..Default::default() };
    let request = Request {
        files,
        name: Some(name.to_owned()),
        emit: vec![Emit::Cuda],
        output: Some(folder.path().to_owned()),
        reactor_method: Some(way.auto()),
        steps: way.steps,
        // NVRTC alone takes half a minute for each version of a large mechanism's kernels.
        effort: if model.species().len() > LARGE { Effort::Quick } else { Effort::default() },
        real_compilers: true,
        verify_machine_code: true,
        predict_time: true,
        ..Request::default()
    };
    let request = request.with(|r| {
        r.common.target = target;
        r.common.precision.factors = way.factors;
        r.common.state = kernels::StateVariables::MassFractions;
        r.kernels = r.common.reactor_kernels().to_vec();
        r.unset = Unset { warps: true, matrix: true, layout: true };
    });
    let request = request.with_fastest_of(&[Codegen::DataParallel, Codegen::Overlay]).for_target().expect("a request");
    let report = driver::compile(&request, &mut Observer::silent()).map_err(|f| f.diagnostics).expect("it compiles");
    let text = std::fs::read_to_string(folder.path().join(format!("{name}_reactor.cu"))).expect("the reactors");
    let began = Instant::now();
    let made = compilers::compile(target, &[(&format!("{name}_reactor"), &text)]).expect("the compilers take it");
    if made.is_empty() {
        println!("skipped: compilers for {} are absent", target.name);
    }
    let made = made.into_iter().next()?;
    let compiled_in = began.elapsed().as_secs_f64();
    let cubin = toolkit::cubin::read_machine_code(name, &made.cubin).expect("machine code that is read");
    let kernels = report.kernels.iter().map(|report| {
        let found = report.prediction.as_ref().expect("a model of time");
        let registers = report.compiled.as_ref().map_or(0, |made| made.registers);
        KernelTime::from_prediction(&format!("{}, {}", report.kernel, report.codegen), 1, registers, found)
    });
    // A fused step has them in itself.
    let kernels = kernels.filter(|_| way.steps == ReactorSteps::Pipeline).collect();
    let unit = |kernel| driver::compile_kernel(kernel, model, &request.for_cpu(), &mut Observer::silent());
    let units = request.common.reactor_kernels().map(|kernel| unit(kernel).map_err(|f| f.diagnostics).expect("a unit"));
    let (_, rest) = text.split_once("most_slots = ").expect("slots");
    let slots = rest.split_once(',').expect("a number").0.parse().expect("a number");
    Some(Project { kernels, units, cubin, compiled_in, slots })
}

/// Times the kernels between those of rates and Jacobian, on points from these states.
fn glue(
    name: &str,
    model: &Model,
    states: &[Vec<f64>],
    units: &[Unit; 2],
    cubin: &Cubin,
    target: &'static Target,
    way: Way,
) -> Vec<KernelTime> {
    let species = model.species().len();
    let units = units.each_ref();
    let is_fused = way.steps == ReactorSteps::Fused;
    let reactor = gpu_reactor::reactor(model, Constant::Pressure, way.auto(), (way.factors, is_fused), units);
    let count = launched(model);
    let pipeline = gpu_reactor::pipeline(model, &reactor, units, (count / reactor.threads()) as u32);
    let state = |p: usize| &states[p * 37 % states.len()];
    let points = |time| Points {
        first_state: (0..count).map(|p| state(p)[species]).collect(),
        fixed: vec![ATMOSPHERE; count],
        fractions: (0..species).flat_map(|k| (0..count).map(move |p| state(p)[k])).collect(),
        times: vec![time; count],
        sources: None,
        tolerances: vec![1e-12; species],
    };
    let kept = Kept { relative_tolerance: 1e-6, absolute_tolerance: 1e-12, most_steps: 10_000 };
    let call_over = |time| gpu_reactor::call(points(time), &kept, &pipeline);
    let times = verify::time_steps(&pipeline, &call_over, (cubin, &format!("{name}_reactor")), target);
    times.unwrap_or_else(|failure| panic!("{failure:?}"))
}
