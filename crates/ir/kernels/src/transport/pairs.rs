//! The pairs of species by staggered columns, and sums over blocks of species, whatever function gives the coefficients.

use crate::build::{self, MOLE_FRACTIONS, single, step};
use crate::options::{FLOOR, Options};
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Operation, Shape, Value};
use kinetics::Model;

/// More columns than this in one block need too many registers.
pub const WIDEST_BLOCK: usize = 8;
/// Column sum, window sum and clamped fraction, about.
const STATES_PER_COLUMN: usize = 3;

/// Adjacent columns.
pub type Block = std::ops::Range<usize>;

/// Blocks of columns whose running values a thread has room for, as far as that is possible.
pub fn blocks(n: usize, options: &Options) -> Vec<Block> {
    let room = (options.states as usize).div_ceil(STATES_PER_COLUMN);
    even_blocks(n, options.warps as usize, room.clamp(1, WIDEST_BLOCK))
}

/// Blocks of up to so many species, at least one per warp and as many for each.
pub fn even_blocks(n: usize, warps: usize, widest: usize) -> Vec<Block> {
    let count = warps.max(n.div_ceil(widest)).div_ceil(warps) * warps;
    build::blocks(n, count)
}

/// clamp = max(epsilon, x) from global memory.
pub fn clamp(b: &mut Body, operand: u32) -> Id {
    let (x, floor) = (b.field(MOLE_FRACTIONS, operand), b.literal(FLOOR));
    b.max(x, floor)
}

pub fn clamped_fractions(graph: &mut Graph, model: &Model) -> Vec<Value> {
    let mut b = Body::default();
    let x = clamp(&mut b, 0);
    b.values = vec![x];
    let shape = graph.shape(b);
    let species = model.species();
    (0..species.len())
        .map(|k| {
            let name = &species[k].name;
            let op = graph.add(single(format!("clamp {name}"), step(shape, vec![], vec![], vec![k as u32])), |_, _| {
                format!("clamp {name}")
            });
            graph.ops[op].epilogue.outputs[0]
        })
        .collect()
}

/// The pairs of species, whatever function of temperature gives 1/D_ij (or a multiple that all pairs share).
pub struct Columns<'a> {
    /// Number of species.
    pub n: usize,
    /// Constants per pair.
    pub constants: usize,
    /// The constants of a pair i != j.
    pub pair: &'a dyn Fn(usize, usize) -> Vec<f64>,
    /// Constants for which the function is exactly 0: the pair of a padded column.
    pub no_pair: Vec<f64>,
    /// The function of temperature; its constants start at the given number.
    pub function: &'a dyn Fn(&mut Body, u32) -> Id,
    /// The clamped mole fractions, when they are passed as values.
    pub clamped: Option<&'a [Value]>,
}

impl Columns<'_> {
    /// The pairs of one block of columns. States: m column sums, m - 1 window sums, m clamped fractions of the columns.
    pub fn build(&self, graph: &mut Graph, block: Block, shares: &mut [Vec<Value>]) {
        let (n, m) = (self.n, block.len());
        let reach = |column: usize| if n % 2 == 1 || column < n / 2 { n / 2 } else { n / 2 - 1 };
        let height = block.clone().map(reach).max().unwrap_or(0);
        if height == 0 {
            return;
        }
        let prologue = {
            let mut b = Body::default();
            let empty = b.empty_sum();
            b.states = vec![empty; 2 * m - 1];
            for i in 0..m {
                let x = clamp(&mut b, i as u32);
                b.states.push(x);
            }
            graph.shape(b)
        };
        let iteration = self.offset_shape(graph, m);
        let epilogue = {
            let mut b = Body::default();
            b.values = (0..2 * m - 1).map(|k| b.state(k as u32)).collect();
            graph.shape(b)
        };
        let iterations = (1..=height).map(|o| {
            let mut constants = Vec::with_capacity(self.constants * m);
            let rows: Vec<usize> = block.clone().map(|c| (c + o) % n).collect();
            for (c, &r) in block.clone().zip(&rows) {
                if o <= reach(c) {
                    constants.extend((self.pair)(r, c));
                } else {
                    constants.extend(&self.no_pair);
                }
            }
            match self.clamped {
                Some(values) => step(iteration, constants, rows.iter().map(|&r| values[r]).collect(), vec![]),
                None => step(iteration, constants, vec![], rows.iter().map(|&r| r as u32).collect()),
            }
        });
        let operation = Operation {
            name: format!("columns {}..{}", block.start, block.end),
            states: 3 * m as u32 - 1,
            prologue: Some(step(prologue, vec![], vec![], block.clone().map(|c| c as u32).collect())),
            iterations: iterations.collect(),
            ordered: true,
            epilogue: step(epilogue, vec![], vec![], vec![]),
        };
        let start = block.start;
        let op = graph.add(operation, |part, i| format!("share {part:?} {i} of columns {start}"));
        let operation = &graph.ops[op];
        for (o, iteration) in (1..).zip(&operation.iterations) {
            shares[(start + o) % n].push(iteration.outputs[0]);
        }
        for (i, &value) in operation.epilogue.outputs.iter().enumerate() {
            let row = if i < m { start + i } else { (start + height + 1 + i - m) % n };
            shares[row].push(value);
        }
    }

    /// One offset of a block of m columns.
    fn offset_shape(&self, graph: &mut Graph, m: usize) -> Shape {
        let mut b = Body::default();
        let (mut sums, mut window, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..m as u32 {
            let d = (self.function)(&mut b, self.constants as u32 * i);
            let x_row = if self.clamped.is_some() { b.input(i) } else { clamp(&mut b, i) };
            let sum = b.state(i);
            sums.push(b.fma(x_row, d, sum));
            let x_column = b.state((2 * m - 1) as u32 + i);
            // The last row is new to the block.
            window.push(if i + 1 < m as u32 {
                let sliding = b.state(m as u32 + i);
                b.fma(x_column, d, sliding)
            } else {
                b.mul(x_column, d)
            });
            columns.push(x_column);
        }
        b.values = vec![window[0]];
        b.states = sums;
        b.states.extend(&window[1..]);
        b.states.extend(columns);
        graph.shape(b)
    }
}

/// (sum of clamp_j m_j, sum of x_j m_j) over a block.
pub fn mass(graph: &mut Graph, model: &Model, block: Block) -> (Value, Value) {
    let prologue = build::empty_sums(graph, 2);
    let iteration = {
        let mut b = Body::default();
        let (clamped_sum, sum) = (b.state(0), b.state(1));
        let clamped = clamp(&mut b, 0);
        let x = build::mole_fraction(&mut b, 0);
        let weight = b.constant(0);
        b.states = vec![b.fma(clamped, weight, clamped_sum), b.fma(x, weight, sum)];
        graph.shape(b)
    };
    let epilogue = {
        let mut b = Body::default();
        b.values = vec![b.state(0), b.state(1)];
        graph.shape(b)
    };
    let operation = Operation {
        name: format!("mass {}..{}", block.start, block.end),
        states: 2,
        prologue: Some(prologue),
        iterations: block
            .clone()
            .map(|k| step(iteration, vec![model.mechanism.species[k].weight], vec![], vec![k as u32]))
            .collect(),
        ordered: false,
        epilogue: step(epilogue, vec![], vec![], vec![]),
    };
    let op = graph.add(operation, |_, i| format!("{} {}", ["clamped_mass", "mass"][i], block.start));
    let outputs = &graph.ops[op].epilogue.outputs;
    (outputs[0], outputs[1])
}
