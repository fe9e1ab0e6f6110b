//! Runs a kernel in single precision on physical states, in the order of the proven schedule, and compares with double precision.

use super::{Subject, inputs, judge};
use crate::graph::interpret;
use crate::graph::single::Machine;
use diagnostics::Diagnostic;

/// The largest relative error on so many states.
///
/// Errors: it is beyond the bound that was proven.
pub fn verify_single(subject: &Subject<'_>, bound: f64, states: usize) -> Result<f64, Vec<Diagnostic>> {
    let Subject { kernel, model, graph, proven, .. } = *subject;
    let order = || proven.schedule().phases.iter().flat_map(|phase| phase.runs.iter().flatten());
    let mut worst = 0.0f64;
    for state in judge::states(model, graph, states) {
        let (mut double, mut single) = (inputs(model, graph, &state), inputs(model, graph, &state));
        let mut machine = interpret::Machine::new(graph, &double);
        order().for_each(|&at| machine.step(at, &mut double));
        let mut machine = Machine::new(graph, &single);
        order().for_each(|&at| machine.step(at, &mut single));
        for (array, _) in graph.arrays.iter().enumerate().filter(|(_, array)| array.output) {
            for (&single, &double) in single[array].iter().zip(&double[array]) {
                let error = (single / double - 1.0).abs();
                worst = worst.max(if error.is_nan() { f64::INFINITY } else { error });
            }
        }
    }
    if worst <= bound {
        return Ok(worst);
    }
    let message =
        format!("{kernel}: single precision errs by {worst:.2e}, and is proven to err by {bound:.2e} at most");
    Err(vec![Diagnostic::error("verify::not-the-reference", message)])
}
