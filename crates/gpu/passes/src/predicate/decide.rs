//! Decided and proven plan of a function.

use super::check::{self, Beliefs, Checked, Violation};
use super::options::Options;
use super::plan::{Plan, Step};
use super::rows::{self, Tests};
use super::{select, together};
use ptx::analysis::calls;
use ptx::analysis::cfg::Cfg;
use ptx::analysis::divergence::{BlockShape, Divergence, Options as Analysis};
use ptx::ir::{Block, Func, Module};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the proven plan for one function of the module; `None` if the function is defined elsewhere, or has blocks from which
/// no way leads to its end.
///
/// # Errors
/// The plan is wrong: a fault of the pass.
pub fn plan(module: &Module, func: &Func, options: &Options) -> Result<Option<Checked>, Vec<Violation>> {
    if func.is_declaration() || !ends(func) {
        return Ok(None);
    }
    let together = together::compute(module, func);
    let uniform = uniform(module, func, options.block);
    let facts = select::Facts { func, together, uniform, sbu: options.sbu };
    let tests = match (options.rbu, &options.tested) {
        (false, _) => Tests::None,
        (true, None) => Tests::All,
        (true, Some(branches)) => Tests::Of(branches),
    };
    let mut kept = options.kept.clone();
    let plan = loop {
        let selection = select::select(&facts, &kept);
        let plan = rows::plan(&facts, &selection, tests);
        match shared_stack(&plan) {
            // code that needs its branches cannot be written twice
            Some(entries) => kept.extend(entries),
            None => break plan,
        }
    };
    let beliefs = Beliefs { uniform: &facts.uniform, together: &facts.together };
    check::check(func, plan, &beliefs).map(Some)
}

/// The entries of regions that share a region that keeps the stack.
fn shared_stack(plan: &Plan) -> Option<[Block; 2]> {
    let mut seen: BTreeMap<Block, Block> = BTreeMap::new();
    plan.regions.iter().find_map(|region| {
        region.steps.iter().find_map(|step| match step {
            Step::Stack { entry, .. } => seen.insert(*entry, region.entry).map(|other| [other, region.entry]),
            _ => None,
        })
    })
}

/// The branches of a function at which lanes may part, in the order of the graph.
pub fn divergent_branches(module: &Module, func: &Func, block: BlockShape) -> Vec<Block> {
    let uniform = uniform(module, func, block);
    let parts = |block: &Block| {
        let terminator = &func.blocks[*block].terminator;
        terminator.targets().len() > 1 && !uniform.contains(block) && !select::promised(func, *block)
    };
    Cfg::compute(func).order.into_iter().filter(parts).collect()
}

/// The branches that all lanes take the same way.
fn uniform(module: &Module, func: &Func, block: BlockShape) -> BTreeSet<Block> {
    let question = Analysis { block, ..Analysis::default() };
    let gated = calls::gated(module, func, question);
    let divergence = Divergence::compute(func, &gated, question);
    let blocks = gated.facts.cfg.order.iter().copied();
    blocks.filter(|block| divergence.uniform_branch(&gated, *block) == Some(true)).collect()
}

/// Every block that can be reached leads to the end.
pub fn ends(func: &Func) -> bool {
    all_end(&Cfg::compute(func))
}

/// Every block of the graph leads to an end.
pub(super) fn all_end(cfg: &Cfg) -> bool {
    let mut leads: BTreeSet<Block> = BTreeSet::new();
    let mut work: Vec<Block> = cfg.order.iter().copied().filter(|block| cfg.successors(*block).is_empty()).collect();
    while let Some(block) = work.pop() {
        if leads.insert(block) {
            work.extend(cfg.predecessors(block));
        }
    }
    leads.len() == cfg.order.len()
}
