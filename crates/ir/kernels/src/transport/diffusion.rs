//! Mixture-averaged diffusion by staggered columns (paper section 3.3, Figure 5; the rule of TRANLIB,
//! SAND86-8246).
//!
//! Each d_ij = exp(-fit(ln T)) is computed once, by the block of adjacent columns that holds j: column c computes rows
//! c+1 ..= c+H modulo N. A block walks the offsets 1 ..= H; at offset o its columns meet m different rows, so that the
//! row sums slide through a window of m running values, and every offset completes the block's share of one row.
//! The numerator is summed over j != i without cancellation: the masses of the other blocks, then of the own block's
//! other species.

use super::pairs::{Block, Columns, WIDEST_BLOCK, blocks, clamp, clamped_fractions, even_blocks, mass};
use crate::build::{self, OUTPUT, PRESSURE, scalar, step};
use crate::options::Options;
use crate::thermodynamics::begin;
use graph::body::Body;
use graph::dataflow::{Graph, Operation, Step, Value};
use kinetics::constants::ATMOSPHERE;
use kinetics::{Model, TransportFits};

const SCALARS: [u32; 1] = [scalar::LN_TEMPERATURE];
/// exp gives exactly 0 here: the pair of a padded column.
const NO_PAIR: [f64; 4] = [-1000.0, 0.0, 0.0, 0.0];

pub fn build(model: &Model, fits: &TransportFits, options: &Options) -> Graph {
    let n = model.species().len();
    let mut graph = begin::begin("diffusion", model, options, "diffusion", n as u32, &SCALARS);
    let clamped = (options.stage_inputs && n > 2).then(|| clamped_fractions(&mut graph, model));

    let columns = Columns {
        n,
        constants: 4,
        pair: &|i, j| inverse_fit(fits, i, j, n).to_vec(),
        no_pair: NO_PAIR.to_vec(),
        function: &|b, first| {
            let ln_t = build::scalar_of(b, &SCALARS, scalar::LN_TEMPERATURE);
            let fit = b.polynomial(ln_t, first, first + 3);
            b.exp(fit)
        },
        clamped: clamped.as_deref(),
    };
    // For each row: the values whose sum is sum_j clamp_j d_ij.
    let mut shares: Vec<Vec<Value>> = vec![Vec::new(); n];
    for block in blocks(n, options) {
        columns.build(&mut graph, block, &mut shares);
    }
    let parts = even_blocks(n, options.warps as usize, WIDEST_BLOCK);
    let masses: Vec<(Value, Value)> = parts.iter().map(|part| mass(&mut graph, model, part.clone())).collect();
    let scale = {
        let mut b = Body::default();
        let (atmosphere, p, mass) = (b.literal(ATMOSPHERE), b.field(PRESSURE, 0), b.state(0));
        let zero = build::zero_or_nan(&mut b, &SCALARS);
        let product = b.fma(p, mass, zero);
        b.values = vec![b.div(atmosphere, product)];
        step(graph.shape(b), vec![], vec![], vec![0])
    };
    let scale = sum(&mut graph, "scale", masses.iter().map(|&(_, mass)| mass), scale);
    for (p, part) in parts.iter().enumerate() {
        let others = masses.iter().enumerate().filter(|&(other, _)| other != p).map(|(_, &(clamped, _))| clamped);
        let name = format!("mass but {}..{}", part.start, part.end);
        let last = build::passed_on(&mut graph, 1);
        let others = sum(&mut graph, &name, others, last);
        for i in part.clone() {
            row(&mut graph, model, i, part, [others, scale], &shares[i]);
        }
    }
    graph
}

/// ln(1/D) at 1 atm: the fit of ln(P D) negated, with the pressure folded into the constant term.
fn inverse_fit(fits: &TransportFits, i: usize, j: usize, n: usize) -> [f64; 4] {
    let (i, j) = (i.min(j), i.max(j));
    let c = fits.diffusion[i * n - i * (i + 1) / 2 + j];
    [ATMOSPHERE.ln() - c[0], -c[1], -c[2], -c[3]]
}

/// Sums some values and applies the epilogue.
fn sum(graph: &mut Graph, name: &str, values: impl Iterator<Item = Value>, epilogue: Step) -> Value {
    let operation = Operation {
        name: name.into(),
        states: 1,
        prologue: Some(build::empty_sums(graph, 1)),
        iterations: values.map(|value| build::add_term(graph, value, 1.0)).collect(),
        ordered: false,
        epilogue,
    };
    let op = graph.add(operation, |_, _| name.into());
    graph.ops[op].epilogue.outputs[0]
}

/// Delta_i = (P_atm/P)/mass sum_{j != i} clamp_j m_j / sum_j clamp_j d_ij, of the mass in other parts, the factor in front,
/// and the shares of the last sum. The species i is one of a part.
fn row(graph: &mut Graph, model: &Model, i: usize, part: &Block, [others, scale]: [Value; 2], shares: &[Value]) {
    let neighbours: Vec<usize> = part.clone().filter(|&j| j != i).collect();
    let epilogue = {
        let mut b = Body::default();
        let (mut numerator, scale, denominator) = (b.input(0), b.input(1), b.state(0));
        for k in 0..neighbours.len() as u32 {
            let (clamped, weight) = (clamp(&mut b, k), b.constant(k));
            numerator = b.fma(clamped, weight, numerator);
        }
        let scaled = b.mul(scale, numerator);
        let delta = b.div(scaled, denominator);
        b.stores = vec![delta];
        graph.shape(b)
    };
    let operation = Operation {
        name: format!("row {}", model.mechanism.species[i].name),
        states: 1,
        prologue: Some(build::empty_sums(graph, 1)),
        iterations: shares.iter().map(|&share| build::add_term(graph, share, 1.0)).collect(),
        ordered: false,
        epilogue: Step {
            shape: epilogue,
            constants: neighbours.iter().map(|&j| model.mechanism.species[j].weight).collect(),
            inputs: vec![others, scale],
            rows: neighbours.iter().map(|&j| j as u32).collect(),
            stores: vec![(OUTPUT, i as u32)],
            ..Step::default()
        },
    };
    graph.add_stores(operation);
}
