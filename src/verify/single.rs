//! Runs a kernel in single precision on physical states, in the order of the proven schedule, and compares with double precision: transport
//! with itself, rates with the gross ones.

use super::{Subject, inputs, judge};
use diagnostics::Diagnostic;
use graph::single::Machine;
use graph::{Graph, interpret};
use schedule::single::Claim;

/// The largest relative error on so many states. `whole`: what is computed in double precision.
///
/// Errors: it is beyond the bound that was proven, or beyond what may be measured.
pub fn verify_single(
    subject: &Subject<'_>,
    whole: &Graph,
    claim: &Claim,
    states: usize,
) -> Result<f64, Vec<Diagnostic>> {
    let Subject { kernel, model, graph, proven, program, .. } = *subject;
    let order = || proven.schedule().phases.iter().flat_map(|phase| phase.runs.iter().flatten());
    let mut worst = 0.0f64;
    for state in judge::states(model, graph, program, states) {
        let (mut double, mut single) = (inputs(model, graph, &state), inputs(model, graph, &state));
        let mut machine = interpret::Machine::new(whole, &double);
        order().for_each(|&at| machine.step(at, &mut double));
        let mut machine = Machine::new(graph, &single);
        order().for_each(|&at| machine.step(at, &mut single));
        let scale = judge::expected(subject, &state).scale;
        for (array, _) in graph.arrays.iter().enumerate().filter(|(_, array)| array.output) {
            for ((&single, &double), scale) in single[array].iter().zip(&double[array]).zip(&scale) {
                let error = ((single - double) / if kernel.is_transport() { double } else { *scale }).abs();
                worst = worst.max(if error.is_nan() { f64::INFINITY } else { error });
            }
        }
    }
    let bound = claim.bound();
    if worst <= bound {
        return Ok(worst);
    }
    let refused =
        |id, of: &str| Diagnostic::error(id, format!("{kernel}: single precision errs by {worst:.2e}, and {of}"));
    Err(vec![match claim {
        Claim::Proven(_) => refused("verify::not-the-reference", &format!("is proven to err by {bound:.2e} at most")),
        Claim::Measured { .. } => refused("precision::not-proven", &format!("{bound:.2e} is asked for"))
            .help("use a larger --error, or --precision double"),
    }])
}
