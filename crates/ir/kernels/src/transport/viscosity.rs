//! Wilke's mixture viscosity by species, pairwise and in logarithmic space (paper section 3.2; Wilke, J. Chem. Phys. 18 (1950) 517).
//!
//! For each ordered pair two constants, c1 = ln(W_j/W_k)/4 and c2 = 1/sqrt(1 + W_k/W_j):
//! mu = sqrt(8) sum_k x_k mu_k / sum_j x_j (1 + exp((ln mu_k - ln mu_j)/2 + c1))^2 c2.

use crate::build::{self, OUTPUT, scalar, single, step};
use crate::options::Options;
use crate::thermodynamics::begin;
use graph::body::Body;
use graph::dataflow::{Graph, Operation, Step, Value};
use kinetics::{Model, TransportFits};

const SCALARS: [u32; 1] = [scalar::LN_TEMPERATURE];

pub fn build(model: &Model, fits: &TransportFits, options: &Options) -> Graph {
    let species = model.species();
    let mut graph = begin::begin("viscosity", model, options, "viscosity", 1, &SCALARS);
    let sources = sources(&mut graph, model, fits, options.stage_inputs);

    let prologue = {
        let mut b = Body::default();
        let ln_t = build::scalar_of(&mut b, &SCALARS, scalar::LN_TEMPERATURE);
        let half = b.polynomial(ln_t, 0, 3);
        let empty = b.empty_sum();
        b.states = vec![empty, half];
        graph.shape(b)
    };
    let iteration = {
        let mut b = Body::default();
        let (sum, own) = (b.state(0), b.state(1));
        let other = b.input(0);
        let x = if options.stage_inputs { b.input(1) } else { build::mole_fraction(&mut b, 0) };
        let (c1, c2) = (b.constant(0), b.constant(1));
        let difference = b.sub(own, other);
        let exponent = b.add(difference, c1);
        let ratio = b.exp(exponent);
        let one = b.literal(1.0);
        let root = b.add(ratio, one);
        let square = b.mul(root, root);
        let weight = b.mul(x, c2);
        let sum = b.fma(square, weight, sum);
        b.states = vec![sum, own];
        graph.shape(b)
    };
    let epilogue = {
        let mut b = Body::default();
        let (sum, own) = (b.state(0), b.state(1));
        let x = build::mole_fraction(&mut b, 0);
        let ln_mu = b.add(own, own);
        let mu = b.exp(ln_mu);
        // A power of what is not a number is a number.
        let zero_or_nan = b.sub(own, own);
        let numerator = b.fma(x, mu, zero_or_nan);
        let value = b.div(numerator, sum);
        b.values = vec![value];
        graph.shape(b)
    };

    let mut contributions = Vec::new();
    for (k, this) in species.iter().enumerate() {
        let iterations = species.iter().enumerate().map(|(j, other)| {
            let (wk, wj) = (this.weight, other.weight);
            let constants = vec![(wj / wk).ln() / 4.0, 1.0 / (1.0 + wk / wj).sqrt()];
            let rows = if options.stage_inputs { vec![] } else { vec![j as u32] };
            step(iteration, constants, sources[j].clone(), rows)
        });
        let operation = Operation {
            name: format!("row {}", this.name),
            states: 2,
            prologue: Some(step(prologue, half_fit(fits, k), vec![], vec![])),
            iterations: iterations.collect(),
            ordered: false,
            epilogue: step(epilogue, vec![], vec![], vec![k as u32]),
        };
        let op = graph.add(operation, |_, _| format!("share {}", this.name));
        contributions.push(graph.ops[op].epilogue.outputs[0]);
    }
    mixture(&mut graph, &contributions);
    graph
}

/// Half the fit of ln mu, so that no step has to halve.
fn half_fit(fits: &TransportFits, k: usize) -> Vec<f64> {
    fits.viscosity[k].iter().map(|c| 0.5 * c).collect()
}

/// One operation per species: half its ln mu, and its mole fraction when inputs are staged.
fn sources(graph: &mut Graph, model: &Model, fits: &TransportFits, stage_inputs: bool) -> Vec<Vec<Value>> {
    let mut b = Body::default();
    let ln_t = build::scalar_of(&mut b, &SCALARS, scalar::LN_TEMPERATURE);
    let half = b.polynomial(ln_t, 0, 3);
    b.values = vec![half];
    if stage_inputs {
        let x = build::mole_fraction(&mut b, 0);
        b.values.push(x);
    }
    let shape = graph.shape(b);
    let species = model.species();
    (0..species.len())
        .map(|k| {
            let name = &species[k].name;
            let rows = if stage_inputs { vec![k as u32] } else { vec![] };
            let operation = single(format!("species {name}"), step(shape, half_fit(fits, k), vec![], rows));
            let op = graph.add(operation, |_, i| format!("{} {name}", ["half_ln_mu", "x"][i]));
            graph.ops[op].epilogue.outputs.clone()
        })
        .collect()
}

/// sqrt(8) times the sum of the species' shares.
fn mixture(graph: &mut Graph, contributions: &[Value]) {
    let prologue = build::empty_sums(graph, 1);
    let iteration = {
        let mut b = Body::default();
        let (sum, share) = (b.state(0), b.input(0));
        let sum = b.add(sum, share);
        b.states = vec![sum];
        graph.shape(b)
    };
    let epilogue = {
        let mut b = Body::default();
        let (sum, factor) = (b.state(0), b.literal(8f64.sqrt()));
        b.stores = vec![b.mul(sum, factor)];
        graph.shape(b)
    };
    let operation = Operation {
        name: "mixture".into(),
        states: 1,
        prologue: Some(prologue),
        iterations: contributions.iter().map(|&v| step(iteration, vec![], vec![v], vec![])).collect(),
        ordered: false,
        epilogue: Step { shape: epilogue, stores: vec![(OUTPUT, 0)], ..Step::default() },
    };
    graph.add_stores(operation);
}
