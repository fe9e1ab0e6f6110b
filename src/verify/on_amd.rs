//! Verifies the machine code that Clang makes of a kernel's text for AMD: its outputs must be those of the dataflow graph, bit for bit.
//!
//! One launch has two workgroups, or where warps work together one workgroup that takes two turns, of which the second has few points; the
//! other one has a stride that is larger than its points. The first is run twice, with approximations (`v_rcp_f64`, `v_rsq_f64`) exact and cut to what AMD documents of them, so that no output
//! depends on bits that no document tells.

use serde::Serialize;

use super::Subject;
use super::judge;
use super::machine_code::points_per_turn;
use super::simulate::{self, Shape};
use diagnostics::Diagnostic;
use gcn::{Argument, Array, Counts, Hazard, Launch, Options};
use kinetics::State;
use overlay::program::{Execution, Program};
use ptx::inst::Type;
use warpsim::Buffer;

/// Result of running the machine code.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeOnAmd {
    Verified(CodeOnAmdVerification),
    /// Why it was not run.
    NotRun(String),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CodeOnAmdVerification {
    pub states: usize,
    /// Points of each launch; the states take turns.
    pub points: Vec<usize>,
    /// Relative; the tolerance is that of the kernel.
    pub largest_error: f64,
    /// Counts of one wave, or of all that work together, in one turn for as many points as a wave has lanes. Work ahead of the turns is included.
    pub wave: Counts,
}

/// Runs the machine code of `listing`, which `compiler` made.
///
/// Errors: hazards, an output that differs from the graph's or is too far from the reference.
pub fn verify_on_amd(
    subject: &Subject<'_>,
    listing: &str,
    compiler: &str,
    states: usize,
) -> Result<CodeOnAmd, Vec<Diagnostic>> {
    let what = format!("the machine code that {compiler} makes of the HIP text");
    let Subject { model, graph, program, .. } = *subject;
    let symbol = &program.symbol;
    let kernel = match gcn::read(listing, symbol) {
        Ok(kernel) => kernel,
        Err(refused) => {
            return Ok(CodeOnAmd::NotRun(refused.first().map_or(String::new(), |first| format!("{symbol}, {first}"))));
        }
    };
    let warps = program.execution.warps();
    let per_workgroup = points_per_turn(program) as usize;
    let (partial, whole) = (per_workgroup + 6, per_workgroup);
    // Warps that work together take several groups of points one after the other: here all of them in one workgroup.
    let workgroups = if is_data_parallel(program) { 2 } else { 1 };
    let launches = [(partial, partial, false), (partial, partial, true), (whole, whole + 5, false)];
    let states = judge::states(model, graph, program, states.min(partial));
    let expected: Vec<_> = states.iter().map(|state| judge::expected(subject, state)).collect();
    let (mut largest_error, mut wave) = (0.0f64, Counts::default());
    for (points, stride, cut) in launches {
        let all: Vec<State> = states.iter().cycle().take(points).cloned().collect();
        let ctas = workgroups.min(points.div_ceil(per_workgroup) as u32);
        let shape = Shape { ctas, warps, stride, shared: 0, io: program.io(), workspace: None };
        let run = simulate::run(symbol, (model, graph), &all, shape, |launch, buffers| {
            run_on_amd(&kernel, launch, buffers, Options { cut })
        })?;
        let (found, counts) =
            run.map_err(|hazard| vec![Diagnostic::error("simulator::hazard", format!("{symbol}: {hazard} ({what})"))])?;
        let made = judge::Outputs::with_bits(&found, points, stride);
        let error = judge::judge(subject, &what, &states, &expected, &made)?;
        largest_error = largest_error.max(error);
        wave = Counts::shared(&counts, (per_workgroup / kernel.lanes()).max(1) as u64);
    }
    Ok(CodeOnAmd::Verified(CodeOnAmdVerification {
        states: states.len(),
        points: launches.map(|(points, ..)| points).to_vec(),
        largest_error,
        wave,
    }))
}

fn is_data_parallel(program: &Program) -> bool {
    matches!(program.execution, Execution::DataParallel { .. })
}

/// Runs a kernel on buffers of the simulator, and tells what each of its waves executed.
///
/// Errors: the first hazard.
pub fn run_on_amd(
    kernel: &gcn::Kernel,
    launch: &warpsim::Launch,
    buffers: &mut [Buffer],
    options: Options,
) -> Result<Vec<Counts>, Box<Hazard>> {
    let words = |buffer: &Buffer| 0..buffer.len_of(Type::B32);
    let of = |buffer: &Buffer| {
        let word = |index| buffer.element(Type::B32, index).map(|word| word as u32);
        Array::words(&words(buffer).map(word).collect::<Vec<_>>(), buffer.writable())
    };
    let mut arrays: Vec<Array> = buffers.iter().map(of).collect();
    let argument = |argument: &warpsim::Argument| match argument {
        warpsim::Argument::Buffer(index) => Some(Argument::Array(*index)),
        warpsim::Argument::U32(value) => Some(Argument::U32(*value)),
        warpsim::Argument::U64(value) => Some(Argument::U64(*value)),
        warpsim::Argument::Bytes(bytes) => {
            <[u8; 8]>::try_from(&bytes[..]).ok().map(|bytes| Argument::U64(u64::from_le_bytes(bytes)))
        }
        _ => None,
    };
    let launch = Launch {
        workgroups: launch.ctas[0],
        threads: launch.threads[0],
        lds: launch.shared,
        // Kernels have no other arguments. One with others would be run without any, and refused.
        arguments: launch.arguments.iter().map(argument).collect::<Option<_>>().unwrap_or_default(),
    };
    let report = gcn::run(kernel, &launch, &mut arrays, options)?;
    for (buffer, array) in buffers.iter_mut().zip(&arrays).filter(|(buffer, _)| buffer.writable()) {
        for index in words(buffer) {
            if let Some(word) = array.word(index) {
                buffer.write_element(Type::B32, index, word.into());
            }
        }
    }
    Ok(report.waves)
}
