//! Proves the synchronisation of PTX: of what Singe prints itself, and of what a compiler makes of the CUDA text.
//!
//! Passes behind the schedule's proof add barriers and copies: meetings of warp groups, warps in lockstep, orders of lanes, copies of the next
//! inputs. So the last text is proven again, by a prover that knows nothing of the schedule.

use super::simulate::requested_at_launch;
use super::text::launches;
use diagnostics::Diagnostic;
use machine::target::Target;
use overlay::program::Program;
use ptx::Module;
use ptx::inst::{Op, Space};
use ptx::ir::FuncKind;
use warpsim::Launch;
use warpsim::prove::{self, Verdict};

/// Proves the PTX that Singe prints of a kernel with `arrays` fields: no deadlock, no unsafe reuse of a barrier and no race on shared memory.
/// A kernel whose slots lie in global memory is proven with all slots in shared memory, too, as races on global memory are not analysed.
///
/// # Errors
/// A violation, or something that the prover cannot decide: both are defects of Singe.
pub fn prove_printed(
    program: &Program,
    arrays: usize,
    module: &Module,
    target: &Target,
) -> Result<(), Vec<Diagnostic>> {
    let open = |program: &Program, module: &Module| undecided(program, arrays, module, requested_at_launch(module));
    let mut found = open(program, module)?;
    if program.first_global.is_some() && found.is_none() {
        let shared = Program { first_global: None, ..program.clone() };
        found = open(&shared, &emit_ptx::print(&lower::lower(&shared, target), target.compute_capability))?;
    }
    match found {
        None => Ok(()),
        Some(what) => Err(vec![refused(&program.symbol, &what)]),
    }
}

/// Runs the prover for a launch in which every part of the frame around the streaming loop runs; `shared` bytes are added to what the module
/// declares. Returns the first thing that it cannot decide, if there is one.
///
/// # Errors
/// Violations.
pub(super) fn undecided(
    program: &Program,
    arrays: usize,
    module: &Module,
    shared: u64,
) -> Result<Option<String>, Vec<Diagnostic>> {
    let (ctas, points, stride) = launches(program)[0];
    let buffers = arrays + usize::from(program.first_global.is_some());
    let launch = Launch::fields(ctas, program.execution.warps(), buffers, points as u32, stride as u32);
    let verdict = verdict(module, &program.symbol, &Launch { shared, ..launch })?;
    let condition = verdict.conditions().next().map(|condition| format!("holds only if {condition}"));
    Ok(verdict.not_analysed.first().cloned().or(condition))
}

/// Returns whether a kernel that is no program of a schedule, such as one of a reactor's text, is proven for a launch. Loops whose end depends on data
/// are taken to end.
///
/// # Errors
/// Violations.
pub fn prove_launch(module: &Module, symbol: &str, launch: &Launch) -> Result<bool, Vec<Diagnostic>> {
    Ok(!meets(module, symbol) || verdict(module, symbol, launch)?.not_analysed.is_empty())
}

/// Whether threads of a kernel may wait for each other, or hand something over through shared memory: in its own code, or in that of any function. Where they
/// do not, there is no deadlock and no race.
fn meets(module: &Module, symbol: &str) -> bool {
    let waits = |op: &Op| {
        use Op::{Bar, BarRed, BarWarp, Match, Mma, Opaque, Redux, Shfl, Vote};
        matches!(
            op,
            Bar { .. }
                | BarRed { .. }
                | BarWarp { .. }
                | Match { .. }
                | Mma { .. }
                | Opaque { .. }
                | Redux { .. }
                | Shfl { .. }
                | Vote { .. }
        )
    };
    let mut reached = module.funcs.iter().filter(|func| func.kind == FuncKind::Function || func.name == symbol);
    module.variables.values().any(|variable| variable.space == Space::Shared)
        || reached.any(|func| func.insts.values().any(|inst| waits(&inst.op)))
}

/// The prover's verdict without violations.
fn verdict(module: &Module, symbol: &str, launch: &Launch) -> Result<Verdict, Vec<Diagnostic>> {
    let verdict = prove::prove_launch(module, symbol, launch).map_err(|reason| vec![refused(symbol, &reason)])?;
    let violations: Vec<_> = verdict.violations.iter().map(|what| refused(symbol, &what.to_string())).collect();
    if violations.is_empty() { Ok(verdict) } else { Err(violations) }
}

fn refused(symbol: &str, what: &str) -> Diagnostic {
    Diagnostic::error("proof::printed", format!("{symbol}: its PTX is not proven free of deadlocks and races: {what}"))
}
