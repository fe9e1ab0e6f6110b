//! Costs of each form of the kernels, beside the goals. The simulator counts slots, shuffles and shared passes, the
//! exact form gives errors. `cargo bench --bench forms` writes `docs/lab/forms.md` and `docs/lab/forms.svg`.
//! Mechanisms and states are those of `../shared`.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use kernels::{Form, Kernel, Matrix};
use kinetics::{self, Model, State};
use mechanism::{self, Companion, Files};
use overlay::Codegen;
use singe::driver::{Request, Unit};
use singe::forms::{self, Rates};
use singe::verify;
use testkit::request;

mod chemistry;
mod growth;
mod large;

const KERNELS: [Kernel; 3] = [Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion];

/// A mechanism, its reference states, and the goals by kernel.
struct Case {
    name: &'static str,
    folder: &'static str,
    reduced: bool,
    goals: [Option<u32>; 3],
}

const fn case(name: &'static str, folder: &'static str, reduced: bool, goals: [Option<u32>; 3]) -> Case {
    Case { name, folder, reduced, goals }
}

const CASES: [Case; 7] = [
    case("h2_burke", "h2_burke", false, [None; 3]),
    case("dme, transported", "dme", true, [Some(3500), None, Some(3500)]),
    case("dme", "dme", false, [Some(4000), None, Some(3500)]),
    case("heptane, transported", "heptane", true, [Some(6500), None, Some(7000)]),
    case("gri30", "gri30", false, [Some(5500), Some(700), Some(5500)]),
    case("heptane", "heptane", false, [Some(7500), None, Some(8000)]),
    case("usc2", "usc2", false, [None; 3]),
];

fn main() {
    let root = testkit::root();
    let shared = root.join("../shared");
    if !shared.join("mechanisms").exists() {
        println!("skipped: ../shared is absent");
        return;
    }
    let mut text = String::from(HEAD);
    let mut growth: Vec<(Kernel, Form, f64, f64)> = Vec::new();
    for case in &CASES {
        let model = model(&shared, case);
        let states = states(&shared, case);
        for (kernel, goal) in KERNELS.into_iter().zip(case.goals) {
            let base = request(&shared, case, kernel, None);
            let chosen = forms::choose(
                kernel,
                &model,
                &options(&base),
                None,
                &[Matrix::Dfma],
                Rates::new(base.common.target, true, base.common.target.max_registers_per_thread, 1),
            )
            .expect("transport data")
            .variant
            .form;
            for form in Form::allowed(kernel, Some(1e-4)) {
                let [special, parallel] = [Codegen::Overlay, Codegen::DataParallel].map(|codegen| {
                    let request = Request { codegen, ..request(&shared, case, kernel, Some(form)) };
                    let unit = unit(&model, &request);
                    row(&model, &unit, &request, &states)
                });
                growth.push((kernel, form, model.species().len() as f64, special.slots));
                let goal = goal.map_or(String::new(), |g| format!("{g}"));
                let mark = if form == chosen { " **auto**" } else { "" };
                let line = format!(
                    "| {} | {} | {kernel} | {form}{mark} | {:.0} | {goal} | {:.0} | {:.0} | {:.0} | {} | {:.1e} | {:.1e} | {:.0} | {:.0} | {:.0} | {:.0} | {} |",
                    case.name,
                    model.species().len(),
                    special.slots,
                    special.shuffles,
                    special.passes,
                    special.waits,
                    special.registers,
                    special.error,
                    special.bound,
                    parallel.slots,
                    parallel.shuffles,
                    parallel.passes,
                    parallel.waits,
                    parallel.registers
                );
                println!("{line}");
                writeln!(text, "{line}").expect("a string");
            }
        }
    }
    text += &large::table(&shared, &mut growth);
    text += &growth::fits(&growth);
    text += &chemistry::table(&shared);
    std::fs::write(root.join("docs/lab/forms.md"), text).expect("docs can be written");
    std::fs::write(root.join("docs/lab/forms.svg"), growth::plot(&growth)).expect("docs can be written");
}

const HEAD: &str = "# What the forms cost

Made by `cargo bench --bench forms`. The kernels are warp-specialized, with 8 warps for kepler. The simulator counts them per grid point
over the states of the reference values. It counts double-precision issue slots, shuffles and passes over shared memory; waits at barriers
are per group of 32 points. The error is the largest relative one against the exact mixture rule over those states. The bound holds for
any composition from 200 to 4000 K (rounding aside, `--error 1e-4`). The last five columns are the same form as data-parallel code, one
thread per point. `auto` marks what `--form auto` takes. Goals: slots. `auto` weighs slots, shuffles, shared passes and registers by the rates
of the target: on kepler, 64 slots, 32 shuffles or 64 passes per clock. Registers are those that it reckons with, of warp-specialized and
of data-parallel code.

If `auto` takes a form with more slots than another one, the other one keeps a busier pipe. A striped constant takes two shuffles and
serves one to three fused multiply-adds. Two shuffles are four slots' worth on kepler. The conductivity of gri30 is an example. Its
low-rank form has 273 slots less than the log-space one and is within the goal, but has 317 shuffles more.
Constants in a bank need no shuffles: with `--layout constants=constant-bank`, or in data-parallel code, `auto` takes the low-rank form.

| mechanism | species | kernel | form | slots | goal | shuffles | shared passes | waits | registers | error | bound | data-parallel slots | shuffles | shared passes | waits | registers |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
";

fn path(shared: &Path, case: &Case) -> PathBuf {
    shared.join("mechanisms").join(case.folder).join("chem.inp")
}

fn files(shared: &Path, case: &Case) -> Files {
    let reduction = if case.reduced { Files::default().reduction } else { Companion::Ignored };
    Files { mechanism: path(shared, case), reduction, ..Files::default() }
}

fn model(shared: &Path, case: &Case) -> Model {
    // Two of the mechanisms repeat species.
    let mechanism =
        mechanism::read_with(&files(shared, case), mechanism::Options::PERMISSIVE).expect("a good mechanism").0;
    kinetics::model(mechanism).expect("a good mechanism")
}

fn request(shared: &Path, case: &Case, kernel: Kernel, form: Option<Form>) -> Request {
    let files = files(shared, case);
    Request { files, kernels: vec![kernel], verify: None, ..request::new(path(shared, case)) }
        .with(|r| r.tuning.form = form)
}

fn options(request: &Request) -> kernels::Options {
    kernels::Options {
        warps: request.tuning.warps,
        exponential: kernels::Exponential::Table,
        ..kernels::Options::default()
    }
}

fn unit(model: &Model, request: &Request) -> Unit {
    let kernel = request.kernels[0];
    testkit::request::unit(kernel, model, request)
}

/// The reference states of a mechanism, in the order of its own species.
fn states(shared: &Path, case: &Case) -> Vec<State> {
    let suffix = if case.reduced { "_reduced" } else { "" };
    let file = shared.join("reference").join(format!("{}{suffix}.json.gz", case.folder));
    let mut text = String::new();
    let packed = std::fs::File::open(&file).expect("reference values");
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).expect("gzip");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let real = |v: &serde_json::Value| v.as_f64().expect("a number");
    let list = json["states"].as_array().expect("states");
    list.iter()
        .map(|s| State {
            temperature: real(&s["T"]),
            pressure: real(&s["P"]),
            mole_fractions: s["X"].as_array().expect("mole fractions").iter().map(real).collect(),
        })
        .collect()
}

struct Row {
    slots: f64,
    shuffles: f64,
    passes: f64,
    waits: f64,
    registers: u32,
    error: f64,
    bound: f64,
}

fn row(model: &Model, unit: &Unit, request: &Request, states: &[State]) -> Row {
    let stride = states.len() + 3;
    let warps = unit.program.execution.warps();
    let (outputs, counts) =
        verify::simulate(&unit.ptx, &unit.program.symbol, (model, &unit.graph), warps, states, stride)
            .unwrap_or_else(|d| panic!("{d:?}"));
    let points = unit.program.padded(states.len() as u32);
    let error =
        verify::largest_error(unit.kernel, model, &unit.graph, request.common.stiffness, states, stride, &outputs);
    Row {
        slots: counts.per_point(|c| c.double_slots, points),
        shuffles: counts.per_point(|c| c.shuffles, points),
        passes: counts.per_point(|c| c.shared_passes, points),
        waits: counts.per_point(|c| c.barrier_waits, points),
        registers: unit.graph.registers(graph_warps(request), 1),
        error,
        bound: unit.graph.bound,
    }
}

/// The warps that the graph is made for.
fn graph_warps(request: &Request) -> u32 {
    if request.codegen == Codegen::DataParallel { 1 } else { request.tuning.warps }
}

fn code(codegen: Codegen) -> &'static str {
    if codegen == Codegen::Overlay { "warp-specialized" } else { "data-parallel" }
}
