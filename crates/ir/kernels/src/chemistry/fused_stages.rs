//! A reaction whose directions are scaled one by one, as one operation that holds the rates from stage to stage.

use super::stages::{Late, Rates, Stages, net, numbered, scale};
use crate::build::Operands;
use crate::rates::plan::{DIRECTIONS, Factor, Plan, Scale};
use crate::rates::reaction;
use crate::rates::sources::Sources;
use cranelift_entity::packed_option::ReservedValue;
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Op, Operation, Part, Step, StepRef, Value};
use mechanism::{Reaction, SpeciesIndex};

/// One operation, which holds the rates from stage to stage.
pub fn add(
    graph: &mut Graph,
    i: usize,
    r: &Reaction,
    plan: &Plan,
    Stages { at_once, iterations: stages, last: pending }: Stages,
    sources: &Sources<'_>,
    late: &mut Late,
) -> Rates {
    let published = DIRECTIONS.map(|d| plan.live[d] && (plan.solved[d] || !at_once.is_empty()));
    let mut o = Operands::default();
    let rates = reaction::directions(&mut o, i, r, plan.live, sources);
    o.body.states = rates.into_iter().flatten().collect();
    o.body.values = DIRECTIONS.into_iter().filter(|&d| published[d]).filter_map(|d| rates[d]).collect();
    let prologue = o.into_step(graph);
    let registers = Registers { live: plan.live };
    let mut wanted: Vec<(Part, usize, Factor)> = Vec::new();
    let mut iterations = Vec::new();
    for (s, (factors, _)) in stages.iter().enumerate() {
        let part = Part::Iteration(s as u32);
        wanted.extend(factors.iter().enumerate().map(|(n, f)| (part, n, f.factor)));
        iterations.push(registers.iteration(graph, factors));
    }
    wanted.extend(pending.iter().enumerate().map(|(n, f)| (Part::Epilogue, n, f.factor)));
    let epilogue = registers.last(graph, &pending);

    let operation = Operation {
        name: format!("reaction {} {}", i + 1, r.equation),
        states: registers.count(),
        prologue: Some(prologue),
        iterations,
        ordered: true,
        epilogue,
    };
    let op = graph.add(operation, |part, n| match part {
        Part::Prologue | Part::Iteration(_) => format!("rate {} {n} {part:?}", i + 1),
        Part::Epilogue => format!("progress {}", i + 1),
    });
    late.extend(wanted.into_iter().map(|(part, input, factor)| (StepRef { op, part }, input, factor)));
    handed_out(graph, op, plan, published, at_once, &stages)
}

/// The values of the steps of a reaction by who reads them.
fn handed_out(
    graph: &Graph,
    op: Op,
    plan: &Plan,
    published: [bool; 2],
    at_once: Vec<SpeciesIndex>,
    stages: &[(Vec<Scale>, Vec<SpeciesIndex>)],
) -> Rates {
    let outputs = |part: Part, which: [bool; 2]| {
        let values = &graph.step(StepRef { op, part }).outputs;
        numbered(which, |n| values[n as usize])
    };
    let unscaled = outputs(Part::Prologue, published);
    let mut staged: Vec<_> = at_once.into_iter().map(|k| (k, unscaled)).collect();
    for (s, (_, readers)) in stages.iter().enumerate() {
        let values = outputs(Part::Iteration(s as u32), plan.live);
        staged.extend(readers.iter().map(|&k| (k, values)));
    }
    let solved = DIRECTIONS.map(|d| unscaled[d].filter(|_| plan.solved[d]));
    Rates { unscaled: solved, staged, progress: graph.ops[op].epilogue.outputs[0] }
}

/// The rates of the live directions as running states.
struct Registers {
    live: [bool; 2],
}

impl Registers {
    fn count(&self) -> u32 {
        self.live.iter().map(|&l| u32::from(l)).sum()
    }

    /// Takes in factors and hands out the live rates.
    fn iteration(&self, graph: &mut Graph, factors: &[Scale]) -> Step {
        let mut b = Body::default();
        let rates = self.scaled(&mut b, factors);
        b.states = rates.into_iter().flatten().collect();
        b.values.clone_from(&b.states);
        self.step(graph, b, factors)
    }

    /// Takes in the last factors; the net rate of progress.
    fn last(&self, graph: &mut Graph, factors: &[Scale]) -> Step {
        let mut b = Body::default();
        let rates = self.scaled(&mut b, factors);
        b.values = vec![net(&mut b, rates)];
        self.step(graph, b, factors)
    }

    fn scaled(&self, b: &mut Body, factors: &[Scale]) -> [Option<Id>; 2] {
        let mut rates = numbered(self.live, |n| b.state(n));
        scale(b, &mut rates, factors, 0);
        rates
    }

    fn step(&self, graph: &mut Graph, body: Body, factors: &[Scale]) -> Step {
        let inputs = vec![Value::reserved_value(); factors.len()];
        Step { shape: graph.shape(body), inputs, ..Step::default() }
    }
}
