//! Steps and operations without ceremony.

use super::operands::Operands;
use graph::body::Body;
use graph::dataflow::{Graph, Operation, Shape, Step, Value};

/// An operation that is a single step.
pub fn single(name: String, epilogue: Step) -> Operation {
    Operation { name, states: 0, prologue: None, iterations: Vec::new(), ordered: false, epilogue }
}

/// A step without stores.
pub fn step(shape: Shape, constants: Vec<f64>, inputs: Vec<Value>, rows: Vec<u32>) -> Step {
    Step { shape, constants, inputs, rows, ..Step::default() }
}

/// A prologue after which all running sums are empty.
pub fn empty_sums(graph: &mut Graph, states: usize) -> Step {
    let mut b = Body::default();
    let empty = b.empty_sum();
    b.states = vec![empty; states];
    step(graph.shape(b), vec![], vec![], vec![])
}

/// An iteration that adds nu times a value to the one running sum.
pub fn add_term(graph: &mut Graph, value: Value, nu: f64) -> Step {
    let mut b = Body::default();
    let (sum, x) = (b.state(0), b.input(0));
    let (next, constants) = if nu == 1.0 {
        (b.add(sum, x), vec![])
    } else if nu == -1.0 {
        (b.sub(sum, x), vec![])
    } else {
        let nu_id = b.constant(0);
        (b.fma(nu_id, x, sum), vec![nu])
    };
    b.states = vec![next];
    step(graph.shape(b), constants, vec![value], vec![])
}

/// Splits 0..n into at most `parts` consecutive ranges whose lengths differ by at most one, longer ones first.
pub fn blocks(n: usize, parts: usize) -> Vec<std::ops::Range<usize>> {
    let parts = parts.clamp(1, n.max(1));
    let (size, longer) = (n / parts, n % parts);
    let mut start = 0;
    (0..parts)
        .map(|i| {
            let end = start + size + usize::from(i < longer);
            let range = start..end;
            start = end;
            range
        })
        .collect()
}

/// A step that makes values of all running states.
pub fn passed_on(graph: &mut Graph, states: usize) -> Step {
    let mut b = Body::default();
    b.values = (0..states as u32).map(|i| b.state(i)).collect();
    step(graph.shape(b), vec![], vec![], vec![])
}

/// Iterations that add the products of two lists to the one running sum.
pub fn products(graph: &mut Graph, energies: &[Value], production: &[Value]) -> Vec<Step> {
    let iterations = energies.iter().zip(production).map(|(&energy, &rate)| {
        let mut o = Operands::default();
        let (energy, rate) = (o.input(energy), o.input(rate));
        let sum = o.body.state(0);
        o.body.states = vec![o.body.fma(energy, rate, sum)];
        o.into_step(graph)
    });
    iterations.collect()
}
