//! The bound of single precision for the order in which a schedule runs the steps.

use super::Schedule;
use diagnostics::Diagnostic;
use graph::single::branch_free;
use graph::single::{self, Domain, Kinds, Plan, Rounding, Roundings, Unproven};
use graph::{Graph, StepRef};
use kernels::{ErrorBound, Io, Kernel};
use kinetics::approximation::range::TemperatureRange;

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
    /// Returns the largest error of the arithmetic: in any state, or in those states.
    pub fn bound(&self) -> f64 {
        match self {
            Self::Proven(plan) => plan.bound,
            Self::Measured { limit } => *limit,
        }
    }
}

/// Premises of a proof: so many species, these temperatures, the floor of the mole fractions, and what arrays hold.
pub type Premises = (usize, TemperatureRange, f64, Io);

/// Returns the arithmetic of each instruction of a graph in mixed precision.
///
/// Errors: the error that is asked for is not kept by pairs of singles.
pub fn mix(kernel: Kernel, graph: &Graph, premises: Premises, asked: f64) -> Result<Kinds, Diagnostic> {
    let domain = domain(kernel, premises);
    // The search looks at some temperatures, and the proof at all.
    let room = 0.95 * (asked - graph.bound) / (1.0 + graph.bound);
    single::mix::choose(graph, &graph.order(), &domain, room).ok_or_else(|| {
        let message = format!(
            "{kernel}: an error of {asked:.1e} is asked for, the form errs by {:.1e}, and pairs of singles have no proof of the rest",
            graph.bound
        );
        Diagnostic::error("precision::not-proven", message)
            .help("use a larger --error, a smaller --error form=X where the form errs more, or --precision double")
    })
}

/// The graph without the special cases of quotients, roots and powers that it is proven never to come to; `kinds`: those of mixed precision.
pub fn without_special_cases(
    kernel: Kernel,
    mut graph: Graph,
    premises: Premises,
    bound: ErrorBound,
    kinds: Option<&Kinds>,
) -> Graph {
    let order = graph.order();
    let domain = (bound == ErrorBound::Proven).then(|| domain(kernel, premises));
    let chosen = match kinds {
        Some(kinds) => branch_free::choose(&graph, &order, domain.as_ref(), kinds),
        None => branch_free::choose(&graph, &order, domain.as_ref(), &Kinds::single(&graph, &order)),
    };
    branch_free::apply(&mut graph, &chosen);
    graph
}

/// The plan of a kernel in single precision, or in mixed precision of these kinds.
///
/// Errors: there is no bound, or it is not the one that was asked for.
pub fn prove(
    kernel: Kernel,
    graph: &Graph,
    schedule: &Schedule,
    premises: Premises,
    asked: f64,
    kinds: Option<&Kinds>,
) -> Result<Plan, Diagnostic> {
    let refuse = |message: String, help: &str| Err(Diagnostic::error("precision::not-proven", message).help(help));
    let order: Vec<StepRef> = schedule.phases.iter().flat_map(|phase| phase.runs.iter().flatten().copied()).collect();
    let domain = domain(kernel, premises);
    let words = if kinds.is_some() { "mixed" } else { "single" };
    let plan = match kinds {
        None => single::prove(graph, &order, &domain, &Rounding::SINGLE),
        Some(kinds) => single::prove_mixed(graph, &order, &domain, &Roundings::with(kinds.powers), kinds),
    };
    let plan = match plan {
        Ok(plan) => plan,
        Err(unproven) => {
            let why = in_words(&unproven);
            let message = format!("{kernel}: {words} precision has no proven bound in this form: {why}");
            return refuse(message, "use another --form, or --precision double");
        }
    };
    let total = single::together(plan.bound, graph.bound);
    match total > asked {
        true => refuse(
            format!(
                "{kernel}: an error of {asked:.1e} is asked for, and {words} precision is proven to {:.2e}, with the form to {total:.2e}",
                plan.bound
            ),
            "use a larger --error, a smaller --error form=X where the form errs more, or --precision double",
        ),
        false => Ok(plan),
    }
}

fn domain(kernel: Kernel, (species, temperatures, floor, io): Premises) -> Domain {
    Domain { reads_singles: io == Io::Single, ..Domain::new(species, temperatures, cells(kernel), floor) }
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
