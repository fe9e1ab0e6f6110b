//! What a graph errs by in single precision: a bound that is proven, not measured.
//!
//! [`prove`] follows every value through the graph, in cells of ln T, with what is known of it as a [`form::Form`]: sums of positive terms keep
//! relative errors, differences keep absolute ones, and a power turns the one into the other. What cannot be followed is [`Unproven`], never
//! guessed. Of what was found, [`check`] recomputes every line by rules of its own.
//!
//! The exact result is that of the graph's operations on real numbers; the errors of its form and of fits are stated elsewhere. Steps are followed
//! in the order in which they run, for a sum rounds otherwise in another; products are fused where the graph has it.

pub mod check;
pub mod elementary;
mod follow;
pub mod form;
pub mod interpret;
pub mod known;

use super::dataflow::{Graph, Op, Part, StepRef};
use form::Form;
use kinetics::approximation::range::TemperatureRange;

/// What one operation errs by at most, relatively, where its result is a normal number.
#[derive(Debug, Clone, Copy)]
pub struct Rounding {
    pub unit: f64,
    pub power: f64,
    pub logarithm: f64,
}

impl Rounding {
    /// Half a unit in the last place of 24 digits, and twice that for [`elementary`], whose errors `tests/precision.rs` goes through.
    pub const SINGLE: Self = Self { unit: 1.0 / 16_777_216.0, power: 1.0 / 8_388_608.0, logarithm: 1.0 / 8_388_608.0 };
}

/// The points for which a bound holds: mole fractions are not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Domain {
    pub temperatures: TemperatureRange,
    /// Cells of the proof, equal in ln T.
    pub cells: usize,
    pub species: usize,
    /// The least and the largest sum of the mole fractions.
    pub sums: [f64; 2],
}

impl Domain {
    pub fn of(species: usize, temperatures: TemperatureRange, cells: usize) -> Self {
        Self { temperatures, cells, species, sums: [0.99, 1.01] }
    }
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
    /// A difference may lose all of its digits.
    Cancellation,
    /// The checker found a line that does not follow.
    Refused(String),
}

/// In which arithmetic every operation is, and what is proven of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The largest relative error of any output over the domain, inputs and constants rounded, too.
    pub bound: f64,
    pub domain: Domain,
    /// By operation, in the order of the graph: the largest relative error of its results, infinite where a result may be 0.
    pub operations: Vec<(Op, f64)>,
}

/// Claims of one cell: of the preamble's instructions (`None`) and of each step's, in the order in which they run.
pub type Claims = Vec<(Option<StepRef>, Vec<Form>)>;

/// The plan that has every operation in single precision, checked.
pub fn prove(graph: &Graph, order: &[StepRef], domain: &Domain, rounding: &Rounding) -> Result<Plan, Unproven> {
    let mut operations: Vec<(Op, f64)> = graph.ops.keys().map(|op| (op, 0.0)).collect();
    let mut bound = 0.0f64;
    for cell in domain.temperatures.cells(domain.cells) {
        let claims = follow::claims(graph, order, (domain, cell), rounding)?;
        check::check(graph, order, (domain, cell), &claims).map_err(Unproven::Refused)?;
        for (at, all) in &claims {
            let Some(at) = at.filter(|at| at.part == Part::Epilogue) else { continue };
            let body = graph.body(at);
            let error = |&id: &u32| all[id as usize].number(domain).relative;
            let worst = body.values.iter().chain(&body.stores).map(error).fold(0.0, f64::max);
            bound = body.stores.iter().map(error).fold(bound, f64::max);
            operations.iter_mut().filter(|(op, _)| *op == at.op).for_each(|(_, most)| *most = most.max(worst));
        }
    }
    match bound.is_finite() {
        true => Ok(Plan { bound, domain: *domain, operations }),
        false => Err(Unproven::Cancellation),
    }
}

/// What an error of the arithmetic and one of the form come to.
pub fn together(arithmetic: f64, form: f64) -> f64 {
    arithmetic + form + arithmetic * form
}

/// The plan as text: a line for each operation.
pub fn text(graph: &Graph, plan: &Plan) -> String {
    let line = |&(op, error): &(Op, f64)| {
        let error = if error.is_finite() { format!("{error:.1e}") } else { "absolute, may be 0".into() };
        format!("{}: single, relative error at most {error}\n", graph.ops[op].name)
    };
    plan.operations.iter().map(line).collect::<String>()
        + &format!("outputs: relative error at most {:.2e}\n", plan.bound)
}
