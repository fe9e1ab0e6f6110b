//! A reaction whose directions are scaled one by one, as operations that hold nothing: each reads the rates that it scales.

use super::stages::{Late, Rates, Stages, net, numbered, scale};
use crate::build::{Operands, single};
use crate::rates::plan::{DIRECTIONS, Plan, Scale};
use crate::rates::reaction;
use crate::rates::sources::Sources;
use cranelift_entity::packed_option::ReservedValue;
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Op, Part, Step, StepRef, Value};
use mechanism::Reaction;

pub fn add(
    graph: &mut Graph,
    i: usize,
    r: &Reaction,
    plan: &Plan,
    Stages { at_once, iterations, last }: Stages,
    sources: &Sources<'_>,
    late: &mut Late,
) -> Rates {
    let mut o = Operands::default();
    let first = reaction::directions(&mut o, i, r, plan.live, sources);
    o.body.values = first.into_iter().flatten().collect();
    let step = o.into_step(graph);
    let name = format!("reaction {} {}", i + 1, r.equation);
    let op = graph.add(single(name.clone(), step), |_, n| format!("rate {} {n}", i + 1));
    let unscaled = values(graph, op, plan.live);
    let mut rates = unscaled;
    let mut staged: Vec<_> = at_once.into_iter().map(|k| (k, unscaled)).collect();
    for (factors, readers) in iterations {
        let scaled = DIRECTIONS.map(|d| rates[d].filter(|_| factors.iter().any(|f| f.direction == d)));
        if scaled != [None; 2] {
            let mut b = Body::default();
            let mut ids = inputs(&mut b, scaled);
            scale(&mut b, &mut ids, &factors, count(scaled));
            b.values = ids.into_iter().flatten().collect();
            let step = reading(graph, b, scaled, &factors);
            let op = graph.add(single(format!("{name}, scaled"), step), |_, n| format!("scaled rate {} {n}", i + 1));
            wait(late, op, scaled, &factors);
            let new = values(graph, op, scaled.map(|rate| rate.is_some()));
            rates = DIRECTIONS.map(|d| new[d].or(rates[d]));
        }
        staged.extend(readers.into_iter().map(|k| (k, rates)));
    }
    let mut b = Body::default();
    let mut ids = inputs(&mut b, rates);
    scale(&mut b, &mut ids, &last, count(rates));
    b.values = vec![net(&mut b, ids)];
    let step = reading(graph, b, rates, &last);
    let op = graph.add(single(format!("{name}, net"), step), |_, _| format!("progress {}", i + 1));
    wait(late, op, rates, &last);
    let solved = DIRECTIONS.map(|d| unscaled[d].filter(|_| plan.solved[d]));
    Rates { unscaled: solved, staged, progress: graph.ops[op].epilogue.outputs[0] }
}

/// The outputs of an operation by direction.
fn values(graph: &Graph, op: Op, given: [bool; 2]) -> [Option<Value>; 2] {
    numbered(given, |n| graph.ops[op].epilogue.outputs[n as usize])
}

fn count(rates: [Option<Value>; 2]) -> u32 {
    rates.iter().flatten().count() as u32
}

/// The rates as the first inputs of a body.
fn inputs(b: &mut Body, rates: [Option<Value>; 2]) -> [Option<Id>; 2] {
    numbered(rates.map(|rate| rate.is_some()), |n| b.input(n))
}

/// A step that reads rates and then factors, which come later.
fn reading(graph: &mut Graph, body: Body, rates: [Option<Value>; 2], factors: &[Scale]) -> Step {
    let inputs = rates.into_iter().flatten().chain(factors.iter().map(|_| Value::reserved_value())).collect();
    Step { shape: graph.shape(body), inputs, ..Step::default() }
}

fn wait(late: &mut Late, op: Op, rates: [Option<Value>; 2], factors: &[Scale]) {
    let at = StepRef { op, part: Part::Epilogue };
    late.extend((count(rates) as usize..).zip(factors).map(|(input, scale)| (at, input, scale.factor)));
}
