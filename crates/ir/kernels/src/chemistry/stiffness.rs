//! Scale of each stiff species' destruction: gross rates summed over reactions, then the relaxation to its
//! quasi-steady concentration within one step (Lu, Law, Yoo & Chen, Combust. Flame 156 (2009) 1542; paper Listing 4).

use super::stages::Rates;
use crate::build::{self, Operands, TIME_STEP, TRANSPORT_SOURCE, single};
use crate::rates::plan::{DIRECTIONS, sides};
use crate::rates::sources::Sources;
use graph::body::Body;
use graph::dataflow::{Graph, Operation, Step, Value};
use mechanism::{Mechanism, SpeciesIndex};

/// Adds the value 1/dt, which all stiff species read.
pub fn per_step(graph: &mut Graph) -> Value {
    let mut o = Operands::default();
    let (one, step) = (o.body.literal(1.0), o.field(TIME_STEP, 0));
    o.body.values = vec![o.body.div(one, step)];
    let step = o.into_step(graph);
    let op = graph.add(single("inverse time step".to_owned(), step), |_, _| "inverse time step".to_owned());
    graph.ops[op].epilogue.outputs[0]
}

/// Adds the operation of one stiff species; its value is 1 where the species is slow enough.
pub fn add(
    graph: &mut Graph,
    mechanism: &Mechanism,
    k: SpeciesIndex,
    rates: &[Option<Rates>],
    (sources, per_step): (&Sources<'_>, Value),
) -> Value {
    let mut iterations = Vec::new();
    for (r, rates) in mechanism.reactions.iter().zip(rates) {
        let staged = rates.iter().flat_map(|rates| &rates.staged).find(|(j, _)| *j == k);
        let Some((_, values)) = staged else { continue };
        let of = |side: &[(SpeciesIndex, f64)]| side.iter().find(|(j, _)| *j == k).map_or(0.0, |(_, nu)| *nu);
        let mut terms = Vec::new();
        for d in DIRECTIONS {
            let (from, to) = sides(r, d);
            if let Some(rate) = values[d] {
                terms.extend([(0, of(from), rate), (1, of(to), rate)]);
            }
        }
        terms.retain(|&(_, nu, _)| nu != 0.0);
        // Destruction first: most reactions then have one shape, whichever side the species is on.
        terms.sort_by_key(|&(state, ..)| state);
        iterations.push(iteration(graph, &terms));
    }
    let name = &mechanism.species[k].name;
    let prologue = build::empty_sums(graph, 2);
    let epilogue = ratio(graph, k, mechanism.species[k].weight, (sources, per_step));
    let operation = Operation {
        name: format!("stiffness {name}"),
        states: 2,
        prologue: Some(prologue),
        iterations,
        ordered: false,
        epilogue,
    };
    let op = graph.add(operation, |_, _| format!("ratio {name}"));
    graph.ops[op].epilogue.outputs[0]
}

/// Adds (state, coefficient, rate) terms to the two sums.
fn iteration(graph: &mut Graph, terms: &[(u32, f64, Value)]) -> Step {
    let mut o = Operands::default();
    let mut sums = [o.body.state(0), o.body.state(1)];
    for &(state, nu, rate) in terms {
        let sum = sums[state as usize];
        let rate = o.input(rate);
        sums[state as usize] = if nu == 1.0 {
            o.body.add(sum, rate)
        } else {
            let nu = o.constant(nu);
            o.body.fma(nu, rate, sum)
        };
    }
    o.body.states = sums.to_vec();
    o.into_step(graph)
}

/// (creation + source + (c - steady)/dt)/destruction with steady = c (creation + source)/destruction; 1 where
/// destruction <= 2 c/dt. The stiff species are one chain of operations, so that there is a single division in it.
fn ratio(graph: &mut Graph, k: SpeciesIndex, weight: f64, (sources, per_step): (&Sources<'_>, Value)) -> Step {
    let mut o = Operands::default();
    let (destruction, creation) = (o.body.state(0), o.body.state(1));
    let c = o.concentration(sources, k);
    let source = o.field(TRANSPORT_SOURCE, k as u32);
    let per_step = o.input(per_step);
    let per_weight = o.constant(1.0 / weight);
    let b: &mut Body = &mut o.body;
    let supply = b.fma(source, per_weight, creation);
    let (one, two) = (b.literal(1.0), b.literal(2.0));
    let lifetime = b.div(one, destruction);
    let balance = b.mul(supply, lifetime);
    let steady = b.mul(c, balance);
    let excess = b.sub(c, steady);
    let total = b.fma(excess, per_step, supply);
    let ratio = b.mul(total, lifetime);
    let twice = b.mul(two, c);
    let slow = b.mul(twice, per_step);
    b.values = vec![b.select_le(destruction, slow, one, ratio)];
    o.into_step(graph)
}
