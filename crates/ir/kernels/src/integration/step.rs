//! One step of a Rosenbrock method in time, for a closed reactor.
//!
//! The operations are
//!
//! - those of the sparse Jacobian at the beginning,
//! - the factors of the step's matrix,
//! - for each stage the place of its rates, those of the rates there, and the solution,
//! - the state at the end, and its error by unknown.

use super::system::Factors;
use crate::build::{Operands, single};
use graph::dataflow::{Array, Graph, Quantity, Step, Value};
use graph::splice::{Known, Scalars, Source, splice};
use kinetics::Model;
use kinetics::integrator::Method;
use kinetics::reactor::Constant;

/// The arrays: what the parts load, then the length of the step.
const TEMPERATURE: u32 = 0;
const FIXED: u32 = 1;
const MASS_FRACTIONS: u32 = 2;
const TIME_STEP: u32 = 3;
const END: u32 = 4;

/// Makes a step of the graphs of the rates and of the sparse Jacobian, in SI units, of the state whose arrays are temperature, pressure or
/// density, and mass fractions.
pub fn build(model: &Model, method: &Method, constant: Constant, [rates, jacobian]: [&Graph; 2]) -> Graph {
    let size = model.species().len();
    let name = match constant {
        Constant::Pressure => "isobaric_step",
        Constant::Volume => "isochoric_step",
    };
    let unknowns = size as u32 + 1;
    let mut arrays = jacobian.arrays[..TIME_STEP as usize].to_vec();
    arrays.push(Array { name: "time_step", rows: 1, output: false });
    arrays.push(Array { name: "end", rows: 2 * unknowns, output: true });
    let mut graph = Graph::new(name, arrays);
    graph.method = Some(*method);
    graph.filter = jacobian.filter;
    graph.range = jacobian.range;
    graph.quantities = ["mass-fractions", "temperature", "errors-of-mass-fractions", "error-of-temperature"]
        .into_iter()
        .zip([(0, unknowns - 1), (unknowns - 1, 1), (unknowns, unknowns - 1), (2 * unknowns - 1, 1)])
        .map(|(name, (first, rows))| Quantity { name: name.into(), first, rows })
        .collect();
    graph.scalars.clone_from(&jacobian.scalars);
    let shape = graph.shape(jacobian.shapes[jacobian.preamble.shape].clone());
    graph.preamble = Step { shape, ..jacobian.preamble.clone() };

    let given = [TEMPERATURE, FIXED, MASS_FRACTIONS].map(Source::Array);
    let mut known = Known::default();
    // Both parts have the same scalars only where they list the same ones.
    let scalars = if rates.scalars == jacobian.scalars { Scalars::Shared } else { Scalars::Computed };
    let first = splice(&mut graph, &mut known, rates, &given, scalars, "");
    let entries = splice(&mut graph, &mut known, jacobian, &given, Scalars::Shared, "");
    let [inverse_step, diagonal] = lengths(&mut graph, method.gamma);
    let weights: Vec<f64> = model.species().iter().map(|species| species.weight).collect();
    let factors = Factors::new(&mut graph, &jacobian.pattern, &entries, &weights, diagonal);
    let mut stage_rates = first;
    let mut solved: Vec<Vec<Value>> = Vec::new();
    for stage in 0..method.m.len() {
        let what = format!("stage {}", stage + 1);
        if stage > 0 && !method.takes_rates_over(stage) {
            let mut at: Vec<Value> =
                (0..=size).map(|k| place(&mut graph, method.a[stage], &solved, (k, size), &what)).collect();
            let temperature = at.pop().expect("the temperature is the last unknown");
            let sources = [Source::Values(vec![temperature]), Source::Array(FIXED), Source::Values(at)];
            let suffix = format!(" of {what}");
            stage_rates = splice(&mut graph, &mut known, rates, &sources, Scalars::Computed, &suffix);
        }
        let terms: Vec<(f64, &[Value])> = terms(method.c[stage], &solved).collect();
        solved.push(factors.solve(&mut graph, &stage_rates, &terms, inverse_step, &what));
    }
    for k in 0..=size {
        end(&mut graph, model, method, &solved, k);
    }
    graph
}

/// The factors that are not 0, with what they multiply.
fn terms<'a>(factors: &'a [f64], solved: &'a [Vec<Value>]) -> impl Iterator<Item = (f64, &'a [Value])> {
    let all = factors.iter().zip(solved).filter(|&(&factor, _)| factor != 0.0);
    all.map(|(&factor, values)| (factor, &values[..]))
}

/// 1/h, and 1/(h gamma).
fn lengths(graph: &mut Graph, gamma: f64) -> [Value; 2] {
    let mut o = Operands::default();
    let (step, one, gamma) = (o.field(TIME_STEP, 0), o.body.literal(1.0), o.body.literal(gamma));
    let inverse = o.body.div(one, step);
    let diagonal = o.body.div(inverse, gamma);
    o.body.values = vec![inverse, diagonal];
    let step = o.into_step(graph);
    let names = ["inverse step", "diagonal"];
    let op = graph.add(single("step".into(), step), |_, n| names[n].to_owned());
    [0, 1].map(|n| graph.ops[op].epilogue.outputs[n])
}

/// An unknown at the beginning.
fn unknown(o: &mut Operands, k: usize, size: usize) -> u32 {
    if k < size { o.field(MASS_FRACTIONS, k as u32) } else { o.field(TEMPERATURE, 0) }
}

/// An unknown at the beginning plus multiples of its values in the stages.
fn moved(o: &mut Operands, factors: &[f64], solved: &[Vec<Value>], (k, size): (usize, usize)) -> u32 {
    let start = unknown(o, k, size);
    terms(factors, solved).fold(start, |sum, (factor, values)| {
        let (factor, value) = (o.constant(factor), o.input(values[k]));
        o.body.fma(factor, value, sum)
    })
}

/// Returns the value of an unknown at which a stage takes its rates.
fn place(graph: &mut Graph, a: &[f64], solved: &[Vec<Value>], unknown: (usize, usize), what: &str) -> Value {
    let mut o = Operands::default();
    o.body.values = vec![moved(&mut o, a, solved, unknown)];
    let step = o.into_step(graph);
    let name = format!("unknown {} of {what}", unknown.0);
    let op = graph.add(single(name.clone(), step), |_, _| name.clone());
    graph.ops[op].epilogue.outputs[0]
}

/// Stores an unknown at the end and its error.
fn end(graph: &mut Graph, model: &Model, method: &Method, solved: &[Vec<Value>], k: usize) {
    let size = model.species().len();
    let mut o = Operands::default();
    let next = moved(&mut o, method.m, solved, (k, size));
    let empty = o.body.empty_sum();
    let error = terms(method.e, solved).fold(empty, |sum, (factor, values)| {
        let (factor, value) = (o.constant(factor), o.input(values[k]));
        o.body.fma(factor, value, sum)
    });
    o.body.stores = vec![next, error];
    let stores = vec![(END, k as u32), (END, (size + 1 + k) as u32)];
    let name = model.species().get(k).map_or("temperature", |species| &species.name);
    let step = Step { stores, ..o.into_step(graph) };
    graph.add_stores(single(format!("end of {name}"), step));
}
