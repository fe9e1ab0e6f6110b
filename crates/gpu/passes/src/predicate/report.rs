//! Effects of a plan, and the structures that a function has.

use super::level::Scope;
use super::plan::{Check, Plan, Step};
use super::skeleton::{Cuts, Skeleton, enclose};
use super::spill::live_predicates;
use super::structure::Kind;
use ptx::analysis::cfg::Cfg;
use ptx::analysis::dominators::Dominators;
use ptx::analysis::loops::Loops;
use ptx::ir::{Block, Func};
use serde::{Deserialize, Serialize};

/// Control flow as it was before the pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Structures {
    pub blocks: usize,
    /// Structures other than blocks in a row: branches with one or more sides, loops, what has no cycles and is neither, and
    /// the rest.
    pub regions: usize,
    pub loops: usize,
    /// Conditional and indirect branches.
    pub branches: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub structures: Structures,
    /// Branches that stayed, as all lanes take them the same way: the static branch-uniformity optimisation's and those that
    /// others hold.
    pub uniform_branches: usize,
    /// Branches among them that end a loop or a round of it. The paper counts them among its votes for loops.
    pub uniform_loops: usize,
    /// Tests that skip a side of a branch.
    pub side_tests: usize,
    /// Tests for the end of a loop or of a round.
    pub loop_tests: usize,
    /// Blocks that run under a mask.
    pub masked_blocks: usize,
    /// Regions that kept the stack.
    pub stacks: usize,
    /// Predicates alive at once, at most, before and after.
    pub predicates_before: usize,
    pub predicates_after: usize,
    /// Predicates that are kept as bits of words.
    pub spilled: usize,
    /// Functions that got a twin with an entrance mask.
    pub functions: usize,
}

impl Report {
    pub(super) fn new(func: &Func, plan: Option<&Plan>, result: &Func) -> Self {
        let none = Plan::default();
        let plan = plan.unwrap_or(&none);
        let count = |wanted: fn(&Step) -> bool| plan.steps().filter(|step| wanted(step)).count();
        Self {
            structures: structures(func),
            uniform_branches: plan.uniform.len(),
            uniform_loops: uniform_loops(func, plan),
            side_tests: count(|step| matches!(step, Step::IfNone { check: Check::Side, .. })),
            loop_tests: count(|step| match step {
                Step::IfNone { check, .. } => *check != Check::Side,
                step => matches!(step, Step::IfAny { .. }),
            }),
            masked_blocks: count(|step| matches!(step, Step::Run { guard: Some(_), .. })),
            stacks: plan.stacks.len() + count(|step| matches!(step, Step::Stack { .. })),
            predicates_before: live_predicates(func),
            predicates_after: live_predicates(result),
            spilled: 0,
            functions: 0,
        }
    }
}

/// Branches that stay and lead out of their loop, or back to its start.
fn uniform_loops(func: &Func, plan: &Plan) -> usize {
    if func.is_declaration() {
        return 0;
    }
    let cfg = Cfg::compute(func);
    let loops = Loops::compute(&cfg, &Dominators::compute(func, &cfg));
    let ends = |block: &&Block| {
        let around = loops.innermost(**block).map(|around| &loops.loops[around]);
        around.is_some_and(|around| {
            cfg.successors(**block).iter().any(|to| *to == around.header || !around.blocks.contains(to))
        })
    };
    plan.uniform.iter().filter(ends).count()
}

/// The structures of a function, found by structural analysis of each level.
pub fn structures(func: &Func) -> Structures {
    if func.is_declaration() {
        return Structures::default();
    }
    let mut cuts = Cuts::default();
    let mut skeleton = Skeleton::compute(func, &cuts);
    let branches = skeleton.cfg.order.iter().filter(|block| skeleton.targets(**block).len() > 1).count();
    let (blocks, mut regions) = (skeleton.cfg.order.len(), 0);
    while let Some(cycle) = skeleton.irreducible() {
        let (entry, stack) = enclose(func, &cycle);
        cuts.stacks.insert(entry, stack);
        regions += 1;
        skeleton = Skeleton::compute(func, &cuts);
    }
    let loops = skeleton.loops.loops.len();
    let whole = Scope { skeleton: &skeleton, around: None, exit: None, inside: false };
    let mut levels = vec![whole.whole()];
    for (around, data) in skeleton.loops.loops.iter() {
        let scope = Scope { skeleton: &skeleton, around: Some(around), exit: None, inside: true };
        levels.push(scope.level(super::level::Node::Block(data.header)));
    }
    regions += loops;
    for level in levels {
        level.structure.compounds(&mut |kind, _| regions += usize::from(kind != Kind::Block));
    }
    Structures { blocks, regions, loops, branches }
}
