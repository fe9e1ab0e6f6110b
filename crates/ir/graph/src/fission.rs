//! Kernel fission: a kernel whose code would be too long is made as several, each of which stores some rows of the output and computes
//! what these need anew.
//!
//! A plan is the rows of each part. [`plan`] makes it, [`faults`] checks one, [`part`] applies it.

use std::collections::{BTreeMap, BTreeSet};

use super::body::{Body, Id, Inst};
use super::dataflow::{Graph, Op, Operation, Part, Step, StepRef, Value};
use cranelift_entity::SecondaryMap;

/// Rows of a matrix that take more than this part of the longest code are planned one by one, others column by column.
const ALONE: f64 = 0.5;

/// A part whose first rows alone are too long takes more of them as long as they add less than this part.
const ADDED: f64 = 0.25;

/// Times the longest code beyond which a kernel is made as one: its parts would be too many.
const MOST: usize = 5;

/// The rows that each kernel is to store so that none has more than `longest` instructions, or few more than one of its rows takes
/// alone. Nothing where one kernel is short enough, where parts would be too many, or where operations are bound to warps or matrix units.
pub fn plan(graph: &Graph, longest: usize) -> Vec<Vec<u32>> {
    let instructions: usize = graph.steps().map(|at| graph.body(at).insts.len()).sum();
    if instructions <= longest
        || instructions > MOST * longest
        || graph.qssa_warps.is_some()
        || graph.steps().any(|at| graph.crosses_lanes(at))
    {
        return Vec::new();
    }
    let needs = Needs::new(graph);
    let mut left = units(graph, &needs, longest);
    let mut parts = Vec::new();
    while let Some(first) = (0..left.len()).max_by_key(|&at| (left[at].size, usize::MAX - at)) {
        let mut part = left.swap_remove(first);
        let most = longest.max((part.size as f64 * (1.0 + ADDED)) as usize);
        // Least added first; of those that add as much, the one that shares most.
        while let Some((added, _, next)) = (0..left.len())
            .map(|at| (part.added(&left[at]), usize::MAX - left[at].size, at))
            .min()
            .filter(|&(added, ..)| part.size + added <= most)
        {
            part.join(left.swap_remove(next), added);
        }
        part.rows.sort_unstable();
        parts.push(part.rows);
    }
    parts
}

/// Reasons why parts do not make up a kernel: rows that no part stores, or several do.
pub fn faults(graph: &Graph, parts: &[Vec<u32>]) -> Vec<String> {
    let mut stored: BTreeMap<u32, usize> = stored_rows(graph).map(|row| (row, 0)).collect();
    for &row in parts.iter().flatten() {
        *stored.entry(row).or_default() += 1;
    }
    stored
        .iter()
        .filter(|&(_, &times)| times != 1)
        .map(|(row, times)| format!("row {row} is stored {times} times"))
        .collect()
}

/// The kernel that stores some rows.
pub fn part(graph: &Graph, rows: &[u32]) -> Graph {
    let rows: BTreeSet<u32> = rows.iter().copied().collect();
    let needs = Needs::new(graph);
    let is_needed = needs.mark(graph, &rows);
    let is_needed = |at: StepRef| &is_needed[needs.first[&at]..needs.first[&at] + graph.body(at).insts.len()];
    let mut new = graph.without_operations();
    let mut moved: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    for (op, operation) in &graph.ops {
        if !operation.parts().any(|part| is_needed(StepRef { op, part }).contains(&true)) {
            continue;
        }
        let mut kept = Vec::new();
        let mut step = |part: Part| {
            let at = StepRef { op, part };
            let (step, values) = pruned(graph, &mut new, at, is_needed(at), &rows);
            kept.extend(values);
            step
        };
        let made = Operation {
            name: operation.name.clone(),
            states: operation.states,
            prologue: operation.prologue.as_ref().map(|_| step(Part::Prologue)),
            iterations: (0..operation.iterations.len() as u32).map(|i| step(Part::Iteration(i))).collect(),
            ordered: operation.ordered,
            epilogue: step(Part::Epilogue),
        };
        let mut names = kept.iter().map(|&value| graph.values[value].name.clone());
        let own = new.add(made, |_, _| names.next().expect("a step makes the values that are kept"));
        let outputs: Vec<Value> =
            new.ops[own].parts().flat_map(|part| new.ops[own].step(part).outputs.clone()).collect();
        kept.into_iter().zip(outputs).for_each(|(old, value)| moved[old] = Some(value));
    }
    for at in new.steps().collect::<Vec<_>>() {
        for input in &mut new.ops[at.op].step_mut(at.part).inputs {
            *input = moved[*input].expect("what is read is needed");
        }
    }
    new.part = rows.into_iter().collect();
    new
}

/// The rows of all stores.
fn stored_rows(graph: &Graph) -> impl Iterator<Item = u32> + '_ {
    graph.steps().flat_map(|at| graph.step(at).stores.iter().map(|&(_, row)| row))
}

/// A step with the instructions that are needed, its inputs as they were, and the values that it still makes.
fn pruned(graph: &Graph, new: &mut Graph, at: StepRef, is_needed: &[bool], rows: &BTreeSet<u32>) -> (Step, Vec<Value>) {
    let (step, old) = (graph.step(at), graph.body(at));
    let mut made = Step::default();
    let mut body = Body::default();
    let mut place: Vec<Id> = vec![0; old.insts.len()];
    for (id, &inst) in old.insts.iter().enumerate().filter(|&(id, _)| is_needed[id]) {
        let at = |id: Id| place[id as usize];
        let inst = match inst {
            Inst::Constant(k) => {
                made.constants.push(step.constants[k as usize]);
                Inst::Constant(made.constants.len() as u32 - 1)
            }
            Inst::Input(k) => {
                made.inputs.push(step.inputs[k as usize]);
                Inst::Input(made.inputs.len() as u32 - 1)
            }
            Inst::Field { array, operand, share } => {
                made.rows.push(step.rows[operand as usize]);
                Inst::Field { array, operand: made.rows.len() as u32 - 1, share }
            }
            Inst::Unary(op, a) => Inst::Unary(op, at(a)),
            Inst::Binary(op, a, b) => Inst::Binary(op, at(a), at(b)),
            Inst::Fma(a, b, c) => Inst::Fma(at(a), at(b), at(c)),
            Inst::SelectLe { a, b, then, otherwise } => {
                Inst::SelectLe { a: at(a), b: at(b), then: at(then), otherwise: at(otherwise) }
            }
            Inst::Literal(_) | Inst::Scalar(_) | Inst::State(_) => inst,
        };
        place[id] = body.push(inst);
    }
    let at = |id: &Id| place[*id as usize];
    body.states = old.states.iter().map(at).collect();
    let values = step.outputs.iter().zip(&old.values).filter(|&(_, &id)| is_needed[id as usize]);
    let (kept, ids): (Vec<Value>, Vec<Id>) = values.map(|(&value, id)| (value, at(id))).unzip();
    body.values = ids;
    let stores = step.stores.iter().zip(&old.stores).filter(|((_, row), _)| rows.contains(row));
    (made.stores, body.stores) = stores.map(|(&store, id)| (store, at(id))).unzip();
    made.shape = new.shape(body);
    (made, kept)
}

/// Rows that are planned together.
struct Unit {
    rows: Vec<u32>,
    is_needed: Vec<bool>,
    size: usize,
}

impl Unit {
    fn new(graph: &Graph, needs: &Needs, rows: Vec<u32>) -> Self {
        let is_needed = needs.mark(graph, &rows.iter().copied().collect());
        let size = is_needed.iter().filter(|&&needed| needed).count();
        Self { rows, is_needed, size }
    }

    /// Instructions that another unit adds.
    fn added(&self, other: &Self) -> usize {
        self.is_needed.iter().zip(&other.is_needed).filter(|&(own, other)| !own & other).count()
    }

    fn join(&mut self, other: Self, added: usize) {
        self.rows.extend(other.rows);
        self.is_needed.iter_mut().zip(other.is_needed).for_each(|(own, other)| *own |= other);
        self.size += added;
    }
}

/// The rows of a matrix by columns, but for those that take much of a part alone; other rows one by one.
fn units(graph: &Graph, needs: &Needs, longest: usize) -> Vec<Unit> {
    let rows: BTreeSet<u32> = stored_rows(graph).collect();
    let mut columns: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut units = Vec::new();
    for row in rows {
        let unit = Unit::new(graph, needs, vec![row]);
        match graph.pattern.get(row as usize) {
            Some(&(_, column)) if unit.size as f64 <= ALONE * longest as f64 => {
                columns.entry(column).or_default().push(row);
            }
            _ => units.push(unit),
        }
    }
    units.extend(columns.into_values().map(|rows| Unit::new(graph, needs, rows)));
    units
}

/// Numbers of all instructions, by which it is told what is needed.
struct Needs {
    /// The number of each step's first instruction.
    first: BTreeMap<StepRef, usize>,
    count: usize,
}

impl Needs {
    fn new(graph: &Graph) -> Self {
        let (mut first, mut count) = (BTreeMap::new(), 0);
        for at in graph.steps() {
            first.insert(at, count);
            count += graph.body(at).insts.len();
        }
        Self { first, count }
    }

    /// Marks the instructions that some rows need, by their numbers.
    fn mark(&self, graph: &Graph, rows: &BTreeSet<u32>) -> Vec<bool> {
        let mut is_needed = vec![false; self.count];
        let mut has_states: BTreeSet<Op> = BTreeSet::new();
        let mut pending: Vec<(StepRef, Id)> = Vec::new();
        for at in graph.steps() {
            let stores = graph.step(at).stores.iter().zip(&graph.body(at).stores);
            pending.extend(stores.filter(|((_, row), _)| rows.contains(row)).map(|(_, &id)| (at, id)));
        }
        while let Some((at, id)) = pending.pop() {
            if std::mem::replace(&mut is_needed[self.first[&at] + id as usize], true) {
                continue;
            }
            // All running states of an operation stay.
            if has_states.insert(at.op) {
                let earlier = graph.ops[at.op].parts().map(|part| StepRef { op: at.op, part });
                pending.extend(earlier.flat_map(|at| graph.body(at).states.iter().map(move |&id| (at, id))));
            }
            match graph.body(at).insts[id as usize] {
                Inst::Input(k) => {
                    let value = graph.step(at).inputs[k as usize];
                    let producer = graph.values[value].producer;
                    let place = graph.step(producer).outputs.iter().position(|&other| other == value);
                    pending.push((producer, graph.body(producer).values[place.expect("its producer makes it")]));
                }
                inst => pending.extend(inst.operands().into_iter().map(|operand| (at, operand))),
            }
        }
        is_needed
    }
}
