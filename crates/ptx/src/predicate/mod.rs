//! Thread-aware predication: divergent control flow becomes straight rows of instructions under predicates, with votes and
//! branches that all lanes take the same way; after Lee, Grover, Krashinsky, Stephenson, Keckler and Asanović, "Exploring the
//! Design Space of SPMD Divergence Management on Data-Parallel Architectures" (IISWC 2014).
//!
//! [`plan()`] decides and proves what becomes of a function, [`predicate`] applies it. What the paper leaves open or does otherwise:
//!
//! - Registers are written under guards, so that lanes that are masked off keep their values: no φ has to be resolved.
//! - The control-dependence graph is that of one level of a region, the inside of one loop or what is outside of all. Masks of
//!   loops take the place of the back edges, as in the paper; where all lanes of a loop run its exit, what is left of the loop's mask is
//!   the mask of the blocks behind it.
//! - Barriers, exchanges between lanes and calls of functions that may have some keep their branches, if all lanes take these
//!   the same way, or else the stack, and so do cycles with several entries. A branch at which lanes end for good is no
//!   reason to keep the stack for the others.
//! - Functions that rows call get a twin with an entrance mask as its last parameter, which all lanes call.
//! - A comparison that only its branch looks at makes the masks itself: `setp` combines it with the guard.

mod apply;
pub mod check;
mod level;
pub mod plan;
mod report;
mod rows;
mod select;
mod skeleton;
mod spill;
mod structure;
mod together;
mod twins;

pub use report::{Report, Structures, structures};

use crate::analysis::calls;
use crate::analysis::cfg::Cfg;
use crate::analysis::divergence::{BlockShape, Divergence, Options as Analysis};
use crate::ir::{Block, Func, Module};
use check::{Beliefs, Checked, Violation};
use plan::{Plan, Step};
use rows::Tests;
use std::collections::{BTreeMap, BTreeSet};

/// What to do.
#[derive(Debug, Clone)]
pub struct Options {
    /// Static branch-uniformity optimisation: branches that all lanes take the same way stay.
    pub sbu: bool,
    /// Run-time branch-uniformity optimisation: a vote skips a side of a branch that no lane takes.
    pub rbu: bool,
    /// The branches whose sides are skipped; all, where none are named.
    pub tested: Option<BTreeSet<Block>>,
    /// Predicate registers per thread; what is alive beyond them is kept as bits of words.
    pub predicates: u32,
    /// What the launch is known to be.
    pub block: BlockShape,
    /// Blocks whose branches keep the stack.
    pub kept: BTreeSet<Block>,
    /// The machine that it is for, such as 90, where that is not the one of the text.
    pub sm: Option<u32>,
}

impl Options {
    /// The machine for which votes are written: from sm_70 on lanes of one without a mask need not be together.
    fn machine(&self, module: &Module) -> u32 {
        let named = self.sm.filter(|_| module.version.is_none_or(|version| version >= FIRST_WITH_MASKS));
        named.map_or(module.sm, |sm| sm.max(module.sm))
    }
}

/// The first version of PTX whose votes have masks.
const FIRST_WITH_MASKS: (u32, u32) = (6, 0);

impl Default for Options {
    fn default() -> Self {
        let (block, kept) = (BlockShape::Unknown, BTreeSet::new());
        Self { sbu: false, rbu: false, tested: None, predicates: 7, block, kept, sm: None }
    }
}

/// The plan for one function of the module, proven. None of a function that is defined elsewhere, or has blocks from which
/// no way leads to its end.
///
/// # Errors
/// What is wrong with the plan: a fault of the pass.
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

/// The module whose function at `index` has masks in the place of divergent branches, and what was done. In front of it stand the
/// twins of functions that it calls.
///
/// # Errors
/// Those of [`plan()`].
pub fn predicate(module: &Module, index: usize, options: &Options) -> Result<(Module, Report), Vec<Violation>> {
    let func = &module.funcs[index];
    let mut result = module.clone();
    let Some(plan) = plan(module, func, options)? else { return Ok((result, Report::of(func, None, func))) };
    let twins = twins::possible(module, options)?;
    result.funcs[index] = apply::apply(func, &plan, options.machine(module), &twins, false);
    let made = !plan.plan().regions.is_empty();
    let spilled = if made { spill::run(&mut result.funcs[index], options.predicates) } else { 0 };
    let (index, functions) = twins::add(module, &mut result, index, &twins, options)?;
    let report = Report { spilled, functions, ..Report::of(func, Some(plan.plan()), &result.funcs[index]) };
    Ok((result, report))
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
fn ends(func: &Func) -> bool {
    let cfg = Cfg::compute(func);
    let mut leads: BTreeSet<Block> = BTreeSet::new();
    let mut work: Vec<Block> = cfg.order.iter().copied().filter(|block| cfg.successors(*block).is_empty()).collect();
    while let Some(block) = work.pop() {
        if leads.insert(block) {
            work.extend(cfg.predecessors(block));
        }
    }
    leads.len() == cfg.order.len()
}
