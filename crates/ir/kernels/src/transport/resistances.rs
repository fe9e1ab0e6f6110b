//! Mixture-averaged diffusion with polynomial pairs of reciprocal coefficients: the staggered columns of
//! [`super::diffusion`] with T^1.75/D_ij as a polynomial in ln T, and rows that compute little of their own.
//!
//! Delta_i = (P_atm/P) T^1.75 / mass * sum_{j != i} clamp_j m_j / sum_{j != i} clamp_j p_ij. What the rows share is computed
//! once: the scale, and the numerators by prefix and suffix sums over the block, which cancel nothing.

use super::pairs::{self, Block, Columns};
use crate::build::{self, OUTPUT, scalar, single, step};
use crate::options::Options;
use crate::thermodynamics::begin;
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Operation, Step, Value};
use kinetics::approximation::polynomials::polynomials;
use kinetics::constants::ATMOSPHERE;
use kinetics::{Model, TransportFits};

pub const SCALARS: [u32; 1] = [scalar::SCALED_LN_TEMPERATURE];

/// The power of T that 1/D falls with, about.
const POWER: f64 = 1.75;

pub fn build(model: &Model, fits: &TransportFits, options: &Options, tolerance: f64) -> Graph {
    let n = model.species().len();
    let mut graph = begin::begin("diffusion", model, options, "diffusion", n as u32, &SCALARS);
    let cubics = inverse_cubics(fits);
    let scaled: Vec<[f64; 4]> = cubics.iter().map(|c| options.fit_range.scaled(c)).collect();
    // The coefficients err by as much as the reciprocals of what is approximated.
    let pairs = polynomials(&scaled, tolerance / (1.0 + tolerance));
    graph.bound = pairs.error / (1.0 - pairs.error);
    graph.range = Some(options.fit_range);
    let degree = pairs.coefficients[0].len() - 1;
    let clamped = (options.stage_inputs && n > 2).then(|| pairs::clamped_fractions(&mut graph, model));
    let pair = |i: usize, j: usize| {
        let (i, j) = (i.min(j), i.max(j));
        pairs.coefficients[i * n - i * (i + 1) / 2 + j].clone()
    };
    let columns = Columns {
        n,
        constants: degree + 1,
        pair: &pair,
        no_pair: vec![0.0; degree + 1],
        function: &|b, first| {
            let u = build::scalar_of(b, &SCALARS, scalar::SCALED_LN_TEMPERATURE);
            b.polynomial(u, first, first + degree as u32)
        },
        clamped: clamped.as_deref(),
    };
    let mut shares: Vec<Vec<Value>> = vec![Vec::new(); n];
    for block in pairs::blocks(n, options) {
        columns.build(&mut graph, block, &mut shares);
    }
    let parts = pairs::even_blocks(n, options.warps as usize, pairs::WIDEST_BLOCK);
    let masses: Vec<(Value, Value)> = parts.iter().map(|part| pairs::mass(&mut graph, model, part.clone())).collect();
    let scale = scale(&mut graph, &masses, |b| b.field(build::TEMPERATURE, 0));
    for (b, block) in parts.iter().enumerate() {
        let others: Vec<Value> =
            masses.iter().enumerate().filter(|&(other, _)| other != b).map(|(_, &(clamped, _))| clamped).collect();
        let numerators = numerators(&mut graph, model, block, &others, scale);
        for (i, numerator) in block.clone().zip(numerators) {
            row(&mut graph, model, i, numerator, &shares[i]);
        }
    }
    graph
}

/// ln(T^1.75/D) at 1 atm as cubics in ln T.
pub fn inverse_cubics(fits: &TransportFits) -> Vec<[f64; 4]> {
    fits.diffusion.iter().map(|c| [ATMOSPHERE.ln() - c[0], POWER - c[1], -c[2], -c[3]]).collect()
}

/// (P_atm/P) T^1.75 / sum_j x_j m_j, with which every coefficient is multiplied.
pub fn scale(graph: &mut Graph, masses: &[(Value, Value)], temperature: impl FnOnce(&mut Body) -> Id) -> Value {
    let mut b = Body::default();
    let mut mass = b.input(0);
    for k in 1..masses.len() as u32 {
        let next = b.input(k);
        mass = b.add(mass, next);
    }
    let (t, p, atmosphere) = (temperature(&mut b), b.field(build::PRESSURE, 0), b.literal(ATMOSPHERE));
    let root = b.unary(graph::body::Unary::Sqrt, t);
    let fourth_root = b.unary(graph::body::Unary::Sqrt, root);
    let three_quarters = b.mul(root, fourth_root);
    let power = b.mul(t, three_quarters);
    let (numerator, denominator) = (b.mul(atmosphere, power), b.mul(p, mass));
    b.values = vec![b.div(numerator, denominator)];
    let shape = graph.shape(b);
    let inputs = masses.iter().map(|&(_, mass)| mass).collect();
    let op = graph.add(single("scale".into(), step(shape, vec![], inputs, vec![0])), |_, _| "scale".into());
    graph.ops[op].epilogue.outputs[0]
}

/// scale * sum_{j != i} clamp_j m_j for the species of a block.
pub fn numerators(graph: &mut Graph, model: &Model, block: &Block, others: &[Value], scale: Value) -> Vec<Value> {
    let mut b = Body::default();
    let m = block.len();
    let mut before = None;
    for k in 1..=others.len() as u32 {
        let next = b.input(k);
        before = Some(before.map_or(next, |sum| b.add(sum, next)));
    }
    let own: Vec<_> = (0..m as u32)
        .map(|i| {
            let (x, weight) = (pairs::clamp(&mut b, i), b.constant(i));
            b.mul(x, weight)
        })
        .collect();
    // Sums of what comes after each species.
    let mut after = vec![None; m];
    for i in (1..m).rev() {
        after[i - 1] = Some(after[i].map_or(own[i], |sum| b.add(sum, own[i])));
    }
    let scale_id = b.input(0);
    for i in 0..m {
        let sum = match (before, after[i]) {
            (Some(x), Some(y)) => b.add(x, y),
            (Some(x), None) | (None, Some(x)) => x,
            (None, None) => b.literal(0.0),
        };
        let scaled = b.mul(sum, scale_id);
        b.values.push(scaled);
        before = Some(before.map_or(own[i], |sum| b.add(sum, own[i])));
    }
    let shape = graph.shape(b);
    let constants = block.clone().map(|k| model.species()[k].weight).collect();
    let inputs = [&[scale], others].concat();
    let at = step(shape, constants, inputs, block.clone().map(|k| k as u32).collect());
    let op = graph.add(single(format!("numerators {}..{}", block.start, block.end), at), |_, i| {
        format!("numerator {}", model.species()[block.start + i].name)
    });
    graph.ops[op].epilogue.outputs.clone()
}

/// numerator / sum of the shares
fn row(graph: &mut Graph, model: &Model, i: usize, numerator: Value, shares: &[Value]) {
    let prologue = build::empty_sums(graph, 1);
    let iteration = {
        let mut b = Body::default();
        let (sum, share) = (b.state(0), b.input(0));
        b.states = vec![b.add(sum, share)];
        graph.shape(b)
    };
    let epilogue = {
        let mut b = Body::default();
        let (sum, numerator) = (b.state(0), b.input(0));
        b.stores = vec![b.div(numerator, sum)];
        graph.shape(b)
    };
    let operation = Operation {
        name: format!("row {}", model.species()[i].name),
        states: 1,
        prologue: Some(prologue),
        iterations: shares.iter().map(|&v| step(iteration, vec![], vec![v], vec![])).collect(),
        ordered: false,
        epilogue: Step {
            shape: epilogue,
            inputs: vec![numerator],
            stores: vec![(OUTPUT, i as u32)],
            ..Step::default()
        },
    };
    graph.add_stores(operation);
}
