//! Which form of a kernel is cheapest: every form is built and its double-precision slots are counted.

use serde::Serialize;

use crate::dataflow::body::Tally;
use crate::dataflow::{self, Form, Kernel, Options};
use crate::diagnostic::Diagnostic;
use crate::kinetics::Model;

/// The form that a kernel takes, and what each form that was considered costs.
#[derive(Debug, Clone)]
pub struct Choice {
    pub form: Form,
    pub considered: Vec<Count>,
}

/// Counts per point, before scheduling.
#[derive(Debug, Clone, Serialize)]
pub struct Count {
    pub form: String,
    pub slots: u64,
    /// What the slots go to.
    pub tally: Tally,
    /// Two for each constant: what striped constants need at most.
    pub shuffles: u64,
    /// Largest relative error against the exact form, rounding aside.
    pub error_bound: f64,
}

/// The wanted form where the kernel has it, or (with `None`) the form of fewest slots, then of fewest shuffles. All forms
/// that are considered keep to the fit tolerance of the options.
///
/// Errors: as [`dataflow::build`].
pub fn choose(
    kernel: Kernel,
    model: &Model,
    options: &Options,
    wanted: Option<Form>,
) -> Result<Choice, Vec<Diagnostic>> {
    if let Some(form) = wanted {
        return Ok(Choice { form: form.for_kernel(kernel, options.fit_tolerance), considered: Vec::new() });
    }
    let mut best = (u64::MAX, u64::MAX, Form::Pairwise);
    let mut considered = Vec::new();
    for form in Form::of(kernel, options.fit_tolerance) {
        let (count, within) = count(kernel, model, &Options { form, ..*options })?;
        if within {
            best = best.min((count.slots, count.shuffles, form));
        }
        considered.push(count);
    }
    Ok(Choice { form: best.2, considered })
}

/// The counts of one form, and whether its error is within the tolerance.
fn count(kernel: Kernel, model: &Model, options: &Options) -> Result<(Count, bool), Vec<Diagnostic>> {
    let graph = dataflow::build(kernel, model, options)?;
    let allowed = match options.form {
        Form::LowRank if kernel == Kernel::Viscosity => dataflow::LOW_RANK_BOUND,
        _ => options.fit_tolerance.unwrap_or(0.0),
    };
    let count = Count {
        form: options.form.name().into(),
        slots: graph.slots(options.warps),
        tally: graph.tally(options.warps),
        shuffles: 2 * graph.constants(),
        error_bound: graph.bound,
    };
    Ok((count, graph.bound <= allowed))
}
