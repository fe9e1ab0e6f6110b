//! Mathur's conductivity with few elementary functions: the log-space form takes one power of two per species, the polynomial form
//! a polynomial in ln T, the low-rank form a combination of a few functions of temperature that all species share.
//!
//! The sum of x_k/lambda_k is one fraction N/D all the way: N/D + x/lambda = (N lambda + x D)/(D lambda), and the harmonic
//! mean is D/N. D is a product of conductivities, in units of their geometric mean: as many as are proven to stay in range.
//!
//! In single precision that unit is the geometric mean at the temperature of the point. What is left varies little with temperature, so that sums of
//! functions of it lose few digits, and products of many species stay near 1; one power more makes conductivities of the result.

use std::f64::consts::LOG2_E;
use std::ops::Range;

use super::factored;
use crate::build::{self, OUTPUT, scalar, step};
use crate::options::{Options, Precision};
use crate::thermodynamics::begin;
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Operation, Step, Value};
use kinetics::approximation::maximum::extremes;
use kinetics::approximation::polynomials::polynomials;
use kinetics::approximation::principal;
use kinetics::{Model, TransportFits};

/// The last is what cubics are taken in: in single precision, terms of those in ln T would lose digits.
fn log_space_scalars(options: &Options) -> &'static [u32] {
    match options.precision {
        Precision::Double => &[scalar::LN_TEMPERATURE],
        Precision::Single | Precision::Mixed => &[scalar::LN_TEMPERATURE, scalar::SCALED_LN_TEMPERATURE],
    }
}

const POLYNOMIAL_SCALARS: [u32; 1] = [scalar::SCALED_LN_TEMPERATURE];

/// Largest |ln| of a product of conductivities, over their geometric mean, over the range of the fits.
const LARGEST_PRODUCT: f64 = 300.0;
/// In single precision a product also adds the errors of its factors.
const LARGEST_PRODUCT_IN_SINGLE: f64 = 8.0;

/// The running states of a block: sum x lambda, N, D.
const SUM: u32 = 0;
const NUMERATOR: u32 = 1;
const DENOMINATOR: u32 = 2;
const STATES: u32 = 3;

pub fn log_space(model: &Model, fits: &TransportFits, options: &Options) -> Graph {
    let scalars = log_space_scalars(options);
    let mut graph = begin::begin("conductivity", model, options, "conductivity", 1, scalars);
    let scale = Scale::choose(fits, options);
    graph.range = Some(options.fit_range);
    let lambda = |b: &mut Body| {
        let variable = build::scalar_of(b, scalars, scalars[scalars.len() - 1]);
        let lg = b.polynomial(variable, 0, 3);
        options.exponential.power(b, lg)
    };
    let cubics = if options.precision == Precision::Single { &scale.scaled } else { &scale.cubics };
    let constants = cubics.iter().map(|c| c.map(|c| LOG2_E * c).to_vec()).collect();
    mixture(&mut graph, options, &scale, constants, scalars, &[], lambda);
    graph
}

pub fn polynomial(model: &Model, fits: &TransportFits, options: &Options, tolerance: f64) -> Graph {
    let mut graph = begin::begin("conductivity", model, options, "conductivity", 1, &POLYNOMIAL_SCALARS);
    let scale = Scale::choose(fits, options);
    let direct = polynomials(&scale.scaled, 0.99 * tolerance);
    graph.bound = bound(direct.error);
    graph.range = Some(options.fit_range);
    let last = direct.coefficients[0].len() as u32 - 1;
    let lambda = |b: &mut Body| {
        let u = build::scalar_of(b, &POLYNOMIAL_SCALARS, scalar::SCALED_LN_TEMPERATURE);
        b.polynomial(u, 0, last)
    };
    mixture(&mut graph, options, &scale, direct.coefficients, &POLYNOMIAL_SCALARS, &[], lambda);
    graph
}

/// lambda_k ~ sum_r L_kr f_r(T).
pub fn low_rank(model: &Model, fits: &TransportFits, options: &Options, tolerance: f64) -> Graph {
    let scalars: &[u32] = if options.precision == Precision::Single { &POLYNOMIAL_SCALARS } else { &[] };
    let mut graph = begin::begin("conductivity", model, options, "conductivity", 1, scalars);
    let scale = Scale::choose(fits, options);
    let direct = principal::shared(&scale.scaled, 0.99 * tolerance);
    graph.bound = bound(direct.error);
    graph.range = Some(options.fit_range);
    let functions = functions(&mut graph, &direct.tails, options);
    let count = functions.len() as u32;
    let lambda = |b: &mut Body| {
        let terms: Vec<(Id, Id)> = (0..count).map(|r| (b.constant(r), b.state(STATES + r))).collect();
        let (c, f) = terms[0];
        let first = b.mul(c, f);
        terms[1..].iter().fold(first, |sum, &(c, f)| b.fma(c, f, sum))
    };
    mixture(&mut graph, options, &scale, direct.coefficients, scalars, &functions, lambda);
    graph
}

/// f_r = T_r + sum_j tails_rj T_(n+j) for n functions, with Chebyshev's polynomials T of scaled ln T, by one operation for all warps.
fn functions(graph: &mut Graph, tails: &[Vec<f64>], options: &Options) -> Vec<Value> {
    if options.precision == Precision::Single {
        return powers(graph, tails);
    }
    let mut b = Body::default();
    let t = begin::temperature(&mut b, options);
    let u = factored::scaled_ln_temperature(&mut b, t, options.fit_range);
    let (one, twice) = (b.literal(1.0), b.add(u, u));
    let mut polynomials = vec![one, u];
    while polynomials.len() < tails.len() + tails[0].len() {
        let [.., before, last] = polynomials[..] else { unreachable!("there are two") };
        let minus = b.neg(before);
        polynomials.push(b.fma(twice, last, minus));
    }
    let mut constant = 0;
    for (r, tail) in tails.iter().enumerate() {
        let mut sum = polynomials[r];
        for &polynomial in &polynomials[tails.len()..tails.len() + tail.len()] {
            let c = b.constant(constant);
            sum = b.fma(c, polynomial, sum);
            constant += 1;
        }
        b.values.push(sum);
    }
    let shape = graph.shape(b);
    let at = step(shape, tails.concat(), vec![], vec![0]);
    let op = graph.add(build::single("temperature".into(), at), |_, r| format!("f{r}"));
    graph.ops[op].epilogue.outputs.clone()
}

/// The same functions as sums of powers: what Chebyshev's recurrence errs by in single precision would have a bound that doubles with each step.
fn powers(graph: &mut Graph, tails: &[Vec<f64>]) -> Vec<Value> {
    let mut b = Body::default();
    let u = build::scalar_of(&mut b, &POLYNOMIAL_SCALARS, scalar::SCALED_LN_TEMPERATURE);
    let degree = tails.len() + tails[0].len() - 1;
    let mut chebyshev = vec![vec![1.0], vec![0.0, 1.0]];
    while chebyshev.len() <= degree {
        let [.., before, last] = &chebyshev[..] else { unreachable!("there are two") };
        let mut next: Vec<f64> = std::iter::once(0.0).chain(last.iter().map(|c| 2.0 * c)).collect();
        before.iter().zip(&mut next).for_each(|(c, next)| *next -= c);
        chebyshev.push(next);
    }
    let mut constants: Vec<f64> = Vec::new();
    for (r, tail) in tails.iter().enumerate() {
        let mut sum = vec![0.0; degree + 1];
        let terms = std::iter::once((1.0, &chebyshev[r])).chain(tail.iter().copied().zip(&chebyshev[tails.len()..]));
        for (factor, polynomial) in terms {
            polynomial.iter().zip(&mut sum).for_each(|(c, sum)| *sum += factor * c);
        }
        let (first, last) = (constants.len() as u32, (constants.len() + degree) as u32);
        constants.extend(sum);
        let value = b.polynomial(u, first, last);
        b.values.push(value);
    }
    let at = step(graph.shape(b), constants, vec![], vec![]);
    let op = graph.add(build::single("temperature".into(), at), |_, r| format!("f{r}"));
    graph.ops[op].epilogue.outputs.clone()
}

/// Both means err by at most as much as the conductivities, the harmonic one by what their reciprocals err.
fn bound(error: f64) -> f64 {
    error / (1.0 - error)
}

/// Conductivities in units of their geometric mean.
struct Scale {
    /// Half of the unit: W/m/K, or its logarithm to the base 2, of scaled ln T.
    half_unit: HalfUnit,
    /// ln(lambda/unit), of ln T
    cubics: Vec<[f64; 4]>,
    /// The same, of scaled ln T
    scaled: Vec<[f64; 4]>,
    /// By species: the largest |ln(lambda/unit)| over the range.
    ranges: Vec<f64>,
    /// Largest sum of these in a product.
    largest: f64,
}

enum HalfUnit {
    Constant(f64),
    Power([f64; 4]),
}

impl Scale {
    fn choose(fits: &TransportFits, options: &Options) -> Self {
        let range = options.fit_range;
        let largest = match options.precision {
            Precision::Double => LARGEST_PRODUCT,
            Precision::Single | Precision::Mixed => LARGEST_PRODUCT_IN_SINGLE,
        };
        let middles = fits.conductivity.iter().map(|c| {
            let [low, high] = extremes(&range.scaled(c));
            0.5 * (low + high)
        });
        let count = fits.conductivity.len() as f64;
        let (mean, half_unit) = match options.precision {
            Precision::Double => {
                let mean = middles.sum::<f64>() / count;
                ([mean, 0.0, 0.0, 0.0], HalfUnit::Constant(0.5 * mean.exp()))
            }
            Precision::Single | Precision::Mixed => {
                let mean = std::array::from_fn(|i| fits.conductivity.iter().map(|c| c[i]).sum::<f64>() / count);
                let [a, b, c, d] = range.scaled(&mean).map(|c| LOG2_E * c);
                (mean, HalfUnit::Power([a - 1.0, b, c, d]))
            }
        };
        let less = |c: &[f64; 4]| std::array::from_fn(|i| c[i] - mean[i]);
        let cubics: Vec<[f64; 4]> = fits.conductivity.iter().map(less).collect();
        let scaled: Vec<[f64; 4]> = cubics.iter().map(|c| range.scaled(c)).collect();
        let ranges = scaled.iter().map(|c| extremes(c).map(f64::abs).into_iter().fold(0.0, f64::max)).collect();
        Self { half_unit, cubics, scaled, ranges, largest }
    }

    /// Consecutive species, at least one block per part, each with its product in range.
    fn blocks(&self, parts: usize) -> Vec<Range<usize>> {
        let n = self.ranges.len();
        (parts..=n.max(parts))
            .map(|parts| build::blocks(n, parts))
            .find(|blocks| blocks.iter().all(|block| self.ranges[block.clone()].iter().sum::<f64>() <= self.largest))
            .unwrap_or_else(|| build::blocks(n, n))
    }
}

/// One block of species per warp, then the means; `lambda` makes a conductivity of a species' constants and of the kernel's
/// scalars or of functions, which follow the running states.
fn mixture(
    graph: &mut Graph,
    options: &Options,
    scale: &Scale,
    constants: Vec<Vec<f64>>,
    scalars: &[u32],
    functions: &[Value],
    lambda: impl Fn(&mut Body) -> Id,
) {
    let count = functions.len() as u32;
    let prologue = {
        let mut b = Body::default();
        let (empty, one) = (b.empty_sum(), b.literal(1.0));
        b.states = vec![empty, empty, one];
        for r in 0..count {
            let f = b.input(r);
            b.states.push(f);
        }
        graph.shape(b)
    };
    let iteration = {
        let mut b = Body::default();
        let lambda = lambda(&mut b);
        let x = build::mole_fraction(&mut b, 0);
        let [sum, numerator, denominator] = [SUM, NUMERATOR, DENOMINATOR].map(|k| b.state(k));
        let sum = b.fma(x, lambda, sum);
        let crossed = b.mul(x, denominator);
        let numerator = b.fma(numerator, lambda, crossed);
        let denominator = b.mul(denominator, lambda);
        b.states = vec![sum, numerator, denominator];
        for r in 0..count {
            let f = b.state(STATES + r);
            b.states.push(f);
        }
        graph.shape(b)
    };
    let epilogue = {
        let mut b = Body::default();
        b.values = (0..STATES).map(|k| b.state(k)).collect();
        graph.shape(b)
    };
    let mut parts = Vec::new();
    for block in scale.blocks(options.warps as usize) {
        let operation = Operation {
            name: format!("block {}..{}", block.start, block.end),
            states: STATES + count,
            prologue: Some(step(prologue, vec![], functions.to_vec(), vec![])),
            iterations: block.clone().map(|k| step(iteration, constants[k].clone(), vec![], vec![k as u32])).collect(),
            ordered: false,
            epilogue: step(epilogue, vec![], vec![], vec![]),
        };
        let names = ["sum", "numerator", "denominator"];
        let op = graph.add(operation, |_, i| format!("{} from {}", names[i], block.start));
        parts.push(graph.ops[op].epilogue.outputs.clone());
    }
    means(graph, options, scale, scalars, parts);
}

/// A sum with the fraction of a block's numerator and denominator. In single precision the denominator's reciprocal is taken, which has no special cases, unlike
/// a quotient, whose dividend may be 0.
fn with_fraction(b: &mut Body, options: &Options, sum: Option<Id>, inputs: &[Id]) -> Id {
    let (numerator, denominator) = (inputs[NUMERATOR as usize], inputs[DENOMINATOR as usize]);
    if options.precision == Precision::Double {
        let part = b.div(numerator, denominator);
        return sum.map_or(part, |sum| b.add(sum, part));
    }
    let one = b.literal(1.0);
    let inverse = b.div(one, denominator);
    match sum {
        None => b.mul(numerator, inverse),
        Some(sum) => b.fma(numerator, inverse, sum),
    }
}

/// The arithmetic and the harmonic mean of the blocks, and their mean.
fn means(graph: &mut Graph, options: &Options, scale: &Scale, scalars: &[u32], parts: Vec<Vec<Value>>) {
    let one_fraction = scale.ranges.iter().sum::<f64>() <= scale.largest;
    let states = if one_fraction { STATES } else { 2 };
    let prologue = {
        let mut b = Body::default();
        let inputs: Vec<Id> = (0..STATES).map(|k| b.input(k)).collect();
        b.states = if one_fraction { inputs } else { vec![inputs[0], with_fraction(&mut b, options, None, &inputs)] };
        graph.shape(b)
    };
    let iteration = {
        let mut b = Body::default();
        let inputs: Vec<Id> = (0..STATES).map(|k| b.input(k)).collect();
        let (sum, fraction) = (b.state(SUM), b.state(NUMERATOR));
        b.states = vec![b.add(sum, inputs[0])];
        if one_fraction {
            let denominator = b.state(DENOMINATOR);
            let crossed = b.mul(inputs[1], denominator);
            let numerator = b.fma(fraction, inputs[2], crossed);
            let denominator = b.mul(denominator, inputs[2]);
            b.states.extend([numerator, denominator]);
        } else {
            let sum = with_fraction(&mut b, options, Some(fraction), &inputs);
            b.states.push(sum);
        }
        graph.shape(b)
    };
    let epilogue = {
        let mut b = Body::default();
        let top = if one_fraction { b.state(DENOMINATOR) } else { b.literal(1.0) };
        let (sum, bottom) = (b.state(SUM), b.state(NUMERATOR));
        let harmonic = b.div(top, bottom);
        let both = b.add(sum, harmonic);
        let half_unit = match scale.half_unit {
            HalfUnit::Constant(unit) => b.literal(unit),
            HalfUnit::Power(_) => {
                let u = build::scalar_of(&mut b, scalars, scalar::SCALED_LN_TEMPERATURE);
                let lg = b.polynomial(u, 0, 3);
                options.exponential.power(&mut b, lg)
            }
        };
        let through_powers = scalars.contains(&scalar::LN_TEMPERATURE);
        b.stores = vec![if through_powers {
            let zero = build::zero_or_nan(&mut b, scalars);
            b.fma(half_unit, both, zero)
        } else {
            b.mul(half_unit, both)
        }];
        graph.shape(b)
    };
    let constants = match scale.half_unit {
        HalfUnit::Constant(_) => vec![],
        HalfUnit::Power(cubic) => cubic.to_vec(),
    };
    let mut parts = parts.into_iter();
    let first = parts.next().expect("a mechanism has species");
    let operation = Operation {
        name: "mixture".into(),
        states,
        prologue: Some(step(prologue, vec![], first, vec![])),
        iterations: parts.map(|part| step(iteration, vec![], part, vec![])).collect(),
        ordered: false,
        epilogue: Step { stores: vec![(OUTPUT, 0)], ..step(epilogue, constants, vec![], vec![]) },
    };
    graph.add_stores(operation);
}
