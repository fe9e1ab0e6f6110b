//! The control flow of a function as the plan sees it: a region that keeps the stack is one block with one way out, and a
//! branch at which lanes end for good has one way on.

use cranelift_entity::{PrimaryMap, SecondaryMap};
use ptx::analysis::cfg::Cfg;
use ptx::analysis::control;
use ptx::analysis::dominators::{Dominators, post_dominators};
use ptx::analysis::loops::Loops;
use ptx::inst::Terminator;
use ptx::ir::{Block, BlockData, Func};
use std::collections::{BTreeMap, BTreeSet};

/// A region that keeps the stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stack {
    /// Where all meet again; `None` is the end of the function.
    pub exit: Option<Block>,
    /// Its blocks, the entry too.
    pub blocks: BTreeSet<Block>,
}

/// Parts that are taken out of the control flow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cuts {
    /// Regions that keep the stack, by their entry.
    pub stacks: BTreeMap<Block, Stack>,
    /// Branches at which lanes end, with the side where they do.
    pub leaving: BTreeMap<Block, Block>,
}

pub struct Skeleton {
    func: Func,
    pub cfg: Cfg,
    pub post_dominators: SecondaryMap<Block, Option<Block>>,
    pub loops: Loops,
    /// The branches that decide whether a block runs, each once.
    controllers: SecondaryMap<Block, Vec<Block>>,
}

impl Skeleton {
    pub fn compute(func: &Func, cuts: &Cuts) -> Self {
        let mut blocks: PrimaryMap<Block, BlockData> = PrimaryMap::new();
        for (block, data) in func.blocks.iter() {
            let terminator = match (cuts.stacks.get(&block), cuts.leaving.get(&block)) {
                (Some(Stack { exit: Some(exit), .. }), _) => Terminator::Bra { target: *exit },
                (Some(Stack { exit: None, .. }), _) => Terminator::Ret,
                (None, Some(end)) => {
                    let mut others = data.terminator.targets().into_iter().filter(|target| target != end);
                    others.next().map_or(Terminator::Ret, |target| Terminator::Bra { target })
                }
                (None, None) => simple(&data.terminator),
            };
            blocks.push(BlockData { insts: Vec::new(), terminator });
        }
        let mut func = Func { blocks, layout: func.layout.clone(), ..Func::new("") };
        let cfg = Cfg::compute(&func);
        func.layout = cfg.order.clone();
        let dominators = Dominators::compute(&func, &cfg);
        let post_dominators = post_dominators(&func);
        let loops = Loops::compute(&cfg, &dominators);
        let mut controllers: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        let depends = control::compute(&func, &post_dominators);
        for block in &cfg.order {
            let mut branches: Vec<Block> = depends[*block].iter().map(|(branch, _)| *branch).collect();
            branches.sort_unstable();
            branches.dedup();
            controllers[*block] = branches;
        }
        Self { func, cfg, post_dominators, loops, controllers }
    }

    /// Where a block leads, each target once; `None` is the end of the function.
    pub fn targets(&self, block: Block) -> Vec<Option<Block>> {
        let mut targets: Vec<Option<Block>> = Vec::new();
        self.func.blocks[block].terminator.each_target(|target| {
            if !targets.contains(&Some(target)) {
                targets.push(Some(target));
            }
        });
        if targets.is_empty() { vec![None] } else { targets }
    }

    /// The branches that decide whether a block runs.
    pub fn controllers(&self, block: Block) -> &[Block] {
        &self.controllers[block]
    }

    /// The branches that decide whether a block runs, those that decide whether these run, and so on.
    pub fn all_controllers(&self, block: Block) -> BTreeSet<Block> {
        let mut found = BTreeSet::new();
        let mut work = self.controllers[block].clone();
        while let Some(branch) = work.pop() {
            if found.insert(branch) {
                work.extend(&self.controllers[branch]);
            }
        }
        found
    }

    /// The blocks of a cycle with several entries, the first such cycle that there is.
    pub fn irreducible(&self) -> Option<BTreeSet<Block>> {
        let first = *self.cfg.order.iter().find(|block| self.loops.irreducible(**block))?;
        let forward = reach(first, |block| self.cfg.successors(block).to_vec());
        let backward = reach(first, |block| self.cfg.predecessors(block).to_vec());
        Some(forward.intersection(&backward).copied().filter(|block| self.loops.irreducible(*block)).collect())
    }
}

/// A branch with one target is none.
fn simple(terminator: &Terminator) -> Terminator {
    match terminator.targets().as_slice() {
        [target, others @ ..] if others.iter().all(|other| other == target) => Terminator::Bra { target: *target },
        _ => terminator.clone(),
    }
}

/// The block, and all that can be reached from it.
fn reach(from: Block, next: impl Fn(Block) -> Vec<Block>) -> BTreeSet<Block> {
    let mut found = BTreeSet::new();
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        if found.insert(block) {
            work.extend(next(block));
        }
    }
    found
}

/// The smallest region with one entry and one exit around some blocks: its entry, and the region.
pub fn enclose(func: &Func, seeds: &BTreeSet<Block>) -> (Block, Stack) {
    let cfg = Cfg::compute(func);
    let dominators = Dominators::compute(func, &cfg);
    let meets = post_dominators(func);
    let mut blocks = seeds.clone();
    loop {
        let above = |block: Block| std::iter::successors(Some(block), |block| dominators.parent(*block));
        let entry = common(&blocks, above).unwrap_or(cfg.entry);
        let below = |block: Block| std::iter::successors(Some(block), |block| meets[*block]);
        let inside = |exit: &Block| blocks.contains(exit);
        let exit = common(&blocks, below).and_then(|exit| below(exit).find(|exit| !inside(exit)));
        let ahead = |block: Block| {
            let next = cfg.successors(block).iter().copied();
            next.filter(|next| Some(*next) != exit).collect()
        };
        let found = reach(entry, ahead);
        if found.is_subset(&blocks) {
            return (entry, Stack { exit, blocks });
        }
        blocks.extend(found);
    }
}

/// The first element that the chains of all blocks have in common.
fn common<I: Iterator<Item = Block>>(blocks: &BTreeSet<Block>, chain: impl Fn(Block) -> I) -> Option<Block> {
    let mut all = blocks.iter();
    let mut met: Vec<Block> = chain(*all.next()?).collect();
    for block in all {
        let own: BTreeSet<Block> = chain(*block).collect();
        met.retain(|block| own.contains(block));
    }
    met.first().copied()
}
