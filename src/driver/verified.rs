//! The code of a draft, run in the simulator.

use crate::observer::Observer;
use crate::plan::Resolved;
use crate::search::Draft;
use crate::verify::{self, Subject, Verification};
use command::Failure;
use diagnostics::Diagnostic;
use kinetics::Model;
use overlay::program::Program;

/// Runs the code in the simulator and compares; nothing where no states were asked for.
pub fn verified(
    model: &Model,
    own: &Resolved<'_>,
    draft: &Draft,
    observer: &mut Observer,
) -> Result<Option<Verification>, Failure> {
    let Some(states) = own.asked.verify else { return Ok(None) };
    let Draft { graph, mapping, proven, program, ptx: module, .. } = draft;
    let stiffness = own.asked.common.stiffness;
    let subject = Subject { kernel: own.kernel, model, stiffness, graph, mapping, proven, program, module };
    let progress = observer.progress("verify", "states");
    let verify = || -> Result<Option<Verification>, Vec<Diagnostic>> {
        // The simulator knows races on shared memory only, so the code first runs with all slots there.
        if program.first_global.is_some() {
            let program = &Program { first_global: None, ..program.clone() };
            let target = own.asked.common.target;
            let module = &emit_ptx::print(&lower::lower(program, target), target.compute_capability);
            verify::verify(&Subject { program, module, ..subject }, states)?;
        }
        // First, as it says which error was asked for.
        let whole = draft.whole.as_ref().unwrap_or(graph);
        let single_error = draft.single.as_ref().map(|claim| verify::verify_single(&subject, whole, claim, states));
        let single_error = single_error.transpose()?;
        Ok(Some(Verification { single_error, ..verify::verify_with(&subject, states, &progress)? }))
    };
    observer.pass("verify", Some(own.kernel), verify).map_err(Failure::verification)
}
