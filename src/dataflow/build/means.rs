//! Mathur's conductivity with fewer exponentials: the lean form takes 1/lambda as a quotient instead of a second
//! exponential; the polynomial form takes lambda and 1/lambda as polynomials in ln T (performance.md, section 3); the
//! low-rank form takes them as combinations of a few functions of temperature that all species share.

use super::approximation::{self, Polynomials};
use super::common::{self, OUTPUT, scalar, step};
use super::principal;
use super::{Options, conductivity, factored};
use crate::dataflow::body::Body;
use crate::dataflow::graph::{Graph, Operation, Step, Value};
use crate::kinetics::{Model, TransportFits};

const LEAN_SCALARS: [u32; 1] = [scalar::LN_TEMPERATURE];
const POLYNOMIAL_SCALARS: [u32; 1] = [scalar::SCALED_LN_TEMPERATURE];

pub fn lean(model: &Model, fits: &TransportFits, options: &Options) -> Graph {
    let mut graph = common::begin("conductivity", model, "conductivity", 1, &LEAN_SCALARS);
    let round = {
        let mut b = Body::default();
        let ln_t = common::scalar_of(&mut b, &LEAN_SCALARS, scalar::LN_TEMPERATURE);
        let fit = b.polynomial(ln_t, 0, 3);
        let x = common::mole_fraction(&mut b, 0);
        let lambda = b.exp(fit);
        let quotient = b.div(x, lambda);
        let (sum, sum_inverse) = (b.state(0), b.state(1));
        b.states = vec![b.fma(x, lambda, sum), b.add(sum_inverse, quotient)];
        graph.shape(b)
    };
    let constants: Vec<Vec<f64>> = fits.conductivity.iter().map(|c| c.to_vec()).collect();
    conductivity::sums(&mut graph, options, round, &constants);
    graph
}

pub fn polynomial(model: &Model, fits: &TransportFits, options: &Options, tolerance: f64) -> Graph {
    let mut graph = common::begin("conductivity", model, "conductivity", 1, &POLYNOMIAL_SCALARS);
    let direct = approximation::polynomials(&fits.conductivity, tolerance);
    let negated: Vec<[f64; 4]> = fits.conductivity.iter().map(|c| c.map(|c| -c)).collect();
    let inverse = approximation::polynomials(&negated, tolerance);
    // Both means have positive terms: neither errs by more than its terms.
    graph.bound = direct.error.max(inverse.error / (1.0 - inverse.error));
    let last = |p: &Polynomials| p.coefficients[0].len() as u32 - 1;
    let round = {
        let mut b = Body::default();
        let u = common::scalar_of(&mut b, &POLYNOMIAL_SCALARS, scalar::SCALED_LN_TEMPERATURE);
        let x = common::mole_fraction(&mut b, 0);
        let lambda = b.polynomial(u, 0, last(&direct));
        let first = last(&direct) + 1;
        let reciprocal = b.polynomial(u, first, first + last(&inverse));
        let (sum, sum_inverse) = (b.state(0), b.state(1));
        b.states = vec![b.fma(x, lambda, sum), b.fma(x, reciprocal, sum_inverse)];
        graph.shape(b)
    };
    let both = direct.coefficients.iter().zip(&inverse.coefficients);
    let constants: Vec<Vec<f64>> = both.map(|(a, b)| [&a[..], &b[..]].concat()).collect();
    conductivity::sums(&mut graph, options, round, &constants);
    graph
}

/// With lambda_k ~ sum_r L_kr f_r(T), sum_k x_k lambda_k = sum_r f_r (sum_k L_kr x_k); 1/lambda_k likewise. One block of
/// species per warp.
pub fn low_rank(model: &Model, fits: &TransportFits, options: &Options, tolerance: f64) -> Graph {
    let mut graph = common::begin("conductivity", model, "conductivity", 1, &[]);
    let direct = principal::shared(&fits.conductivity, tolerance);
    let negated: Vec<[f64; 4]> = fits.conductivity.iter().map(|c| c.map(|c| -c)).collect();
    let inverse = principal::shared(&negated, 0.99 * tolerance);
    graph.bound = direct.error.max(inverse.error / (1.0 - inverse.error));
    let rows = direct.coefficients.iter().zip(&inverse.coefficients);
    let matrix: Vec<Vec<f64>> = rows.map(|(a, b)| [&a[..], &b[..]].concat()).collect();
    let functions = factored::functions(&mut graph, &[&direct.functions[..], &inverse.functions[..]].concat());
    let sums = blocks(&mut graph, &matrix, options);
    let count = functions.len();
    let add = {
        let mut b = Body::default();
        for k in 0..count as u32 {
            let (sum, part) = (b.state(k), b.input(k));
            let sum = b.add(sum, part);
            b.states.push(sum);
        }
        graph.shape(b)
    };
    let after = {
        let mut b = Body::default();
        let parts: Vec<_> = (0..count as u32).map(|k| b.state(k)).collect();
        let (first, second) = parts.split_at(direct.functions.len());
        let arithmetic = factored::combination(&mut b, first, 0);
        let resistance = factored::combination(&mut b, second, first.len() as u32);
        let (one, half) = (b.literal(1.0), b.literal(0.5));
        let harmonic = b.div(one, resistance);
        let both = b.add(arithmetic, harmonic);
        b.stores = vec![b.mul(half, both)];
        step(graph.shape(b), vec![], functions, vec![])
    };
    let operation = Operation {
        name: "mixture".into(),
        states: count as u32,
        before: Some(common::zeros(&mut graph, count)),
        rounds: sums.into_iter().map(|parts| step(add, vec![], parts, vec![])).collect(),
        ordered: false,
        after: Step { stores: vec![(OUTPUT, 0)], ..after },
    };
    graph.add(operation, |_, _| unreachable!("the mixture makes no value"));
    graph
}

/// sum_k L_kr x_k for each r, over one block of species per warp.
fn blocks(graph: &mut Graph, matrix: &[Vec<f64>], options: &Options) -> Vec<Vec<Value>> {
    let count = matrix[0].len();
    let round = {
        let mut b = Body::default();
        let x = common::mole_fraction(&mut b, 0);
        for k in 0..count as u32 {
            let (entry, sum) = (b.constant(k), b.state(k));
            let sum = b.fma(entry, x, sum);
            b.states.push(sum);
        }
        graph.shape(b)
    };
    let mut sums = Vec::new();
    for block in common::blocks(matrix.len(), options.warps as usize) {
        let operation = Operation {
            name: format!("block {}..{}", block.start, block.end),
            states: count as u32,
            before: Some(common::zeros(graph, count)),
            rounds: block.clone().map(|k| step(round, matrix[k].clone(), vec![], vec![k as u32])).collect(),
            ordered: false,
            after: factored::passed_on(graph, count),
        };
        let op = graph.add(operation, |_, r| format!("sum {r} from {}", block.start));
        sums.push(graph.ops[op].after.outputs.clone());
    }
    sums
}
