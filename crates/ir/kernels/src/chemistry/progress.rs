//! Rates of reactions one by one: rate constants, equilibrium constants, rates of progress, and production and destruction of
//! species apart (CHEMKIN-II, SAND89-8009, sections II.5 to II.8).
//!
//! Operations: what reactions read (see [`inputs`](super::inputs)), the rates of each reaction, the sums of each species.

use super::inputs::{gibbs, scalars, sources};
use crate::build::{self, Operands, single};
use crate::options::{Form, Kernel, Options, Output, Rows};
use crate::rates::equilibrium;
use crate::rates::plan::{self, Plan};
use crate::rates::reaction::{directions, orders, rate_constant, rate_of};
use crate::rates::sources::Sources;
use crate::thermodynamics::begin;
use graph::Units;
use graph::body::Id;
use graph::dataflow::{Graph, Operation, Step, Value};
use kinetics::{Model, Stiffness};
use mechanism::{Reaction, Reverse, SpeciesIndex};

/// A quantity, and its first row.
type Place = (Output, u32);

/// The form with logarithms has no rate constants. The mechanism must have no reduction: rates of quasi-steady species have no concentrations to be made of.
pub fn build(model: &Model, options: &Options) -> Graph {
    let mechanism = &model.mechanism;
    let outputs = options.outputs.for_kernel(Kernel::Progress);
    let sizes = Rows { species: model.species().len(), reactions: mechanism.reactions.len() };
    let rows = outputs.iter().map(|output| output.rows(sizes)).sum::<usize>() as u32;
    // Activities make no rate constants.
    let has_constants = |output: &Output| matches!(output, Output::ForwardRateConstants | Output::ReverseRateConstants);
    let form = if outputs.iter().any(has_constants) { Form::Pairwise } else { options.form };
    let options = &Options { form, ..*options };
    let scalars = scalars(&mechanism.reactions);
    let mut graph = begin::begin("progress", model, options, "reaction_rates", rows, &scalars);
    let places = build::name_rows(&mut graph, &outputs, sizes);
    let plans: Vec<Plan> = mechanism.reactions.iter().map(|r| plan::plan(mechanism, r, Stiffness::Off)).collect();
    let mut sources = sources(&mut graph, model, options, &plans, &scalars, false);
    if outputs.contains(&Output::EquilibriumConstants) {
        gibbs(&mut graph, model, &mut sources);
    }
    let is_summed = outputs.iter().any(|output| matches!(output, Output::CreationRates | Output::DestructionRates));
    let reactions = mechanism.reactions.iter().enumerate();
    let rates: Vec<[Option<Value>; 2]> = reactions
        .map(|numbered| of_reaction(&mut graph, numbered, (&sources, options.units), &places, is_summed))
        .collect();
    for &(output, first) in &places {
        // A direction makes the species that the other destroys.
        let made_by = match output {
            Output::CreationRates => [1, 0],
            Output::DestructionRates => [0, 1],
            _ => continue,
        };
        for (k, species) in model.species().iter().enumerate() {
            let name = format!("{} {}", output.name(), species.name);
            let terms = terms(&mechanism.reactions, &rates, k, made_by);
            sum(&mut graph, &name, terms, first + k as u32);
        }
    }
    graph
}

/// The operation of a reaction: stores what is asked for, and returns its rates where they are read.
fn of_reaction(
    graph: &mut Graph,
    (i, r): (usize, &Reaction),
    (sources, units): (&Sources<'_>, Units),
    places: &[Place],
    are_read: bool,
) -> [Option<Value>; 2] {
    let mut o = Operands::default();
    let output = graph.arrays.len() as u32 - 1;
    let sides = [(&r.reactants, &r.forward_orders), (&r.products, &r.reverse_orders)];
    let orders = sides.map(|(side, replaced)| orders(side, replaced));
    let (constants, rates) = if sources.log_space.is_some() {
        let live = [true, r.reverse != Reverse::Irreversible];
        ([None; 2], directions(&mut o, i, r, live, sources))
    } else {
        let forward = rate_constant(&mut o, r, sources);
        let constants = [Some(forward), equilibrium::reverse_constant(&mut o, r, sources, forward)];
        let rate = |d: usize| constants[d].map(|constant| rate_of(&mut o, r, sources, constant, &orders[d]));
        (constants, [0, 1].map(rate))
    };
    let mut stores = Vec::new();
    for &(quantity, first) in places {
        let stored = match quantity {
            Output::ForwardRateConstants => constants[0].map(|value| constant(&mut o, r, units, value, &orders[0])),
            Output::ReverseRateConstants => constants[1].map(|value| constant(&mut o, r, units, value, &orders[1])),
            Output::EquilibriumConstants => Some(equilibrium_constant(&mut o, r, units, sources)),
            Output::ForwardRates => rates[0],
            Output::ReverseRates => rates[1],
            Output::NetRates => match rates {
                [Some(ahead), Some(back)] => Some(o.body.sub(ahead, back)),
                [ahead, _] => ahead,
            },
            _ => continue,
        };
        let stored = stored.unwrap_or_else(|| o.body.literal(0.0));
        o.body.stores.push(stored);
        stores.push((output, first + i as u32));
    }
    let mut read = rates.map(|rate| rate.filter(|_| are_read));
    o.body.values = read.iter().flatten().copied().collect();
    if o.body.values.is_empty() && stores.is_empty() {
        return [None; 2];
    }
    let name = format!("rates {}", i + 1);
    let step = Step { stores, ..o.into_step(graph) };
    let op = graph.add(single(name.clone(), step), |_, n| format!("{name} {}", ["forward", "reverse"][n]));
    let mut values = graph.ops[op].epilogue.outputs.iter().copied();
    let mut take = |rate: &mut Option<Id>| rate.take().and_then(|_| values.next());
    let [ahead, back] = &mut read;
    [take(ahead), take(back)]
}

/// A rate constant in the units of the arrays: (volume/amount)^(n-1)/s, n the order with a third body counted.
fn constant(o: &mut Operands, r: &Reaction, units: Units, constant: Id, orders: &[(SpeciesIndex, f64)]) -> Id {
    let order: f64 = orders.iter().map(|(_, order)| order).sum();
    scaled(o, units, constant, order - 1.0 + f64::from(u8::from(r.third_body.is_some())))
}

/// Kc in the units of the arrays: (amount/volume)^n, n = sum nu'' - sum nu'.
fn equilibrium_constant(o: &mut Operands, r: &Reaction, units: Units, sources: &Sources<'_>) -> Id {
    let total = |side: &[(SpeciesIndex, f64)]| side.iter().map(|(_, nu)| nu).sum::<f64>();
    let value = equilibrium::constant(o, r, sources);
    scaled(o, units, value, total(&r.reactants) - total(&r.products))
}

/// A number in (m3/kmol)^power, in the units of the arrays.
fn scaled(o: &mut Operands, units: Units, value: Id, power: f64) -> Id {
    // 1 m3/kmol is 1000 cm3/mol.
    let factor = if units == Units::Cgs { 1e3f64.powf(power) } else { 1.0 };
    if factor == 1.0 {
        return value;
    }
    let factor = o.constant(factor);
    o.body.mul(value, factor)
}

/// (rate, coefficient) of what a species is made of, where the directions make it of these sides: products are 1.
fn terms(
    reactions: &[Reaction],
    rates: &[[Option<Value>; 2]],
    k: SpeciesIndex,
    made_by: [usize; 2],
) -> Vec<(Value, f64)> {
    let mut terms = Vec::new();
    for (r, rates) in reactions.iter().zip(rates) {
        for (rate, side) in rates.iter().zip(made_by) {
            let side = if side == 1 { &r.products } else { &r.reactants };
            let nu: f64 = side.iter().filter(|(j, _)| *j == k).map(|(_, nu)| nu).sum();
            terms.extend(rate.filter(|_| nu != 0.0).map(|rate| (rate, nu)));
        }
    }
    terms
}

/// Stores a sum of rates with their coefficients.
fn sum(graph: &mut Graph, name: &str, terms: Vec<(Value, f64)>, row: u32) {
    let iterations: Vec<Step> = terms.into_iter().map(|(value, nu)| build::add_term(graph, value, nu)).collect();
    let output = graph.arrays.len() as u32 - 1;
    let mut o = Operands::default();
    let total = if iterations.is_empty() { o.body.literal(0.0) } else { o.body.state(0) };
    o.body.stores.push(total);
    let epilogue = Step { stores: vec![(output, row)], ..o.into_step(graph) };
    let prologue = Some(build::empty_sums(graph, 1));
    let operation = Operation { name: name.to_owned(), states: 1, prologue, iterations, ordered: false, epilogue };
    graph.add(operation, |_, _| name.to_owned());
}
