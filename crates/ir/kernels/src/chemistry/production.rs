//! Net production rates by reaction and species (paper section 3.4; CHEMKIN-II, SAND89-8009).
//!
//! Operations: what reactions read (see [`inputs`](super::inputs)), the rate of progress of each reaction, the production rate of each
//! species.

use super::inputs::{scalars, sources};
use super::stages::{Late, Rates};
use super::{common_reactants, heat_release, logarithmic, qssa, split, stiffness, tendencies};
use crate::build::{self, Operands, TIME_STEP, TRANSPORT_SOURCE, scalar};
use crate::options::{Form, Kernel, Options, Output, Precision, Rows};
use crate::rates::plan::{self, Factor, Plan, net_coefficients};
use crate::rates::sources::Sources;
use crate::thermodynamics::begin;
use graph::dataflow::{Array, Graph, Operation, Step, Value};
use kinetics::reactor::Constant;
use kinetics::{Model, Stiffness};

/// Stores production rates, or what a constant makes of them.
pub fn build(model: &Model, options: &Options, constant: Option<Constant>) -> Graph {
    let mechanism = &model.mechanism;
    let stiffness = if mechanism.stiff().is_empty() { Stiffness::Off } else { options.stiffness };
    let mut scalars = scalars(&mechanism.reactions);
    if options.form == Form::LogSpace && !options.stage_inputs {
        scalars.push(scalar::SQUARED_CONCENTRATION);
    }
    let species = model.species().len();
    let sizes = Rows { species, reactions: model.mechanism.reactions.len() };
    let outputs = options.outputs.for_kernel(Kernel::Chemistry);
    let is_plain = outputs == [Output::ProductionRates];
    let (name, output, rows) = match constant {
        None if is_plain => ("chemistry", "production_rates", species),
        None => ("chemistry", "source_terms", outputs.iter().map(|output| output.rows(sizes)).sum()),
        Some(Constant::Pressure) => ("isobaric", "tendencies", species + 1),
        Some(Constant::Volume) => ("isochoric", "tendencies", species + 1),
    };
    let mut graph = begin::begin(name, model, options, output, rows as u32, &scalars);
    let places = match constant {
        None if is_plain => vec![(Output::ProductionRates, 0)],
        None => build::name_rows(&mut graph, &outputs, sizes),
        Some(_) => vec![],
    };
    if stiffness != Stiffness::Off {
        let source = Array { name: "transport_source", rows: species as u32, output: false };
        graph.arrays.insert(TRANSPORT_SOURCE as usize, source);
        graph.arrays.insert(TIME_STEP as usize, Array { name: "time_step", rows: 1, output: false });
    }
    let plans: Vec<Plan> = mechanism.reactions.iter().map(|r| plan::plan(mechanism, r, stiffness)).collect();
    if options.precision == Precision::Single {
        let progress = logarithmic::progress(&mut graph, model, &plans, &scalars);
        finish(&mut graph, model, &progress, &places, constant);
        return graph;
    }
    let sources = sources(&mut graph, model, options, &plans, &scalars, false);

    let groups = common_reactants::groups(mechanism, &plans, &sources, options.warps);
    let mut progress: Vec<Option<Value>> = vec![None; mechanism.reactions.len()];
    let mut rates: Vec<Option<Rates>> = Vec::new();
    let mut late = Late::new();
    let options = &Options { stiffness, ..*options };
    for (i, (r, plan)) in mechanism.reactions.iter().zip(&plans).enumerate() {
        if plan.is_split(r) {
            let split = split::add(&mut graph, i, r, plan, options, &sources, &mut late);
            progress[i] = split.as_ref().map(|rates| rates.progress);
            rates.push(split);
        } else {
            common_reactants::add(&mut graph, mechanism, &groups[i], &sources, &mut progress);
            rates.push(None);
        }
    }
    reduction(&mut graph, model, options, &plans, &rates, &sources, late);
    finish(&mut graph, model, &progress, &places, constant);
    graph
}

/// Adds the outputs that are made of the rates of progress.
fn finish(
    graph: &mut Graph,
    model: &Model,
    progress: &[Option<Value>],
    places: &[(Output, u32)],
    constant: Option<Constant>,
) {
    let heat = places.iter().find(|(output, _)| *output == Output::HeatReleaseRate).map(|&(_, row)| row);
    let rates = production(graph, model, progress, places, constant.is_some() || heat.is_some());
    if let Some(row) = heat {
        heat_release::heat_release(graph, model, &rates, row);
    }
    if let Some(constant) = constant {
        tendencies::add(graph, model, &rates, constant);
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
    if !list.is_empty() {
        let per_step = stiffness::per_step(graph);
        for &k in list {
            ratios[k] = Some(stiffness::add(graph, mechanism, k, rates, (sources, per_step)));
        }
    }
    for (at, input, factor) in late {
        let value = match factor {
            Factor::QuasiSteady(j) => solved[j],
            Factor::Stiff(k) => ratios[k].expect("every stiff species has its ratio"),
        };
        graph.connect(at, input, value);
    }
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
                iterations[k].push(build::add_term(graph, value, nu));
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
            prologue: Some(build::empty_sums(graph, 1)),
            iterations,
            ordered: false,
            epilogue: Step { stores, ..o.into_step(graph) },
        };
        let op = graph.add(operation, |_, _| name.clone());
        values.extend(graph.ops[op].epilogue.outputs.iter().copied());
    }
    values
}
