//! Mixture-averaged diffusion by thin factors without a difference: the low-rank form in single precision.
//!
//! As in [`super::factored`], F_ij = T^1.75/D_ij ~ (A C A^T)_ij for i != j. There the diagonal is taken out of (A C A^T x)_i, and where one
//! species is nearly all of the mixture that leaves few digits. Here species are in blocks, and nothing is taken out. The other blocks add
//! (A C t)_i to a row R_i, with t = A^T x of those alone. The species of its own block add F_ij x_j one by one, each as sum_r (A C_r
//! A^T)_ij f_r(T).

use super::factored::functions;
use super::pairs::{self, Block};
use super::resistances;
use super::rows::combination;
use crate::build::{OUTPUT, single, step};
use crate::options::Options;
use crate::thermodynamics::begin;
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Step, Value};
use kinetics::approximation::tucker::Factors;
use kinetics::{Model, TransportFits};

/// Species of a block, at most: more of them leave more pairs to be summed one by one, fewer leave more products with the core.
const WIDEST: usize = 9;

/// The factors take this part of the tolerance; the rest is left to the arithmetic.
const PART: f64 = 0.8;

/// `tolerance`: what the form and the arithmetic may err by together, about.
pub fn build(model: &Model, fits: &TransportFits, options: &Options, tolerance: f64) -> Graph {
    let n = model.species().len();
    let mut graph = begin::begin("diffusion", model, options, "diffusion", n as u32, &[]);
    let range = options.fit_range;
    let cubics: Vec<[f64; 4]> = resistances::inverse_cubics(fits).iter().map(|c| range.scaled(c)).collect();
    let factors = model.found.factors(&cubics, n, PART * tolerance);
    graph.range = Some(range);
    graph.bound = factors.error / (1.0 - factors.error);

    let functions = functions(&mut graph, &factors.functions, range);
    let core = Core::new(&mut graph, &factors, &functions);
    // Two blocks at least, so that each has others.
    let blocks = pairs::even_blocks(n, options.warps as usize, WIDEST.min(n.div_ceil(2)));
    let products: Vec<Vec<Value>> = blocks.iter().map(|block| products(&mut graph, &factors, block.clone())).collect();
    let others = others(&mut graph, &products);
    let masses: Vec<(Value, Value)> =
        blocks.iter().map(|block| pairs::mass(&mut graph, model, block.clone())).collect();
    let scale = resistances::scale(&mut graph, &masses, |b| begin::temperature(b, options));
    for (k, (block, others)) in blocks.iter().zip(&others).enumerate() {
        let image = core.image(&mut graph, others, block);
        let masses = masses.iter().enumerate().filter(|&(other, _)| other != k);
        let masses: Vec<Value> = masses.map(|(_, &(clamped, _))| clamped).collect();
        let numerators = resistances::numerators(&mut graph, model, block, &masses, scale);
        rows(&mut graph, model, &factors, block, [&image, &functions, &numerators]);
    }
    graph
}

/// A^T x of the species of a block.
fn products(graph: &mut Graph, factors: &Factors, block: Block) -> Vec<Value> {
    let columns = factors.rows[0].len();
    let mut b = Body::default();
    let x: Vec<Id> = (0..block.len() as u32).map(|i| pairs::clamp(&mut b, i)).collect();
    for column in 0..columns {
        let entries = (0..block.len()).map(|i| (i * columns + column) as u32);
        let sum = weighted(&mut b, entries, &x);
        b.values.push(sum);
    }
    let constants = factors.rows[block.clone()].concat();
    let at = step(graph.shape(b), constants, vec![], block.clone().map(|k| k as u32).collect());
    let op = graph.add(single(format!("products {}..{}", block.start, block.end), at), |_, column| {
        format!("product {column} of {}..{}", block.start, block.end)
    });
    graph.ops[op].epilogue.outputs.clone()
}

/// The sum of some numbers, each times a constant of the step.
fn weighted(b: &mut Body, constants: impl Iterator<Item = u32>, numbers: &[Id]) -> Id {
    let mut sum = None;
    for (k, &number) in constants.zip(numbers) {
        let c = b.constant(k);
        sum = Some(match sum {
            None => b.mul(c, number),
            Some(sum) => b.fma(c, number, sum),
        });
    }
    sum.expect("there is a number")
}

/// By block, what the products of all other blocks add up to: what comes before it and what comes behind it, so that nothing is taken out.
fn others(graph: &mut Graph, products: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let count = products.len();
    if count == 2 {
        return vec![products[1].clone(), products[0].clone()];
    }
    let mut b = Body::default();
    let all: Vec<Id> = (0..count as u32).map(|k| b.input(k)).collect();
    let mut behind = vec![all[count - 1]; count];
    for k in (1..count - 1).rev() {
        behind[k] = b.add(all[k], behind[k + 1]);
    }
    let mut before = all[0];
    b.values.push(behind[1]);
    for k in 1..count - 1 {
        let sum = b.add(before, behind[k + 1]);
        b.values.push(sum);
        before = b.add(before, all[k]);
    }
    b.values.push(before);
    let shape = graph.shape(b);
    let mut others = vec![Vec::new(); count];
    for column in 0..products[0].len() {
        let inputs = products.iter().map(|of_block| of_block[column]).collect();
        let op = graph.add(single(format!("others {column}"), step(shape, vec![], inputs, vec![])), |_, k| {
            format!("product {column} without block {k}")
        });
        for (others, &value) in others.iter_mut().zip(&graph.ops[op].epilogue.outputs) {
            others.push(value);
        }
    }
    others
}

/// C(T), symmetric.
struct Core {
    columns: usize,
    /// Entries of each row from the diagonal on; only the diagonal if the core is diagonal.
    entries: Vec<Vec<Value>>,
}

impl Core {
    fn new(graph: &mut Graph, factors: &Factors, functions: &[Value]) -> Self {
        let (columns, count) = (factors.rows[0].len(), functions.len());
        let mut b = Body::default();
        let f: Vec<Id> = (0..count as u32).map(|r| b.input(r)).collect();
        let mut constants = Vec::new();
        // The first core is diagonal: there is nothing of it beside the diagonal, and of a single core nothing at all.
        let length = |row: usize| if count == 1 { 1 } else { columns - row };
        for row in 0..columns {
            for column in row..row + length(row) {
                let cores = if row == column { 0..count } else { 1..count };
                let first = constants.len() as u32;
                constants.extend(cores.clone().map(|r| factors.cores[r][row][column]));
                let entry = weighted(&mut b, first..constants.len() as u32, &f[cores]);
                b.values.push(entry);
            }
        }
        let at = step(graph.shape(b), constants, functions.to_vec(), vec![]);
        let op = graph.add(single("core".into(), at), |_, k| format!("entry {k} of the core"));
        let mut all = graph.ops[op].epilogue.outputs.iter().copied();
        Self { columns, entries: (0..columns).map(|row| all.by_ref().take(length(row)).collect()).collect() }
    }

    /// C t
    fn image(&self, graph: &mut Graph, t: &[Value], block: &Block) -> Vec<Value> {
        let count = self.entries.iter().map(Vec::len).sum::<usize>();
        let mut b = Body::default();
        let entries: Vec<Id> = (0..count as u32).map(|k| b.input(k)).collect();
        let t_ids: Vec<Id> = (0..self.columns).map(|k| b.input((count + k) as u32)).collect();
        let mut rest = &entries[..];
        let mut terms: Vec<Vec<(Id, Id)>> = vec![Vec::new(); self.columns];
        for (row, of_row) in self.entries.iter().enumerate() {
            let (now, later) = rest.split_at(of_row.len());
            rest = later;
            for (column, &entry) in (row..).zip(now) {
                terms[row].push((entry, t_ids[column]));
                if column != row {
                    terms[column].push((entry, t_ids[row]));
                }
            }
        }
        for terms in terms {
            let (entry, x) = terms[0];
            let first = b.mul(entry, x);
            let sum = terms[1..].iter().fold(first, |sum, &(entry, x)| b.fma(entry, x, sum));
            b.values.push(sum);
        }
        let inputs = [&self.entries.concat(), t].concat();
        let at = step(graph.shape(b), vec![], inputs, vec![]);
        let op = graph.add(single(format!("image for {}..{}", block.start, block.end), at), |_, row| {
            format!("image {row} for {}..{}", block.start, block.end)
        });
        graph.ops[op].epilogue.outputs.clone()
    }
}

/// The results of a block: numerators over A times the image of the others, and the pairs within.
fn rows(
    graph: &mut Graph,
    model: &Model,
    factors: &Factors,
    block: &Block,
    [image, functions, numerators]: [&[Value]; 3],
) {
    let (columns, count) = (image.len() as u32, functions.len() as u32);
    let mut b = Body::default();
    let y: Vec<Id> = (0..columns).map(|column| b.input(column)).collect();
    let x: Vec<Id> = (0..block.len() as u32).map(|i| pairs::clamp(&mut b, i)).collect();
    let mut constants = Vec::new();
    let mut sums = Vec::new();
    for i in block.clone() {
        let first = constants.len() as u32;
        constants.extend(&factors.rows[i]);
        sums.push(weighted(&mut b, first..first + columns, &y));
    }
    for i in 0..block.len() {
        for j in i + 1..block.len() {
            let first = constants.len() as u32;
            constants.extend(factors.pair(block.start + i, block.start + j));
            let parts: Vec<Id> = (first..first + count).map(|k| b.constant(k)).collect();
            let pair = combination(&mut b, &parts, columns);
            sums[i] = b.fma(pair, x[j], sums[i]);
            sums[j] = b.fma(pair, x[i], sums[j]);
        }
    }
    let one = b.literal(1.0);
    for (i, &sum) in (0..).zip(&sums) {
        let numerator = b.input(columns + count + i);
        // A reciprocal has no special cases, unlike a quotient of numbers that may be as small as the floor.
        let inverse = b.div(one, sum);
        let delta = b.mul(numerator, inverse);
        b.stores.push(delta);
    }
    let species: Vec<u32> = block.clone().map(|k| k as u32).collect();
    let inputs = [image, functions, numerators].concat();
    let at = step(graph.shape(b), constants, inputs, species.clone());
    let stores = species.iter().map(|&k| (OUTPUT, k)).collect();
    let name = format!("rows from {}", model.species()[block.start].name);
    graph.add_stores(single(name, Step { stores, ..at }));
}
