//! Diffusion with constant Lewis numbers: D_k = lambda/(rho cp Le_k), with the mixture's conductivity in any of its forms.
//!
//! rho cp = P/(R T) sum X_k cp_k, also where the sum of X_k is not 1. The species are cut into one block per warp; each block sums its species.

use super::together::{self, Known};
use crate::build::{self, OUTPUT, Operands, SCALARS, scalar, scalar_of, single};
use crate::options::Options;
use crate::thermodynamics::{begin, energy};
use graph::dataflow::{Graph, Operation, Step, Value};
use kinetics::Model;
use kinetics::constants::GAS_CONSTANT;

/// `conductivity` is of temperature, pressure and mole fractions in SI units; `numbers` are the species' Lewis numbers.
pub fn build(model: &Model, options: &Options, mut conductivity: Graph, numbers: &[f64]) -> Graph {
    let mut scalars = together::scalars(std::slice::from_ref(&conductivity));
    scalars.retain(|which| !SCALARS.contains(which));
    let scalars = [&SCALARS[..], &scalars].concat();
    let mut graph = begin::begin("diffusion", model, options, "diffusion", numbers.len() as u32, &scalars);
    let lambda = together::values(&mut graph, &mut conductivity, &mut Known::new())[0];
    let capacities = capacities(&mut graph, model, options);
    let common = diffusivity(&mut graph, lambda, &capacities);
    for ((k, species), number) in model.species().iter().enumerate().zip(numbers) {
        let mut o = Operands::default();
        let (common, inverse) = (o.input(common), o.constant(1.0 / number));
        o.body.stores = vec![o.body.mul(common, inverse)];
        let step = Step { stores: vec![(OUTPUT, k as u32)], ..o.into_step(&mut graph) };
        graph.add_stores(single(format!("row {}", species.name), step));
    }
    graph
}

/// The parts of sum X cp/R.
fn capacities(graph: &mut Graph, model: &Model, options: &Options) -> Vec<Value> {
    let species = model.species();
    let mut parts = Vec::new();
    for block in build::blocks(species.len(), options.warps as usize) {
        let name = format!("heat capacities {}..{}", block.start, block.end);
        let iterations = block.map(|k| {
            let mut o = Operands::default();
            let capacity = energy::capacity(&mut o, &species[k].thermo, 0.0);
            let (x, sum) = (o.fraction(k), o.body.state(0));
            o.body.states = vec![o.body.fma(x, capacity, sum)];
            o.into_step(graph)
        });
        let iterations = iterations.collect();
        let (prologue, epilogue) = (Some(build::empty_sums(graph, 1)), build::passed_on(graph, 1));
        let operation = Operation { name: name.clone(), states: 1, prologue, iterations, ordered: false, epilogue };
        let op = graph.add(operation, |_, _| name.clone());
        parts.extend(&graph.ops[op].epilogue.outputs);
    }
    parts
}

/// lambda/(rho cp)
fn diffusivity(graph: &mut Graph, lambda: Value, capacities: &[Value]) -> Value {
    let iterations = capacities.iter().map(|&part| build::add_term(graph, part, 1.0)).collect();
    let mut o = Operands::default();
    let (lambda, sum, gas_constant) = (o.input(lambda), o.body.state(0), o.body.literal(GAS_CONSTANT));
    let total = scalar_of(&mut o.body, &SCALARS, scalar::CONCENTRATION);
    let molar = o.body.mul(sum, gas_constant);
    let per_volume = o.body.mul(total, molar);
    o.body.values = vec![o.body.div(lambda, per_volume)];
    let (prologue, epilogue) = (Some(build::empty_sums(graph, 1)), o.into_step(graph));
    let name = "thermal diffusivity".to_owned();
    let operation = Operation { name: name.clone(), states: 1, prologue, iterations, ordered: false, epilogue };
    let op = graph.add(operation, |_, _| name.clone());
    graph.ops[op].epilogue.outputs[0]
}
