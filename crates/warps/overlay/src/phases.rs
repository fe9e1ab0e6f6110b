//! The actions that the proof ran, cut into phases.

use super::program::{BarrierKind, Node};
use graph::StepRef;
use schedule::proof::Proven;
use schedule::{Action, WarpMask};

/// Steps of the warps up to one boundary, and their actions there.
pub struct Phase {
    /// Steps of each warp, in order.
    pub runs: Vec<Vec<StepRef>>,
    /// Actions of each warp at the boundary, in order.
    boundary: Vec<Vec<Action>>,
}

/// The phases of a proven schedule.
pub fn from_schedule(proven: &Proven) -> Vec<Phase> {
    let programs: Vec<Vec<&[Action]>> = proven.programs().iter().map(|program| cut(program)).collect();
    let count = programs.iter().map(Vec::len).max().unwrap_or(0);
    (0..count).map(|k| phase(programs.iter().map(|parts| parts.get(k).copied().unwrap_or_default()))).collect()
}

/// Returns the parts of a program between its boundaries.
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
    /// Returns the actions of the given warps at the boundary, each in its own order. Warps that do the same do it in one place,
    /// unless their orders disagree.
    pub fn boundary(&self, warps: WarpMask) -> Vec<Node> {
        let mut rest: Vec<&[Action]> = self.boundary.iter().map(Vec::as_slice).collect();
        let mut nodes = Vec::new();
        while let Some(next) = next(&rest) {
            // Those that arrive come before those that wait.
            let kinds = [Some(BarrierKind::Arrive), Some(BarrierKind::Sync), None];
            for (kind, node) in kinds.into_iter().filter_map(|kind| Some((kind, next.node(kind)?))) {
                let does =
                    |actions: &[Action]| actions.first().is_some_and(|a| SyncOp::from_action(a) == Some((next, kind)));
                let mask = (0..).zip(&rest).filter(|(_, actions)| does(actions)).fold(0, |mask, (w, _)| mask | 1 << w);
                rest.iter_mut().filter(|actions| does(actions)).for_each(|actions| *actions = &actions[1..]);
                if mask & warps != 0 {
                    nodes.push(guard(mask & warps, warps, node));
                }
            }
        }
        nodes
    }
}

/// Where lanes or warps wait for each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SyncOp {
    Lanes,
    Barrier { id: u32, threads: u32 },
}

impl SyncOp {
    fn from_action(action: &Action) -> Option<(Self, Option<BarrierKind>)> {
        match *action {
            Action::WarpSync => Some((Self::Lanes, None)),
            Action::Arrive { id, threads } => Some((Self::Barrier { id, threads }, Some(BarrierKind::Arrive))),
            Action::Sync { id, threads } => Some((Self::Barrier { id, threads }, Some(BarrierKind::Sync))),
            Action::Run(_) | Action::Boundary => None,
        }
    }

    fn node(self, kind: Option<BarrierKind>) -> Option<Node> {
        match (self, kind) {
            (Self::Lanes, None) => Some(Node::WarpSync),
            (Self::Barrier { id, threads }, Some(kind)) => Some(Node::Barrier { id, threads, kind }),
            _ => None,
        }
    }
}

/// Returns the next operation: the lanes' first, then one that no warp has behind another one, else any.
fn next(rest: &[&[Action]]) -> Option<SyncOp> {
    let sync_op = |action: &Action| SyncOp::from_action(action).map(|(op, _)| op);
    let firsts = || rest.iter().filter_map(|actions| sync_op(actions.first()?));
    let is_later = |next: &SyncOp| rest.iter().any(|actions| actions.iter().skip(1).any(|a| sync_op(a) == Some(*next)));
    firsts()
        .find(|next| *next == SyncOp::Lanes)
        .or_else(|| firsts().find(|next| !is_later(next)))
        .or_else(|| firsts().next())
}

/// The node, for those of the given warps that are in the mask.
fn guard(mask: WarpMask, warps: WarpMask, node: Node) -> Node {
    if mask == warps { node } else { Node::If { warps: mask, body: vec![node] } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actions(nodes: &[Node], warp: u32) -> Vec<Action> {
        let action = |node: &Node| match *node {
            Node::WarpSync => Action::WarpSync,
            Node::Barrier { id, threads, kind: BarrierKind::Arrive } => Action::Arrive { id, threads },
            Node::Barrier { id, threads, kind: BarrierKind::Sync } => Action::Sync { id, threads },
            _ => unreachable!("a boundary has nothing else"),
        };
        nodes
            .iter()
            .filter_map(|node| match node {
                Node::If { warps, body } => (warps >> warp & 1 == 1).then(|| action(&body[0])),
                node => Some(action(node)),
            })
            .collect()
    }

    #[test]
    fn every_warp_keeps_its_order() {
        let sync = |id| Action::Sync { id, threads: 64 };
        let arrive = |id| Action::Arrive { id, threads: 64 };
        let cases = [
            // The order of the first warps is not that of the last.
            vec![vec![sync(2)], vec![sync(1)], vec![arrive(1), arrive(2)]],
            // No common order.
            vec![vec![arrive(1), sync(2)], vec![arrive(2), sync(1)]],
            vec![vec![sync(1)], vec![Action::WarpSync, arrive(1)], vec![Action::WarpSync]],
        ];
        for boundary in cases {
            let warps = boundary.len() as u32;
            let phase = Phase { runs: Vec::new(), boundary };
            let nodes = phase.boundary((1 << warps) - 1);
            for (warp, expected) in (0..).zip(&phase.boundary) {
                assert_eq!(&actions(&nodes, warp), expected, "warp {warp}");
                assert_eq!(&actions(&phase.boundary(1 << warp), warp), expected, "warp {warp} alone");
            }
        }
    }
}
