//! Terms of sums: the steps that add them, and the operations that make them.

use std::collections::{BTreeMap, BTreeSet};

use cranelift_entity::packed_option::ReservedValue;

use graph::{Graph, Op, Part, StepRef, Value};

/// Step that makes all terms of a step that adds terms, by the latter.
pub type Terms = BTreeMap<StepRef, StepRef>;

/// An operation that makes terms.
#[derive(Debug, Default)]
pub struct Maker {
    /// Double-precision slots, with those that add its terms.
    pub slots: u64,
    pub sums: BTreeSet<Op>,
    pub inputs: BTreeSet<Value>,
}

/// The terms that may be added by who makes them: values of one step, which nothing but sums behind it read.
pub fn find(graph: &Graph) -> Terms {
    let mut summed: BTreeMap<Value, bool> = BTreeMap::new();
    for at in graph.steps() {
        let adds = adds(graph, at);
        for &v in graph.step(at).inputs.iter().filter(|v| !v.is_reserved_value()) {
            *summed.entry(v).or_insert(true) &= adds && graph.values[v].producer.op < at.op;
        }
    }
    let maker = |at: StepRef| {
        let inputs = &graph.step(at).inputs;
        let maker = graph.values[*inputs.first()?].producer;
        let is_one = inputs.iter().all(|&v| graph.values[v].producer == maker && summed[&v]);
        (is_one && !is_sum(graph, maker.op) && graph.body(maker).tensor.is_none()).then_some((at, maker))
    };
    graph.steps().filter(|&at| adds(graph, at)).filter_map(maker).collect()
}

/// The operations that make terms.
pub fn makers(graph: &Graph, terms: &Terms) -> BTreeMap<Op, Maker> {
    let mut makers: BTreeMap<Op, Maker> = BTreeMap::new();
    for (&at, maker) in terms {
        let found = makers.entry(maker.op).or_default();
        found.sums.insert(at.op);
        found.slots += graph.body(at).slots();
    }
    for (&op, maker) in &mut makers {
        for part in graph.ops[op].parts() {
            let at = StepRef { op, part };
            maker.slots += graph.body(at).slots();
            maker.inputs.extend(&graph.step(at).inputs);
        }
    }
    makers
}

/// Whether a step does nothing but add its inputs to running sums of its operation, in any order.
fn adds(graph: &Graph, at: StepRef) -> bool {
    let (step, body) = (graph.step(at), graph.body(at));
    matches!(at.part, Part::Iteration(_))
        && is_sum(graph, at.op)
        && (!step.inputs.is_empty() && step.rows.is_empty() && step.stores.is_empty())
        && (body.tensor.is_none() && body.values.is_empty())
}

/// Whether an operation adds up what it reads, from nothing on.
fn is_sum(graph: &Graph, op: Op) -> bool {
    let operation = &graph.ops[op];
    let starts = operation.prologue.as_ref().is_some_and(|step| step.inputs.is_empty() && step.rows.is_empty());
    operation.states > 0 && !operation.ordered && starts && !operation.iterations.is_empty()
}
