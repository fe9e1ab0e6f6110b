//! A graph becomes a part of another one: what it loads may be values that the other one computes, and what it stores becomes values.

use std::collections::HashMap;
use std::fmt::Write as _;

use cranelift_entity::EntityRef;

use super::body::{Body, Inst};
use super::dataflow::{Graph, Op, Operation, Part, Shape, Step, StepRef, Value};
use super::operands::{self, Moved};

/// Counterpart in the whole of an array of the part.
#[derive(Debug, Clone)]
pub enum Source {
    /// This array of the whole.
    Array(u32),
    /// Values, by row.
    Values(Vec<Value>),
}

/// Counterpart in the whole of the scalars of the part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalars {
    /// The whole's own, which are the same.
    Shared,
    /// Values, which an operation makes as the part's preamble does.
    Computed,
}

/// Operations that were added already, by what they compute: equal ones are not added beside.
#[derive(Default)]
pub struct Known(HashMap<String, Op>);

/// Adds the operations of a part whose arrays, but for the last one, are these; `suffix` stands behind their names. Returns what the part
/// stores in the rows of its last array.
pub fn splice(
    graph: &mut Graph,
    known: &mut Known,
    part: &Graph,
    sources: &[Source],
    scalars: Scalars,
    suffix: &str,
) -> Vec<Value> {
    let mut rows: Vec<Option<Value>> = vec![None; part.arrays[sources.len()].rows as usize];
    let mut splice = Splice { part, sources, scalars: None, bodies: HashMap::new(), values: HashMap::new() };
    if scalars == Scalars::Computed && !part.scalars.is_empty() {
        let operation = splice.preamble(graph, suffix);
        let op = known.add(graph, operation, |_, n| format!("{}{suffix}", part.scalars[n]));
        splice.scalars = Some(graph.ops[op].epilogue.outputs.clone());
    }
    let mut late: Vec<(StepRef, usize, Value)> = Vec::new();
    for operation in part.ops.values() {
        let waits = operation.parts().any(|at| operation.step(at).inputs.iter().any(|&v| !splice.has(v)));
        let new = splice.operation(graph, operation, suffix);
        let name = |at: Part, n: usize| match operation.step(at).outputs.get(n) {
            Some(&value) => format!("{}{suffix}", part.values[value].name),
            None => new_name(&operation.name, n, suffix),
        };
        let op = if waits { graph.add(new, name) } else { known.add(graph, new, name) };
        for at in operation.parts() {
            let (step, outputs) = (operation.step(at), graph.ops[op].step(at).outputs.clone());
            let missing = step.inputs.iter().enumerate().filter(|(_, v)| !splice.has(**v));
            late.extend(missing.map(|(n, &value)| (StepRef { op, part: at }, n, value)));
            let (made, stored) = outputs.split_at(step.outputs.len());
            splice.values.extend(step.outputs.iter().copied().zip(made.iter().copied()));
            step.stores.iter().zip(stored).for_each(|(&(_, row), &value)| rows[row as usize] = Some(value));
        }
    }
    for (at, input, value) in late {
        graph.connect(at, input, splice.values[&value]);
    }
    rows.into_iter().map(|value| value.expect("a kernel stores every row of its output")).collect()
}

fn new_name(operation: &str, row: usize, suffix: &str) -> String {
    format!("{operation} {row}{suffix}")
}

impl Known {
    /// Adds an operation, or finds the one that computes the same of the same.
    pub fn add(&mut self, graph: &mut Graph, new: Operation, name: impl FnMut(Part, usize) -> String) -> Op {
        let mut key = format!("{} {}", new.states, new.ordered);
        for part in new.parts() {
            let Step { shape, constants, inputs, rows, stores, .. } = new.step(part);
            let bits = constants.iter().map(|c| c.to_bits());
            let _ = write!(key, "|{part:?} {shape:?} {inputs:?} {rows:?} {stores:?} ");
            bits.for_each(|bits| _ = write!(key, "{bits:x},"));
        }
        *self.0.entry(key).or_insert_with(|| graph.add(new, name))
    }
}

/// A part that is being added.
struct Splice<'a> {
    part: &'a Graph,
    sources: &'a [Source],
    /// Scalars as values, if they are computed.
    scalars: Option<Vec<Value>>,
    /// The new shape of each body, and its operands.
    bodies: HashMap<(Shape, usize), (Shape, Moved<Operand>)>,
    values: HashMap<Value, Value>,
}

/// Meaning of an input: a row operand of an array, or a scalar.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Operand {
    Field { array: u32, operand: u32 },
    Scalar(u32),
}

impl Splice<'_> {
    fn has(&self, value: Value) -> bool {
        self.values.contains_key(&value)
    }

    /// The preamble as an operation that makes values of the scalars.
    fn preamble(&mut self, graph: &mut Graph, suffix: &str) -> Operation {
        let part = self.part;
        let mut body = part.shapes[part.preamble.shape].clone();
        body.values = std::mem::take(&mut body.states);
        let (body, moved) = self.moved(&body, 0);
        let epilogue = Step { shape: graph.shape(body), ..self.operands(&part.preamble, &moved) };
        Operation {
            name: format!("scalars{suffix}"),
            states: 0,
            prologue: None,
            iterations: Vec::new(),
            ordered: false,
            epilogue,
        }
    }

    fn operation(&mut self, graph: &mut Graph, old: &Operation, suffix: &str) -> Operation {
        let mut new = |step: &Step| self.step(graph, step);
        Operation {
            name: format!("{}{suffix}", old.name),
            states: old.states,
            prologue: old.prologue.as_ref().map(&mut new),
            iterations: old.iterations.iter().map(&mut new).collect(),
            ordered: old.ordered,
            epilogue: new(&old.epilogue),
        }
    }

    fn step(&mut self, graph: &mut Graph, old: &Step) -> Step {
        let key = (old.shape, old.inputs.len());
        let (shape, moved) = match self.bodies.get(&key) {
            Some(known) => known.clone(),
            None => {
                let (body, moved) = self.moved(&self.part.shapes[old.shape], old.inputs.len());
                let new = (graph.shape(body), moved);
                self.bodies.insert(key, new.clone());
                new
            }
        };
        Step { shape, ..self.operands(old, &moved) }
    }

    /// The operands of a step whose body was moved; inputs that nothing has made yet are connected later.
    fn operands(&self, old: &Step, moved: &Moved<Operand>) -> Step {
        let made = old.inputs.iter().map(|value| self.values.get(value).copied().unwrap_or_else(|| Value::new(0)));
        let new = moved.to_inputs.iter().map(|&operand| match operand {
            Operand::Scalar(k) => self.scalars.as_ref().expect("scalars are computed")[k as usize],
            Operand::Field { array, operand } => match &self.sources[array as usize] {
                Source::Values(values) => values[old.rows[operand as usize] as usize],
                Source::Array(_) => unreachable!("loads of arrays stay loads"),
            },
        });
        Step {
            shape: old.shape,
            constants: old.constants.clone(),
            inputs: made.chain(new).collect(),
            rows: moved.kept.iter().map(|&operand| old.rows[operand as usize]).collect(),
            outputs: Vec::new(),
            stores: Vec::new(),
        }
    }

    /// The body with inputs behind `inputs` others in place of loads of values and of computed scalars, and with values in place of stores.
    fn moved(&self, body: &Body, inputs: usize) -> (Body, Moved<Operand>) {
        let (mut new, moved) = operands::moved(body, inputs, |inst| match inst {
            Inst::Scalar(k) if self.scalars.is_some() => Ok(Operand::Scalar(k)),
            Inst::Field { array, operand, share } => match self.sources[array as usize] {
                Source::Values(_) => Ok(Operand::Field { array, operand }),
                Source::Array(array) => Err(Inst::Field { array, operand, share }),
            },
            other => Err(other),
        });
        let stores = std::mem::take(&mut new.stores);
        new.values.extend(stores);
        (new, moved)
    }
}
