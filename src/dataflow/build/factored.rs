//! Mixture-averaged diffusion in time linear in the number of species (performance.md, section 3): the inverse
//! coefficients of the pairs in thin factors ([`super::tucker`]).
//!
//! With F_ij = T^1.75/D_ij ~ (A C A^T)_ij, t = A^T x, y = C t and R_i = sum_{j != i} F_ij x_j = (A y)_i - (A C A^T)_ii x_i:
//! Delta_i = (P_atm/P) T^1.75 / M * (M - m_i x_i) / R_i with M = sum_j m_j x_j. The diagonal of the approximation is taken
//! out exactly, whatever it is.
//!
//! Where one species p is nearly all of the mixture, both differences lose their digits for i = p. Then sums without p
//! give them: its numerator is sum_{j != p} m_j x_j, and by the symmetry of F
//! x_p R_p = sum_{j != p} x_j F_jp x_p = sum_{j != p} x_j R_j - (terms of second order in what is not p).
//! The share of p from which this holds is chosen so that rounding on one side and the second order on the other err
//! equally ([`Purity`]); both are part of the form's bound.

use super::common::{self, OUTPUT, single, step};
use super::diffusion::{self, Block};
use super::purity::Purity;
use super::resistances;
use super::tucker::{self, Factors};
use super::{Options, approximation, symmetric};
use crate::dataflow::body::{Body, Id};
use crate::dataflow::graph::{Graph, Operation, Part, Step, StepRef, Value};
use crate::kinetics::{Model, TransportFits};

/// Rows of a constant matrix in one operation, at most.
const ROWS: usize = 6;
/// Denominators that share a division, at most.
const QUOTIENTS: usize = 4;

pub fn build(model: &Model, fits: &TransportFits, options: &Options, tolerance: f64) -> Graph {
    let n = model.species().len();
    let warps = options.warps as usize;
    let mut graph = common::begin("diffusion", model, options.form, "diffusion", n as u32, &[]);
    let cubics = resistances::inverse_cubics(fits);
    let factors = tucker::factors(&cubics, n, 0.9 * tolerance);
    let weights: Vec<f64> = model.species().iter().map(|s| s.weight).collect();
    let purity = Purity::new(&factors, &cubics, &weights);
    graph.bound = factors.error / (1.0 - factors.error) + purity.error + floor_error(options.floor, &weights);

    let clamped = (options.stage_inputs && n > 2).then(|| diffusion::clamped_fractions(&mut graph, model, options));
    let functions = functions(&mut graph, &factors.functions);
    // t = A^T x and M
    let columns = (0..factors.rows[0].len()).map(|m| factors.rows.iter().map(|row| row[m]).collect());
    let matrix: Vec<Vec<f64>> = columns.chain([weights.clone()]).collect();
    let mut reduced = products(&mut graph, &matrix, clamped.as_deref(), options);
    let mass = reduced.pop().expect("the mass is the last product");
    let scale = resistances::scale(&mut graph, &[(mass, mass)]);
    let images = core(&mut graph, &factors, &reduced, &functions, warps);
    let rows = Rows { factors: &factors, weights: &weights, purity, functions: &functions, images: &images, mass };
    rows.build(&mut graph, model, clamped.as_deref(), options, scale);
    graph
}

/// The mass counts clamped fractions, too.
fn floor_error(floor: f64, weights: &[f64]) -> f64 {
    let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
    floor * weights.iter().sum::<f64>() / least
}

/// Functions of temperature, polynomials in scaled ln T, by one operation for all warps.
pub fn functions(graph: &mut Graph, polynomials: &[Vec<f64>]) -> Vec<Value> {
    let mut b = Body::default();
    let t = b.field(common::TEMPERATURE, 0);
    let lg_t = b.log2(t);
    let slope = b.literal(approximation::SLOPE * std::f64::consts::LN_2);
    let offset = b.literal(approximation::OFFSET);
    let u = b.fma(slope, lg_t, offset);
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
    graph.ops[op].after.outputs.clone()
}

/// A few rows of an operation each, so that all warps have about as many.
fn groups(count: usize, warps: usize, most: usize) -> Vec<Block> {
    common::blocks(count, warps * count.div_ceil(warps * most))
}

/// A constant matrix (by rows) times the clamped mole fractions: a few rows per operation.
fn products(graph: &mut Graph, matrix: &[Vec<f64>], clamped: Option<&[Value]>, options: &Options) -> Vec<Value> {
    let mut all = Vec::new();
    for group in groups(matrix.len(), options.warps as usize, ROWS) {
        let round = {
            let mut b = Body::default();
            let x = if clamped.is_some() { b.input(0) } else { diffusion::clamp(&mut b, options, 0) };
            for row in 0..group.len() as u32 {
                let (entry, sum) = (b.constant(row), b.state(row));
                let sum = b.fma(entry, x, sum);
                b.states.push(sum);
            }
            graph.shape(b)
        };
        let rounds = (0..matrix[0].len()).map(|j| {
            let entries = matrix[group.clone()].iter().map(|row| row[j]).collect();
            match clamped {
                Some(x) => step(round, entries, vec![x[j]], vec![]),
                None => step(round, entries, vec![], vec![j as u32]),
            }
        });
        let operation = Operation {
            name: format!("products {}..{}", group.start, group.end),
            states: group.len() as u32,
            before: Some(common::zeros(graph, group.len())),
            rounds: rounds.collect(),
            ordered: false,
            after: passed_on(graph, group.len()),
        };
        let op = graph.add(operation, |_, i| format!("product {}", group.start + i));
        all.extend(graph.ops[op].after.outputs.iter().copied());
    }
    all
}

pub fn passed_on(graph: &mut Graph, states: usize) -> Step {
    let mut b = Body::default();
    b.values = (0..states as u32).map(|i| b.state(i)).collect();
    step(graph.shape(b), vec![], vec![], vec![])
}

/// y = sum_r f_r C_r t: a few rows per operation, with one running sum for each row and function but the first, whose core
/// is diagonal.
fn core(graph: &mut Graph, factors: &Factors, reduced: &[Value], functions: &[Value], warps: usize) -> Vec<Value> {
    let (q, full) = (reduced.len(), functions.len() - 1);
    let mut all = Vec::new();
    for group in groups(q, warps, (2 * ROWS / functions.len()).max(1)) {
        let sums = group.len() * full;
        let round = {
            let mut b = Body::default();
            let t = b.input(0);
            for k in 0..sums as u32 {
                let (entry, sum) = (b.constant(k), b.state(k));
                let sum = b.fma(entry, t, sum);
                b.states.push(sum);
            }
            graph.shape(b)
        };
        let after = {
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
        let rounds = (0..q).map(|column| {
            let entries = group.clone().flat_map(|row| factors.cores[1..].iter().map(move |core| core[row][column]));
            step(round, entries.collect(), vec![reduced[column]], vec![])
        });
        let operation = Operation {
            name: format!("core {}..{}", group.start, group.end),
            states: sums as u32,
            before: (full > 0).then(|| common::zeros(graph, sums)),
            rounds: if full > 0 { rounds.collect() } else { vec![] },
            ordered: false,
            after,
        };
        let op = graph.add(operation, |_, i| format!("y{}", group.start + i));
        all.extend(graph.ops[op].after.outputs.iter().copied());
    }
    all
}

/// sum_r f_r part_r, with f_r the inputs from `first` on.
pub fn combination(b: &mut Body, parts: &[Id], first: u32) -> Id {
    let mut sum = None;
    for (r, &part) in (first..).zip(parts) {
        let f = b.input(r);
        sum = Some(match sum {
            None => b.mul(f, part),
            Some(sum) => b.fma(f, part, sum),
        });
    }
    sum.expect("there is a function of temperature")
}

/// What the rows of the result need.
struct Rows<'a> {
    factors: &'a Factors,
    weights: &'a [f64],
    purity: Purity,
    functions: &'a [Value],
    images: &'a [Value],
    mass: Value,
}

impl Rows<'_> {
    /// One operation per block of species: its rows of A y, then a round that takes the diagonal out and sums what a nearly
    /// pure species needs, then, when that is known from all blocks, the results.
    fn build(&self, graph: &mut Graph, model: &Model, clamped: Option<&[Value]>, options: &Options, scale: Value) {
        let mut waiting = Vec::new();
        let mut sums = Vec::new();
        for block in diffusion::blocks(self.weights.len(), options.warps as usize) {
            let mut rounds = self.product(graph, &block);
            rounds.push(self.closing(graph, &block));
            let first = &model.species()[block.start].name;
            let operation = Operation {
                name: format!("rows from {first}"),
                states: 2 * block.len() as u32,
                before: Some(begin_rows(graph, options, &block, clamped)),
                rounds,
                ordered: true,
                after: self.results(graph, &block, scale),
            };
            let op = graph.add(operation, |_, i| format!("{} without a pure species from {first}", ["R", "mass"][i]));
            let closing = graph.ops[op].rounds.last().expect("the closing round is there");
            sums.push((closing.outputs[0], closing.outputs[1]));
            waiting.push(op);
        }
        let ratio = ratio(graph, &sums);
        for op in waiting {
            graph.connect(StepRef { op, part: Part::After }, RATIO as usize, ratio);
        }
    }

    fn product(&self, graph: &mut Graph, block: &Block) -> Vec<Step> {
        let mut b = Body::default();
        let y = b.input(0);
        for row in 0..block.len() as u32 {
            let (entry, sum) = (b.constant(row), b.state(row));
            let sum = b.fma(entry, y, sum);
            b.states.push(sum);
        }
        keep_fractions(&mut b, block);
        let shape = graph.shape(b);
        let entries = |m: usize| block.clone().map(|i| self.factors.rows[i][m]).collect();
        (0..self.images.len()).map(|m| step(shape, entries(m), vec![self.images[m]], vec![])).collect()
    }

    /// States: R_i, or 1 for a nearly pure species. Values: sum x_j R_j and sum m_j x_j over the other species of the block.
    fn closing(&self, graph: &mut Graph, block: &Block) -> Step {
        let count = self.functions.len() as u32;
        let mut b = Body::default();
        let most = most_mass(&mut b, self.purity);
        let (zero, one) = (b.literal(0.0), b.literal(1.0));
        let (mut resistance, mut mass) = (zero, zero);
        for i in 0..block.len() as u32 {
            let x = fraction(&mut b, block, i);
            let first = i * (count + 1);
            let weight = b.constant(first);
            let own = b.mul(weight, x);
            let rest = b.select_le(most, own, zero, x);
            let parts: Vec<Id> = (1..=count).map(|r| b.constant(first + r)).collect();
            let minus_diagonal = combination(&mut b, &parts, 1);
            let sum = b.state(i);
            let row = b.fma(minus_diagonal, x, sum);
            resistance = b.fma(rest, row, resistance);
            mass = b.fma(weight, rest, mass);
            let denominator = b.select_le(most, own, one, row);
            b.states.push(denominator);
        }
        keep_fractions(&mut b, block);
        b.values = vec![resistance, mass];
        let shape = graph.shape(b);
        let constants =
            |i: usize| [vec![self.weights[i]], self.factors.pair(i, i).iter().map(|d| -d).collect()].concat();
        let inputs = [&[self.mass], self.functions].concat();
        step(shape, block.clone().flat_map(constants).collect(), inputs, vec![])
    }

    /// scale (M - m_i x_i)/R_i, or scale x_i times the ratio for a nearly pure species.
    fn results(&self, graph: &mut Graph, block: &Block, scale: Value) -> Step {
        let mut b = Body::default();
        let most = most_mass(&mut b, self.purity);
        let (total, scale_id, ratio) = (b.input(0), b.input(1), b.input(RATIO));
        let denominators: Vec<Id> = (0..block.len() as u32).map(|i| b.state(i)).collect();
        let inverse: Vec<Id> =
            denominators.chunks(QUOTIENTS).flat_map(|chunk| symmetric::quotients(&mut b, scale_id, chunk)).collect();
        for (i, inverse) in (0u32..).zip(inverse) {
            let x = fraction(&mut b, block, i);
            let weight = b.constant(i);
            let own = b.mul(weight, x);
            let others = b.sub(total, own);
            let pure = b.mul(ratio, x);
            let numerator = b.select_le(most, own, pure, others);
            let result = b.mul(numerator, inverse);
            b.stores.push(result);
        }
        let shape = graph.shape(b);
        // The ratio comes later: see `build`.
        let inputs = vec![self.mass, scale, scale];
        let constants = block.clone().map(|i| self.weights[i]).collect();
        let stores = block.clone().map(|i| (OUTPUT, i as u32)).collect();
        Step { stores, ..step(shape, constants, inputs, vec![]) }
    }
}

/// Place of the nearly pure species' ratio among the inputs of the last step.
const RATIO: u32 = 2;

/// The mass m_i x_i from which species i is nearly pure; M is input 0.
fn most_mass(b: &mut Body, purity: Purity) -> Id {
    let (total, share) = (b.input(0), b.literal(purity.share));
    b.mul(total, share)
}

/// States of the rows of a block: running sums, then clamped mole fractions.
fn begin_rows(graph: &mut Graph, options: &Options, block: &Block, clamped: Option<&[Value]>) -> Step {
    let mut b = Body::default();
    let zero = b.literal(0.0);
    b.states = vec![zero; block.len()];
    for i in 0..block.len() as u32 {
        let x = if clamped.is_some() { b.input(i) } else { diffusion::clamp(&mut b, options, i) };
        b.states.push(x);
    }
    let shape = graph.shape(b);
    match clamped {
        Some(all) => step(shape, vec![], all[block.clone()].to_vec(), vec![]),
        None => step(shape, vec![], vec![], block.clone().map(|k| k as u32).collect()),
    }
}

/// The i-th clamped mole fraction of a block.
fn fraction(b: &mut Body, block: &Block, i: u32) -> Id {
    b.state(block.len() as u32 + i)
}

fn keep_fractions(b: &mut Body, block: &Block) {
    for i in 0..block.len() as u32 {
        let x = fraction(b, block, i);
        b.states.push(x);
    }
}

/// sum m_j x_j / sum x_j R_j over all blocks.
fn ratio(graph: &mut Graph, sums: &[(Value, Value)]) -> Value {
    let mut b = Body::default();
    let (mut resistance, mut mass) = (b.input(0), b.input(1));
    for k in 1..sums.len() as u32 {
        let (r, m) = (b.input(2 * k), b.input(2 * k + 1));
        (resistance, mass) = (b.add(resistance, r), b.add(mass, m));
    }
    b.values = vec![b.div(mass, resistance)];
    let shape = graph.shape(b);
    let inputs = sums.iter().flat_map(|&(r, m)| [r, m]).collect();
    let op = graph.add(single("nearly pure".into(), step(shape, vec![], inputs, vec![])), |_, _| "ratio".into());
    graph.ops[op].after.outputs[0]
}
