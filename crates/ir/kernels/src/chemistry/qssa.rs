//! The quasi-steady species as straight-line dataflow: sums over rates, then sparse elimination in an order of least
//! fill-in with one operation per coefficient, then back substitution (paper Figure 7; Lu & Law, J. Phys. Chem. A 110 (2006)
//! 13202).

use std::collections::{BTreeMap, BTreeSet};

use super::stages::Rates;
use crate::build::{self, single, step};
use crate::elimination::{Measure, Pattern, order};
use crate::rates::plan::{DIRECTIONS, Plan, sides};
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::ReservedValue;
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Op, Operation, QssaWarps, Role, StepRef, Value};
use kinetics::qssa::{Consumed, SMALL};
use mechanism::Mechanism;

/// Coefficients a_ij by row and column of x_i = sum_j a_ij x_j; the last column is the constant a_i0.
type Coefficients = BTreeMap<(usize, usize), Value>;

/// Adds the operations that solve for the quasi-steady concentrations (kmol/m3), in list order.
pub fn add(graph: &mut Graph, mechanism: &Mechanism, plans: &[Plan], rates: &[Option<Rates>]) -> Vec<Value> {
    let size = mechanism.quasi_steady().len();
    let names: Vec<&str> = mechanism.quasi_steady().iter().map(|&k| mechanism.species[k].name.as_str()).collect();
    let mut system = System { graph, names, size, rows: coefficients(mechanism, plans, rates) };
    let sums = std::mem::take(&mut system.rows.destruction);
    let lifetimes: Vec<Value> = (0..size).map(|i| system.lifetime(i, &sums[i])).collect();
    let mut a = Coefficients::new();
    for ((i, j), terms) in std::mem::take(&mut system.rows.production) {
        a.insert((i, j), system.coefficient(i, j, &terms, lifetimes[i]));
    }
    let eliminated = system.eliminate(a);
    system.substitute(eliminated)
}

/// Makes the operations from `first` on the first `warps` warps. All that the rates need which they read
/// feeds them. To be called before the reactions are connected to what the QSSA warps make.
pub fn qssa_warps(graph: &Graph, first: Op, rates: &[Option<Rates>], warps: u32) -> QssaWarps {
    let mut roles = SecondaryMap::new();
    let mut feeding: Vec<Op> = Vec::new();
    for value in rates.iter().flatten().flat_map(|rates| rates.unscaled).flatten() {
        feeding.push(graph.values[value].producer.op);
    }
    while let Some(op) = feeding.pop() {
        if roles[op] == Role::Other {
            roles[op] = Role::Feeder;
            let inputs = graph.ops[op].parts().flat_map(|part| &graph.step(StepRef { op, part }).inputs);
            feeding.extend(inputs.filter(|v| !v.is_reserved_value()).map(|&v| graph.values[v].producer.op));
        }
    }
    for op in graph.ops.keys().filter(|&op| op >= first) {
        roles[op] = Role::Member;
    }
    QssaWarps { warps, roles }
}

/// (rate, multiplicity)
type Terms = Vec<(Value, f64)>;

/// Terms from which the system is summed.
#[derive(Default)]
struct Rows {
    destruction: Vec<Terms>,
    production: BTreeMap<(usize, usize), Terms>,
}

fn coefficients(mechanism: &Mechanism, plans: &[Plan], rates: &[Option<Rates>]) -> Rows {
    let list = mechanism.quasi_steady();
    let mut rows = Rows { destruction: vec![Vec::new(); list.len()], production: BTreeMap::new() };
    for ((r, plan), rates) in mechanism.reactions.iter().zip(plans).zip(rates) {
        let Some(rates) = rates else { continue };
        for d in DIRECTIONS {
            let Some(rate) = rates.unscaled[d] else { continue };
            let column = match plan.consumed[d] {
                Consumed::One(j) => {
                    rows.destruction[j].push((rate, 1.0));
                    j
                }
                Consumed::None | Consumed::Several => list.len(),
            };
            for &(k, nu) in sides(r, d).1 {
                if let Some(i) = list.iter().position(|&q| q == k) {
                    rows.production.entry((i, column)).or_default().push((rate, nu));
                }
            }
        }
    }
    rows
}

struct System<'a> {
    graph: &'a mut Graph,
    names: Vec<&'a str>,
    size: usize,
    rows: Rows,
}

impl System<'_> {
    /// 1/D_i with D_i = max(sum of the rates that consume i, small). The system is one chain of operations, in which a division takes longest.
    fn lifetime(&mut self, i: usize, terms: &Terms) -> Value {
        let mut b = Body::default();
        let (sum, small, one) = (b.state(0), b.literal(SMALL), b.literal(1.0));
        let destruction = b.max(sum, small);
        b.values = vec![b.div(one, destruction)];
        let name = format!("destruction {}", self.names[i]);
        self.sum(name, terms, b, vec![])
    }

    /// a_ij = (sum of the rates that make i) / D_i
    fn coefficient(&mut self, i: usize, j: usize, terms: &Terms, lifetime: Value) -> Value {
        let mut b = Body::default();
        let (sum, lifetime_id) = (b.state(0), b.input(0));
        b.values = vec![b.mul(sum, lifetime_id)];
        let name = self.name(i, j);
        self.sum(name, terms, b, vec![lifetime])
    }

    fn sum(&mut self, name: String, terms: &Terms, epilogue: Body, inputs: Vec<Value>) -> Value {
        let prologue = build::empty_sums(self.graph, 1);
        let iterations = terms.iter().map(|&(value, nu)| build::add_term(self.graph, value, nu)).collect();
        let epilogue = step(self.graph.shape(epilogue), vec![], inputs, vec![]);
        let operation =
            Operation { name: name.clone(), states: 1, prologue: Some(prologue), iterations, ordered: false, epilogue };
        let op = self.graph.add(operation, |_, _| name.clone());
        self.graph.ops[op].epilogue.outputs[0]
    }

    /// Eliminates every unknown; returns them in that order, each with its row over the unknowns eliminated after it.
    fn eliminate(&mut self, mut a: Coefficients) -> Vec<(usize, Vec<(usize, Value)>)> {
        let mut left: BTreeSet<usize> = (0..self.size).collect();
        let mut done = Vec::new();
        for p in order(&Pattern::new(self.size + 1, a.keys().copied()), &[self.size], Measure::FillIn) {
            if !left.remove(&p) {
                continue;
            }
            if let Some(own) = a.remove(&(p, p)) {
                let name = format!("pivot {}", self.names[p]);
                let inverse = self.node(name, vec![own], |b, x| {
                    let (one, small) = (b.literal(1.0), b.literal(SMALL));
                    let difference = b.sub(one, x[0]);
                    let pivot = b.max(difference, small);
                    b.div(one, pivot)
                });
                for ((_, j), entry) in a.range_mut((p, 0)..=(p, self.size)) {
                    let name = format!("{} over pivot", entry_name(&self.names, p, *j));
                    *entry = node(self.graph, name, vec![*entry, inverse], |b, x| b.mul(x[0], x[1]));
                }
            }
            let row: Vec<(usize, Value)> = a.range((p, 0)..=(p, self.size)).map(|(&(_, j), &v)| (j, v)).collect();
            for &i in &left {
                let Some(factor) = a.remove(&(i, p)) else { continue };
                for &(j, entry) in &row {
                    let name = format!("{} without {}", self.name(i, j), self.names[p]);
                    let old = a.get(&(i, j)).copied();
                    let inputs = [factor, entry].into_iter().chain(old).collect();
                    let new = self.node(name, inputs, |b, x| match x {
                        [f, e, old] => b.fma(*f, *e, *old),
                        _ => b.mul(x[0], x[1]),
                    });
                    a.insert((i, j), new);
                }
            }
            a.retain(|&(i, _), _| i != p);
            done.push((p, row));
        }
        done
    }

    /// x_p = a_p0 + sum a_pj x_j, from the last eliminated to the first.
    fn substitute(&mut self, eliminated: Vec<(usize, Vec<(usize, Value)>)>) -> Vec<Value> {
        let mut x: Vec<Option<Value>> = vec![None; self.size];
        for (p, row) in eliminated.into_iter().rev() {
            let constant = row.iter().find(|(j, _)| *j == self.size).map(|(_, v)| *v);
            let mut inputs: Vec<Value> = constant.into_iter().collect();
            for (j, coefficient) in row.into_iter().filter(|(j, _)| *j != self.size) {
                inputs.extend([coefficient, x[j].expect("an unknown depends on those eliminated after it")]);
            }
            let name = format!("concentration {}", self.names[p]);
            let value = self.node(name, inputs, |b, x| {
                let (mut sum, products) = if constant.is_some() { (x[0], &x[1..]) } else { (b.empty_sum(), x) };
                for pair in products.chunks(2) {
                    sum = b.fma(pair[0], pair[1], sum);
                }
                sum
            });
            x[p] = Some(value);
        }
        x.into_iter().map(|x| x.expect("every unknown was eliminated")).collect()
    }

    fn node(&mut self, name: String, inputs: Vec<Value>, body: impl FnOnce(&mut Body, &[Id]) -> Id) -> Value {
        node(self.graph, name, inputs, body)
    }

    fn name(&self, i: usize, j: usize) -> String {
        entry_name(&self.names, i, j)
    }
}

fn entry_name(names: &[&str], i: usize, j: usize) -> String {
    format!("a {} {}", names[i], names.get(j).unwrap_or(&"0"))
}

/// An operation that makes one value of others.
fn node(graph: &mut Graph, name: String, inputs: Vec<Value>, body: impl FnOnce(&mut Body, &[Id]) -> Id) -> Value {
    let mut b = Body::default();
    let ids: Vec<Id> = (0..inputs.len()).map(|n| b.input(n as u32)).collect();
    b.values = vec![body(&mut b, &ids)];
    let shape = graph.shape(b);
    let op = graph.add(single(name.clone(), step(shape, vec![], inputs, vec![])), |_, _| name.clone());
    graph.ops[op].epilogue.outputs[0]
}
