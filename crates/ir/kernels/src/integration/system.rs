//! The linear systems of a step, d I - J with a number d on the diagonal, factored and solved without exchanging rows.

use std::collections::BTreeMap;

use crate::build::{Operands, empty_sums, single};
use crate::elimination::{self, Elimination};
use graph::dataflow::{Graph, Operation, Step, Value};

/// The factors of a point's matrix. Unknowns: mass fractions, the temperature, and the sum of all changes of Y_k/W_k.
pub struct Factors {
    plan: Elimination,
    /// Entries of the rows of both factors, by (place, place).
    entries: BTreeMap<(usize, usize), Value>,
    inverse_pivots: Vec<Value>,
    /// The number of the sum.
    sum: usize,
}

/// Subtracts from the last of `states` sums the product of two values.
fn less_product(graph: &mut Graph, left: Value, right: Value, states: u32) -> Step {
    let mut o = Operands::default();
    let (left, right) = (o.input(left), o.input(right));
    let mut sums: Vec<_> = (0..states).map(|n| o.body.state(n)).collect();
    let minus = o.body.neg(left);
    let last = sums.pop().expect("there is a sum");
    sums.push(o.body.fma(minus, right, last));
    o.body.states = sums;
    o.into_step(graph)
}

/// Adds the product of a number and a value to the first of `states` sums.
fn plus_scaled(graph: &mut Graph, factor: f64, value: Value, states: u32) -> Step {
    let mut o = Operands::default();
    let (factor, value) = (o.constant(factor), o.input(value));
    let mut sums: Vec<_> = (0..states).map(|n| o.body.state(n)).collect();
    sums[0] = o.body.fma(factor, value, sums[0]);
    o.body.states = sums;
    o.into_step(graph)
}

impl Factors {
    /// Factors the matrix of the sparse Jacobian with these entries (row, column), by their rows; `weights` are those of the species.
    pub fn new(
        graph: &mut Graph,
        pattern: &[(u32, u32)],
        jacobian: &[Value],
        weights: &[f64],
        diagonal: Value,
    ) -> Self {
        let plan = elimination::of_reactor(pattern, weights.len()).plan().clone();
        let sum = weights.len() + 1;
        let places: BTreeMap<(usize, usize), Value> = pattern
            .iter()
            .zip(jacobian)
            .map(|(&(row, column), &value)| ((row as usize, column as usize), value))
            .collect();
        let mut factors = Self { plan, entries: BTreeMap::new(), inverse_pivots: Vec::new(), sum };
        for at in 0..factors.plan.order.len() {
            let row = factors.plan.order[at];
            let lower = factors.plan.lower[at].clone();
            let upper = factors.plan.upper[at].clone();
            for &to in lower.iter().chain([&at]).chain(&upper) {
                let column = factors.plan.order[to];
                let given = Given {
                    jacobian: places.get(&(row, column)).copied(),
                    diagonal: (row == column && row != sum).then_some(diagonal),
                    number: match row == sum {
                        true if column == sum => Some(-1.0),
                        true => weights.get(column).map(|weight| 1.0 / weight),
                        false => None,
                    },
                };
                factors.entry(graph, at, to, given);
            }
        }
        factors
    }

    /// Adds the entry at two places, behind all that it depends on.
    fn entry(&mut self, graph: &mut Graph, at: usize, to: usize, given: Given) {
        let products: Vec<(Value, Value)> = self.plan.lower[at]
            .iter()
            .take_while(|&&k| k < to)
            .filter_map(|&k| Some((self.entries[&(at, k)], *self.entries.get(&(k, to))?)))
            .collect();
        let name = match at.cmp(&to) {
            std::cmp::Ordering::Equal => format!("inverse pivot {at}"),
            _ => format!("factor {at} {to}"),
        };
        let mut end = Operands::default();
        let (states, prologue, iterations, entry) = if products.is_empty() {
            (0, None, Vec::new(), given.add(&mut end))
        } else {
            let mut begin = Operands::default();
            begin.body.states = vec![given.add(&mut begin)];
            let iterations = products.iter().map(|&(l, u)| less_product(graph, l, u, 1)).collect();
            (1, Some(begin.into_step(graph)), iterations, end.body.state(0))
        };
        let value = match at.cmp(&to) {
            std::cmp::Ordering::Greater => {
                let inverse = end.input(self.inverse_pivots[to]);
                end.body.mul(entry, inverse)
            }
            std::cmp::Ordering::Equal => {
                let one = end.body.literal(1.0);
                end.body.div(one, entry)
            }
            std::cmp::Ordering::Less => entry,
        };
        end.body.values = vec![value];
        let epilogue = end.into_step(graph);
        let operation = Operation { name: name.clone(), states, prologue, iterations, ordered: false, epilogue };
        let op = graph.add(operation, |_, _| name.clone());
        let value = graph.ops[op].epilogue.outputs[0];
        if at == to {
            self.inverse_pivots.push(value);
        } else {
            self.entries.insert((at, to), value);
        }
    }

    /// The solution for the right-hand side f + (sum c u)/h, by unknown; `terms` are the numbers c and the solutions u before.
    pub fn solve(
        &self,
        graph: &mut Graph,
        rates: &[Value],
        terms: &[(f64, &[Value])],
        inverse_step: Value,
        what: &str,
    ) -> Vec<Value> {
        let places = self.plan.order.len();
        let mut known: Vec<Value> = Vec::with_capacity(places);
        for (at, &unknown) in self.plan.order.iter().enumerate() {
            let terms: Vec<(f64, Value)> = match unknown == self.sum {
                true => Vec::new(),
                false => terms.iter().map(|&(factor, values)| (factor, values[unknown])).collect(),
            };
            let states = u32::from(!terms.is_empty()) + u32::from(!self.plan.lower[at].is_empty());
            let mut iterations: Vec<Step> =
                terms.iter().map(|&(factor, value)| plus_scaled(graph, factor, value, states)).collect();
            let lower = self.plan.lower[at].iter();
            iterations.extend(lower.map(|&k| less_product(graph, self.entries[&(at, k)], known[k], states)));
            let mut o = Operands::default();
            let mut right = match unknown == self.sum {
                true => o.body.literal(0.0),
                false => o.input(rates[unknown]),
            };
            if !terms.is_empty() {
                let (inverse, sum) = (o.input(inverse_step), o.body.state(0));
                right = o.body.fma(sum, inverse, right);
            }
            if !self.plan.lower[at].is_empty() {
                let sum = o.body.state(states - 1);
                right = o.body.add(right, sum);
            }
            o.body.values = vec![right];
            known.push(summed(graph, o, states, iterations, format!("forward {at} of {what}")));
        }
        let mut solved: Vec<Option<Value>> = vec![None; places];
        for at in (0..places).rev() {
            let upper = &self.plan.upper[at];
            let iterations: Vec<Step> = upper
                .iter()
                .map(|&k| {
                    let later = solved[k].expect("later places are solved before");
                    less_product(graph, self.entries[&(at, k)], later, 1)
                })
                .collect();
            let mut o = Operands::default();
            let mut right = o.input(known[at]);
            if !upper.is_empty() {
                let sum = o.body.state(0);
                right = o.body.add(right, sum);
            }
            let inverse = o.input(self.inverse_pivots[at]);
            o.body.values = vec![o.body.mul(right, inverse)];
            let states = u32::from(!upper.is_empty());
            solved[at] = Some(summed(graph, o, states, iterations, format!("backward {at} of {what}")));
        }
        let mut by_unknown: Vec<Option<Value>> = vec![None; places];
        self.plan.order.iter().zip(solved).for_each(|(&unknown, value)| by_unknown[unknown] = value);
        by_unknown.into_iter().take(self.sum).map(|value| value.expect("every unknown has a place")).collect()
    }
}

/// Parts of the matrix at an entry.
struct Given {
    jacobian: Option<Value>,
    diagonal: Option<Value>,
    number: Option<f64>,
}

impl Given {
    fn add(&self, o: &mut Operands) -> u32 {
        let jacobian = self.jacobian.map(|value| o.input(value));
        let diagonal = self.diagonal.map(|value| o.input(value));
        match (diagonal, jacobian, self.number) {
            (_, _, Some(number)) => o.constant(number),
            (Some(diagonal), Some(jacobian), None) => o.body.sub(diagonal, jacobian),
            (Some(diagonal), None, None) => diagonal,
            (None, Some(jacobian), None) => o.body.neg(jacobian),
            (None, None, None) => o.body.literal(0.0),
        }
    }
}

/// An operation that makes one value of its sums.
fn summed(graph: &mut Graph, end: Operands, states: u32, iterations: Vec<Step>, name: String) -> Value {
    let epilogue = end.into_step(graph);
    let operation = match states {
        0 => single(name.clone(), epilogue),
        _ => {
            let prologue = Some(empty_sums(graph, states as usize));
            Operation { name: name.clone(), states, prologue, iterations, ordered: false, epilogue }
        }
    };
    let op = graph.add(operation, |_, _| name.clone());
    graph.ops[op].epilogue.outputs[0]
}
