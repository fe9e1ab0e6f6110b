//! Texts for CPUs that no kernel of the report has: those beside another target's, and the functions of one point.

use super::KernelReport;
use crate::verify::TextOnCpu;
use serde::Serialize;

/// Returns the lines below the table of the texts of kernels: why these were not run, and one for each further text.
pub fn lines(kernels: &[KernelReport], texts: &[TextForCpu]) -> Vec<String> {
    let measured = kernels.iter().find_map(|kernel| kernel.measured.as_ref()).map(|time| {
        let MeasuredTime { points, compiler, options, processor, .. } = time;
        format!(
            "measured on one core of {processor}\nby {compiler} {options}, {points} points a call, the median of nine\n"
        )
    });
    let mut runs = kernels.iter().filter_map(|kernel| kernel.text_on_cpu.as_ref());
    let not_run = runs.find_map(|run| match run {
        TextOnCpu::NotRun(reason) => Some(format!("the text was not run: {reason}\n")),
        TextOnCpu::Verified(_) => None,
    });
    not_run.into_iter().chain(measured).chain(texts.iter().map(TextForCpu::line)).collect()
}

/// Time of a kernel on this machine's processor, one core of which made all calls.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasuredTime {
    /// Median of nine.
    pub nanoseconds_per_point: f64,
    /// Points of a call.
    pub points: usize,
    pub compiler: String,
    /// Options of the compiler that matter for times.
    pub options: String,
    pub processor: String,
}

#[derive(Debug, Clone, Serialize)]
pub struct TextForCpu {
    /// Name of the text, such as `h2o2_device.h`.
    pub what: String,
    /// The largest error is that of all its functions.
    pub run: TextOnCpu,
}

impl TextForCpu {
    /// Keeps the run with the largest error of some functions; `None` where there are none.
    pub fn new(what: String, runs: &[TextOnCpu]) -> Option<Self> {
        let error = |run: &TextOnCpu| match run {
            TextOnCpu::Verified(found) => found.largest_error,
            TextOnCpu::NotRun(_) => f64::INFINITY,
        };
        let run = runs.iter().max_by(|a, b| error(a).total_cmp(&error(b)))?.clone();
        Some(Self { what, run })
    }

    fn line(&self) -> String {
        match &self.run {
            TextOnCpu::Verified(found) => {
                format!("text of {}: verified, as {} compiles it\n", self.what, found.compiler)
            }
            TextOnCpu::NotRun(reason) => format!("text of {}: not run, {reason}\n", self.what),
        }
    }
}
