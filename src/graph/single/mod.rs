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
pub mod known;
mod premises;
pub mod steps;

pub use premises::{Domain, Doubles, Rounding, Unproven};

use super::dataflow::{Graph, Op, Part, StepRef};
use super::interpret::Evaluation;

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
}

/// The plan that has every operation in single precision, checked.
pub fn prove(graph: &Graph, order: &[StepRef], domain: &Domain, rounding: &Rounding) -> Result<Plan, Unproven> {
    prove_mixed(graph, order, domain, rounding, &|_| false)
}

/// The plan that has some operations in double precision, checked. Of what they read of others nothing is lost, and what these read of them is rounded.
pub fn prove_mixed(
    graph: &Graph,
    order: &[StepRef],
    domain: &Domain,
    rounding: &Rounding,
    doubles: Doubles<'_>,
) -> Result<Plan, Unproven> {
    let mut operations: Vec<(Op, f64)> = graph.ops.keys().map(|op| (op, 0.0)).collect();
    let mut bound = 0.0f64;
    for cell in domain.temperatures.cells(domain.cells) {
        let claims = follow::claims(graph, order, (domain, cell), rounding, doubles)?;
        check::check(graph, order, (domain, cell), &claims, doubles).map_err(Unproven::Refused)?;
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
