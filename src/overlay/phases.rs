//! The actions that the proof ran, cut into phases.

use super::program::{BarrierKind, Node};
use crate::graph::StepRef;
use crate::schedule::proof::Proven;
use crate::schedule::{Action, WarpMask};

/// What the warps do up to one boundary, and there.
pub struct Phase {
    /// By warp, in order.
    pub runs: Vec<Vec<StepRef>>,
    /// By warp, what it does at the boundary, in order.
    boundary: Vec<Vec<Action>>,
}

/// The phases of a proven schedule.
pub fn of(proven: &Proven) -> Vec<Phase> {
    let programs: Vec<Vec<&[Action]>> = proven.programs().iter().map(|program| cut(program)).collect();
    let count = programs.iter().map(Vec::len).max().unwrap_or(0);
    (0..count).map(|k| phase(programs.iter().map(|parts| parts.get(k).copied().unwrap_or_default()))).collect()
}

/// What lies between boundaries.
fn cut(program: &[Action]) -> Vec<&[Action]> {
    let mut parts: Vec<_> = program.split(|action| *action == Action::Boundary).collect();
    if parts.last().is_some_and(|rest| rest.is_empty()) {
        parts.pop();
    }
    parts
}

fn phase<'a>(warps: impl Iterator<Item = &'a [Action]>) -> Phase {
    let mut phase = Phase { runs: Vec::new(), boundary: Vec::new() };
    for actions in warps {
        let step = |action: &Action| if let Action::Run(at) = action { Some(*at) } else { None };
        phase.runs.push(actions.iter().filter_map(step).collect());
        phase.boundary.push(actions.iter().filter(|action| step(action).is_none()).copied().collect());
    }
    phase
}

impl Phase {
    /// What the given warps do at the boundary. Warps that do the same do it in one place.
    pub fn boundary(&self, warps: WarpMask) -> Vec<Node> {
        let mut meets = 0;
        // Uses of barriers in the order of their lowest warps, with those that arrive and those that wait.
        let mut uses: Vec<((u32, u32), [WarpMask; 2])> = Vec::new();
        for (warp, actions) in self.boundary.iter().enumerate() {
            for action in actions {
                let (barrier, kind) = match *action {
                    Action::Meet => {
                        meets |= 1 << warp;
                        continue;
                    }
                    Action::Arrive { id, threads } => ((id, threads), 0),
                    Action::Sync { id, threads } => ((id, threads), 1),
                    Action::Run(_) | Action::Boundary => continue,
                };
                let at = uses.iter().position(|(known, _)| *known == barrier).unwrap_or_else(|| {
                    uses.push((barrier, [0; 2]));
                    uses.len() - 1
                });
                uses[at].1[kind] |= 1 << warp;
            }
        }
        let meet = [(meets, Node::Meet)];
        let barriers = uses.into_iter().flat_map(|((id, threads), masks)| {
            let kinds = [BarrierKind::Arrive, BarrierKind::Sync];
            masks.into_iter().zip(kinds.map(|kind| Node::Barrier { id, threads, kind }))
        });
        let present = meet.into_iter().chain(barriers).filter(|(mask, _)| mask & warps != 0);
        present.map(|(mask, node)| guard(mask & warps, warps, node)).collect()
    }
}

/// The node, for those of the given warps that are in the mask.
fn guard(mask: WarpMask, warps: WarpMask, node: Node) -> Node {
    if mask == warps { node } else { Node::If { warps: mask, body: vec![node] } }
}
