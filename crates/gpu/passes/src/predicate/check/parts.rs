//! The parts of a plan: that they lead to each other, and that all lanes enter each of them together.

use super::{Beliefs, Kind, Violation};
use crate::predicate::plan::{Plan, Step};
use ptx::inst::Terminator;
use ptx::ir::{Block, Func};
use std::collections::BTreeSet;

pub(super) fn check(func: &Func, plan: &Plan, beliefs: &Beliefs) -> Vec<Violation> {
    let mut parts = Parts { func, plan, beliefs, found: Vec::new() };
    let mut seen = BTreeSet::new();
    let mut work = vec![func.layout[0]];
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            work.extend(parts.behind(block));
        }
    }
    // rows write their blocks anew: what stays must not lead into them
    let rows: BTreeSet<Block> = plan.regions.iter().flat_map(|region| parts.members(&region.steps)).collect();
    for block in &seen {
        let entry = plan.region(*block).is_some();
        if rows.contains(block) && !entry {
            parts.found.push(Violation { at: *block, kind: Kind::Lost { target: *block } });
        }
    }
    parts.found
}

struct Parts<'a> {
    func: &'a Func,
    plan: &'a Plan,
    beliefs: &'a Beliefs<'a>,
    found: Vec<Violation>,
}

impl Parts<'_> {
    fn complain(&mut self, at: Block, kind: Kind) {
        self.found.push(Violation { at, kind });
    }

    /// The parts behind the one that starts at a block.
    fn behind(&mut self, block: Block) -> Vec<Block> {
        if let Some(region) = self.plan.region(block) {
            for step in &region.steps {
                match step {
                    Step::Run { block: inner, guard: Some(_) } if self.beliefs.together.contains(inner) => {
                        self.complain(block, Kind::Apart { block: *inner });
                    }
                    Step::Stack { entry, exit, guard } => self.stack(*entry, *exit, guard.is_some()),
                    _ => {}
                }
            }
            return region.exit.into_iter().collect();
        }
        if let Some(exit) = self.plan.stacks.get(&block) {
            self.stack(block, *exit, false);
            return exit.iter().copied().collect();
        }
        let targets: BTreeSet<Block> = self.func.blocks[block].terminator.targets().into_iter().collect();
        if let Some(end) = self.plan.leaving.get(&block) {
            let data = &self.func.blocks[*end];
            let ends = matches!(data.terminator, Terminator::Ret | Terminator::Exit) && targets.contains(end);
            if !ends || targets.len() != 2 || self.func.kind != ptx::ir::FuncKind::Entry {
                self.complain(block, Kind::Parts);
            }
            return targets.into_iter().filter(|target| target != end).collect();
        }
        let promised = matches!(self.func.blocks[block].terminator, Terminator::CondBra { uni: true, .. });
        if targets.len() > 1 && !promised && !self.beliefs.uniform.contains(&block) {
            self.complain(block, Kind::Parts);
        }
        targets.into_iter().collect()
    }

    /// A region that keeps the stack has one way out, and under a mask nothing that lanes must execute together.
    fn stack(&mut self, entry: Block, exit: Option<Block>, masked: bool) {
        let mut seen = BTreeSet::from([entry]);
        let mut work = vec![entry];
        while let Some(block) = work.pop() {
            if masked && self.beliefs.together.contains(&block) {
                self.complain(entry, Kind::Apart { block });
            }
            let targets = self.func.blocks[block].terminator.targets();
            if targets.is_empty() && exit.is_some() {
                self.complain(entry, Kind::Open { target: block });
            }
            for target in targets.into_iter().filter(|target| Some(*target) != exit) {
                if self.plan.region(target).is_some() {
                    self.complain(entry, Kind::Open { target });
                } else if seen.insert(target) {
                    work.push(target);
                }
            }
        }
    }

    /// The blocks that rows execute, without those of regions that keep the stack.
    fn members(&self, steps: &[Step]) -> Vec<Block> {
        let run = |step: &Step| match step {
            Step::Run { block, .. } => Some(*block),
            _ => None,
        };
        steps.iter().filter_map(run).collect()
    }
}
