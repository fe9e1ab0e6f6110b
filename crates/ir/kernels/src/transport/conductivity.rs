//! Mixture conductivity after Mathur et al. (Mol. Phys. 12 (1967) 569): lambda = (sum x_k lambda_k + 1/sum x_k/lambda_k)/2.
//!
//! The species are cut into one block per warp; each block sums its species, one last operation sums the blocks.

use crate::build::{self, OUTPUT, scalar, step};
use crate::options::Options;
use crate::thermodynamics::begin;
use graph::body::Body;
use graph::dataflow::{Graph, Operation, Shape, Step};
use kinetics::{Model, TransportFits};

const SCALARS: [u32; 1] = [scalar::LN_TEMPERATURE];

pub fn build(model: &Model, fits: &TransportFits, options: &Options) -> Graph {
    let mut graph = begin::begin("conductivity", model, options, "conductivity", 1, &SCALARS);
    let iteration = {
        let mut b = Body::default();
        let ln_t = build::scalar_of(&mut b, &SCALARS, scalar::LN_TEMPERATURE);
        let fit = b.polynomial(ln_t, 0, 3);
        let x = build::mole_fraction(&mut b, 0);
        let lambda = b.exp(fit);
        let minus = b.neg(fit);
        let inverse = b.exp(minus);
        let (sum, sum_inverse) = (b.state(0), b.state(1));
        let sum = b.fma(x, lambda, sum);
        let sum_inverse = b.fma(x, inverse, sum_inverse);
        b.states = vec![sum, sum_inverse];
        graph.shape(b)
    };
    let constants: Vec<Vec<f64>> = fits.conductivity.iter().map(|c| c.to_vec()).collect();
    sums(&mut graph, options, iteration, &constants);
    graph
}

/// Both sums over the species and the mean; `iteration` adds species k to the two running sums with `constants[k]`.
fn sums(graph: &mut Graph, options: &Options, iteration: Shape, constants: &[Vec<f64>]) {
    let prologue = build::empty_sums(graph, 2);
    let partial = {
        let mut b = Body::default();
        b.values = vec![b.state(0), b.state(1)];
        graph.shape(b)
    };
    let mut partials = Vec::new();
    for range in build::blocks(constants.len(), options.warps as usize) {
        let operation = Operation {
            name: format!("block {}..{}", range.start, range.end),
            states: 2,
            prologue: Some(prologue.clone()),
            iterations: range.clone().map(|k| step(iteration, constants[k].clone(), vec![], vec![k as u32])).collect(),
            ordered: false,
            epilogue: step(partial, vec![], vec![], vec![]),
        };
        let op = graph.add(operation, |_, i| format!("{} {}", ["sum", "inverse_sum"][i], range.start));
        partials.push(graph.ops[op].epilogue.outputs.clone());
    }

    let add = {
        let mut b = Body::default();
        let (sum, sum_inverse) = (b.state(0), b.state(1));
        let (x, y) = (b.input(0), b.input(1));
        b.states = vec![b.add(sum, x), b.add(sum_inverse, y)];
        graph.shape(b)
    };
    let epilogue = {
        let mut b = Body::default();
        let (sum, sum_inverse) = (b.state(0), b.state(1));
        let (one, half) = (b.literal(1.0), b.literal(0.5));
        let harmonic = b.div(one, sum_inverse);
        let both = b.add(sum, harmonic);
        let zero = build::zero_or_nan(&mut b, &SCALARS);
        b.stores = vec![b.fma(half, both, zero)];
        graph.shape(b)
    };
    let operation = Operation {
        name: "mixture".into(),
        states: 2,
        prologue: Some(prologue),
        iterations: partials.into_iter().map(|pair| step(add, vec![], pair, vec![])).collect(),
        ordered: false,
        epilogue: Step { shape: epilogue, stores: vec![(OUTPUT, 0)], ..Step::default() },
    };
    graph.add_stores(operation);
}
