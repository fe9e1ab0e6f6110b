//! Verifies the machine code that ptxas makes of the text, in the launches of [`super::text`], and counts what it executes.

use serde::Serialize;

use super::Subject;
use super::judge;
use super::simulate::{self, Shape};
use super::text::{at_launch, launches};
use diagnostics::Diagnostic;
use kinetics::{self, State};
use overlay::program::Program;
use sass::Cubin;
use warpsim::machine_code::{self, Counts, Failure, Report};

/// Result of running the machine code.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MachineCode {
    /// Its outputs are those of the dataflow graph, bit for bit, and so those of the PTX.
    Verified(MachineCodeVerification),
    /// Why it was not run.
    NotRun(String),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MachineCodeVerification {
    /// Assembler that made it, such as `ptxas 12.9`.
    pub assembler: String,
    pub states: usize,
    /// Points of each launch; the states take turns.
    pub points: Vec<usize>,
    /// Relative; the tolerance is that of the text.
    pub largest_error: f64,
    /// Points on which the warps of a CTA work in one turn of the streaming loop.
    pub points_per_turn: u32,
    /// Exact counts of each warp in one turn, without what stands around the loop.
    pub turn: Vec<Counts>,
    /// Bytes of the instructions that are executed at all.
    pub code_bytes: u64,
}

impl MachineCodeVerification {
    /// A count per 32 points, over all warps.
    pub fn per_32_points(&self, count: impl Fn(&Counts) -> u64) -> f64 {
        let all: u64 = self.turn.iter().map(count).sum();
        32.0 * all as f64 / f64::from(self.points_per_turn.max(1))
    }
}

/// Runs the machine code that `assembler` made of the PTX in `subject`; `shared` bytes are what the launch function gives to a
/// CTA.
///
/// Errors: hazards, an output that differs from the graph's or is too far from the reference.
pub fn verify_machine_code(
    subject: &Subject<'_>,
    cubin: &Cubin,
    assembler: &str,
    shared: u32,
    states: usize,
) -> Result<MachineCode, Vec<Diagnostic>> {
    let what = format!("the machine code that {assembler} makes of the CUDA text");
    let Subject { model, graph, program, module, .. } = *subject;
    let launches = launches(program);
    let most = launches.iter().map(|&(_, points, _)| points).max().unwrap_or(1);
    let states = judge::states(model, graph, program, states.min(most));
    let expected: Vec<_> = states.iter().map(|state| judge::expected(subject, state)).collect();
    let warps = program.execution.warps();
    let shared = at_launch(module, shared);
    let run = |ctas: u32, points: usize, stride: usize| {
        let all: Vec<State> = states.iter().cycle().take(points).cloned().collect();
        let shape =
            Shape { ctas, warps, stride, shared, io: program.io(), workspace: program.workspace_bytes_per_cta() };
        simulate::run(&program.symbol, (model, graph), &all, shape, |launch, buffers| {
            machine_code::run(cubin, &program.symbol, launch, buffers, &warpsim::Options::default())
        })
    };
    let mut largest_error = 0.0f64;
    for (ctas, points, stride) in launches {
        let outputs = match run(ctas, points, stride)? {
            Ok((outputs, _)) => outputs,
            Err(failure) => return not_run(&program.symbol, &what, failure),
        };
        let made = judge::Outputs::with_bits(&outputs, points, stride);
        let error = judge::judge(subject, &what, &states, &expected, &made)?;
        largest_error = largest_error.max(error);
    }
    let turn = points_per_turn(program);
    // two runs that differ by one turn
    let points = |turns: u32| (turns * turn) as usize;
    let counted = |turns: u32| run(1, points(turns), points(turns)).map(|run| run.map(|(_, report)| report));
    let (less, more) = match (counted(2)?, counted(3)?) {
        (Ok(less), Ok(more)) => (less, more),
        (Err(failure), _) | (_, Err(failure)) => return not_run(&program.symbol, &what, failure),
    };
    Ok(MachineCode::Verified(MachineCodeVerification {
        assembler: assembler.to_owned(),
        states: states.len(),
        points: launches.map(|(_, points, _)| points).to_vec(),
        largest_error,
        points_per_turn: turn,
        turn: difference(&more, &less),
        code_bytes: more.code_bytes,
    }))
}

/// Points on which a CTA works in one turn of the streaming loop.
pub(super) fn points_per_turn(program: &Program) -> u32 {
    program.execution.groups_per_cta() * program.points_per_group()
}

/// Returns the counts by which the longer of two runs exceeds the shorter one, warp by warp.
pub(super) fn difference(more: &Report, less: &Report) -> Vec<Counts> {
    more.warps.iter().zip(&less.warps).map(|(more, less)| more.since(less)).collect()
}

/// Machine code with instructions that the simulator does not know is no fault of it.
fn not_run(symbol: &str, what: &str, failure: Failure) -> Result<MachineCode, Vec<Diagnostic>> {
    match failure {
        Failure::Unknown(diagnostics) => {
            let first = diagnostics.first().map_or(String::new(), |diagnostic| diagnostic.message.clone());
            Ok(MachineCode::NotRun(first))
        }
        Failure::Hazards(hazards) => {
            let hazard = |hazard| Diagnostic::error("simulator::hazard", format!("{symbol}: {hazard} ({what})"));
            Err(hazards.list.iter().map(hazard).collect())
        }
    }
}
