//! The dataflow graph: operations made of steps, and the values that pass between them.

use std::collections::HashMap;

use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use machine::cost::RegisterPressure;
use petgraph::graph::{DiGraph, NodeIndex};

use super::body::{Body, Inst, PRODUCTS_PER_STEP, Tally, Tensor};
use super::units::Units;
use kinetics::approximation::range::TemperatureRange;
use kinetics::integrator::Method;

/// An operation: the unit that is mapped to a warp.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Op(u32);
entity_impl!(Op, "op");

/// One double per point, made by one step and read by others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(u32);
entity_impl!(Value, "val");

/// An interned [`Body`].
#[derive(Default, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape(u32);
entity_impl!(Shape, "shape");

/// A global array: `rows` fields, each one double per point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    pub name: &'static str,
    pub rows: u32,
    pub output: bool,
}

/// Consecutive rows of the output array that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    pub name: String,
    pub first: u32,
    pub rows: u32,
}

#[derive(Debug, Clone)]
pub struct Graph {
    /// The kernel's name.
    pub kernel: &'static str,
    /// A bound of the form's relative error against the exact mixture rule, rounding aside; 0 for an exact form.
    pub bound: f64,
    /// Temperatures for which the bound holds and products are proven to stay in the range of doubles; `None`: all temperatures.
    pub range: Option<TemperatureRange>,
    /// Temperatures that the preamble lets through; outside of these its scalars are not numbers. `None` without a filter.
    pub filter: Option<TemperatureRange>,
    pub arrays: Vec<Array>,
    /// Quantities in the rows of the output array, if they differ.
    pub quantities: Vec<Quantity>,
    /// (row, column) of the entry in each row of the output, if that is a matrix without its zeros.
    pub pattern: Vec<(u32, u32)>,
    /// The rows of the output that it stores, where other kernels store the rest; empty where it stores all.
    pub part: Vec<u32>,
    /// Method that takes a step in time.
    pub method: Option<Method>,
    /// The units of the arrays.
    pub units: Units,
    /// Names of the point's scalars; [`Graph::preamble`] computes them, in every warp.
    pub scalars: Vec<&'static str>,
    pub preamble: Step,
    pub shapes: PrimaryMap<Shape, Body>,
    interned: HashMap<String, Shape>,
    pub ops: PrimaryMap<Op, Operation>,
    pub values: PrimaryMap<Value, ValueInfo>,
    /// A few warps that some operations are kept to, where asked for.
    pub qssa_warps: Option<QssaWarps>,
}

/// Operations that only a few warps run while the others go on with the rest.
#[derive(Debug, Clone)]
pub struct QssaWarps {
    /// The members' warps are 0..warps.
    pub warps: u32,
    pub roles: SecondaryMap<Op, Role>,
}

/// Role of an operation for the QSSA warps.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The QSSA warps wait for its first result: mapped first and run first, in any warp.
    Feeder,
    /// Run by the QSSA warps.
    Member,
    #[default]
    Other,
}

#[derive(Debug, Clone)]
pub struct ValueInfo {
    pub name: String,
    pub producer: StepRef,
}

/// An operation: an optional prologue that sets its running states, iterations that update them, and an epilogue, one step
/// each. An operation without iterations and states is just its epilogue.
#[derive(Debug, Clone)]
pub struct Operation {
    pub name: String,
    pub states: u32,
    pub prologue: Option<Step>,
    pub iterations: Vec<Step>,
    /// The iterations must run in the order given (else any order is the same sum).
    pub ordered: bool,
    pub epilogue: Step,
}

/// A shape with its operands.
#[derive(Debug, Clone, Default)]
pub struct Step {
    pub shape: Shape,
    pub constants: Vec<f64>,
    pub inputs: Vec<Value>,
    /// Rows of the fields that the step loads.
    pub rows: Vec<u32>,
    pub outputs: Vec<Value>,
    /// (array, row) of the fields that the step stores.
    pub stores: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    Prologue,
    Iteration(u32),
    Epilogue,
}

/// One step of one operation: the unit of scheduling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StepRef {
    pub op: Op,
    pub part: Part,
}

impl Operation {
    #[inline]
    pub fn step(&self, part: Part) -> &Step {
        match part {
            Part::Prologue => self.prologue.as_ref().expect("only an operation with a prologue refers to it"),
            Part::Iteration(i) => &self.iterations[i as usize],
            Part::Epilogue => &self.epilogue,
        }
    }

    pub fn step_mut(&mut self, part: Part) -> &mut Step {
        match part {
            Part::Prologue => self.prologue.as_mut().expect("only an operation with a prologue refers to it"),
            Part::Iteration(i) => &mut self.iterations[i as usize],
            Part::Epilogue => &mut self.epilogue,
        }
    }

    /// All steps in an order that is always valid.
    pub fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        let prologue = self.prologue.iter().map(|_| Part::Prologue);
        prologue.chain((0..self.iterations.len() as u32).map(Part::Iteration)).chain([Part::Epilogue])
    }
}

impl Graph {
    pub fn new(kernel: &'static str, arrays: Vec<Array>) -> Self {
        Self {
            kernel,
            bound: 0.0,
            range: None,
            filter: None,
            arrays,
            quantities: Vec::new(),
            pattern: Vec::new(),
            part: Vec::new(),
            method: None,
            units: Units::Si,
            scalars: Vec::new(),
            preamble: Step::default(),
            shapes: PrimaryMap::new(),
            interned: HashMap::new(),
            ops: PrimaryMap::new(),
            values: PrimaryMap::new(),
            qssa_warps: None,
        }
    }

    /// The same kernel before any operation was added, with the shapes that its preamble needs.
    pub fn without_operations(&self) -> Self {
        let mut empty = Self { ops: PrimaryMap::new(), values: PrimaryMap::new(), qssa_warps: None, ..self.clone() };
        empty.shapes.clear();
        empty.interned.clear();
        empty.preamble.shape = empty.shape(self.shapes[self.preamble.shape].clone());
        empty
    }

    /// The shape of a body; equal bodies share it.
    pub fn shape(&mut self, body: Body) -> Shape {
        let shapes = &mut self.shapes;
        *self.interned.entry(body.key()).or_insert_with(|| shapes.push(body))
    }

    /// Adds an operation; `name_outputs` names the values of each step, which get their numbers here.
    pub fn add(&mut self, mut operation: Operation, mut name_output: impl FnMut(Part, usize) -> String) -> Op {
        let op = self.ops.next_key();
        let parts: Vec<Part> = operation.parts().collect();
        for part in parts {
            let step = operation.step_mut(part);
            let count = self.shapes[step.shape].values.len();
            let producer = StepRef { op, part };
            step.outputs =
                (0..count).map(|i| self.values.push(ValueInfo { name: name_output(part, i), producer })).collect();
        }
        self.ops.push(operation)
    }

    /// Adds an operation that stores what it computes, and makes no values.
    pub fn add_stores(&mut self, operation: Operation) -> Op {
        let name = operation.name.clone();
        self.add(operation, |_, n| format!("{name} {n}"))
    }

    /// Connects an input of a step to a value that was made after the step was added. A step may wait for what other
    /// operations make of its operation's earlier steps.
    pub fn connect(&mut self, at: StepRef, input: usize, value: Value) {
        self.ops[at.op].step_mut(at.part).inputs[input] = value;
    }

    /// Every step, producers before readers: operation by operation, and again for those that had to wait.
    pub fn order(&self) -> Vec<StepRef> {
        let mut made: SecondaryMap<Value, bool> = SecondaryMap::new();
        let mut waiting: Vec<(Op, Vec<Part>)> =
            self.ops.iter().map(|(op, operation)| (op, operation.parts().collect())).collect();
        let mut order = Vec::new();
        while !waiting.is_empty() {
            let earlier = order.len();
            for (op, parts) in &mut waiting {
                let step = |part: Part| StepRef { op: *op, part };
                let mut done = 0;
                while let Some(at) = parts.get(done).map(|&part| step(part))
                    && self.step(at).inputs.iter().all(|&v| made[v])
                {
                    self.step(at).outputs.iter().for_each(|&v| made[v] = true);
                    order.push(at);
                    done += 1;
                }
                parts.drain(..done);
            }
            assert!(order.len() > earlier, "the steps of a graph do not wait for each other in a circle");
            waiting.retain(|(_, parts)| !parts.is_empty());
        }
        order
    }

    /// Whether the kernel stores a row of its output; another one does else.
    pub fn stores_row(&self, row: usize) -> bool {
        self.part.is_empty() || self.part.binary_search(&(row as u32)).is_ok()
    }

    /// Returns the name of the quantity in a row of the output array, in a word.
    pub fn quantity(&self, row: u32) -> &str {
        let rows = |quantity: &&Quantity| (quantity.first..quantity.first + quantity.rows).contains(&row);
        let own = self.quantities.iter().find(rows).map(|quantity| quantity.name.as_str());
        own.or(self.arrays.iter().find(|array| array.output).map(|array| array.name)).unwrap_or("")
    }

    /// Replaces every shape; different shapes must stay different.
    pub(super) fn rewrite(&mut self, new: impl Fn(&Body) -> Body) {
        for (_, body) in self.shapes.iter_mut() {
            *body = new(body);
        }
        self.interned = self.shapes.iter().map(|(shape, body)| (body.key(), shape)).collect();
    }

    /// Takes an array that nothing loads out of the interface.
    pub fn remove_array(&mut self, unread: u32) {
        self.arrays.remove(unread as usize);
        self.rewrite(|body| {
            let mut new = body.clone();
            for inst in &mut new.insts {
                if let Inst::Field { array, .. } = inst {
                    *array -= u32::from(*array > unread);
                }
            }
            new
        });
        for at in self.steps().collect::<Vec<_>>() {
            for (array, _) in &mut self.ops[at.op].step_mut(at.part).stores {
                *array -= u32::from(*array > unread);
            }
        }
    }

    /// Gives every step, and the preamble (`None`), another body.
    pub(super) fn reshape(&mut self, mut new: impl FnMut(Option<StepRef>, Shape, &Body) -> Body) {
        let old = std::mem::take(&mut self.shapes);
        self.interned.clear();
        let mut shape_of = |graph: &mut Self, at, shape| graph.shape(new(at, shape, &old[shape]));
        self.preamble.shape = shape_of(self, None, self.preamble.shape);
        for at in self.steps().collect::<Vec<_>>() {
            let shape = shape_of(self, Some(at), self.step(at).shape);
            self.ops[at.op].step_mut(at.part).shape = shape;
        }
    }

    /// Returns the role of a step for the QSSA warps: only the prologue of a feeding operation with running states feeds.
    pub fn role(&self, at: StepRef) -> Role {
        let role = self.qssa_warps.as_ref().map_or(Role::Other, |group| group.roles[at.op]);
        let goes_on = self.ops[at.op].ordered && at.part != Part::Prologue;
        if role == Role::Feeder && goes_on { Role::Other } else { role }
    }

    /// Whether a step reads and writes slots of other lanes than its own.
    pub fn crosses_lanes(&self, at: StepRef) -> bool {
        self.body(at).tensor.is_some()
    }

    /// Double-precision issue slots of one instruction of the tensor cores; 0 where the graph has no matrix product on them.
    pub fn slots_per_matrix_product(&self) -> u32 {
        let all = self.shapes.values().filter_map(|body| match body.tensor {
            Some(Tensor::Multiply { slots }) => Some(slots / PRODUCTS_PER_STEP),
            _ => None,
        });
        all.max().unwrap_or(0)
    }

    #[inline]
    pub fn step(&self, at: StepRef) -> &Step {
        self.ops[at.op].step(at.part)
    }

    #[inline]
    pub fn body(&self, at: StepRef) -> &Body {
        &self.shapes[self.step(at).shape]
    }

    /// Every step of every operation.
    pub fn steps(&self) -> impl Iterator<Item = StepRef> + '_ {
        self.ops.iter().flat_map(|(op, operation)| operation.parts().map(move |part| StepRef { op, part }))
    }

    /// Floating-point operations per point of one operation.
    pub fn flops(&self, op: Op) -> u64 {
        self.ops[op].parts().map(|part| self.body(StepRef { op, part }).flops()).sum()
    }

    /// Longest path from a source to each operation. Producers are added before their readers.
    pub fn depths(&self) -> SecondaryMap<Op, u32> {
        let mut depth: SecondaryMap<Op, u32> = SecondaryMap::new();
        for op in self.ops.keys() {
            depth[op] = self.producers(op).map(|from| depth[from] + 1).max().unwrap_or(0);
        }
        depth
    }

    /// Longest path from each operation to a sink.
    pub fn heights(&self) -> SecondaryMap<Op, u32> {
        let mut height: SecondaryMap<Op, u32> = SecondaryMap::new();
        for op in self.ops.keys().rev() {
            for from in self.producers(op) {
                height[from] = height[from].max(height[op] + 1);
            }
        }
        height
    }

    /// The operations whose values an operation reads, with repeats.
    fn producers(&self, op: Op) -> impl Iterator<Item = Op> + '_ {
        let parts = self.ops[op].parts();
        parts.flat_map(move |part| self.step(StepRef { op, part }).inputs.iter().map(|&v| self.values[v].producer.op))
    }

    /// Double-precision issue slots per point, as counted before scheduling: every warp computes the scalars.
    pub fn slots(&self, warps: u32) -> u64 {
        let Tally { exponentials, logarithms, divisions, others } = self.tally(warps);
        exponentials + logarithms + divisions + others
    }

    /// Counts these slots by kind of work.
    pub fn tally(&self, warps: u32) -> Tally {
        let mut sum = Tally::default();
        let mut add = |body: &Body, times: u64| {
            let Tally { exponentials, logarithms, divisions, others } = body.tally();
            sum.exponentials += times * exponentials;
            sum.logarithms += times * logarithms;
            sum.divisions += times * divisions;
            sum.others += times * others;
        };
        self.steps().for_each(|at| add(self.body(at), 1));
        add(&self.shapes[self.preamble.shape], u64::from(warps));
        sum
    }

    /// Constants of all steps that are broadcast: each takes about two shuffles per group of points when it is striped over
    /// lanes.
    pub fn constants(&self) -> u64 {
        self.steps().filter(|&at| !self.crosses_lanes(at)).map(|at| self.step(at).constants.len() as u64).sum()
    }

    /// Passes over shared memory per point, as counted before scheduling: a row of 32 doubles takes two, for each value that
    /// a step makes or reads. None where one warp keeps them all to itself.
    pub fn shared_passes(&self, warps: u32) -> u64 {
        let rows: usize = self.steps().map(|at| self.step(at).inputs.len() + self.step(at).outputs.len()).sum();
        if warps == 1 { 0 } else { 2 * rows as u64 }
    }

    /// 32-bit registers of a thread, as estimated before scheduling: of the scalars, the running states of the widest operation,
    /// what lives at once in the widest step, and the share of the constants when these are striped over lanes.
    pub fn registers(&self, warps: u32, points_per_lane: u32) -> u32 {
        let states = self.ops.values().map(|operation| operation.states).max().unwrap_or(0);
        let live = self.shapes.values().map(Body::most_live).max().unwrap_or(0) as u32;
        let constants = if warps == 1 { 0 } else { self.constants().div_ceil(32 * u64::from(warps)) as u32 };
        let own = self.scalars.len() as u32 + states;
        let held = RegisterPressure { doubles: points_per_lane * own + constants, integers: 0 };
        held.registers() + 2 * points_per_lane * live
    }

    /// The operations as a petgraph graph; edge weights count the values that pass. Node i is operation i.
    pub fn petgraph(&self) -> DiGraph<Op, u32> {
        let mut graph = DiGraph::new();
        for op in self.ops.keys() {
            graph.add_node(op);
        }
        let mut edges: HashMap<(Op, Op), u32> = HashMap::new();
        let mut order = Vec::new();
        for at in self.steps() {
            for &value in &self.step(at).inputs {
                let from = self.values[value].producer.op;
                *edges.entry((from, at.op)).or_insert_with(|| {
                    order.push((from, at.op));
                    0
                }) += 1;
            }
        }
        for (from, to) in order {
            let node = |op: Op| NodeIndex::new(op.as_u32() as usize);
            graph.add_edge(node(from), node(to), edges[&(from, to)]);
        }
        graph
    }
}
