//! From net production rates to what they mean for mass and heat.

use crate::build::{self, Operands, SCALARS, scalar, scalar_of};
use crate::thermodynamics::energy;
use graph::dataflow::{Graph, Operation, Step, Value};
use kinetics::Model;
use kinetics::constants::GAS_CONSTANT;

/// Adds -sum h_k wdot_k in W/m3, of production rates in kmol/m3/s by species, and stores it in a row of the output.
pub fn heat_release(graph: &mut Graph, model: &Model, production: &[Value], row: u32) {
    let output = graph.arrays.len() as u32 - 1;
    let iterations = energy::sum_of_energies(graph, model.species(), production, 0.0);
    let mut o = Operands::default();
    let (sum, factor) = (o.body.state(0), o.body.literal(-GAS_CONSTANT));
    let t = scalar_of(&mut o.body, &SCALARS, scalar::TEMPERATURE);
    let heat = o.body.mul(factor, t);
    o.body.stores = vec![o.body.mul(sum, heat)];
    let epilogue = Step { stores: vec![(output, row)], ..o.into_step(graph) };
    let prologue = Some(build::empty_sums(graph, 1));
    let operation =
        Operation { name: "heat release".into(), states: 1, prologue, iterations, ordered: false, epilogue };
    graph.add_stores(operation);
}
