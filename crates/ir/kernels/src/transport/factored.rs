//! Mixture-averaged diffusion in time linear in the number of species: the inverse coefficients of
//! the pairs in thin factors ([`kinetics::approximation::tucker`]).
//!
//! With F_ij = T^1.75/D_ij ~ (A C A^T)_ij, t = A^T x, y = C t and R_i = sum_{j != i} F_ij x_j = (A y)_i - (A C A^T)_ii x_i:
//! Delta_i = (P_atm/P) T^1.75 / M * (M - m_i x_i) / R_i with M = sum_j m_j x_j. The diagonal of the approximation is taken
//! out exactly, whatever it is.
//!
//! If one species p is nearly all of the mixture, both differences lose their digits for i = p. Then sums without p
//! give them: its numerator is sum_{j != p} m_j x_j, and by the symmetry of F
//! x_p R_p = sum_{j != p} x_j F_jp x_p = sum_{j != p} x_j R_j - (terms of second order in what is not p).
//! The share of p from which this holds is chosen so that rounding on one side and the second order on the other err
//! equally ([`PureLimit`]); both are part of the form's bound.

use super::pairs::{self, Block};
use super::pure_limit::PureLimit;
use super::resistances;
use super::rows::{Rows, combination};
use crate::build::{self, passed_on, product, single, step};
use crate::options::{FLOOR, Matrix, Options};
use crate::thermodynamics::begin;
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Operation, Value};
use kinetics::approximation::range::TemperatureRange;
use kinetics::approximation::tucker::Factors;
use kinetics::{Model, TransportFits};

/// Rows of a constant matrix in one operation, at most.
const ROWS: usize = 6;
/// The same where one warp has all of them: fewer passes over the mole fractions, as far as registers have room for sums.
const ROWS_OF_ONE_WARP: usize = 11;

pub fn build(model: &Model, fits: &TransportFits, options: &Options, tolerance: f64) -> Graph {
    let n = model.species().len();
    let warps = options.warps as usize;
    let mut graph = begin::begin("diffusion", model, options, "diffusion", n as u32, &[]);
    let range = options.fit_range;
    let cubics: Vec<[f64; 4]> = resistances::inverse_cubics(fits).iter().map(|c| range.scaled(c)).collect();
    let factors = model.found.factors(&cubics, n, 0.9 * tolerance);
    let weights: Vec<f64> = model.species().iter().map(|s| s.weight).collect();
    let pure_limit = PureLimit::new(&factors, &cubics, &weights);
    graph.range = Some(range);
    graph.bound = factors.error / (1.0 - factors.error) + pure_limit.error + floor_error(&weights);

    let clamped = (options.stage_inputs && n > 2).then(|| pairs::clamped_fractions(&mut graph, model));
    let functions = functions(&mut graph, &factors.functions, range);
    // t = A^T x and M
    let columns = (0..factors.rows[0].len()).map(|m| factors.rows.iter().map(|row| row[m]).collect());
    let matrix: Vec<Vec<f64>> = columns.chain([weights.clone()]).collect();
    let mut reduced = products(&mut graph, &matrix, clamped.as_deref(), options);
    let mass = reduced.pop().expect("the mass is the last product");
    let scale = resistances::scale(&mut graph, &[(mass, mass)], |b| begin::temperature(b, options));
    let images = match options.matrix {
        Matrix::Dmma { slots } if functions.len() > 1 => {
            core_on_tensor_cores(&mut graph, &factors, &reduced, &functions, warps, slots)
        }
        _ => core(&mut graph, &factors, &reduced, &functions, warps),
    };
    let sums = match options.matrix {
        Matrix::Dfma => None,
        Matrix::Dmma { slots } => Some(product(&mut graph, "row", &factors.rows, &images, slots)),
    };
    let (images, sums) = (&images[..], sums.as_deref());
    let rows = Rows { factors: &factors, weights: &weights, pure_limit, functions: &functions, images, sums, mass };
    rows.build(&mut graph, model, clamped.as_deref(), options, scale);
    graph
}

/// The mass counts clamped fractions, too.
fn floor_error(weights: &[f64]) -> f64 {
    let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
    FLOOR * weights.iter().sum::<f64>() / least
}

/// Functions of temperature, polynomials in scaled ln T, by one operation for all warps.
pub fn functions(graph: &mut Graph, polynomials: &[Vec<f64>], range: TemperatureRange) -> Vec<Value> {
    let mut b = Body::default();
    let t = b.field(build::TEMPERATURE, 0);
    let u = scaled_ln_temperature(&mut b, t, range);
    let mut first = 0;
    for f in polynomials {
        let last = first + f.len() as u32 - 1;
        let value = b.polynomial(u, first, last);
        b.values.push(value);
        first = last + 1;
    }
    let shape = graph.shape(b);
    let at = step(shape, polynomials.concat(), vec![], vec![0]);
    let op = graph.add(single("temperature".into(), at), |_, r| format!("f{r}"));
    graph.ops[op].epilogue.outputs.clone()
}

/// ln T of a temperature, on -1..1 over the range.
pub fn scaled_ln_temperature(b: &mut Body, t: Id, range: TemperatureRange) -> Id {
    let lg_t = b.log2(t);
    let slope = b.literal(range.slope() * std::f64::consts::LN_2);
    let offset = b.literal(range.offset());
    b.fma(slope, lg_t, offset)
}

/// A few rows of an operation each, so that all warps have about as many.
fn groups(count: usize, warps: usize, most: usize) -> Vec<Block> {
    build::blocks(count, warps * count.div_ceil(warps * most))
}

/// A constant matrix (by rows) times the clamped mole fractions: a few rows per operation.
fn products(graph: &mut Graph, matrix: &[Vec<f64>], clamped: Option<&[Value]>, options: &Options) -> Vec<Value> {
    if let (Matrix::Dmma { slots }, Some(x)) = (options.matrix, clamped) {
        return product(graph, "product", matrix, x, slots);
    }
    let mut all = Vec::new();
    let most = if options.warps == 1 { ROWS_OF_ONE_WARP } else { ROWS };
    for group in groups(matrix.len(), options.warps as usize, most) {
        let iteration = {
            let mut b = Body::default();
            let x = if clamped.is_some() { b.input(0) } else { pairs::clamp(&mut b, 0) };
            for row in 0..group.len() as u32 {
                let (entry, sum) = (b.constant(row), b.state(row));
                let sum = b.fma(entry, x, sum);
                b.states.push(sum);
            }
            graph.shape(b)
        };
        let iterations = (0..matrix[0].len()).map(|j| {
            let entries = matrix[group.clone()].iter().map(|row| row[j]).collect();
            match clamped {
                Some(x) => step(iteration, entries, vec![x[j]], vec![]),
                None => step(iteration, entries, vec![], vec![j as u32]),
            }
        });
        let operation = Operation {
            name: format!("products {}..{}", group.start, group.end),
            states: group.len() as u32,
            prologue: Some(build::empty_sums(graph, group.len())),
            iterations: iterations.collect(),
            ordered: false,
            epilogue: passed_on(graph, group.len()),
        };
        let op = graph.add(operation, |_, i| format!("product {}", group.start + i));
        all.extend(graph.ops[op].epilogue.outputs.iter().copied());
    }
    all
}

/// y = sum_r f_r C_r t: a few rows per operation, with one running sum for each row and function but the first, whose core
/// is diagonal.
fn core(graph: &mut Graph, factors: &Factors, reduced: &[Value], functions: &[Value], warps: usize) -> Vec<Value> {
    let (q, full) = (reduced.len(), functions.len() - 1);
    let mut all = Vec::new();
    for group in groups(q, warps, (2 * ROWS / functions.len()).max(1)) {
        let sums = group.len() * full;
        let iteration = {
            let mut b = Body::default();
            let t = b.input(0);
            for k in 0..sums as u32 {
                let (entry, sum) = (b.constant(k), b.state(k));
                let sum = b.fma(entry, t, sum);
                b.states.push(sum);
            }
            graph.shape(b)
        };
        let epilogue = {
            let mut b = Body::default();
            for row in 0..group.len() {
                let (entry, t) = (b.constant(row as u32), b.input((full + 1 + row) as u32));
                let mut parts = vec![b.mul(entry, t)];
                parts.extend((0..full).map(|r| b.state((row * full + r) as u32)));
                let y = combination(&mut b, &parts, 0);
                b.values.push(y);
            }
            let diagonal = group.clone().map(|m| factors.cores[0][m][m]).collect();
            step(graph.shape(b), diagonal, [functions, &reduced[group.clone()]].concat(), vec![])
        };
        let iterations = (0..q).map(|column| {
            let entries = group.clone().flat_map(|row| factors.cores[1..].iter().map(move |core| core[row][column]));
            step(iteration, entries.collect(), vec![reduced[column]], vec![])
        });
        let operation = Operation {
            name: format!("core {}..{}", group.start, group.end),
            states: sums as u32,
            prologue: (full > 0).then(|| build::empty_sums(graph, sums)),
            iterations: if full > 0 { iterations.collect() } else { vec![] },
            ordered: false,
            epilogue,
        };
        let op = graph.add(operation, |_, i| format!("y{}", group.start + i));
        all.extend(graph.ops[op].epilogue.outputs.iter().copied());
    }
    all
}

/// As [`core`], with the products C_r t on tensor cores.
fn core_on_tensor_cores(
    graph: &mut Graph,
    factors: &Factors,
    reduced: &[Value],
    functions: &[Value],
    warps: usize,
    slots: u32,
) -> Vec<Value> {
    let cores = factors.cores.iter().enumerate().skip(1);
    let parts: Vec<Vec<Value>> =
        cores.map(|(r, core)| product(graph, &format!("core {r}"), core, reduced, slots)).collect();
    let mut all = Vec::new();
    for group in groups(reduced.len(), warps, ROWS) {
        let mut b = Body::default();
        let first = functions.len() as u32;
        let stride = 1 + parts.len() as u32;
        for row in 0..group.len() as u32 {
            let (entry, t) = (b.constant(row), b.input(first + stride * row));
            let mut terms = vec![b.mul(entry, t)];
            terms.extend((1..stride).map(|r| b.input(first + stride * row + r)));
            let y = combination(&mut b, &terms, 0);
            b.values.push(y);
        }
        let diagonal = group.clone().map(|m| factors.cores[0][m][m]).collect();
        let of_row = |m: usize| std::iter::once(reduced[m]).chain(parts.iter().map(move |part| part[m]));
        let inputs = functions.iter().copied().chain(group.clone().flat_map(of_row)).collect();
        let at = step(graph.shape(b), diagonal, inputs, vec![]);
        let op = graph
            .add(single(format!("core {}..{}", group.start, group.end), at), |_, i| format!("y{}", group.start + i));
        all.extend(graph.ops[op].epilogue.outputs.iter().copied());
    }
    all
}
