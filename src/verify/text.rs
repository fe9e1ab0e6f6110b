//! Verifies the text that is shipped, by the PTX that a compiler made of it.
//!
//! Two launches run every part of the frame around the streaming loop. The first ends with a group that is not full,
//! and its rows lie close together. So a lane beyond the last point reads another row or leaves the array. The second
//! has whole groups, shared by two CTAs. Both have a CTA or a warp that goes through the loop twice.

use serde::Serialize;

use super::Subject;
use super::judge::{self, Outputs, expected};
use super::simulate::{self, Shape};
use super::synchronisation;
use diagnostics::Diagnostic;
use kinetics::{self, State};
use overlay::program::{Execution, Program};
use ptx::Module;
use ptx::inst::Space;

/// Result of simulating the text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextVerification {
    /// Compiler that made PTX of the text, such as `NVRTC 12.9`.
    pub compiler: String,
    pub states: usize,
    /// Points of each launch; the states take turns.
    pub points: Vec<usize>,
    /// Relative, as [`super::Verification::largest_error`]; the tolerance is the same.
    pub largest_error: f64,
    /// The first thing that keeps a proof of synchronisation from reading the compiler's PTX, as indices that Fermi has in shared memory do. Singe's
    /// own PTX of the same code is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided: Option<String>,
}

/// Verifies the module that `compiler` made of the kernel's text, on `states` states, or fewer where
/// the launches have fewer points; `shared` bytes are what the
/// launch function gives to a CTA.
///
/// Errors: hazards in the simulator or the proof, an output that differs from the graph's or is too far from the reference.
pub fn verify_text(
    subject: &Subject<'_>,
    compiler: &str,
    shared: u32,
    states: usize,
) -> Result<TextVerification, Vec<Diagnostic>> {
    let what = format!("the CUDA text, as {compiler} compiles it");
    let named = |diagnostics: Vec<Diagnostic>| {
        let name = |d: Diagnostic| Diagnostic { message: format!("{} ({what} in the simulator)", d.message), ..d };
        diagnostics.into_iter().map(name).collect::<Vec<_>>()
    };
    let Subject { model, graph, program, module, .. } = *subject;
    let launches = launches(program);
    let most = launches.iter().map(|&(_, points, _)| points).max().unwrap_or(1);
    let states = judge::states(model, graph, program, states.min(most));
    let expected: Vec<_> = states.iter().map(|state| expected(subject, state)).collect();
    let (warps, shared) = (program.execution.warps(), at_launch(module, shared));
    let mut largest_error = 0.0f64;
    for (ctas, points, stride) in launches {
        let shape =
            Shape { ctas, warps, stride, shared, io: program.io(), workspace: program.workspace_bytes_per_cta() };
        let all: Vec<State> = states.iter().cycle().take(points).cloned().collect();
        let run = simulate::launch(module, &program.symbol, (model, graph), &all, shape, None);
        let (outputs, _) = run.map_err(named)?;
        let made = Outputs::with_bits(&outputs, points, stride);
        let error = judge::judge(subject, &format!("{what},"), &states, &expected, &made)?;
        largest_error = largest_error.max(error);
    }
    let undecided = synchronisation::undecided(program, graph.arrays.len(), module, shared).map_err(named)?;
    Ok(TextVerification {
        compiler: compiler.to_owned(),
        states: states.len(),
        points: launches.map(|(_, points, _)| points).to_vec(),
        largest_error,
        undecided,
    })
}

/// CTAs, points and stride.
pub(super) fn launches(program: &Program) -> [(u32, usize, usize); 2] {
    let group = program.points_per_group() as usize;
    let (partial, whole) = match program.execution {
        // In the last turn of each launch the first group of warps alone has points.
        Execution::WarpSpecialized { groups, .. } => (groups as usize * group + 6, (2 * groups as usize + 1) * group),
        // Each warp has groups of its own, so that only the first one comes to a second.
        Execution::DataParallel { warps } => (warps as usize * group + 6, group),
    };
    [(1, partial, partial), (2, whole, whole + 5)]
}

/// Returns the bytes of shared memory that a launch must add to those that the module declares.
pub(super) fn at_launch(module: &Module, shared: u32) -> u64 {
    let variables = module.variables.values().filter(|variable| variable.space == Space::Shared);
    let declared: u64 = variables.map(|variable| variable.bytes).sum();
    u64::from(shared).saturating_sub(declared)
}
