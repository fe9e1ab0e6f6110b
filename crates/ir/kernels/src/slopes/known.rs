//! Derivatives of the values that reactions read.

use std::collections::HashMap;

use super::reaction_slopes::{Known, along_temperature};
use super::slope::slope;
use crate::build::{Operands, SCALARS, SMALLEST, scalar, scalar_of, single};
use crate::rates::sources::{self, Sources};
use crate::thermodynamics::energy;
use graph::dataflow::{Graph, Value};
use kinetics::Model;
use mechanism::Reverse;

/// Derivatives of the values that reactions read.
pub fn known(graph: &mut Graph, model: &Model, sources: &Sources<'_>) -> Known {
    let mechanism = &model.mechanism;
    let mut known = Known {
        by_temperature: HashMap::new(),
        by_collider: HashMap::new(),
        formation: vec![None; mechanism.species.len()],
    };
    let name_of = |graph: &Graph, value: Value| format!("slope of {}", graph.values[value].name);
    for (k, value) in sources.gibbs.iter().enumerate() {
        let Some(value) = *value else { continue };
        let mut o = Operands::default();
        let enthalpy = energy::energy(&mut o, &mechanism.species[k].thermo, 0.0);
        let inverse = scalar_of(&mut o.body, &SCALARS, scalar::INVERSE_TEMPERATURE);
        o.body.values = vec![o.body.mul(enthalpy, inverse)];
        let name = name_of(graph, value);
        known.by_temperature.insert(value, add(graph, o, name));
    }
    let Some(log_space) = &sources.log_space else { return known };
    for &((b, e_over_r), value) in &log_space.powers {
        let mut o = Operands::default();
        let (power, b, e) = (o.input(value), o.constant(b), o.constant(e_over_r));
        let inverse = scalar_of(&mut o.body, &SCALARS, scalar::INVERSE_TEMPERATURE);
        let relative = o.body.fma(e, inverse, b);
        let relative = o.body.mul(relative, inverse);
        o.body.values = vec![o.body.mul(power, relative)];
        let name = name_of(graph, value);
        known.by_temperature.insert(value, add(graph, o, name));
    }
    for &(_, value) in &log_space.centers {
        let name = name_of(graph, value);
        let producer = graph.values[value].producer;
        let mut o = Operands::from_step(graph.step(producer), graph.body(producer));
        let own = o.body.values[0];
        let slope = slope(&mut o, own, &|o, inst| along_temperature(o, inst, sources.scalars, &known));
        o.body.values = vec![slope.unwrap_or_else(|| o.body.literal(0.0))];
        let slope = add(graph, o, name);
        known.by_temperature.insert(value, slope);
    }
    for (collider, value) in &log_space.colliders {
        let mut o = Operands::default();
        let m = sources::third_body(&mut o, sources, collider);
        let (smallest, factor) = (o.body.literal(SMALLEST), o.body.literal(std::f64::consts::LOG2_E));
        let floored = o.body.max(m, smallest);
        let slope = o.body.div(factor, floored);
        let zero = o.body.literal(0.0);
        o.body.values = vec![o.body.select_le(m, smallest, zero, slope)];
        let name = name_of(graph, *value);
        known.by_collider.insert(*value, add(graph, o, name));
    }
    let reversed = |i: usize| log_space.activities.serves[i] && mechanism.reactions[i].reverse == Reverse::Equilibrium;
    for r in (0..mechanism.reactions.len()).filter(|&i| reversed(i)).map(|i| &mechanism.reactions[i]) {
        for &(k, _) in r.reactants.iter().chain(&r.products) {
            if known.formation[k].is_none() {
                // d ln K/dT; element potentials cancel in a reaction.
                let species = &mechanism.species[k];
                let mut o = Operands::default();
                let enthalpy = energy::energy(&mut o, &species.thermo, 1.0);
                let inverse = scalar_of(&mut o.body, &SCALARS, scalar::INVERSE_TEMPERATURE);
                o.body.values = vec![o.body.mul(enthalpy, inverse)];
                known.formation[k] = Some(add(graph, o, format!("formation slope {}", species.name)));
            }
        }
    }
    known
}

/// 1/K by species, of those that have activities.
pub fn inverses(model: &Model, sources: &Sources<'_>) -> Vec<Option<Value>> {
    let activities = sources.log_space.as_ref().map(|log_space| &log_space.activities);
    activities.map_or(vec![None; model.mechanism.species.len()], |activities| activities.inverse.clone())
}

/// The value of a single step.
pub fn add(graph: &mut Graph, o: Operands, name: String) -> Value {
    let step = o.into_step(graph);
    let op = graph.add(single(name.clone(), step), |_, _| name.clone());
    graph.ops[op].epilogue.outputs[0]
}
