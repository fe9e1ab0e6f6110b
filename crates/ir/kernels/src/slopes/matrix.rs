//! The derivatives of production rates, as far as they are sums of the reactions' own.

use std::collections::BTreeMap;

use super::reaction_slopes::By;
use super::terms::{Factor, Term, Terms, summed, term};
use crate::build::{self, Operands};
use crate::rates::sources::Sources;
use graph::body::Id;
use graph::dataflow::{Graph, Operation, Part, Step, StepRef, Value};
use kinetics::Model;

/// The derivatives by row, as far as they are sums of the reactions' own.
pub struct Matrix {
    pub size: usize,
    terms: Terms,
    /// 1/K by species
    inverse: Vec<Option<Value>>,
    /// By row and third body: the sum over reactions.
    third_bodies: BTreeMap<usize, Vec<(usize, Value)>>,
    /// By row: the sum over third bodies.
    total: Vec<Option<Value>>,
    /// Efficiencies less 1, by third body.
    corrections: Vec<Vec<(usize, f64)>>,
}

impl Matrix {
    pub fn new(
        graph: &mut Graph,
        model: &Model,
        sources: &Sources<'_>,
        inverse: Vec<Option<Value>>,
        terms: Terms,
    ) -> Self {
        let size = model.species().len();
        let correction = |(efficiencies, _): &(Vec<(usize, f64)>, Value)| {
            efficiencies.iter().map(|&(k, alpha)| (k, alpha - 1.0)).filter(|&(_, change)| change != 0.0).collect()
        };
        let corrections = sources.third_bodies.iter().map(correction).collect();
        let mut matrix =
            Self { size, terms, inverse, third_bodies: BTreeMap::new(), total: vec![None; size], corrections };
        for k in 0..size {
            let of_row: Vec<_> =
                matrix.terms.range((k, By::Nothing)..(k + 1, By::Nothing)).map(|(&key, _)| key).collect();
            let name = &model.species()[k].name;
            for (_, by) in of_row {
                if let By::ThirdBody(m) = by {
                    let value = matrix.sum(graph, k, by, format!("{name} by third body {}", m + 1));
                    matrix.third_bodies.entry(k).or_default().extend(value.map(|value| (m, value)));
                }
            }
            matrix.total[k] = match matrix.third_bodies.get(&k).map(Vec::as_slice) {
                None | Some([]) => None,
                Some([(_, only)]) => Some(*only),
                Some(several) => {
                    let terms: Vec<Term> = several.iter().map(|&(_, value)| (value, Factor::Number(1.0))).collect();
                    Some(summed(graph, &terms, format!("{name} by third bodies")))
                }
            };
        }
        matrix
    }

    /// The sum over reactions of their derivatives of one kind, in a row; none where it is zero.
    pub fn sum(&self, graph: &mut Graph, row: usize, by: By, name: String) -> Option<Value> {
        self.terms.get(&(row, by)).map(|terms| summed(graph, terms, name))
    }

    /// The third bodies of a row that give a species another efficiency than 1, with what it differs by.
    fn corrections(&self, row: usize, column: usize) -> Vec<Term> {
        let of_row = self.third_bodies.get(&row).into_iter().flatten();
        let corrections = of_row.filter_map(|&(m, value)| {
            let (_, change) = self.corrections[m].iter().find(|(k, _)| *k == column)?;
            Some((value, Factor::Number(*change)))
        });
        corrections.collect()
    }

    /// Whether a row has derivatives of reactions of a kind.
    pub fn has(&self, row: usize, by: By) -> bool {
        self.terms.contains_key(&(row, by))
    }

    /// Whether the entry has terms beside the row's total.
    pub fn has_own(&self, row: usize, column: usize) -> bool {
        let has = |by: By| self.has(row, by);
        has(By::Activity(column)) || has(By::Concentration(column)) || !self.corrections(row, column).is_empty()
    }

    /// Whether some species acts on a row by what all species share, and by nothing else.
    pub fn is_sparse(&self, row: usize) -> bool {
        (0..self.size).any(|column| !self.has_own(row, column))
    }

    /// An operation that sums up an entry (production rate of `row` by concentration of `column`) and lets `finish` make values or
    /// stores of it; none of the reactions' derivatives may be missing.
    pub fn entry(
        &self,
        graph: &mut Graph,
        (row, column): (usize, usize),
        name: String,
        finish: impl FnOnce(&mut Operands, Id) -> Vec<(u32, u32)>,
    ) -> Vec<Value> {
        let of = |by: By| self.terms.get(&(row, by)).map_or(&[][..], Vec::as_slice);
        let (scaled, plain) = (of(By::Activity(column)), of(By::Concentration(column)));
        let corrections = self.corrections(row, column);
        // State 0 is the sum by concentration where there is one, the last state the sum by activity. What all entries of the row
        // share comes at the end: it is known last, and sums that wait for it would keep their terms in slots.
        let has_plain = !plain.is_empty() || !corrections.is_empty();
        let states = u32::from(has_plain) + u32::from(!scaled.is_empty());
        let mut iterations = Vec::new();
        for &(value, nu) in plain.iter().chain(&corrections) {
            iterations.push(term(graph, 0, states, value, nu));
        }
        for &(value, nu) in scaled {
            iterations.push(term(graph, states - 1, states, value, nu));
        }
        let prologue = Some(build::empty_sums(graph, states as usize));
        let mut o = Operands::default();
        let mut entry = has_plain.then(|| o.body.state(0));
        if let Some(total) = self.total[row] {
            let total = o.input(total);
            entry = Some(entry.map_or(total, |entry| o.body.add(entry, total)));
        }
        if let (false, Some(inverse)) = (scaled.is_empty(), self.inverse[column]) {
            let (inverse, sum) = (o.input(inverse), o.body.state(states - 1));
            entry = Some(match entry {
                Some(entry) => o.body.fma(sum, inverse, entry),
                None => o.body.mul(sum, inverse),
            });
        }
        let entry = entry.expect("an operation of its own sums up something");
        let stores = finish(&mut o, entry);
        let epilogue = Step { stores, ..o.into_step(graph) };
        let operation = Operation { name: name.clone(), states, prologue, iterations, ordered: false, epilogue };
        let op = graph.add(operation, |_, _| name.clone());
        graph.step(StepRef { op, part: Part::Epilogue }).outputs.clone()
    }

    /// Gives all entries of a row another value to share, or none.
    pub fn share(&mut self, row: usize, value: Option<Value>) {
        self.total[row] = value;
    }

    /// The sum over the third bodies of a row.
    pub fn total(&self, row: usize) -> Option<Value> {
        self.total[row]
    }
}
