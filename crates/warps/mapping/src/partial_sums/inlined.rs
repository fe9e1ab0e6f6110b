//! Values of the point's scalars alone, such as powers of the temperature that a few reactions share, within the operations that read them.
//!
//! As values of their own they take a slot each, of which there are few where several groups of points share a CTA: then reactions wait for
//! slots, in more phases, and sums wait with them in registers. So all readers of such a value are one operation, which makes it.

use std::collections::{BTreeMap, BTreeSet};

use super::split::NewGraph;
use super::terms;
use graph::body::Id;
use graph::{Body, Graph, Inst, Op, Part, Role, Step, StepRef, Value};
use kernels::build;

/// Operations that become one, at most: warps should be able to share the work evenly.
const MOST_MEMBERS: usize = 6;
/// Values that an operation may read to be one of those that their readers take in, at most: these then wait for all of them.
const MOST_INPUTS: usize = 2;

/// Whether what makes terms reads more values than there are slots.
pub fn is_crowded(graph: &Graph, slots: u32) -> bool {
    let makers: BTreeSet<Op> = terms::find(graph).values().map(|maker| maker.op).collect();
    let steps = makers.iter().flat_map(|&op| graph.ops[op].parts().map(move |part| StepRef { op, part }));
    let read: BTreeSet<Value> = steps.flat_map(|at| graph.step(at).inputs.iter().copied()).collect();
    read.len() > slots as usize
}

/// The graph in which operations that make terms make what they share of the scalars, too.
pub fn inlined(graph: &Graph) -> Graph {
    let clusters = clusters(graph);
    let mut cluster_of: BTreeMap<Op, &Cluster> = BTreeMap::new();
    for cluster in &clusters {
        cluster_of.extend(cluster.sources.iter().chain(&cluster.members).map(|&op| (op, cluster)));
    }
    let mut made = NewGraph::new(graph);
    for (op, operation) in &graph.ops {
        match cluster_of.get(&op) {
            None => {
                made.copy(graph, op, operation.clone(), 0);
            }
            // Whatever its members read has been made before the last of them.
            Some(cluster) if cluster.members.last() == Some(&op) => made.fused(graph, cluster),
            Some(_) => {}
        }
    }
    made.connect();
    made.graph
}

/// Operations that become one.
#[derive(Debug, Clone, Default)]
pub struct Cluster {
    /// Those that make what the others share.
    pub sources: BTreeSet<Op>,
    pub members: BTreeSet<Op>,
}

/// The operations that read values of the scalars, by what they have in common.
fn clusters(graph: &Graph) -> Vec<Cluster> {
    let terms = terms::find(graph);
    let makers: BTreeSet<Op> = terms.values().map(|maker| maker.op).collect();
    let mut readers: BTreeMap<Op, BTreeSet<Op>> = BTreeMap::new();
    for at in graph.steps() {
        for &v in &graph.step(at).inputs {
            readers.entry(graph.values[v].producer.op).or_default().insert(at.op);
        }
    }
    let role = |op: Op| graph.qssa_warps.as_ref().map_or(Role::Other, |group| group.roles[op]);
    let is_member = |op: &Op| makers.contains(op) && is_single(graph, *op) && role(*op) == Role::Other;
    let mut clusters: Vec<Cluster> = Vec::new();
    for (source, readers) in readers {
        let step = &graph.ops[source].epilogue;
        let is_source = is_single(graph, source) && step.inputs.len() <= MOST_INPUTS && step.rows.is_empty();
        if !is_source || role(source) != Role::Other || !readers.iter().all(is_member) {
            continue;
        }
        let (mut shared, others): (Vec<_>, Vec<_>) =
            clusters.iter().cloned().partition(|cluster| !cluster.members.is_disjoint(&readers));
        shared.push(Cluster { sources: [source].into(), members: readers });
        let sources = shared.iter().flat_map(|cluster| cluster.sources.iter().copied()).collect();
        let members: BTreeSet<Op> = shared.iter().flat_map(|cluster| cluster.members.iter().copied()).collect();
        if members.len() <= MOST_MEMBERS {
            clusters = others;
            clusters.push(Cluster { sources, members });
        }
    }
    clusters
}

/// Whether an operation is one step that stores nothing.
fn is_single(graph: &Graph, op: Op) -> bool {
    let operation = &graph.ops[op];
    let at = StepRef { op, part: Part::Epilogue };
    let is_alone = operation.prologue.is_none() && operation.iterations.is_empty() && operation.states == 0;
    is_alone && operation.epilogue.stores.is_empty() && graph.body(at).tensor.is_none()
}

/// The step of a cluster, which still reads values of the old graph, the old values that it makes, in order, and its name.
pub fn fused(graph: &Graph, cluster: &Cluster) -> (Body, Step, Vec<Value>, String) {
    let mut fused = Fused::default();
    let mut known: BTreeMap<Value, Id> = BTreeMap::new();
    for &op in &cluster.sources {
        let results = fused.append(graph, op, &known);
        known.extend(graph.ops[op].epilogue.outputs.iter().copied().zip(results));
    }
    let mut outputs = Vec::new();
    for &op in &cluster.members {
        let results = fused.append(graph, op, &known);
        fused.body.values.extend(results);
        outputs.extend(&graph.ops[op].epilogue.outputs);
    }
    let names: Vec<&str> = cluster.members.iter().map(|&op| graph.ops[op].name.as_str()).collect();
    let step = build::step(Default::default(), fused.constants, fused.inputs, fused.rows);
    (fused.body, step, outputs, names.join(" and "))
}

/// A step under construction of others.
#[derive(Default)]
struct Fused {
    body: Body,
    constants: Vec<f64>,
    inputs: Vec<Value>,
    rows: Vec<u32>,
}

impl Fused {
    /// Adds the instructions of an operation's one step, which has some values at hand already; its results.
    fn append(&mut self, graph: &Graph, op: Op, known: &BTreeMap<Value, Id>) -> Vec<Id> {
        let step = &graph.ops[op].epilogue;
        let body = graph.body(StepRef { op, part: Part::Epilogue });
        let (first_constant, first_row) = (self.constants.len() as u32, self.rows.len() as u32);
        self.constants.extend(&step.constants);
        self.rows.extend(&step.rows);
        let mut new: Vec<Id> = Vec::with_capacity(body.insts.len());
        for &inst in &body.insts {
            let id = match inst {
                Inst::Constant(k) => self.body.constant(first_constant + k),
                Inst::Field { array, operand, share } => {
                    self.body.push(Inst::Field { array, operand: first_row + operand, share })
                }
                Inst::Input(k) => self.input(step.inputs[k as usize], known),
                other => {
                    let moved = other.with_operands(|id| new[id as usize]);
                    self.body.insts.push(moved);
                    self.body.insts.len() as Id - 1
                }
            };
            new.push(id);
        }
        body.values.iter().map(|&id| new[id as usize]).collect()
    }

    fn input(&mut self, value: Value, known: &BTreeMap<Value, Id>) -> Id {
        if let Some(&id) = known.get(&value) {
            return id;
        }
        let place = self.inputs.iter().position(|&other| other == value).unwrap_or_else(|| {
            self.inputs.push(value);
            self.inputs.len() - 1
        });
        self.body.input(place as u32)
    }
}
