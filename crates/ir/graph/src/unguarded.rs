//! Powers of two without the guard that gives 0 or infinity for arguments beyond the exponents of doubles: those whose argument is
//! proven to stay within by `super::intervals`. The guard is a third of the instructions of such a power.

use std::collections::{BTreeSet, HashMap};

use super::body::{Body, Id, Inst};
use super::dataflow::{Graph, Shape, StepRef, Value};
use super::intervals::{self, Interval};
use kinetics::approximation::range::TemperatureRange;

/// Temperatures for which the proof holds. Kernels with such powers filter the temperature.
pub const TEMPERATURES: TemperatureRange = TemperatureRange { coldest: 100.0, hottest: 10_000.0 };
/// Largest |x| of a power without a guard: 2^x is a normal number up to 1022, and the rest is for rounding.
const LARGEST: f64 = 1020.0;
/// Cells of the proof, equal in ln T.
const CELLS: usize = 64;

/// Takes the guards from powers that need none at the temperatures that the graph lets through; from none where it does not filter them.
pub fn remove(graph: &mut Graph) {
    let Some(temperatures) = graph.filter else { return };
    let guarded = guarded(graph, temperatures);
    let mut known: HashMap<(Shape, &[Id]), Body> = HashMap::new();
    graph.reshape(|at, shape, body| {
        let kept = guarded.get(&at).map_or(&[][..], Vec::as_slice);
        known.entry((shape, kept)).or_insert_with(|| without_guards(body, kept)).clone()
    });
}

/// By step (the preamble: `None`), the powers whose argument may go beyond.
fn guarded(graph: &Graph, temperatures: TemperatureRange) -> HashMap<Option<StepRef>, Vec<Id>> {
    let order = reaching_powers(graph);
    let mut beyond: HashMap<Option<StepRef>, BTreeSet<Id>> = HashMap::new();
    for cell in temperatures.cells(CELLS) {
        intervals::of_instructions(graph, &order, cell, |at, body, all| {
            for (id, inst) in body.insts.iter().enumerate() {
                if let Inst::Unary(op, x) = *inst
                    && op.unguarded().is_some()
                    && !is_within(all[x as usize])
                {
                    beyond.entry(at).or_default().insert(id as Id);
                }
            }
        });
    }
    beyond.into_iter().map(|(at, ids)| (at, ids.into_iter().collect())).collect()
}

/// The steps that have such powers, and those that these depend on, in the order of the graph.
fn reaching_powers(graph: &Graph) -> Vec<StepRef> {
    let mut order = graph.order();
    let mut wanted: BTreeSet<Value> = BTreeSet::new();
    let is_power = |inst: &Inst| matches!(inst, Inst::Unary(op, _) if op.unguarded().is_some());
    let mut reaches: Vec<bool> = Vec::new();
    for &at in order.iter().rev() {
        let step = graph.step(at);
        let is_needed =
            step.outputs.iter().any(|value| wanted.contains(value)) || graph.body(at).insts.iter().any(is_power);
        wanted.extend(step.inputs.iter().filter(|_| is_needed));
        reaches.push(is_needed);
    }
    order.retain(|_| reaches.pop().expect("one for each step"));
    order
}

fn is_within(x: Interval) -> bool {
    x.least >= -LARGEST && x.most <= LARGEST
}

fn without_guards(body: &Body, kept: &[Id]) -> Body {
    let mut body = body.clone();
    for (id, inst) in body.insts.iter_mut().enumerate() {
        if let Inst::Unary(op, _) = inst
            && let Some(unguarded) = op.unguarded()
            && !kept.contains(&(id as Id))
        {
            *op = unguarded;
        }
    }
    body
}
