//! Report on a program around kernels, such as reactors.

use serde::Serialize;

use crate::verify::{KernelTime, ReactorVerification};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProgramReport {
    pub file: String,
    /// Verdict: `verified`, `text run` or `not run`, and the text that it is about.
    pub verdict: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<ReactorVerification>,
    /// Times of the kernels of reactors on a GPU.
    #[serde(skip)]
    pub times: Vec<KernelTime>,
}

/// Predicted times of reactors on a GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReactorReport {
    /// Time of a step of one point, where many are advanced: all its kernels, without what it takes to launch them.
    pub predicted_ns_per_step: f64,
    /// The same of an explicit step, which points take that are not stiff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted_ns_per_explicit_step: Option<f64>,
    pub kernels: Vec<KernelTime>,
}

impl ProgramReport {
    pub fn verified(file: String, of: &str, run: ReactorVerification) -> Self {
        Self { file, verdict: format!("verified ({of})"), run: Some(run), times: Vec::new() }
    }

    /// The text was run, its machine code was not.
    pub fn text_run(file: String, of: &str, reason: &str, run: ReactorVerification) -> Self {
        let verdict = format!("text run ({of}; machine code not run: {reason})");
        Self { file, verdict, run: Some(run), times: Vec::new() }
    }

    pub fn not_run(file: String, reason: &str) -> Self {
        Self { file, verdict: format!("not run: {reason}"), run: None, times: Vec::new() }
    }

    /// Figures of reactors; `None` where they were not timed.
    pub fn reactor(&self) -> Option<ReactorReport> {
        let sum = |is_taken: fn(&KernelTime) -> bool| -> f64 {
            let taken = self.times.iter().filter(|time| is_taken(time));
            taken.map(|time| f64::from(time.launches) * time.nanoseconds_per_point).sum()
        };
        // A stage of a pipeline takes the kernel of the rates, which is the first one.
        let first = self.times.first()?;
        let stages = self.times.iter().find(|time| time.name == "explicit_stage").map_or(0, |stage| stage.launches);
        let explicit = f64::from(stages) * first.nanoseconds_per_point + sum(KernelTime::is_explicit);
        Some(ReactorReport {
            predicted_ns_per_step: sum(KernelTime::is_of_each_point),
            predicted_ns_per_explicit_step: self.times.iter().any(KernelTime::is_explicit).then_some(explicit),
            kernels: self.times.clone(),
        })
    }

    /// A line of the reports.
    pub fn line(&self) -> String {
        let run = self.run.as_ref().map_or(String::new(), |run| {
            format!(
                ", {} points in {} steps, {:.0e} tolerances from the plain integrator",
                run.points, run.steps, run.largest_difference
            )
        });
        let time = self.reactor().map_or(String::new(), |found| {
            let explicit =
                found.predicted_ns_per_explicit_step.map_or(String::new(), |ns| format!(" ({ns:.2} if explicit)"));
            format!(", predicted {:.2} ns per step{explicit} and point", found.predicted_ns_per_step)
        });
        format!("{}: {}{run}{time}\n", self.file, self.verdict)
    }
}
