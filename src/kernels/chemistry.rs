//! Net production rates by reaction and species (paper section 3.4; CHEMKIN-II, SAND89-8009).
//!
//! Operations: the concentration and Gibbs energy of each species, one sum per distinct third body, the rate of progress
//! of each reaction, the production rate of each species.

use super::common::{self, TIME_STEP, TRANSPORT_SOURCE, scalar, single, step};
use super::log_space::{self, LogSpace};
use super::reaction::{self, Operands, Sources};
use super::split::{self, Factor, Late, Plan, Rates};
use super::{Form, Kernel, Options, Output, activity, common_reactants, formation, gibbs, qssa};
use super::{reactor, source, stiffness, third_body, troe};
use crate::graph::body::Body;
use crate::graph::dataflow::{Array, Graph, Operation, Step, Value};
use kinetics::reactor::Constant;
use kinetics::{Model, Stiffness};
use mechanism::{Collider, Rate, Reaction, Reverse};

/// The scalars that every chemistry kernel computes, in this order.
pub const SCALARS: [u32; 5] = [
    scalar::TEMPERATURE,
    scalar::LN_TEMPERATURE,
    scalar::INVERSE_TEMPERATURE,
    scalar::CONCENTRATION,
    scalar::LN_STANDARD_CONCENTRATION,
];

/// Stores production rates, or what a constant makes of them.
pub fn build(model: &Model, options: &Options, constant: Option<Constant>) -> Graph {
    let mechanism = &model.mechanism;
    let stiffness = if mechanism.stiff().is_empty() { Stiffness::Off } else { options.stiffness };
    let mut scalars = scalars(&mechanism.reactions);
    if options.form == Form::LogSpace && !options.stage_inputs {
        scalars.push(scalar::SQUARED_CONCENTRATION);
    }
    let species = model.species().len();
    let outputs = options.outputs.of(Kernel::Chemistry);
    let is_plain = outputs == [Output::ProductionRates];
    let (name, output, rows) = match constant {
        None if is_plain => ("chemistry", "production_rates", species),
        None => ("chemistry", "source_terms", outputs.iter().map(|output| output.rows(species)).sum()),
        Some(Constant::Pressure) => ("isobaric", "tendencies", species + 1),
        Some(Constant::Volume) => ("isochoric", "tendencies", species + 1),
    };
    let mut graph = common::begin(name, model, options, output, rows as u32, &scalars);
    let places = match constant {
        None if is_plain => vec![(Output::ProductionRates, 0)],
        None => common::name_rows(&mut graph, &outputs, species),
        Some(_) => vec![],
    };
    if stiffness != Stiffness::Off {
        let source = Array { name: "transport_source", rows: species as u32, output: false };
        graph.arrays.insert(TRANSPORT_SOURCE as usize, source);
        graph.arrays.insert(TIME_STEP as usize, Array { name: "time_step", rows: 1, output: false });
    }
    let plans: Vec<Plan> = mechanism.reactions.iter().map(|r| split::plan(mechanism, r, stiffness)).collect();
    let sources = sources(&mut graph, model, options, &plans, &scalars, false);

    let groups = common_reactants::of(mechanism, &plans, &sources, options.warps);
    let mut progress: Vec<Option<Value>> = vec![None; mechanism.reactions.len()];
    let mut rates: Vec<Option<Rates>> = Vec::new();
    let mut late = Late::new();
    let options = &Options { stiffness, ..*options };
    for (i, (r, plan)) in mechanism.reactions.iter().zip(&plans).enumerate() {
        if plan.is_split(r) {
            let split = split::add(&mut graph, (i, r), plan, options, &sources, &mut late);
            progress[i] = split.as_ref().map(|rates| rates.progress);
            rates.push(split);
        } else {
            common_reactants::add(&mut graph, mechanism, &groups[i], &sources, &mut progress);
            rates.push(None);
        }
    }
    reduction(&mut graph, model, options, &plans, &rates, &sources, late);
    let heat = places.iter().find(|(output, _)| *output == Output::HeatReleaseRate).map(|&(_, row)| row);
    let rates = production(&mut graph, model, &progress, &places, constant.is_some() || heat.is_some());
    if let Some(row) = heat {
        source::heat_release(&mut graph, model, &rates, row);
    }
    if let Some(constant) = constant {
        reactor::add(&mut graph, model, &rates, constant);
    }
    graph
}

/// What reactions read: concentrations, what equilibria need, third bodies, what rate constants share. `with_inverses`: 1/K of the
/// species that have activities, too.
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
    // Where values are scarce, powers are not shared either.
    let powers =
        if options.activities { log_space::powers(graph, &model.mechanism, plans, exponential) } else { Vec::new() };
    // Quasi-steady species are solved for with most concentrations at hand, and their computations keep more by having these apart.
    let apart = options.warps == 1 && model.mechanism.reduction.is_none();
    let read = activity::Read { concentrations: &staged, inverses: with_inverses, apart };
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
        graph.qssa_warps = Some(qssa::qssa_warps(graph, first, rates, warps));
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
fn concentrations(graph: &mut Graph, model: &Model, options: &Options, plans: &[Plan]) -> Vec<Option<Value>> {
    if !options.stage_inputs {
        return vec![None; model.mechanism.species.len()];
    }
    let mut b = Body::default();
    let c = reaction::loaded_concentration(&mut b, &SCALARS, 0);
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
        let colliders = [r.third_body.as_ref(), reaction::falloff_collider(&r.rate)];
        for c in colliders.into_iter().flatten() {
            match c {
                Collider::Species(k) => needed[*k] = true,
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

/// nu'' - nu' of the species that have any.
pub fn net_coefficients(r: &Reaction) -> Vec<(usize, f64)> {
    let mut net: Vec<(usize, f64)> = Vec::new();
    for (list, sign) in [(&r.reactants, -1.0), (&r.products, 1.0)] {
        for &(k, nu) in list {
            match net.iter_mut().find(|(j, _)| *j == k) {
                Some((_, sum)) => *sum += sign * nu,
                None => net.push((k, sign * nu)),
            }
        }
    }
    net.retain(|&(_, nu)| nu != 0.0);
    net
}

/// wdot_k = sum_i (nu''_ik - nu'_ik) q_i in kmol/m3/s: stored in the rows of these quantities, and returned where they are read.
fn production(
    graph: &mut Graph,
    model: &Model,
    progress: &[Option<Value>],
    places: &[(Output, u32)],
    are_read: bool,
) -> Vec<Value> {
    let species = model.species();
    let mut iterations: Vec<Vec<Step>> = vec![Vec::new(); species.len()];
    for (r, value) in model.mechanism.reactions.iter().zip(progress) {
        // A reaction whose directions were all dropped makes nothing.
        let Some(value) = *value else { continue };
        for (k, nu) in net_coefficients(r) {
            if k < species.len() {
                iterations[k].push(common::add_term(graph, value, nu));
            }
        }
    }
    let output = graph.arrays.len() as u32 - 1;
    let mut values = Vec::new();
    for (k, iterations) in iterations.into_iter().enumerate() {
        let mut o = Operands::default();
        // what no reaction makes has a rate of 0, not of -0
        let sum = if iterations.is_empty() { o.body.literal(0.0) } else { o.body.state(0) };
        let mut stores = Vec::new();
        for &(quantity, first) in places {
            let stored = match quantity {
                Output::ProductionRates => sum,
                Output::MassProductionRates => {
                    let weight = o.constant(species[k].weight);
                    o.body.mul(sum, weight)
                }
                _ => continue,
            };
            o.body.stores.push(stored);
            stores.push((output, first + k as u32));
        }
        o.body.values = if are_read { vec![sum] } else { vec![] };
        let name = format!("production {}", species[k].name);
        let operation = Operation {
            name: name.clone(),
            states: 1,
            prologue: Some(common::empty_sums(graph, 1)),
            iterations,
            ordered: false,
            epilogue: Step { stores, ..o.into_step(graph) },
        };
        let op = graph.add(operation, |_, _| name.clone());
        values.extend(graph.ops[op].epilogue.outputs.iter().copied());
    }
    values
}
