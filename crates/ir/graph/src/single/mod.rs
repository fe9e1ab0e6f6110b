//! Error of a graph in single precision: a bound that is proven, not measured.
//!
//! [`prove`] follows every value through the graph, in cells of ln T, as a [`form::Form`]: sums of positive terms keep
//! relative errors, differences keep absolute ones, and a power turns the one into the other. A value that cannot be followed is [`Unproven`],
//! never guessed. [`check`] recomputes every line of the result by rules of its own.
//!
//! The exact result is that of the graph's operations on real numbers; the errors of its form and of fits are stated elsewhere. Steps are followed
//! in the order in which they run, for a sum rounds otherwise in another; products are fused where the graph has it.

pub mod branch_free;
pub mod check;
pub mod double_float;
pub mod elementary;
pub mod expand;
mod follow;
pub mod form;
pub mod kinds;
pub mod known;
pub mod mix;
mod pairs;
mod premises;
mod sensitivity;
pub mod steps;

pub use kinds::{Kind, Kinds};
pub use premises::{Domain, Rounding, Roundings, Unproven};

use super::dataflow::{Graph, Op, Part, StepRef};
use super::interpret::Evaluation;
use form::Claims;

/// Runs a graph in single precision, with [`elementary`].
pub type Machine<'a> = Evaluation<'a, f32>;

/// In which arithmetic every operation is, and what is proven of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The largest relative error of any output over the domain, inputs and constants rounded, too.
    pub bound: f64,
    pub domain: Domain,
    /// By operation, in the order of the graph: the largest relative error of its results, infinite where a result may be 0.
    pub operations: Vec<(Op, f64)>,
    pub kinds: Kinds,
    /// Operations of a point that are singles, pairs, and doubles.
    pub counts: [usize; 3],
}

/// The plan that has every operation in single precision, checked.
pub fn prove(graph: &Graph, order: &[StepRef], domain: &Domain, rounding: &Rounding) -> Result<Plan, Unproven> {
    let roundings = Roundings { single: *rounding, ..Roundings::ALL };
    prove_mixed(graph, order, domain, &roundings, &Kinds::single(graph, order))
}

/// The checked plan with an arithmetic for each instruction. An instruction in single precision reads the first digits of other numbers.
pub fn prove_mixed(
    graph: &Graph,
    order: &[StepRef],
    domain: &Domain,
    roundings: &Roundings,
    kinds: &Kinds,
) -> Result<Plan, Unproven> {
    let mut operations: Vec<(Op, f64)> = graph.ops.keys().map(|op| (op, 0.0)).collect();
    let mut bound = 0.0f64;
    for cell in domain.temperatures.cells(domain.cells) {
        let claims = follow::claims(graph, order, domain, cell, roundings, kinds)?;
        check::check(graph, order, domain, cell, &claims, kinds).map_err(Unproven::Refused)?;
        for (at, all) in &claims {
            let Some(at) = at.filter(|at| at.part == Part::Epilogue) else { continue };
            let body = graph.body(at);
            let error = |&id: &u32| all[id as usize].number(domain).relative;
            let worst = body.values.iter().chain(&body.stores).map(error).fold(0.0, f64::max);
            operations.iter_mut().filter(|(op, _)| *op == at.op).for_each(|(_, most)| *most = most.max(worst));
        }
        bound = bound.max(of_stores(graph, domain, kinds, &claims));
    }
    match bound.is_finite() {
        true => Ok(Plan { bound, domain: *domain, operations, kinds: kinds.clone(), counts: kinds.counts(graph) }),
        false => Err(Unproven::Cancellation),
    }
}

/// The largest relative error of stored numbers: singles, the first number of a pair, or the sum of both as a double.
fn of_stores(graph: &Graph, domain: &Domain, kinds: &Kinds, claims: &Claims) -> f64 {
    let mut bound = 0.0f64;
    for (at, all) in claims {
        let Some(at) = at else { continue };
        for &id in &graph.body(*at).stores {
            let error = all[id as usize].number(domain).relative;
            let is_pair = kinds.at(Some(*at))[id as usize] == Kind::Pair;
            let of_writing = if domain.reads_singles { Rounding::SINGLE.unit } else { Rounding::DOUBLE.unit };
            bound = bound.max(if is_pair { together(error, of_writing) } else { error });
        }
    }
    bound
}

/// Combines an error of the arithmetic and one of the form.
pub fn together(arithmetic: f64, form: f64) -> f64 {
    arithmetic + form + arithmetic * form
}

/// The plan as text: a line for each operation.
pub fn text(graph: &Graph, plan: &Plan) -> String {
    let line = |&(op, error): &(Op, f64)| {
        let error = if error.is_finite() { format!("{error:.1e}") } else { "absolute, may be 0".into() };
        format!("{}: relative error at most {error}\n", graph.ops[op].name)
    };
    plan.operations.iter().map(line).collect::<String>()
        + &format!("outputs: relative error at most {:.2e}\n", plan.bound)
}
