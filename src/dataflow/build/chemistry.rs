//! Net production rates by reaction and species (paper section 3.4; spec sections 2, 3 and 6).
//!
//! Operations: the concentration and Gibbs energy of each species, one sum per distinct third body, the rate of progress
//! of each reaction, the production rate of each species.

use super::common::{self, TIME_STEP, TRANSPORT_SOURCE, scalar, single, step};
use super::reaction::{self, Operands, Sources};
use super::split::{self, Factor, Late, Plan, Rates};
use super::{Form, Options, gibbs, qssa, stiffness};
use crate::dataflow::body::Body;
use crate::dataflow::graph::{Array, Graph, Operation, Step, Value};
use crate::kinetics::{Model, Stiffness};
use crate::mechanism::{Collider, Rate, Reaction, Reverse};

/// The scalars that every chemistry kernel computes, in this order.
pub const SCALARS: [u32; 5] = [
    scalar::TEMPERATURE,
    scalar::LN_TEMPERATURE,
    scalar::INVERSE_TEMPERATURE,
    scalar::CONCENTRATION,
    scalar::LN_STANDARD_CONCENTRATION,
];

pub fn build(model: &Model, options: &Options) -> Graph {
    let mechanism = &model.mechanism;
    let stiffness = if mechanism.stiff().is_empty() { Stiffness::Off } else { options.stiffness };
    let scalars = scalars(&mechanism.reactions);
    let species = model.species().len();
    let mut graph = common::begin("chemistry", model, "production_rates", species as u32, &scalars);
    if stiffness != Stiffness::Off {
        let source = Array { name: "transport_source", rows: species as u32, output: false };
        graph.arrays.insert(TRANSPORT_SOURCE as usize, source);
        graph.arrays.insert(TIME_STEP as usize, Array { name: "time_step", rows: 1, output: false });
    }
    let plans: Vec<Plan> = mechanism.reactions.iter().map(|r| split::plan(mechanism, r, stiffness)).collect();
    let mut sources = Sources {
        scalars: &scalars,
        concentrations: options.stage_inputs.then(|| concentrations(&mut graph, model, &plans)),
        gibbs: gibbs_energies(&mut graph, model, &plans),
        transported: species,
        third_bodies: Vec::new(),
        lean: options.form == Form::Lean,
    };
    third_bodies(&mut graph, model, &plans, &mut sources);

    let mut progress: Vec<Option<Value>> = Vec::new();
    let mut rates: Vec<Option<Rates>> = Vec::new();
    let mut late = Late::new();
    for (i, (r, plan)) in mechanism.reactions.iter().zip(&plans).enumerate() {
        if plan.is_split(r) {
            let split = split::add(&mut graph, (i, r), plan, stiffness, &sources, &mut late);
            progress.push(split.as_ref().map(|rates| rates.progress));
            rates.push(split);
        } else {
            progress.push(Some(whole_reaction(&mut graph, (i, r), &sources)));
            rates.push(None);
        }
    }
    reduction(&mut graph, model, &Options { stiffness, ..*options }, &plans, &rates, &sources, late);
    production(&mut graph, model, &progress);
    graph
}

/// [`SCALARS`], and those that only some rate forms need.
fn scalars(reactions: &[Reaction]) -> Vec<u32> {
    let landau_teller =
        |r: &Reaction| matches!(r.rate, Rate::LandauTeller(..)) || matches!(r.reverse, Reverse::Explicit(_, Some(_)));
    let tabulated = |r: &Reaction| matches!(r.rate, Rate::Plog(_) | Rate::Chebyshev(_));
    let cube_root = reactions.iter().any(landau_teller).then_some(scalar::CUBE_ROOT);
    let ln_pressure = reactions.iter().any(tabulated).then_some(scalar::LN_PRESSURE);
    SCALARS.into_iter().chain(cube_root).chain(ln_pressure).collect()
}

/// A reaction of which only the net rate of progress is read.
fn whole_reaction(graph: &mut Graph, (i, r): (usize, &Reaction), sources: &Sources<'_>) -> Value {
    let step = reaction::step(graph, r, sources);
    let op =
        graph.add(single(format!("reaction {} {}", i + 1, r.equation), step), |_, _| format!("progress {}", i + 1));
    graph.ops[op].after.outputs[0]
}

/// Quasi-steady species, then stiff ones; their factors go back to the reactions.
fn reduction(
    graph: &mut Graph,
    model: &Model,
    options: &Options,
    plans: &[Plan],
    rates: &[Option<Rates>],
    sources: &Sources<'_>,
    late: Late,
) {
    let mechanism = &model.mechanism;
    let first = graph.ops.next_key();
    let solved = qssa::add(graph, mechanism, plans, rates);
    if let Some(warps) = options.qssa_warps.filter(|_| !solved.is_empty()) {
        graph.crew = Some(qssa::crew(graph, first, rates, warps));
    }
    let mut ratios: Vec<Option<Value>> = vec![None; mechanism.species.len()];
    let list = if options.stiffness == Stiffness::Off { &[] } else { mechanism.stiff() };
    for &k in list {
        ratios[k] = Some(stiffness::add(graph, mechanism, k, rates, sources));
    }
    for (at, input, factor) in late {
        let value = match factor {
            Factor::QuasiSteady(j) => solved[j],
            Factor::Stiff(k) => ratios[k].expect("every stiff species has its ratio"),
        };
        graph.connect(at, input, value);
    }
}

/// Concentrations in kmol/m3.
fn concentrations(graph: &mut Graph, model: &Model, plans: &[Plan]) -> Vec<Option<Value>> {
    let mut b = Body::default();
    let c = reaction::loaded_concentration(&mut b, &SCALARS, 0);
    b.values = vec![c];
    let shape = graph.shape(b);
    let mut needed = vec![false; model.mechanism.species.len()];
    for &k in model.mechanism.stiff() {
        needed[k] = true;
    }
    for (r, plan) in model.mechanism.reactions.iter().zip(plans) {
        if plan.live == [false; 2] {
            continue;
        }
        let colliders = [r.third_body.as_ref(), reaction::falloff_collider(&r.rate)];
        if colliders.into_iter().flatten().any(|c| matches!(c, Collider::Mixture(_))) {
            needed.fill(true);
        }
        for c in colliders.into_iter().flatten() {
            if let Collider::Species(k) = c {
                needed[*k] = true;
            }
        }
        let orders = r.forward_orders.iter().chain(&r.reverse_orders);
        for &(k, _) in r.reactants.iter().chain(&r.products).chain(orders) {
            needed[k] = true;
        }
    }
    needed[model.species().len()..].fill(false);
    species_values(graph, model, "concentration", &needed, |_, k| step(shape, vec![], vec![], vec![k as u32]))
}

/// -g/RT of each species whose reactions need an equilibrium constant.
fn gibbs_energies(graph: &mut Graph, model: &Model, plans: &[Plan]) -> Vec<Option<Value>> {
    let species = &model.mechanism.species;
    let mut needed = vec![false; species.len()];
    let reactions = model.mechanism.reactions.iter().zip(plans);
    for (r, _) in reactions.filter(|(r, plan)| plan.live[1] && r.reverse == Reverse::Equilibrium) {
        for &(k, _) in r.reactants.iter().chain(&r.products) {
            needed[k] = true;
        }
    }
    species_values(graph, model, "gibbs", &needed, |graph, k| gibbs::step(graph, &species[k].thermo))
}

fn species_values(
    graph: &mut Graph,
    model: &Model,
    what: &str,
    needed: &[bool],
    step: impl Fn(&mut Graph, usize) -> Step,
) -> Vec<Option<Value>> {
    let species = &model.mechanism.species;
    (0..species.len())
        .map(|k| {
            let name = format!("{what} {}", species[k].name);
            needed[k].then(|| {
                let step = step(graph, k);
                let op = graph.add(single(name.clone(), step), |_, _| name.clone());
                graph.ops[op].after.outputs[0]
            })
        })
        .collect()
}

/// One sum of alpha_k C_k per distinct vector of efficiencies; terms with alpha = 0 are left out.
fn third_bodies(graph: &mut Graph, model: &Model, plans: &[Plan], sources: &mut Sources<'_>) {
    let done = {
        let mut b = Body::default();
        b.values = vec![b.state(0)];
        graph.shape(b)
    };
    for (r, plan) in model.mechanism.reactions.iter().zip(plans) {
        if plan.live == [false; 2] {
            continue;
        }
        for collider in [r.third_body.as_ref(), reaction::falloff_collider(&r.rate)].into_iter().flatten() {
            let Collider::Mixture(efficiencies) = collider else { continue };
            if sources.third_bodies.iter().any(|(known, _)| known == efficiencies) {
                continue;
            }
            let rounds = (0..sources.transported).filter_map(|k| {
                let alpha = efficiencies.iter().find(|(j, _)| *j == k).map_or(1.0, |(_, alpha)| *alpha);
                (alpha != 0.0).then(|| {
                    let mut o = Operands::default();
                    let sum = o.body.state(0);
                    let c = o.concentration(sources, k);
                    let next = if alpha == 1.0 {
                        o.body.add(sum, c)
                    } else {
                        let alpha = o.constant(alpha);
                        o.body.fma(alpha, c, sum)
                    };
                    o.body.states = vec![next];
                    o.into_step(graph)
                })
            });
            let rounds = rounds.collect();
            let number = sources.third_bodies.len() + 1;
            let operation = Operation {
                name: format!("third body {number}"),
                states: 1,
                before: Some(common::zeros(graph, 1)),
                rounds,
                ordered: false,
                after: step(done, vec![], vec![], vec![]),
            };
            let op = graph.add(operation, |_, _| format!("third_body {number}"));
            let value = graph.ops[op].after.outputs[0];
            sources.third_bodies.push((efficiencies.clone(), value));
        }
    }
}

/// wdot_k = sum_i (nu''_ik - nu'_ik) q_i in kmol/m3/s.
fn production(graph: &mut Graph, model: &Model, progress: &[Option<Value>]) {
    let after = {
        let mut b = Body::default();
        b.stores = vec![b.state(0)];
        graph.shape(b)
    };
    let species = model.species();
    let mut rounds: Vec<Vec<Step>> = vec![Vec::new(); species.len()];
    for (r, value) in model.mechanism.reactions.iter().zip(progress) {
        // A reaction whose directions were all dropped makes nothing.
        let Some(value) = *value else { continue };
        let mut net: Vec<(usize, f64)> = Vec::new();
        for (list, sign) in [(&r.reactants, -1.0), (&r.products, 1.0)] {
            for &(k, nu) in list {
                match net.iter_mut().find(|(j, _)| *j == k) {
                    Some((_, sum)) => *sum += sign * nu,
                    None => net.push((k, sign * nu)),
                }
            }
        }
        for (k, nu) in net {
            if nu != 0.0 && k < species.len() {
                rounds[k].push(common::add_term(graph, value, nu));
            }
        }
    }
    let output = graph.arrays.len() as u32 - 1;
    for (k, rounds) in rounds.into_iter().enumerate() {
        let operation = Operation {
            name: format!("production {}", species[k].name),
            states: 1,
            before: Some(common::zeros(graph, 1)),
            rounds,
            ordered: false,
            after: Step { shape: after, stores: vec![(output, k as u32)], ..Step::default() },
        };
        graph.add(operation, |_, _| unreachable!("a production rate is stored, not passed on"));
    }
}
