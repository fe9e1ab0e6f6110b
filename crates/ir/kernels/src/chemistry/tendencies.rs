//! From net production rates to the rates of change of mass fractions and temperature in a closed homogeneous ideal gas, at constant
//! pressure or volume (Kee, Coltrin & Glarborg, Chemically Reacting Flow, chapter 16).
//!
//! Operations: of each species its share of density and heat capacity; the sums of these; W_k wdot_k / rho of each species;
//! -T sum (h/RT) wdot / sum C cp/R. At constant volume energies stand for enthalpies: h/RT and cp/R are less by 1.

use crate::build::{self, Operands, SCALARS, scalar, scalar_of, single};
use crate::thermodynamics::energy::{self, capacity};
use graph::body::Body;
use graph::dataflow::{Graph, Operation, Step, Value};
use kinetics::Model;
use kinetics::reactor::Constant;

/// Adds the operations behind the production rates (kmol/m3/s, by species), and stores: a row of each species, then the temperature's.
pub fn add(graph: &mut Graph, model: &Model, production: &[Value], constant: Constant) {
    let output = graph.arrays.len() as u32 - 1;
    let species = model.species();
    let work = if constant == Constant::Volume { 1.0 } else { 0.0 };
    let properties: Vec<[Value; 2]> = (0..species.len()).map(|k| properties(graph, model, k, work)).collect();
    let [inverse_density, heating] = mixture(graph, &properties);
    for (k, &rate) in production.iter().enumerate() {
        let mut o = Operands::default();
        let (rate, inverse, weight) = (o.input(rate), o.input(inverse_density), o.constant(species[k].weight));
        let mass = o.body.mul(rate, weight);
        o.body.stores = vec![o.body.mul(mass, inverse)];
        let step = Step { stores: vec![(output, k as u32)], ..o.into_step(graph) };
        graph.add_stores(single(format!("mass fraction {}", species[k].name), step));
    }
    let iterations = energy::sum_of_energies(graph, species, production, work);
    let mut o = Operands::default();
    let heating = o.input(heating);
    let sum = o.body.state(0);
    o.body.stores = vec![o.body.mul(sum, heating)];
    let epilogue = Step { stores: vec![(output, species.len() as u32)], ..o.into_step(graph) };
    let prologue = Some(build::empty_sums(graph, 1));
    let operation = Operation { name: "temperature".into(), states: 1, prologue, iterations, ordered: false, epilogue };
    graph.add_stores(operation);
}

/// C W and C cp/R of a species, or what stands for them at constant volume.
fn properties(graph: &mut Graph, model: &Model, k: usize, work: f64) -> [Value; 2] {
    let species = &model.species()[k];
    let mut o = Operands::default();
    let capacity = capacity(&mut o, &species.thermo, work);
    let (concentration, weight) = (o.loaded(k), o.constant(species.weight));
    let mass = o.body.mul(concentration, weight);
    let heat = o.body.mul(concentration, capacity);
    o.body.values = vec![mass, heat];
    let step = o.into_step(graph);
    let names = ["mass", "heat capacity"];
    let op = graph
        .add(single(format!("properties {}", species.name), step), |_, n| format!("{} {}", names[n], species.name));
    let outputs = &graph.ops[op].epilogue.outputs;
    [outputs[0], outputs[1]]
}

/// 1/rho, and -T / sum C cp/R.
fn mixture(graph: &mut Graph, properties: &[[Value; 2]]) -> [Value; 2] {
    let iterations = properties.iter().map(|&[mass, heat]| {
        let mut o = Operands::default();
        let (mass, heat) = (o.input(mass), o.input(heat));
        let sums = [o.body.state(0), o.body.state(1)];
        o.body.states = vec![o.body.add(sums[0], mass), o.body.add(sums[1], heat)];
        o.into_step(graph)
    });
    let iterations: Vec<Step> = iterations.collect();
    let mut b = Body::default();
    let (mass, heat, one) = (b.state(0), b.state(1), b.literal(1.0));
    let t = scalar_of(&mut b, &SCALARS, scalar::TEMPERATURE);
    let inverse = b.div(one, mass);
    let minus = b.neg(t);
    b.values = vec![inverse, b.div(minus, heat)];
    let epilogue = build::step(graph.shape(b), vec![], vec![], vec![]);
    let prologue = Some(build::empty_sums(graph, 2));
    let operation = Operation { name: "mixture".into(), states: 2, prologue, iterations, ordered: false, epilogue };
    let op = graph.add(operation, |_, n| ["inverse density", "heating"][n].to_owned());
    let outputs = &graph.ops[op].epilogue.outputs;
    [outputs[0], outputs[1]]
}
