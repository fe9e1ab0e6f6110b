//! What one candidate costs.

use std::path::Path;
use std::process::{Command, Stdio};

use serde::Serialize;
use singe::driver::{self, POINTS_PER_LANE, Request};
use singe::kernels::Kernel;
use singe::observer::Observer;
use singe::report::KernelReport;

use crate::arguments::Arguments;
use crate::space::Candidate;

/// A candidate for one kernel with what came of it.
#[derive(Debug, Clone, Serialize)]
pub struct Trial {
    pub kernel: String,
    #[serde(flatten)]
    pub candidate: Candidate,
    #[serde(flatten)]
    pub outcome: Outcome,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Cost(Box<Cost>),
    /// Why there is no kernel: the id of the diagnostic and its message.
    Refused {
        id: String,
        message: String,
    },
}

/// Counts per grid point by the simulator; registers and bytes per thread.
#[derive(Debug, Clone, Serialize)]
pub struct Cost {
    pub form: String,
    /// On the target's board, by the model of the SM where it runs machine code of the target, else estimated.
    pub predicted_ns: f64,
    /// What the command of `--measure` printed.
    pub measured_ns: Option<f64>,
    pub slots: f64,
    pub shuffles: f64,
    pub shared_passes: f64,
    pub barrier_waits_per_group: f64,
    /// By ptxas where it is installed, else estimated.
    pub registers: u32,
    /// By ptxas; where it is not installed, the bytes by which what is held from block to block exceeds what a thread may have.
    pub spilled_bytes: u32,
    pub ctas_per_sm: u32,
    pub occupancy: f64,
}

/// Compiles a candidate, verifies it on one group of points, and counts; runs the command if there is one.
pub fn measure(arguments: &Arguments, kernel: Kernel, candidate: &Candidate) -> Trial {
    let outcome = match &arguments.measure {
        None => counted(arguments, kernel, candidate, None),
        Some(command) => match tempfile::tempdir() {
            Err(error) => refused("tune::measure", format!("no folder for the files of a candidate: {error}")),
            Ok(folder) => match counted(arguments, kernel, candidate, Some(folder.path())) {
                Outcome::Cost(cost) => match timed(command, folder.path()) {
                    Ok(time) => Outcome::Cost(Box::new(Cost { measured_ns: Some(time), ..*cost })),
                    Err(reason) => refused("tune::measure", reason),
                },
                refused => refused,
            },
        },
    };
    Trial { kernel: kernel.name().to_owned(), candidate: candidate.clone(), outcome }
}

fn counted(arguments: &Arguments, kernel: Kernel, candidate: &Candidate, folder: Option<&Path>) -> Outcome {
    let output = folder.map(Path::to_owned);
    let request = arguments.request(candidate);
    // One full group of points: a partial one would count more for each.
    let points = request.tuning.points_per_lane.unwrap_or(*POINTS_PER_LANE.last().expect("there are some"));
    let request = Request { kernels: vec![kernel], verify: Some(32 * points as usize), output, ..request };
    match driver::compile(&request, &mut Observer::silent()) {
        Ok(report) => Outcome::Cost(Box::new(cost(&report.kernels[0]))),
        Err(failure) => {
            let first = failure.diagnostics.first().expect("a failure has its diagnostics");
            refused(first.id, first.message.clone())
        }
    }
}

fn cost(report: &KernelReport) -> Cost {
    let counts = report.verification.as_ref().expect("every candidate is simulated");
    let beyond = 4 * report.registers_held.saturating_sub(report.registers_available);
    Cost {
        form: report.form.clone(),
        predicted_ns: report.machine.nanoseconds().expect("as above"),
        measured_ns: None,
        slots: counts.slots_per_point,
        shuffles: counts.shuffles_per_point,
        shared_passes: counts.shared_passes_per_point,
        barrier_waits_per_group: counts.barrier_waits_per_group,
        registers: report.machine.registers,
        spilled_bytes: report.compiled.as_ref().map_or(beyond, |c| c.spill_store_bytes + c.spill_load_bytes),
        ctas_per_sm: report.machine.ctas_per_sm,
        occupancy: report.machine.occupancy,
    }
}

/// Nanoseconds per point: the last word that the command prints.
fn timed(command: &str, folder: &Path) -> Result<f64, String> {
    let run = Command::new("sh").args(["-c", command]).current_dir(folder).stderr(Stdio::inherit()).output();
    let run = run.map_err(|error| format!("{command}: {error}"))?;
    if !run.status.success() {
        return Err(format!("{command}: {}", run.status));
    }
    let text = String::from_utf8_lossy(&run.stdout);
    let last = text.split_whitespace().last().unwrap_or("");
    match last.parse::<f64>() {
        Ok(time) if time.is_finite() && time > 0.0 => Ok(time),
        _ => Err(format!("{command}: its last word is {last:?}, no time in nanoseconds")),
    }
}

fn refused(id: &str, message: String) -> Outcome {
    Outcome::Refused { id: id.to_owned(), message }
}
