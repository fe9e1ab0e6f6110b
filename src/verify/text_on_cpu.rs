//! Verifies the C++ text that is shipped, by what a compiler for this machine's CPU makes of it.

use serde::Serialize;

use super::judge::{self, Expected, Outputs, Progress, expected_on};
use super::{Subject, inputs};
use diagnostics::Diagnostic;
use kinetics::State;

/// Result of running the text on the CPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextOnCpu {
    /// Its outputs are those of the dataflow graph, bit for bit; those of Fortran, which fuses nothing, are within the tolerance of the reference.
    Verified(TextOnCpuVerification),
    /// Why it was not run.
    NotRun(String),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextOnCpuVerification {
    /// Compiler of the text, such as `g++ 12.2.0`.
    pub compiler: String,
    pub states: usize,
    /// The states take turns.
    pub points: usize,
    /// Relative; the tolerance is that of the simulated code.
    pub largest_error: f64,
}

/// The points that a kernel's text is run at, and what it must give there.
pub struct Points {
    pub points: usize,
    /// Elements from one row of an array to the next.
    pub stride: usize,
    /// The input arrays, one behind the other; what lies beyond the last point is not a number.
    pub inputs: Vec<f64>,
    /// The output array; no number where nothing may be stored.
    pub outputs: Vec<f64>,
    states: Vec<State>,
    expected: Vec<Expected>,
}

impl Points {
    /// An odd number of points, which fill no whole number of vectors.
    pub fn new(subject: &Subject<'_>, states: usize, progress: Progress<'_>) -> Self {
        let Subject { model, graph, program, .. } = *subject;
        let states = judge::states(model, graph, program, states);
        let (points, stride) = (states.len() | 1, states.len() + 5);
        let expected = expected_on(subject, &states, progress);
        let fields: Vec<_> = states.iter().map(|state| inputs(model, graph, state)).collect();
        let row = |of: &dyn Fn(usize) -> f64| -> Vec<f64> {
            (0..stride).map(|point| if point < points { of(point % states.len()) } else { f64::NAN }).collect()
        };
        let (output, arrays) = graph.arrays.split_last().expect("a kernel has an output");
        let places = arrays.iter().enumerate().flat_map(|(a, array)| (0..array.rows as usize).map(move |r| (a, r)));
        let inputs = places.flat_map(|(array, at)| row(&|state| fields[state][array][at])).collect();
        let outputs = (0..output.rows as usize).flat_map(|at| row(&|state| expected[state].scheduled[at])).collect();
        Self { points, stride, inputs, outputs, states, expected }
    }

    /// Judges what the text that `what` names gave, as `compiler` compiles it; `have_bits`: it rounds as the graph does.
    ///
    /// Errors: an output that differs from the graph's or is too far from the reference; a value beyond the last point.
    pub fn judge(
        &self,
        subject: &Subject<'_>,
        what: &str,
        compiler: &str,
        outputs: &[f64],
        have_bits: bool,
    ) -> Result<TextOnCpuVerification, Vec<Diagnostic>> {
        let what = format!("{what}, as {compiler} compiles it,");
        let Self { points, stride, states, expected, .. } = self;
        let made = Outputs { values: outputs, points: *points, stride: *stride, have_bits };
        let largest_error = judge::judge(subject, &what, states, expected, &made)?;
        let is_beyond = |&(at, value): &(usize, &f64)| at % stride >= *points && !value.is_nan();
        if let Some((at, _)) = outputs.iter().enumerate().find(is_beyond) {
            let message = format!("{what} writes point {} of {points}", at % stride);
            return Err(vec![Diagnostic::error("verify::beyond-the-end", message)]);
        }
        Ok(TextOnCpuVerification {
            compiler: compiler.to_owned(),
            states: states.len(),
            points: *points,
            largest_error,
        })
    }
}
