//! Report on a program around kernels, such as reactors.

use serde::Serialize;

use crate::verify::ReactorVerification;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProgramReport {
    pub file: String,
    /// Verdict: `verified`, `text run` or `not run`, and the text that it is about.
    pub verdict: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<ReactorVerification>,
}

impl ProgramReport {
    pub fn verified(file: String, of: &str, run: ReactorVerification) -> Self {
        Self { file, verdict: format!("verified ({of})"), run: Some(run) }
    }

    /// The text was run, its machine code was not.
    pub fn text_run(file: String, of: &str, reason: &str, run: ReactorVerification) -> Self {
        Self { file, verdict: format!("text run ({of}; machine code not run: {reason})"), run: Some(run) }
    }

    pub fn not_run(file: String, reason: &str) -> Self {
        Self { file, verdict: format!("not run: {reason}"), run: None }
    }

    /// A line of the reports.
    pub fn line(&self) -> String {
        let run = self.run.as_ref().map_or(String::new(), |run| {
            format!(
                ", {} points in {} steps, {:.0e} tolerances from the plain integrator",
                run.points, run.steps, run.largest_difference
            )
        });
        format!("{}: {}{run}\n", self.file, self.verdict)
    }
}
