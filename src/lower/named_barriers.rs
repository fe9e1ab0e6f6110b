//! What waves do at AMD's named barriers: the plan comes from the barriers of the typed code, which is what is printed.

use super::code::{Code, Integer, Statement};
use crate::overlay::program::{BarrierKind, WarpMask};
use crate::schedule::named_barriers::proof::{self, Around, Proven};
use crate::schedule::named_barriers::{Plan, Use, Uses};
use crate::schedule::{Action, all_warps};
use diagnostics::Diagnostic;

/// The proven plan of a kernel whose workgroups have so many named barriers, and whose warps have these proven schedules; nothing where it uses none.
///
/// Errors: what the proof refuses.
pub fn proven(code: &Code, room: u32, schedule: &[Vec<Action>]) -> Result<Option<Proven>, Vec<Diagnostic>> {
    let meets = |action: &Action| matches!(action, Action::Arrive { .. } | Action::Sync { .. });
    let Some(uses) = uses(code) else {
        let message = format!("{}: a barrier stands in a loop whose length is not known", code.kernel);
        return Err(vec![Diagnostic::error("proof::barrier-plan", message)]);
    };
    if uses.in_order.is_empty() && !schedule.iter().flatten().any(meets) {
        return Ok(None);
    }
    proof::prove(Plan::new(&uses), Around { kernel: &code.kernel, room, schedule }).map(Some)
}

/// The uses in one turn of the streaming loop.
fn uses(code: &Code) -> Option<Uses> {
    let roles = code.execution.roles();
    let mut uses = Uses { by_wave: vec![Vec::new(); roles as usize], in_order: Vec::new() };
    walk(&code.stream.body, all_warps(roles), &mut uses)?;
    // All groups of warps do the same.
    let groups = code.execution.warp_groups();
    uses.by_wave = (0..groups).flat_map(|_| uses.by_wave.clone()).collect();
    Some(uses)
}

fn walk(statements: &[Statement], warps: WarpMask, uses: &mut Uses) -> Option<()> {
    for statement in statements {
        match statement {
            Statement::Barrier { id, threads, kind } => {
                let of = Use { id: *id, waves: threads / 32, waits: *kind == BarrierKind::Sync };
                uses.in_order.push(of);
                for (warp, own) in uses.by_wave.iter_mut().enumerate() {
                    if warps >> warp & 1 == 1 {
                        own.push(of);
                    }
                }
            }
            Statement::If { warps: own, body } => walk(body, warps & own, uses)?,
            Statement::Switch { arms, .. } => {
                for (own, body) in arms {
                    walk(body, warps & own, uses)?;
                }
            }
            Statement::Loop { trips, body, .. } => {
                let before = uses.in_order.len();
                walk(body, warps, uses)?;
                if uses.in_order.len() > before {
                    let Integer::Literal(trips) = trips else { return None };
                    for _ in 1..*trips {
                        walk(body, warps, uses)?;
                    }
                }
            }
            _ => {}
        }
    }
    Some(())
}
