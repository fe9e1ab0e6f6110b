//! Third bodies: one sum of alpha_k C_k per distinct vector of efficiencies.
//!
//! The log-space form shares the total of the species that no vector all but leaves out; each vector adds the other species, and
//! what its efficiencies differ from 1 by. A species that is left out is never subtracted: it might dominate and cancel.

use super::plan::Plan;
use super::sources::{self, Sources};
use crate::build::{self, Operands, SCALARS, scalar};
use graph::body::Body;
use graph::dataflow::{Graph, Operation, Step, Value};
use mechanism::{Collider, Mechanism, SpeciesIndex};

/// Species that some vector gives a smaller efficiency are not in the total; of the others at most half is subtracted.
const LEAST_IN_TOTAL: f64 = 0.5;

type Efficiencies = Vec<(SpeciesIndex, f64)>;

/// Adds the sums that live reactions read to the sources.
pub fn add(graph: &mut Graph, mechanism: &Mechanism, plans: &[Plan], sources: &mut Sources<'_>) {
    let vectors = vectors(mechanism, plans, sources.transported);
    let left_out = |k: &SpeciesIndex| vectors.iter().flatten().any(|(j, alpha)| j == k && *alpha < LEAST_IN_TOTAL);
    let total = (sources.log_space.is_some() && !vectors.is_empty())
        .then(|| total(graph, (0..sources.transported).filter(|k| !left_out(k))));
    for efficiencies in &vectors {
        let efficiency = |k: SpeciesIndex| efficiencies.iter().find(|(j, _)| *j == k).map_or(1.0, |(_, alpha)| *alpha);
        let in_total = |k: &SpeciesIndex| total.is_some() && !left_out(k);
        let terms = (0..sources.transported).map(|k| (k, efficiency(k) - f64::from(u8::from(in_total(&k)))));
        let terms: Vec<_> = terms.filter(|&(_, weight)| weight != 0.0).collect();
        let value = match total {
            Some(total) if terms.is_empty() => total,
            start => {
                let name = format!("third_body {}", sources.third_bodies.len() + 1);
                sum(graph, sources, start, &terms, &name)
            }
        };
        sources.third_bodies.push((efficiencies.clone(), value));
    }
}

/// The distinct vectors of efficiencies of live reactions.
fn vectors(mechanism: &Mechanism, plans: &[Plan], transported: usize) -> Vec<Efficiencies> {
    let mut vectors: Vec<Efficiencies> = Vec::new();
    let live = mechanism.reactions.iter().zip(plans).filter(|(_, plan)| plan.live != [false; 2]);
    for (r, _) in live {
        for collider in r.third_body.iter().cloned().chain(sources::colliders(&r.rate, transported)) {
            let Collider::Mixture(efficiencies) = collider else { continue };
            if !vectors.contains(&efficiencies) {
                vectors.push(efficiencies);
            }
        }
    }
    vectors
}

/// The concentration of some species together, from their mole fractions.
fn total(graph: &mut Graph, species: impl Iterator<Item = SpeciesIndex>) -> Value {
    let mut b = Body::default();
    let (state, x) = (b.state(0), build::mole_fraction(&mut b, 0));
    b.states = vec![b.add(state, x)];
    let shape = graph.shape(b);
    let iterations = species.map(|k| build::step(shape, vec![], vec![], vec![k as u32])).collect();
    let mut b = Body::default();
    let total = build::scalar_of(&mut b, &SCALARS, scalar::CONCENTRATION);
    let state = b.state(0);
    b.values = vec![b.mul(state, total)];
    let (prologue, epilogue) = (build::empty_sums(graph, 1), build::step(graph.shape(b), vec![], vec![], vec![]));
    finish(graph, "total", prologue, iterations, epilogue)
}

fn sum(
    graph: &mut Graph,
    sources: &Sources<'_>,
    start: Option<Value>,
    terms: &[(SpeciesIndex, f64)],
    name: &str,
) -> Value {
    let iterations = terms.iter().map(|&(k, weight)| {
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
    let iterations = iterations.collect();
    let prologue = match start {
        None => build::empty_sums(graph, 1),
        Some(total) => {
            let mut b = Body::default();
            b.states = vec![b.input(0)];
            build::step(graph.shape(b), vec![], vec![total], vec![])
        }
    };
    let mut b = Body::default();
    b.values = vec![b.state(0)];
    let epilogue = build::step(graph.shape(b), vec![], vec![], vec![]);
    finish(graph, name, prologue, iterations, epilogue)
}

fn finish(graph: &mut Graph, name: &str, prologue: Step, iterations: Vec<Step>, epilogue: Step) -> Value {
    let operation = Operation {
        name: name.replace('_', " "),
        states: 1,
        prologue: Some(prologue),
        iterations,
        ordered: false,
        epilogue,
    };
    let op = graph.add(operation, |_, _| name.to_owned());
    graph.ops[op].epilogue.outputs[0]
}
