//! The bound of single precision for the order in which a schedule runs the steps.

use super::Schedule;
use crate::graph::single::{self, Domain, Plan, Rounding, Unproven};
use crate::graph::{Graph, StepRef};
use crate::kernels::Kernel;
use diagnostics::Diagnostic;
use kinetics::approximation::range::TemperatureRange;

/// Of the arithmetic and the form together, where no other is asked for.
pub const LARGEST_ERROR: f64 = 1e-4;

/// How a kernel's error in single precision is known.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    Proven(Plan),
    /// In the states that the kernel is verified on, where it errs by no more than this.
    Measured {
        limit: f64,
    },
}

impl Claim {
    /// What the arithmetic errs by at most: in any state, or in those states.
    pub fn bound(&self) -> f64 {
        match self {
            Self::Proven(plan) => plan.bound,
            Self::Measured { limit } => *limit,
        }
    }
}

/// The plan of a kernel in single precision.
///
/// Errors: there is no bound, or it is not the one that was asked for.
pub fn prove(
    kernel: Kernel,
    graph: &Graph,
    schedule: &Schedule,
    (species, temperatures, floor): (usize, TemperatureRange, f64),
    asked: Option<f64>,
) -> Result<Plan, Diagnostic> {
    let refuse = |message: String, help: &str| Err(Diagnostic::error("precision::not-proven", message).help(help));
    let order: Vec<StepRef> = schedule.phases.iter().flat_map(|phase| phase.runs.iter().flatten().copied()).collect();
    let domain = Domain::of(species, temperatures, cells(kernel), floor);
    let plan = match single::prove(graph, &order, &domain, &Rounding::SINGLE) {
        Ok(plan) => plan,
        Err(unproven) => {
            let why = in_words(&unproven);
            let message = format!("{kernel}: single precision has no proven bound in this form: {why}");
            return refuse(message, "use another --form, or --precision double");
        }
    };
    let (total, asked) = (single::together(plan.bound, graph.bound), asked.unwrap_or(LARGEST_ERROR));
    match total > asked {
        true => refuse(
            format!(
                "{kernel}: an error of {asked:.1e} is asked for, and single precision is proven to {:.2e}, with the form to {total:.2e}",
                plan.bound
            ),
            "use a larger --error, a smaller --fit-tolerance where the form errs more, or --precision double",
        ),
        false => Ok(plan),
    }
}

/// Polynomials of conductivities and of pairs are known to be positive where cells are small; viscosities are powers, and their graphs are large.
pub fn cells(kernel: Kernel) -> usize {
    match kernel {
        Kernel::Conductivity => 256,
        Kernel::Diffusion => 64,
        _ => 24,
    }
}

fn in_words(unproven: &Unproven) -> String {
    match unproven {
        Unproven::Operation(name) => format!("there is no rule for {name}"),
        Unproven::Comparison => "errors may turn a comparison".into(),
        Unproven::Range => "a number may leave the range of single precision".into(),
        Unproven::Cancellation => "a difference may lose all of its digits".into(),
        Unproven::Refused(line) => format!("the checker refuses {line}"),
    }
}
