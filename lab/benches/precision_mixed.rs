//! Study of mixed single and double precision: the bounds it could prove, and its cost. Run it by `cargo bench --bench
//! precision_mixed`. No code is made: costs are counted, not measured.
//!
//! All operations begin in double precision. Kinds of operations, those that cost most first, go to single precision where the bound that is proven for all of them
//! stays within what is asked for.

use std::collections::{BTreeMap, BTreeSet};

use graph::body::Inst;
use graph::single::kinds::Kinds;
use graph::single::{self, Domain, Kind as Arithmetic, Roundings, together};
use graph::{Graph, Op, Step, Value};
use kernels::{FLOOR, Form, Kernel, Options, Precision};
use kinetics::Model;
use kinetics::approximation::range::TemperatureRange;
use schedule::single::cells;

const KERNELS: [(Kernel, Form); 4] = [
    (Kernel::Viscosity, Form::LowRank),
    (Kernel::Conductivity, Form::Polynomial),
    (Kernel::Diffusion, Form::LowRank),
    (Kernel::Diffusion, Form::Polynomial),
];
const ASKED: [f64; 5] = [1e-4, 1e-5, 3e-6, 1e-6, 1e-7];

/// Costs of an operation and of a conversion in double precision, in operations in single precision. The first entry is a core with vectors
/// of twice as many floats. The second is a GPU with 2 results of double precision and conversions per clock and 128 of single precision.
const COSTS: [[f64; 2]; 2] = [[2.0, 1.5], [64.0, 64.0]];

/// Key of operations that are made alike.
type Kind = (u32, Option<u32>);

fn main() {
    println!(
        "| mechanism | kernel | form | asked for | proven, arithmetic | with the form | operations in single | conversions | CPU, of double | ada, of double |"
    );
    println!("|---|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for name in ["h2o2", "gri30"] {
        let model = testkit::model(&testkit::shipped(name));
        for (kernel, form) in KERNELS {
            for asked in ASKED {
                let options = Options {
                    form,
                    warps: 1,
                    stage_inputs: false,
                    precision: Precision::Single,
                    // A third of the requested error, so that the arithmetic has the rest.
                    fit_tolerance: Some(asked / 3.0),
                    ..Options::default()
                };
                let graph = kernels::build(kernel, &model, &options).expect("a shipped mechanism");
                let Some(line) = line(&model, kernel, &graph, asked) else {
                    println!("| {name} | {kernel} | {form} | {asked:.0e} | none | | | | | |");
                    continue;
                };
                println!("| {name} | {kernel} | {form} | {asked:.0e} | {line}");
            }
        }
    }
}

/// Returns the cells of a table's row behind the requested error; `None` where double precision has no proof either.
fn line(model: &Model, kernel: Kernel, graph: &Graph, asked: f64) -> Option<String> {
    let domain = Domain::new(model.species().len(), TemperatureRange::DEFAULT, cells(kernel), FLOOR);
    let order = graph.order();
    let bound = |doubles: &BTreeSet<Kind>, is_preamble_double: bool| {
        let is_double = |op: Option<Op>| op.map_or(is_preamble_double, |op| doubles.contains(&kind(graph, op)));
        let kinds = Kinds::resolve(graph, &order, &|at, _| {
            if is_double(at.map(|at| at.op)) { Arithmetic::Double } else { Arithmetic::Single }
        });
        let plan = single::prove_mixed(graph, &order, &domain, &Roundings::ALL, &kinds).ok()?;
        Some(plan.bound).filter(|bound| together(*bound, graph.bound) <= asked)
    };
    let mut slots: BTreeMap<Kind, u64> = BTreeMap::new();
    for op in graph.ops.keys() {
        *slots.entry(kind(graph, op)).or_default() += of_operation(graph, op);
    }
    let mut doubles: BTreeSet<Kind> = slots.keys().copied().collect();
    let mut proven = bound(&doubles, true)?;
    let mut by_cost: Vec<Kind> = doubles.iter().copied().collect();
    by_cost.sort_by_key(|kind| std::cmp::Reverse(slots[kind]));
    for kind in by_cost {
        doubles.remove(&kind);
        match bound(&doubles, true) {
            Some(lower) => proven = lower,
            None => drop(doubles.insert(kind)),
        }
    }
    let is_preamble_double = match bound(&doubles, false) {
        Some(lower) => {
            proven = lower;
            false
        }
        None => true,
    };
    let all: u64 = slots.values().sum();
    let in_double: u64 = doubles.iter().map(|kind| slots[kind]).sum();
    let conversions = conversions(graph, &doubles);
    let [cpu, ada] = COSTS.map(|[double, conversion]| {
        let mixed = (all - in_double) as f64 + double * in_double as f64 + conversion * conversions as f64;
        double * all as f64 / mixed
    });
    let total = together(proven, graph.bound);
    let preamble = if is_preamble_double { "" } else { ", and what comes before them" };
    Some(format!(
        "{proven:.1e} | {total:.1e} | {:.0} % of {all}{preamble} | {conversions} | {cpu:.2} | {ada:.1} |",
        100.0 * (all - in_double) as f64 / all as f64
    ))
}

fn kind(graph: &Graph, op: Op) -> Kind {
    let operation = &graph.ops[op];
    let first = operation.iterations.first().map(|step| step.shape.as_u32());
    (operation.epilogue.shape.as_u32(), first)
}

fn steps(graph: &Graph, op: Op) -> impl Iterator<Item = &Step> {
    let operation = &graph.ops[op];
    operation.prologue.iter().chain(&operation.iterations).chain([&operation.epilogue])
}

fn of_operation(graph: &Graph, op: Op) -> u64 {
    steps(graph, op).map(|step| graph.shapes[step.shape].slots()).sum()
}

/// Values and inputs that are read in another precision than they are in; arrays hold doubles.
fn conversions(graph: &Graph, doubles: &BTreeSet<Kind>) -> usize {
    let is_double = |op: Op| doubles.contains(&kind(graph, op));
    let mut makers: BTreeMap<Value, Op> = BTreeMap::new();
    for op in graph.ops.keys() {
        makers.extend(steps(graph, op).flat_map(|step| &step.outputs).map(|&value| (value, op)));
    }
    let (mut values, mut fields, mut stores) = (BTreeSet::<Value>::new(), BTreeSet::new(), 0);
    for op in graph.ops.keys() {
        for step in steps(graph, op) {
            let crosses = |value: &&Value| makers.get(value).is_some_and(|&maker| is_double(maker) != is_double(op));
            values.extend(step.inputs.iter().filter(crosses));
            if !is_double(op) {
                stores += step.stores.len();
                for inst in &graph.shapes[step.shape].insts {
                    if let Inst::Field { array, operand, .. } = *inst {
                        fields.insert((array, step.rows[operand as usize]));
                    }
                }
            }
        }
    }
    values.len() + fields.len() + stores
}
