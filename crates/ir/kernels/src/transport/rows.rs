//! The rows of the low-rank diffusion: sums of thin factors and images, without the diagonal, and the nearly pure
//! species.

use super::pairs::{self, Block, WIDEST_BLOCK};
use super::pure_limit::PureLimit;
use super::symmetric;
use crate::build::{OUTPUT, single, step};
use crate::options::Options;
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Operation, Part, Step, StepRef, Value};
use kinetics::Model;
use kinetics::approximation::tucker::Factors;

/// Denominators that share a division, at most.
const QUOTIENTS: usize = 4;

/// Inputs of the rows of the result.
pub struct Rows<'a> {
    pub factors: &'a Factors,
    pub weights: &'a [f64],
    pub pure_limit: PureLimit,
    pub functions: &'a [Value],
    pub images: &'a [Value],
    /// A y, where tensor cores made it.
    pub sums: Option<&'a [Value]>,
    pub mass: Value,
}

impl Rows<'_> {
    /// One operation per block of species: its rows of A y, then an iteration that takes the diagonal out and sums what a nearly
    /// pure species needs, then, when that is known from all blocks, the results.
    pub fn build(&self, graph: &mut Graph, model: &Model, clamped: Option<&[Value]>, options: &Options, scale: Value) {
        let mut waiting = Vec::new();
        let mut sums = Vec::new();
        let held = is_roomy(self.weights.len(), options);
        // One warp keeps them at hand in its slots.
        let known = clamped.filter(|_| options.warps == 1);
        for block in blocks(self.weights.len(), options) {
            let fractions = Fractions { block: &block, held, known };
            let sums_of_block = self.sums.map(|sums| &sums[block.clone()]);
            let mut iterations = if sums_of_block.is_some() { vec![] } else { self.product(graph, &fractions) };
            iterations.push(self.closing(graph, &fractions));
            let first = &model.species()[block.start].name;
            let operation = Operation {
                name: format!("rows from {first}"),
                states: fractions.states(),
                prologue: Some(fractions.begin(graph, sums_of_block, clamped)),
                iterations,
                ordered: true,
                epilogue: self.results(graph, &fractions, scale),
            };
            let op = graph.add(operation, |_, i| format!("{} without a pure species from {first}", ["R", "mass"][i]));
            let closing = graph.ops[op].iterations.last().expect("the closing iteration is there");
            sums.push((closing.outputs[0], closing.outputs[1]));
            waiting.push(op);
        }
        let ratio = ratio(graph, &sums);
        for op in waiting {
            graph.connect(StepRef { op, part: Part::Epilogue }, RATIO as usize, ratio);
        }
    }

    fn product(&self, graph: &mut Graph, fractions: &Fractions<'_>) -> Vec<Step> {
        let block = fractions.block;
        let mut b = Body::default();
        let y = b.input(0);
        for row in 0..block.len() as u32 {
            let (entry, sum) = (b.constant(row), b.state(row));
            let sum = b.fma(entry, y, sum);
            b.states.push(sum);
        }
        fractions.keep(&mut b);
        let shape = graph.shape(b);
        let entries = |m: usize| block.clone().map(|i| self.factors.rows[i][m]).collect();
        (0..self.images.len()).map(|m| step(shape, entries(m), vec![self.images[m]], vec![])).collect()
    }

    /// States: R_i, or 1 for a nearly pure species. Values: sum x_j R_j and sum m_j x_j over the other species of the block.
    fn closing(&self, graph: &mut Graph, fractions: &Fractions<'_>) -> Step {
        let block = fractions.block;
        let count = self.functions.len() as u32;
        let mut b = Body::default();
        let most = most_mass(&mut b, self.pure_limit);
        let (zero, one) = (b.literal(0.0), b.literal(1.0));
        let (mut resistance, mut mass) = (b.empty_sum(), b.empty_sum());
        for i in 0..block.len() as u32 {
            let x = fractions.fraction(&mut b, i, 1 + self.functions.len());
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
        fractions.keep(&mut b);
        b.values = vec![resistance, mass];
        let shape = graph.shape(b);
        let constants =
            |i: usize| [vec![self.weights[i]], self.factors.pair(i, i).iter().map(|d| -d).collect()].concat();
        let inputs = [&[self.mass], self.functions, fractions.inputs()].concat();
        step(shape, block.clone().flat_map(constants).collect(), inputs, fractions.rows())
    }

    /// scale (M - m_i x_i)/R_i, or scale x_i times the ratio for a nearly pure species.
    fn results(&self, graph: &mut Graph, fractions: &Fractions<'_>, scale: Value) -> Step {
        let block = fractions.block;
        let mut b = Body::default();
        let most = most_mass(&mut b, self.pure_limit);
        let (total, scale_id, ratio) = (b.input(0), b.input(1), b.input(RATIO));
        let denominators: Vec<Id> = (0..block.len() as u32).map(|i| b.state(i)).collect();
        let inverse: Vec<Id> =
            denominators.chunks(QUOTIENTS).flat_map(|chunk| symmetric::quotients(&mut b, scale_id, chunk)).collect();
        for (i, inverse) in (0u32..).zip(inverse) {
            let x = fractions.fraction(&mut b, i, RATIO as usize + 1);
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
        let inputs = [&[self.mass, scale, scale], fractions.inputs()].concat();
        let constants = block.clone().map(|i| self.weights[i]).collect();
        let stores = block.clone().map(|i| (OUTPUT, i as u32)).collect();
        Step { stores, ..step(shape, constants, inputs, fractions.rows()) }
    }
}

/// Place of the nearly pure species' ratio among the inputs of the epilogue.
const RATIO: u32 = 2;

/// The mass m_i x_i from which species i is nearly pure; M is input 0.
fn most_mass(b: &mut Body, pure_limit: PureLimit) -> Id {
    let (total, share) = (b.input(0), b.literal(pure_limit.share));
    b.mul(total, share)
}

/// Whether a thread has room for the running sums and the clamped fractions of all rows of its warp; one warp alone has not.
fn is_roomy(n: usize, options: &Options) -> bool {
    options.warps > 1 && 2 * n.div_ceil(options.warps as usize) <= options.states as usize
}

/// Rows in one operation; where registers are short, so few that its straight code does with them.
fn blocks(n: usize, options: &Options) -> Vec<Block> {
    let most = if is_roomy(n, options) { WIDEST_BLOCK } else { options.states as usize / 2 };
    pairs::even_blocks(n, options.warps as usize, most.clamp(2, WIDEST_BLOCK))
}

/// The clamped mole fractions of a block.
struct Fractions<'a> {
    block: &'a Block,
    /// A thread has room for them beside its running sums, from the prologue to the epilogue; else they are loaded where they
    /// are used.
    held: bool,
    /// From here, if they are known by then.
    known: Option<&'a [Value]>,
}

impl Fractions<'_> {
    /// Running states of the rows of the block.
    fn states(&self) -> u32 {
        (1 + u32::from(self.held)) * self.block.len() as u32
    }

    /// The prologue: running sums, or those that are known, then the fractions.
    fn begin(&self, graph: &mut Graph, sums: Option<&[Value]>, clamped: Option<&[Value]>) -> Step {
        let mut b = Body::default();
        let mut inputs = sums.unwrap_or_default().to_vec();
        let first = inputs.len() as u32;
        let count = self.block.len() as u32;
        for i in 0..count {
            let sum = if sums.is_some() { b.input(i) } else { b.empty_sum() };
            b.states.push(sum);
        }
        let clamped = clamped.filter(|_| self.held);
        for i in (0..count).filter(|_| self.held) {
            let x = if clamped.is_some() { b.input(first + i) } else { pairs::clamp(&mut b, i) };
            b.states.push(x);
        }
        let shape = graph.shape(b);
        let rows = if self.held && clamped.is_none() { self.species() } else { vec![] };
        inputs.extend(clamped.map_or(&[][..], |all| &all[self.block.clone()]));
        step(shape, vec![], inputs, rows)
    }

    /// The i-th, in a step with the rows of [`Self::rows`] and the inputs of [`Self::inputs`] behind `first` others.
    fn fraction(&self, b: &mut Body, i: u32, first: usize) -> Id {
        match self.known {
            _ if self.held => b.state(self.block.len() as u32 + i),
            Some(_) => b.input(first as u32 + i),
            None => pairs::clamp(b, i),
        }
    }

    /// Returns the rows that a step loads to use them.
    fn rows(&self) -> Vec<u32> {
        if self.held || self.known.is_some() { vec![] } else { self.species() }
    }

    /// Returns the inputs that a step reads to use them, beside its other inputs.
    fn inputs(&self) -> &[Value] {
        self.known.filter(|_| !self.held).map_or(&[], |all| &all[self.block.clone()])
    }

    fn species(&self) -> Vec<u32> {
        self.block.clone().map(|k| k as u32).collect()
    }

    /// Holds them through an iteration.
    fn keep(&self, b: &mut Body) {
        for i in (0..self.block.len() as u32).filter(|_| self.held) {
            let x = b.state(self.block.len() as u32 + i);
            b.states.push(x);
        }
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
    graph.ops[op].epilogue.outputs[0]
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
