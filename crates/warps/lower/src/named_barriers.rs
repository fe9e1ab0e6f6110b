//! Plan of the waves at AMD's named barriers: it comes from the barriers of the typed code, which is what is printed.

use super::code::{Code, Integer, Statement};
use diagnostics::Diagnostic;
use overlay::program::{BarrierKind, WarpMask};
use schedule::named_barriers::proof::{self, Around, Proven};
use schedule::named_barriers::{Plan, Use};
use schedule::{Action, all_warps};

/// The proven plan of a kernel whose workgroups have so many named barriers, and whose warps have these proven schedules; nothing where it uses none.
///
/// Errors: what the proof refuses.
pub fn proven(code: &Code, room: u32, schedule: &[Vec<Action>]) -> Result<Option<Proven>, Vec<Diagnostic>> {
    let meets = |action: &Action| matches!(action, Action::Arrive { .. } | Action::Sync { .. });
    let Some(uses) = uses(code) else {
        let message = format!("{}: a barrier stands in a loop whose length is not known", code.kernel);
        return Err(vec![Diagnostic::error("proof::barrier-plan", message)]);
    };
    if uses.iter().all(Vec::is_empty) && !schedule.iter().flatten().any(meets) {
        return Ok(None);
    }
    proof::prove(Plan::new(&uses), Around { kernel: &code.kernel, room, schedule }).map(Some)
}

/// Returns the uses of each wave in one turn of the streaming loop.
fn uses(code: &Code) -> Option<Vec<Vec<Use>>> {
    let roles = code.execution.roles();
    let mut by_warp = vec![Vec::new(); roles as usize];
    walk(&code.stream.body, all_warps(roles), &mut by_warp)?;
    // All groups of warps do the same.
    let groups = code.execution.warp_groups();
    Some((0..groups).flat_map(|_| by_warp.clone()).collect())
}

fn walk(statements: &[Statement], warps: WarpMask, by_warp: &mut [Vec<Use>]) -> Option<()> {
    for statement in statements {
        match statement {
            Statement::Barrier { id, threads, kind } => {
                let of = Use { id: *id, waves: threads / 32, waits: *kind == BarrierKind::Sync };
                for (warp, own) in by_warp.iter_mut().enumerate() {
                    if warps >> warp & 1 == 1 {
                        own.push(of);
                    }
                }
            }
            Statement::If { warps: own, body } => walk(body, warps & own, by_warp)?,
            Statement::Switch { arms, .. } => {
                for (own, body) in arms {
                    walk(body, warps & own, by_warp)?;
                }
            }
            Statement::Loop { trips, body, .. } => {
                let mut turn = vec![Vec::new(); by_warp.len()];
                walk(body, warps, &mut turn)?;
                if turn.iter().any(|own| !own.is_empty()) {
                    let Integer::Literal(trips) = trips else { return None };
                    for (own, turn) in by_warp.iter_mut().zip(turn) {
                        own.extend(turn.repeat(*trips as usize));
                    }
                }
            }
            _ => {}
        }
    }
    Some(())
}
