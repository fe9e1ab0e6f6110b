//! Cost of one candidate.

use std::path::Path;

use clap::ValueEnum;
use kernels::{Form, Kernel};
use serde::{Deserialize, Serialize};
use singe::driver::{self, Multiplier, POINTS_PER_LANE, Request, Tuning};
use singe::observer::Observer;
use singe::plan::{self, CtasPerSm, Unset};
use singe::report::KernelReport;
use warpsim::machine_code::Cause;

use crate::clock::{Clock, Measured};
use crate::level::Level;
use crate::space::Candidate;

/// Candidate for one kernel, with its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    pub kernel: String,
    #[serde(flatten)]
    pub candidate: Candidate,
    pub level: Level,
    #[serde(flatten)]
    pub outcome: Outcome,
}

impl Trial {
    pub fn cost(&self) -> Option<&Cost> {
        match &self.outcome {
            Outcome::Cost(cost) => Some(cost),
            Outcome::Refused { .. } => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Cost(Box<Cost>),
    /// Why there is no kernel: the id of the diagnostic and its message.
    Refused {
        id: String,
        message: String,
    },
}

/// The way to multiply that reports do not name.
const DFMA: &str = "dfma";

/// Times are nanoseconds per point on the target's board; counts are per point by the simulator; registers and bytes per thread.
/// Figures have nine digits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Form, with the way to multiply where that is not `dfma`.
    pub form: String,
    pub layout: String,
    pub constants: String,
    /// Time from counts.
    pub estimated_ns: f64,
    /// Time by the model of an SM, where it runs machine code of the target.
    pub predicted_ns: Option<f64>,
    /// Median of the times that the command of `--measure` printed; of several runs also the least and the most.
    pub measured_ns: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub measured_spread: Option<[f64; 2]>,
    pub slots: f64,
    pub shuffles: f64,
    pub shared_passes: f64,
    pub barrier_waits_per_group: f64,
    /// Registers by ptxas where it is installed, else estimated.
    pub registers: u32,
    /// Spilled bytes by ptxas; without it, the bytes by which what is held from block to block exceeds what a thread may have.
    pub spilled_bytes: u32,
    pub ctas_per_sm: u32,
    pub occupancy: f64,
    /// The version that was kept, of those that the compiler tried of the candidate.
    #[serde(default)]
    pub tuning: Tuning,
    /// Longest wait of the warps in the predicted time, and its share of their clocks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waits_for: Option<(String, f64)>,
}

impl Cost {
    /// The time that is known best, and what it is.
    pub fn time(&self) -> (f64, &'static str) {
        let known = [(self.measured_ns, "measured"), (self.predicted_ns, "predicted")];
        known.into_iter().find_map(|(time, kind)| Some((time?, kind))).unwrap_or((self.estimated_ns, "estimated"))
    }

    /// The way to multiply matrices.
    pub fn matrix(&self) -> &str {
        self.form.split_once(", ").map_or(DFMA, |(_, matrix)| matrix)
    }
}

/// The request for a candidate alone.
pub fn request(base: &Request, kernel: Kernel, candidate: &Candidate) -> Request {
    let request = base.of_kernel(kernel).alone();
    let tuning = plan::set(&request.tuning, &candidate.table()).expect("each value was accepted before");
    // a candidate of so many warps and CTAs has so many
    let is_free = |key: &str| candidate.value(key).is_none();
    let unset = Unset {
        warps: request.unset.warps && is_free("warps") && is_free("ctas-per-sm"),
        matrix: request.unset.matrix && is_free("matrix"),
        layout: false,
    };
    let request = Request { tuning, unset, ..request };
    match candidate.layout() {
        Some(layout) => request.with_fastest_of(&layout.codegens()),
        None => request,
    }
}

/// Compiles a candidate, verifies it on one group of points, and counts; runs the command on the last level.
pub fn measure(base: &Request, clock: Option<&Clock>, kernel: Kernel, candidate: &Candidate, level: Level) -> Trial {
    let plain = request(base, kernel, candidate);
    let outcome = match clock.filter(|_| level == Level::Measured) {
        None => counted(plain, level, None),
        Some(clock) => match tempfile::tempdir() {
            Err(error) => refused("tune::measure", format!("no folder for the files of a candidate: {error}")),
            Ok(folder) => match counted(plain, level, Some(folder.path())) {
                Outcome::Cost(cost) => match clock.measure(folder.path()) {
                    Ok(Measured { median, least, most }) => {
                        let measured_spread = (clock.repeats > 1).then(|| [figure(least), figure(most)]);
                        Outcome::Cost(Box::new(Cost { measured_ns: Some(figure(median)), measured_spread, ..*cost }))
                    }
                    Err(reason) => refused("tune::measure", reason),
                },
                refused => refused,
            },
        },
    };
    Trial { kernel: kernel.name().to_owned(), candidate: candidate.clone(), level, outcome }
}

fn counted(request: Request, level: Level, folder: Option<&Path>) -> Outcome {
    // One full group of points: a partial one would count more for each.
    let points = request.tuning.points_per_lane.unwrap_or(*POINTS_PER_LANE.last().expect("there are some"));
    let request = Request {
        verify: Some(32 * points as usize),
        verify_machine_code: false,
        real_compilers: request.real_compilers && level > Level::Counted,
        // Files that nobody reads need not be made.
        emit: if folder.is_some() { request.emit } else { Vec::new() },
        output: folder.map(Path::to_owned),
        ..request
    };
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
    let waits = report.prediction.as_ref().and_then(|prediction| {
        let shares = Cause::ALL.into_iter().filter(|&cause| cause != Cause::Issued).map(|c| (c, prediction.share(c)));
        shares.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(cause, share)| (cause.name().to_owned(), figure(share)))
    });
    Cost {
        form: report.form.clone(),
        layout: report.codegen.clone(),
        constants: report.constants.clone(),
        estimated_ns: figure(report.machine.estimated_ns.expect("as above")),
        predicted_ns: report.machine.predicted_ns.map(figure),
        measured_ns: None,
        measured_spread: None,
        slots: figure(counts.slots_per_point),
        shuffles: figure(counts.shuffles_per_point),
        shared_passes: figure(counts.shared_passes_per_point),
        barrier_waits_per_group: figure(counts.barrier_waits_per_group),
        registers: report.machine.registers,
        spilled_bytes: report.compiled.as_ref().map_or(beyond, |c| c.spilled_bytes()),
        ctas_per_sm: report.machine.ctas_per_sm,
        occupancy: figure(report.machine.occupancy),
        tuning: kept(report),
        waits_for: waits,
    }
}

/// Returns the tuning that makes the same kernel again, from a report of how it was made.
fn kept(report: &KernelReport) -> Tuning {
    let (form, matrix) = report.form.split_once(", ").unwrap_or((&report.form, DFMA));
    let (form, matrix) = (Form::from_str(form, false).ok(), Multiplier::from_str(matrix, false).ok());
    let points_per_lane = Some(report.points_per_lane);
    let ctas_per_sm = CtasPerSm::fixed(report.tuning.ctas_per_sm.count);
    Tuning { points_per_lane, ctas_per_sm, form, matrix, ..report.tuning }
}

/// Rounds to nine digits, which a record gives back to the bit.
fn figure(value: f64) -> f64 {
    format!("{value:.8e}").parse().expect("this is a number")
}

fn refused(id: &str, message: String) -> Outcome {
    Outcome::Refused { id: id.to_owned(), message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Axis;

    #[test]
    fn a_candidate_has_the_warps_that_it_says() {
        let free = Request { unset: Unset { warps: true, matrix: true, layout: false }, ..Request::default() };
        let of = |axes: &[Axis]| {
            let candidates = crate::space::candidates(Kernel::Chemistry, &free, axes);
            candidates.iter().map(|one| request(&free, Kernel::Chemistry, one)).collect::<Vec<_>>()
        };
        let four = of(&[Axis::new("warps", &[4])]);
        assert_eq!(
            four.iter().map(|r| (r.tuning.warps, r.unset.warps, r.unset.matrix)).collect::<Vec<_>>(),
            [(4, false, true)]
        );
        let two = of(&[Axis::new("ctas-per-sm", &[2])]);
        assert!(two.iter().all(|r| r.tuning.ctas_per_sm.count == 2 && !r.unset.warps));
        let any = of(&[Axis::new("codegen", &["overlay"])]);
        assert!(any.iter().all(|r| r.unset.warps));
    }

    #[test]
    fn a_record_gives_figures_back_to_the_bit() {
        let mut bits = 1u64;
        for _ in 0..10_000 {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let value = figure((bits >> 11) as f64 * 1e-9);
            let text = serde_json::to_string(&value).unwrap();
            assert_eq!(serde_json::from_str::<f64>(&text).unwrap().to_bits(), value.to_bits(), "{text}");
        }
    }
}
