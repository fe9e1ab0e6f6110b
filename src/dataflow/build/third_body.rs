//! Third bodies: one sum of alpha_k C_k per distinct vector of efficiencies.
//!
//! The lean form adds to a total that several vectors share what their efficiencies differ from 1 by. A species that a
//! vector all but leaves out must not be in its total, where it might dominate and cancel: vectors share a total where
//! they leave out the same species.

use super::chemistry::SCALARS;
use super::common::{self, scalar};
use super::reaction::{self, Operands, Sources};
use super::split::Plan;
use crate::dataflow::body::Body;
use crate::dataflow::graph::{Graph, Operation, Step, Value};
use crate::mechanism::{Collider, Mechanism, SpeciesIndex};

/// Species with a smaller efficiency are left out of the total; of the others at most half is subtracted.
const LEAST_IN_TOTAL: f64 = 0.5;

type Efficiencies = Vec<(SpeciesIndex, f64)>;

/// A sum under construction: where it starts and what it adds.
struct Sum {
    start: Option<Value>,
    terms: Vec<(SpeciesIndex, f64)>,
}

/// Adds the sums that live reactions read to the sources.
pub fn add(graph: &mut Graph, mechanism: &Mechanism, plans: &[Plan], sources: &mut Sources<'_>) {
    let vectors = vectors(mechanism, plans);
    let mut totals: Vec<(Vec<SpeciesIndex>, Value)> = Vec::new();
    for efficiencies in &vectors {
        let left_out = left_out(efficiencies, sources.transported);
        let sharers = vectors.iter().filter(|other| self::left_out(other, sources.transported) == left_out).count();
        let total = if sources.lean.is_some() && sharers > 1 {
            let known = totals.iter().find(|(known, _)| *known == left_out).map(|(_, value)| *value);
            Some(known.unwrap_or_else(|| {
                let species = (0..sources.transported).filter(|k| !left_out.contains(k));
                let value = total_of(graph, species, &format!("total {}", totals.len() + 1));
                totals.push((left_out.clone(), value));
                value
            }))
        } else {
            None
        };
        let efficiency = |k: SpeciesIndex| efficiencies.iter().find(|(j, _)| *j == k).map_or(1.0, |(_, alpha)| *alpha);
        let in_total = |k: &SpeciesIndex| total.is_some() && !left_out.contains(k);
        let terms = (0..sources.transported).map(|k| (k, efficiency(k) - f64::from(u8::from(in_total(&k)))));
        let terms: Vec<_> = terms.filter(|&(_, weight)| weight != 0.0).collect();
        let value = match total {
            Some(total) if terms.is_empty() => total,
            start => {
                let name = format!("third_body {}", sources.third_bodies.len() + 1);
                sum(graph, sources, Sum { start, terms }, &name)
            }
        };
        sources.third_bodies.push((efficiencies.clone(), value));
    }
}

/// The distinct vectors of efficiencies of live reactions.
fn vectors(mechanism: &Mechanism, plans: &[Plan]) -> Vec<Efficiencies> {
    let mut vectors: Vec<Efficiencies> = Vec::new();
    let live = mechanism.reactions.iter().zip(plans).filter(|(_, plan)| plan.live != [false; 2]);
    for (r, _) in live {
        for collider in [r.third_body.as_ref(), reaction::falloff_collider(&r.rate)].into_iter().flatten() {
            let Collider::Mixture(efficiencies) = collider else { continue };
            if !vectors.contains(efficiencies) {
                vectors.push(efficiencies.clone());
            }
        }
    }
    vectors
}

fn left_out(efficiencies: &Efficiencies, transported: usize) -> Vec<SpeciesIndex> {
    let small = efficiencies.iter().filter(|&&(k, alpha)| alpha < LEAST_IN_TOTAL && k < transported);
    let mut species: Vec<_> = small.map(|&(k, _)| k).collect();
    species.sort_unstable();
    species
}

/// The concentration of some species together, from their mole fractions.
fn total_of(graph: &mut Graph, species: impl Iterator<Item = SpeciesIndex>, name: &str) -> Value {
    let mut b = Body::default();
    let (state, x) = (b.state(0), common::mole_fraction(&mut b, 0));
    b.states = vec![b.add(state, x)];
    let shape = graph.shape(b);
    let rounds = species.map(|k| common::step(shape, vec![], vec![], vec![k as u32])).collect();
    let mut b = Body::default();
    let total = common::scalar_of(&mut b, &SCALARS, scalar::CONCENTRATION);
    let state = b.state(0);
    b.values = vec![b.mul(state, total)];
    let (before, after) = (common::zeros(graph, 1), common::step(graph.shape(b), vec![], vec![], vec![]));
    finish(graph, name, before, rounds, after)
}

fn sum(graph: &mut Graph, sources: &Sources<'_>, sum: Sum, name: &str) -> Value {
    let rounds = sum.terms.iter().map(|&(k, weight)| {
        let mut o = Operands::default();
        let state = o.body.state(0);
        let c = o.concentration(sources, k);
        let next = if weight == 1.0 {
            o.body.add(state, c)
        } else {
            let weight = o.constant(weight);
            o.body.fma(weight, c, state)
        };
        o.body.states = vec![next];
        o.into_step(graph)
    });
    let rounds = rounds.collect();
    let before = match sum.start {
        None => common::zeros(graph, 1),
        Some(total) => {
            let mut b = Body::default();
            b.states = vec![b.input(0)];
            common::step(graph.shape(b), vec![], vec![total], vec![])
        }
    };
    let mut b = Body::default();
    b.values = vec![b.state(0)];
    let after = common::step(graph.shape(b), vec![], vec![], vec![]);
    finish(graph, name, before, rounds, after)
}

fn finish(graph: &mut Graph, name: &str, before: Step, rounds: Vec<Step>, after: Step) -> Value {
    let operation =
        Operation { name: name.replace('_', " "), states: 1, before: Some(before), rounds, ordered: false, after };
    let op = graph.add(operation, |_, _| name.to_owned());
    graph.ops[op].after.outputs[0]
}
