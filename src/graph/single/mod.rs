//! What a graph would err by in single precision: a bound that is proven, not measured.
//!
//! [`bound`] follows every value through the graph with what is known of it ([`known::Known`]): the interval of the exact result, and how far
//! the result in single precision may lie from it, absolutely and relatively. Sums of positive terms keep relative errors, differences keep
//! absolute ones, and a power turns the one into the other. What cannot be followed is [`Unproven`], never guessed.
//!
//! The exact result is that of the graph's operations on real numbers; the errors of its form and of fits are stated elsewhere. Sums are taken
//! in the order of the graph, products are fused where the graph has it, and denormal numbers are kept. No printer emits single precision yet;
//! `tests/precision.rs` holds the bound against samples.

pub mod elementary;
pub mod interpret;
pub mod known;

use cranelift_entity::SecondaryMap;

use super::body::{Body, Id, Inst};
use super::dataflow::{Graph, Op, Step, Value};
use kinetics::approximation::range::TemperatureRange;
use known::Known;

/// What one operation errs by at most, relatively, where its result is a normal number.
#[derive(Debug, Clone, Copy)]
pub struct Rounding {
    pub unit: f64,
    pub exp: f64,
    pub log: f64,
}

impl Rounding {
    /// Half a unit in the last place of 24 digits, and twice that for [`elementary`], whose errors `tests/precision.rs` goes through.
    pub const SINGLE: Self = Self { unit: 1.0 / 16_777_216.0, exp: 1.0 / 8_388_608.0, log: 1.0 / 8_388_608.0 };
}

/// The points for which a bound holds: at least one mole fraction is not 0, and none is between 0 and the least.
#[derive(Debug, Clone, Copy)]
pub struct Domain {
    pub temperatures: TemperatureRange,
    /// Cells of the proof, equal in ln T.
    pub cells: usize,
    pub least_fraction: f64,
}

/// Why there is no bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unproven {
    /// An operation that the analysis has no rule for.
    Operation(String),
    /// A comparison that errors may turn.
    Comparison,
    /// A result, or the argument of a function, may be beyond what single precision or the function takes.
    Range,
}

/// The largest relative error of any output over the domain, of arguments that are rounded to single precision, too.
pub fn bound(graph: &Graph, domain: &Domain, rounding: &Rounding) -> Result<f64, Unproven> {
    let mut worst = 0.0f64;
    for cell in domain.temperatures.cells(domain.cells) {
        worst = worst.max(Follower { graph, domain, rounding, cell }.outputs()?);
    }
    // The bound's own arithmetic is on positive doubles, some thousands of operations deep.
    Ok(worst * (1.0 + 1e-9))
}

struct Follower<'a> {
    graph: &'a Graph,
    domain: &'a Domain,
    rounding: &'a Rounding,
    cell: TemperatureRange,
}

impl Follower<'_> {
    fn outputs(&self) -> Result<f64, Unproven> {
        let graph = self.graph;
        let mut values: SecondaryMap<Value, Known> = SecondaryMap::with_default(Known::NOTHING);
        let mut states: SecondaryMap<Op, Vec<Known>> = SecondaryMap::new();
        let preamble = &graph.shapes[graph.preamble.shape];
        let all = self.evaluate(preamble, &graph.preamble, [&[], &[]], &values)?;
        let scalars: Vec<Known> = preamble.states.iter().map(|&id| all[id as usize]).collect();
        let mut worst = 0.0f64;
        for at in graph.order() {
            let (body, step) = (graph.body(at), graph.step(at));
            if body.tensor.is_some() {
                return Err(Unproven::Operation("a product on tensor cores".into()));
            }
            let all = self.evaluate(body, step, [&scalars, &states[at.op]], &values)?;
            if !body.states.is_empty() {
                states[at.op] = body.states.iter().map(|&id| all[id as usize]).collect();
            }
            for (&value, &id) in step.outputs.iter().zip(&body.values) {
                values[value] = all[id as usize];
            }
            for &id in &body.stores {
                worst = worst.max(all[id as usize].relative);
            }
        }
        Ok(worst)
    }

    fn evaluate(
        &self,
        body: &Body,
        step: &Step,
        [scalars, states]: [&[Known]; 2],
        values: &SecondaryMap<Value, Known>,
    ) -> Result<Vec<Known>, Unproven> {
        let mut all: Vec<Known> = Vec::with_capacity(body.insts.len());
        for inst in &body.insts {
            let get = |id: Id| all[id as usize];
            all.push(match *inst {
                Inst::Literal(c) => Known::number(c),
                Inst::Constant(k) => Known::number(step.constants[k as usize]),
                Inst::Scalar(k) => scalars[k as usize],
                Inst::Input(k) => values[step.inputs[k as usize]],
                Inst::Field { array, .. } => self.field(array),
                Inst::State(k) => states[k as usize],
                Inst::Unary(op, a) => get(a).unary(op, self.rounding)?,
                // The difference of a number and itself is exact.
                Inst::Binary(super::body::Binary::Sub, a, b) if a == b => Known::number(0.0),
                Inst::Binary(op, a, b) => get(a).binary(op, get(b), self.rounding)?,
                Inst::Fma(a, b, c) => get(a).product(get(b)).plus(get(c)).rounded(self.rounding.unit)?,
                Inst::SelectLe { a, b, then, otherwise } => {
                    if get(a).is_at_most(get(b)) {
                        get(then)
                    } else if get(b).is_below(get(a)) {
                        get(otherwise)
                    } else {
                        return Err(Unproven::Comparison);
                    }
                }
            });
        }
        Ok(all)
    }

    fn field(&self, array: u32) -> Known {
        match self.graph.arrays[array as usize].name {
            "temperature" => Known::input(self.cell.coldest, self.cell.hottest, self.cell.coldest, self.rounding.unit),
            "mole_fractions" => Known::input(0.0, 1.0, self.domain.least_fraction, self.rounding.unit),
            _ => Known::NOTHING,
        }
    }
}
