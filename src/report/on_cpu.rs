//! Texts for CPUs that no kernel of the report has: those beside another target's, and the functions of one point.

use crate::verify::TextOnCpu;
use serde::Serialize;

/// Returns the lines below the table of the texts of kernels: why these were not run, and one for each further text.
pub fn lines<'a>(kernels: impl IntoIterator<Item = &'a TextOnCpu>, texts: &[TextForCpu]) -> Vec<String> {
    let not_run = kernels.into_iter().find_map(|kernel| match kernel {
        TextOnCpu::NotRun(reason) => Some(format!("the text was not run: {reason}\n")),
        TextOnCpu::Verified(_) => None,
    });
    not_run.into_iter().chain(texts.iter().map(TextForCpu::line)).collect()
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
