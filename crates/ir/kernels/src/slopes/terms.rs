//! Sums of derivatives before they are formed: by row, and by what each derivative is by.

use std::collections::BTreeMap;

use super::reaction_slopes::By;
use crate::build::{self, Operands};
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Operation, Step, Value};

/// Terms that each row sums up.
pub type Terms = BTreeMap<(usize, By), Vec<Term>>;

/// A value and its factor.
pub type Term = (Value, Factor);

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Factor {
    Number(f64),
    Value(Value),
}

/// An iteration that adds a term to one of the running sums.
pub fn term(graph: &mut Graph, which: u32, states: u32, value: Value, factor: Factor) -> Step {
    if let (1, Factor::Number(nu)) = (states, factor) {
        return build::add_term(graph, value, nu);
    }
    let mut o = Operands::default();
    let mut sums: Vec<Id> = (0..states).map(|n| o.body.state(n)).collect();
    let x = o.input(value);
    let sum = sums[which as usize];
    sums[which as usize] = match factor {
        Factor::Number(1.0) => o.body.add(sum, x),
        Factor::Number(-1.0) => o.body.sub(sum, x),
        Factor::Number(nu) => {
            let nu = o.constant(nu);
            o.body.fma(nu, x, sum)
        }
        Factor::Value(factor) => {
            let factor = o.input(factor);
            o.body.fma(factor, x, sum)
        }
    };
    o.body.states = sums;
    o.into_step(graph)
}

/// A sum of terms.
pub fn summed(graph: &mut Graph, terms: &[Term], name: String) -> Value {
    let iterations = terms.iter().map(|&(value, factor)| term(graph, 0, 1, value, factor)).collect();
    let mut b = Body::default();
    b.values = vec![b.state(0)];
    let epilogue = build::step(graph.shape(b), vec![], vec![], vec![]);
    let prologue = Some(build::empty_sums(graph, 1));
    let operation = Operation { name: name.clone(), states: 1, prologue, iterations, ordered: false, epilogue };
    let op = graph.add(operation, |_, _| name.clone());
    graph.ops[op].epilogue.outputs[0]
}
