//! Several kernels' graphs in one: operations that compute the same are there once.

use std::collections::HashMap;

use crate::build::{OUTPUT, scalar};
use graph::body::{Body, Inst};
use graph::dataflow::{Graph, Operation, Part, Step, StepRef, Value, ValueInfo};

/// Adds the operations of a part whose state is temperature, pressure and mole fractions. The whole has the scalars that the part reads;
/// the part's output begins at the row `first` of the whole's. `known` are the operations of other parts. Returns what became of the
/// part's values.
pub fn add(whole: &mut Graph, part: &Graph, first: u32, known: &mut Known) -> HashMap<Value, Value> {
    let output = whole.arrays.len() as u32 - 1;
    let scalars: Vec<u32> = part.scalars.iter().map(|name| place(whole, name)).collect();
    let mut moved: HashMap<Value, Value> = HashMap::new();
    let mut late: Vec<(StepRef, usize, Value)> = Vec::new();
    for (op, operation) in part.ops.iter() {
        let mut waits = Vec::new();
        let mut step = |which: Part, step: &Step| {
            let body = with_scalars(&part.shapes[step.shape], &scalars);
            let mut inputs = Vec::new();
            for (n, value) in step.inputs.iter().enumerate() {
                let input = moved.get(value).copied();
                waits.extend(input.is_none().then_some((which, n, *value)));
                inputs.push(input.unwrap_or(*value));
            }
            let stores = step.stores.iter().map(|&(array, row)| {
                assert_eq!(array, OUTPUT, "a part stores its own output only");
                (output, first + row)
            });
            let stores = stores.collect();
            Step { shape: whole.shape(body), inputs, stores, outputs: vec![], ..step.clone() }
        };
        let copy = Operation {
            prologue: operation.prologue.as_ref().map(|prologue| step(Part::Prologue, prologue)),
            iterations: (0..).zip(&operation.iterations).map(|(n, one)| step(Part::Iteration(n), one)).collect(),
            epilogue: step(Part::Epilogue, &operation.epilogue),
            ..operation.clone()
        };
        let key = waits.is_empty().then(|| key(&copy));
        let found = key.as_ref().and_then(|key| known.get(key).copied());
        let at = found
            .unwrap_or_else(|| whole.add(copy, |which, n| part.values[operation.step(which).outputs[n]].name.clone()));
        known.extend(key.map(|key| (key, at)));
        late.extend(waits.into_iter().map(|(which, n, value)| (StepRef { op: at, part: which }, n, value)));
        for which in operation.parts() {
            let made = whole.step(StepRef { op: at, part: which }).outputs.clone();
            moved.extend(part.step(StepRef { op, part: which }).outputs.iter().copied().zip(made));
        }
    }
    for (at, input, value) in late {
        whole.connect(at, input, moved[&value]);
    }
    whole.bound = whole.bound.max(part.bound);
    whole.range = match (whole.range, part.range) {
        (Some(a), Some(b)) => Some(a.within(b)),
        (a, b) => a.or(b),
    };
    moved
}

/// As [`add`], with the rows of the part's output as values.
pub fn values(whole: &mut Graph, part: &mut Graph, known: &mut Known) -> Vec<Value> {
    let rows = passed_on(part);
    let moved = add(whole, part, 0, known);
    rows.iter().map(|row| moved[row]).collect()
}

/// Makes values of what is stored, by row.
fn passed_on(part: &mut Graph) -> Vec<Value> {
    let mut made: Vec<(u32, Value)> = Vec::new();
    for at in part.steps().collect::<Vec<_>>() {
        let stores = std::mem::take(&mut part.ops[at.op].step_mut(at.part).stores);
        if stores.is_empty() {
            continue;
        }
        let mut body = part.body(at).clone();
        let stored = std::mem::take(&mut body.stores);
        body.values.extend(stored);
        let shape = part.shape(body);
        let name = part.ops[at.op].name.clone();
        let new = stores.iter().map(|&(_, row)| {
            let value = part.values.push(ValueInfo { name: format!("{name} {row}"), producer: at });
            made.push((row, value));
            value
        });
        let new: Vec<Value> = new.collect();
        let step = part.ops[at.op].step_mut(at.part);
        step.shape = shape;
        step.outputs.extend(new);
    }
    made.sort_by_key(|&(row, _)| row);
    made.into_iter().map(|(_, value)| value).collect()
}

/// Operations by what they compute.
pub type Known = HashMap<String, graph::dataflow::Op>;

/// All of an operation but its name.
fn key(operation: &Operation) -> String {
    let steps = operation.parts().map(|part| {
        let Step { shape, constants, inputs, rows, stores, .. } = operation.step(part);
        let bits: Vec<u64> = constants.iter().map(|x| x.to_bits()).collect();
        format!("{part:?} {shape} {bits:?} {inputs:?} {rows:?} {stores:?}")
    });
    format!("{} {} {}", operation.states, operation.ordered, steps.collect::<Vec<_>>().join("; "))
}

/// The place of a scalar among those of a graph.
fn place(whole: &Graph, name: &str) -> u32 {
    whole.scalars.iter().position(|known| *known == name).expect("the whole has the scalars of its parts") as u32
}

/// The scalars that the parts read, each once, in the order of their numbers.
pub fn scalars(parts: &[Graph]) -> Vec<u32> {
    let names = parts.iter().flat_map(|part| part.scalars.iter());
    let mut all: Vec<u32> = names.map(|name| scalar::of_name(name)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The body with its scalars at other places.
fn with_scalars(body: &Body, places: &[u32]) -> Body {
    let mut new = body.clone();
    for inst in &mut new.insts {
        if let Inst::Scalar(k) = inst {
            *k = places[*k as usize];
        }
    }
    new
}
