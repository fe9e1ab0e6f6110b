//! Inputs of reactions: concentrations, values for equilibria, third bodies, and shared parts of rate constants.

use crate::build::{self, SCALARS, scalar, single, step};
use crate::options::{Form, Options};
use crate::rates::log_space::{self, LogSpace};
use crate::rates::plan::Plan;
use crate::rates::sources::{self, Sources};
use crate::rates::{activity, third_body, troe};
use crate::thermodynamics::{formation, gibbs};
use graph::body::Body;
use graph::dataflow::{Graph, Step, Value};
use kinetics::Model;
use mechanism::{Collider, Rate, Reaction, Reverse};

/// Adds the inputs of reactions: concentrations, values for equilibria, third bodies, and shared parts of rate constants. `with_inverses`
/// adds 1/K of the species that have activities.
pub fn sources<'a>(
    graph: &mut Graph,
    model: &Model,
    options: &Options,
    plans: &[Plan],
    scalars: &'a [u32],
    with_inverses: bool,
) -> Sources<'a> {
    let mut sources = match options.form {
        Form::LogSpace => log_space_sources(graph, model, options, plans, scalars, with_inverses),
        _ => Sources {
            scalars,
            concentrations: concentrations(graph, model, options, plans),
            gibbs: gibbs_energies(graph, model, plans, |_| true),
            transported: model.species().len(),
            third_bodies: Vec::new(),
            log_space: None,
        },
    };
    third_body::add(graph, &model.mechanism, plans, &mut sources);
    if sources.log_space.is_some() {
        troe::shared(graph, &model.mechanism, plans, &mut sources);
    }
    sources
}

/// [`SCALARS`], and those that only some rate forms need.
pub fn scalars(reactions: &[Reaction]) -> Vec<u32> {
    let landau_teller =
        |r: &Reaction| matches!(r.rate, Rate::LandauTeller(..)) || matches!(r.reverse, Reverse::Explicit(_, Some(_)));
    let tabulated = |r: &Reaction| matches!(r.rate, Rate::Plog(_) | Rate::Chebyshev(_));
    let cube_root = reactions.iter().any(landau_teller).then_some(scalar::CUBE_ROOT);
    let ln_pressure = reactions.iter().any(tabulated).then_some(scalar::LN_PRESSURE);
    SCALARS.into_iter().chain(cube_root).chain(ln_pressure).collect()
}

/// Activities for the reactions that they serve, Gibbs energies for the others.
fn log_space_sources<'a>(
    graph: &mut Graph,
    model: &Model,
    options: &Options,
    plans: &[Plan],
    scalars: &'a [u32],
    with_inverses: bool,
) -> Sources<'a> {
    let formation = formation::constants(&model.mechanism);
    graph.range = Some(formation::TEMPERATURES);
    let reactions = model.mechanism.reactions.iter();
    let serves: Vec<bool> = reactions.map(|r| options.activities && activity::serves(r, &formation)).collect();
    let gibbs = gibbs_energies(graph, model, plans, |i| !serves[i]);
    let staged = if options.stage_inputs {
        concentrations_needed(model, plans, false, |i| serves[i])
    } else {
        vec![false; model.mechanism.species.len()]
    };
    let exponential = options.exponential;
    // If values are scarce, powers are not shared either.
    let powers =
        if options.activities { log_space::powers(graph, &model.mechanism, plans, exponential) } else { Vec::new() };
    // Quasi-steady species are solved for with most concentrations at hand, and their computations keep more by having these apart.
    let is_separate = options.warps == 1 && model.mechanism.reduction.is_none();
    let read = activity::Read { concentrations: &staged, inverses: with_inverses, is_separate };
    let activities = activity::add(graph, model, plans, serves, &formation, read, exponential);
    Sources {
        scalars,
        concentrations: activities.concentration.clone(),
        gibbs,
        transported: model.species().len(),
        third_bodies: Vec::new(),
        log_space: Some(LogSpace { exponential, activities, powers, colliders: Vec::new(), centers: Vec::new() }),
    }
}

/// Concentrations in kmol/m3.
fn concentrations(graph: &mut Graph, model: &Model, options: &Options, plans: &[Plan]) -> Vec<Option<Value>> {
    if !options.stage_inputs {
        return vec![None; model.mechanism.species.len()];
    }
    let mut b = Body::default();
    let c = build::loaded_concentration(&mut b, &SCALARS, 0);
    b.values = vec![c];
    let shape = graph.shape(b);
    let needed = concentrations_needed(model, plans, true, |_| false);
    species_values(graph, model, "concentration", &needed, |_, k| step(shape, vec![], vec![], vec![k as u32]))
}

/// The species whose concentrations are read, where some reactions are `by_activity`; `all` where third bodies read all.
fn concentrations_needed(model: &Model, plans: &[Plan], all: bool, by_activity: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut needed = vec![false; model.mechanism.species.len()];
    for &k in model.mechanism.stiff() {
        needed[k] = true;
    }
    for (i, (r, plan)) in model.mechanism.reactions.iter().zip(plans).enumerate() {
        if plan.live == [false; 2] {
            continue;
        }
        for c in r.third_body.iter().cloned().chain(sources::colliders(&r.rate, model.species().len())) {
            match c {
                Collider::Species(k) => needed[k] = true,
                Collider::Mixture(_) if all => needed.fill(true),
                Collider::Mixture(efficiencies) => efficiencies.iter().for_each(|&(k, _)| needed[k] = true),
            }
        }
        if plan.live[1] && by_activity(i) {
            continue;
        }
        let orders = r.forward_orders.iter().chain(&r.reverse_orders);
        for &(k, _) in r.reactants.iter().chain(&r.products).chain(orders) {
            needed[k] = true;
        }
    }
    needed[model.species().len()..].fill(false);
    needed
}

/// -g/RT of each species for which a reaction of some needs an equilibrium constant.
fn gibbs_energies(graph: &mut Graph, model: &Model, plans: &[Plan], of: impl Fn(usize) -> bool) -> Vec<Option<Value>> {
    let species = &model.mechanism.species;
    let mut needed = vec![false; species.len()];
    let reactions = model.mechanism.reactions.iter().zip(plans);
    let reversed =
        reactions.enumerate().filter(|(i, (r, plan))| plan.live[1] && r.reverse == Reverse::Equilibrium && of(*i));
    for (_, (r, _)) in reversed {
        for &(k, _) in r.reactants.iter().chain(&r.products) {
            needed[k] = true;
        }
    }
    species_values(graph, model, "gibbs", &needed, |graph, k| gibbs::step(graph, &species[k].thermo))
}

/// Adds -g/RT of the species of all reactions that have none yet, for equilibrium constants of reactions that do not go back by them.
pub fn gibbs(graph: &mut Graph, model: &Model, sources: &mut Sources<'_>) {
    let species = &model.mechanism.species;
    let mut needed = vec![false; species.len()];
    for r in &model.mechanism.reactions {
        r.reactants.iter().chain(&r.products).for_each(|&(k, _)| needed[k] = sources.gibbs[k].is_none());
    }
    let added = species_values(graph, model, "gibbs", &needed, |graph, k| gibbs::step(graph, &species[k].thermo));
    for (value, added) in sources.gibbs.iter_mut().zip(added) {
        *value = value.or(added);
    }
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
                graph.ops[op].epilogue.outputs[0]
            })
        })
        .collect()
}
