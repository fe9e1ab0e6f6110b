//! Choice of the branches that stay, the regions that keep the stack, and the blocks that stand in a row.
//!
//! A branch stays if all lanes take it the same way: by the static branch-uniformity optimisation, because the text
//! says so (`bra.uni`), or because all lanes have to meet at something that depends on it. The variance of a branch
//! spreads over the labelled control-dependence graph. The paper has an additional rule: if one branch that does not
//! stay decides whether a block runs, no branch that decides about this block stays. So no edge that stays leads into a
//! row.

use super::decide::all_end;
use super::skeleton::{Cuts, Skeleton, enclose};
use ptx::inst::{Op, Terminator};
use ptx::ir::{Block, Func, FuncKind};
use std::collections::BTreeSet;

/// Facts about a function.
pub struct Facts<'a> {
    pub func: &'a Func,
    /// Blocks whose instructions all lanes execute together.
    pub together: BTreeSet<Block>,
    /// Branches that all lanes take the same way, as the analysis found.
    pub uniform: BTreeSet<Block>,
    /// Keep those branches.
    pub sbu: bool,
}

/// Decisions about branches.
pub struct Selection {
    pub cuts: Cuts,
    pub skeleton: Skeleton,
    /// Branches that become masks.
    pub predicated: BTreeSet<Block>,
    /// Blocks in a row: they depend on branches that become masks.
    pub in_row: BTreeSet<Block>,
}

pub fn select(facts: &Facts, kept: &BTreeSet<Block>) -> Selection {
    let mut cuts = Cuts::default();
    for block in kept {
        keep(facts.func, &mut cuts, &BTreeSet::from([*block]));
    }
    loop {
        let skeleton = Skeleton::compute(facts.func, &cuts);
        if let Some(cycle) = skeleton.irreducible() {
            keep(facts.func, &mut cuts, &cycle);
            continue;
        }
        let needs = needs(facts, &cuts, &skeleton);
        let held: BTreeSet<Block> = needs.iter().flat_map(|block| skeleton.all_controllers(*block)).collect();
        let (predicated, in_row) = spread(facts, &skeleton, &held);
        let parted: Vec<Block> = needs.into_iter().filter(|block| in_row.contains(block)).collect();
        let Some(first) = parted.first() else { return Selection { cuts, skeleton, predicated, in_row } };
        let controllers = skeleton.all_controllers(*first);
        let ends = controllers.iter().filter(|branch| predicated.contains(branch)).find_map(|branch| {
            let end = lets_end(facts.func, *branch)?;
            (!cuts.leaving.contains_key(branch) && goes_on(facts.func, &cuts, *branch, end)).then_some((*branch, end))
        });
        match ends {
            Some((branch, end)) => _ = cuts.leaving.insert(branch, end),
            None => {
                let branches = skeleton.controllers(*first).iter().copied();
                let mut seeds: BTreeSet<Block> = branches.filter(|branch| predicated.contains(branch)).collect();
                seeds.insert(*first);
                let before = cuts.clone();
                keep(facts.func, &mut cuts, &seeds);
                if cuts == before {
                    // the region is there, and lanes still part in front of it: nothing is left to predicate
                    keep(facts.func, &mut cuts, &facts.func.layout.iter().copied().collect());
                }
            }
        }
    }
}

/// Whether the lanes that stay at such a branch still come to an end: a loop that lanes leave there alone has no other way out.
fn goes_on(func: &Func, cuts: &Cuts, branch: Block, end: Block) -> bool {
    let mut cuts = cuts.clone();
    cuts.leaving.insert(branch, end);
    all_end(&Skeleton::compute(func, &cuts).cfg)
}

/// Makes a region around some blocks, and around the regions that it touches.
fn keep(func: &Func, cuts: &mut Cuts, seeds: &BTreeSet<Block>) {
    let mut seeds = seeds.clone();
    loop {
        let (entry, stack) = enclose(func, &seeds);
        let touched: Vec<Block> = cuts
            .stacks
            .iter()
            .filter(|(_, other)| !other.blocks.is_disjoint(&stack.blocks))
            .map(|(entry, _)| *entry)
            .collect();
        if touched.is_empty() {
            cuts.leaving.retain(|branch, _| !stack.blocks.contains(branch));
            cuts.stacks.insert(entry, stack);
            return;
        }
        seeds = stack.blocks;
        for other in touched {
            seeds.extend(cuts.stacks.remove(&other).map(|stack| stack.blocks).unwrap_or_default());
        }
    }
}

/// The blocks to which all lanes must come together.
fn needs(facts: &Facts, cuts: &Cuts, skeleton: &Skeleton) -> Vec<Block> {
    let needs = |block: &Block| match cuts.stacks.get(block) {
        Some(stack) => !stack.blocks.is_disjoint(&facts.together),
        None => facts.together.contains(block) || cuts.leaving.contains_key(block),
    };
    skeleton.cfg.order.iter().copied().filter(needs).collect()
}

/// The branches that become masks and the blocks in a row.
fn spread(facts: &Facts, skeleton: &Skeleton, held: &BTreeSet<Block>) -> (BTreeSet<Block>, BTreeSet<Block>) {
    let stays = |branch: &Block| {
        promised(facts.func, *branch) || facts.uniform.contains(branch) && (facts.sbu || held.contains(branch))
    };
    let order = &skeleton.cfg.order;
    let branches = order.iter().copied().filter(|block| skeleton.targets(*block).len() > 1);
    let mut predicated: BTreeSet<Block> = branches.filter(|branch| !stays(branch)).collect();
    let mut in_row: BTreeSet<Block> = BTreeSet::new();
    loop {
        let before = (predicated.len(), in_row.len());
        for block in order {
            let controllers = skeleton.controllers(*block);
            if controllers.iter().any(|branch| predicated.contains(branch)) {
                in_row.insert(*block);
                predicated.extend(controllers);
            }
            if in_row.contains(block) && skeleton.targets(*block).len() > 1 {
                predicated.insert(*block);
            }
        }
        if before == (predicated.len(), in_row.len()) {
            return (predicated, in_row);
        }
    }
}

/// `bra.uni`
pub fn promised(func: &Func, block: Block) -> bool {
    matches!(func.blocks[block].terminator, Terminator::CondBra { uni: true, .. })
}

/// The side of a kernel's branch on which lanes do nothing but end.
fn lets_end(func: &Func, branch: Block) -> Option<Block> {
    let Terminator::CondBra { then, otherwise, .. } = &func.blocks[branch].terminator else { return None };
    let ends = |block: &Block| {
        let data = &func.blocks[*block];
        let silent = |inst: &ptx::ir::Inst| matches!(func.insts[*inst].op, Op::Directive(_));
        matches!(data.terminator, Terminator::Ret | Terminator::Exit) && data.insts.iter().all(silent)
    };
    (func.kind == FuncKind::Entry && then != otherwise)
        .then(|| [then, otherwise].into_iter().find(|b| ends(b)).copied())?
}
