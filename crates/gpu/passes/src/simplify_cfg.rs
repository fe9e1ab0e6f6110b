//! Simplifies the control-flow graph: blocks that nobody reaches go, branches whose targets are all one become jumps, empty
//! blocks are jumped over, and a block that only one other jumps to joins it.
//!
//! Lanes that parted meet where they met before, or at the next block behind it where there was nothing between: no
//! instruction runs for other lanes together than before.

use super::options::Options;
use super::outcome::{Failure, Outcome, Report, counted, with_func};
use cranelift_entity::{EntitySet, SecondaryMap};
use ptx::analysis::lists::table;
use ptx::inst::Terminator;
use ptx::ir::{Block, BlockData, Func, Module};
use serde::Serialize;

/// Counts of what was simplified.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Simplified {
    /// Removed: unreachable, empty, or joined to another.
    pub blocks: usize,
    /// Branches that became jumps.
    pub branches: usize,
}

/// The function with a simpler graph, to a fixed point.
pub fn run(func: &Func) -> (Func, Simplified) {
    let mut result = func.clone();
    let simplified = simplify(&mut result);
    (result, simplified)
}

/// As [`run`], in place.
pub fn simplify(func: &mut Func) -> Simplified {
    let mut simplified = Simplified::default();
    let blocks = func.layout.len();
    loop {
        let before = (func.layout.len(), simplified.branches);
        jump_over(func);
        simplified.branches += fold(func);
        let reached = reachable(func);
        func.layout.retain(|block| reached.contains(*block));
        join(func);
        if before == (func.layout.len(), simplified.branches) {
            break;
        }
    }
    simplified.blocks = blocks - func.layout.len();
    simplified
}

/// See [`PASSES`](super::PASSES).
pub(super) fn pass(module: &Module, index: usize, _: &Options) -> Result<Outcome, Failure> {
    let (func, simplified) = run(&module.funcs[index]);
    let (blocks, branches) = (counted(simplified.blocks, "block"), counted(simplified.branches, "branch target"));
    let summary = format!("{blocks} removed, {branches} folded");
    Ok(Outcome { module: with_func(module, index, func), report: Report::new(summary, simplified) })
}

fn reachable(func: &Func) -> EntitySet<Block> {
    let mut reached = EntitySet::with_capacity(func.blocks.len());
    let mut work = vec![func.layout[0]];
    while let Some(block) = work.pop() {
        if reached.insert(block) {
            func.blocks[block].terminator.each_target(|target| work.push(target));
        }
    }
    reached
}

/// Where an empty block leads that only jumps.
pub(super) fn leads_on(func: &Func, block: Block) -> Option<Block> {
    match &func.blocks[block] {
        BlockData { insts, terminator: Terminator::Bra { target } } if insts.is_empty() => Some(*target),
        _ => None,
    }
}

/// Whoever goes to an empty block goes to where it leads. The entry stays, and so does a block that leads to itself.
fn jump_over(func: &mut Func) {
    let mut leads: SecondaryMap<Block, Option<Block>> = table(func.blocks.len());
    func.layout.iter().for_each(|block| leads[*block] = leads_on(func, *block));
    if leads.values().all(Option::is_none) {
        return;
    }
    let end = |from: Block| {
        let mut at = from;
        for _ in 0..func.layout.len() {
            match leads[at] {
                Some(next) => at = next,
                None => return at,
            }
        }
        // a cycle of empty blocks: each stays
        from
    };
    let ends: Vec<(Block, Block)> = func.layout.iter().map(|block| (*block, end(*block))).collect();
    let ends: SecondaryMap<Block, Option<Block>> = ends.into_iter().map(|(from, to)| (from, Some(to))).collect();
    for block in &func.layout {
        func.blocks[*block].terminator.targets_mut(|target| *target = ends[*target].unwrap_or(*target));
    }
}

/// Branches whose targets are all one become jumps; how many.
fn fold(func: &mut Func) -> usize {
    let mut folded = 0;
    for block in &func.layout {
        let terminator = &mut func.blocks[*block].terminator;
        if matches!(terminator, Terminator::Bra { .. }) {
            continue;
        }
        let (mut first, mut one) = (None, true);
        terminator.each_target(|target| one &= *first.get_or_insert(target) == target);
        if let (Some(target), true) = (first, one) {
            *terminator = Terminator::Bra { target };
            folded += 1;
        }
    }
    folded
}

/// Joins blocks that follow each other and nothing else.
fn join(func: &mut Func) {
    let mut entries: SecondaryMap<Block, u32> = table(func.blocks.len());
    entries[func.layout[0]] += 1;
    for block in &func.layout {
        func.blocks[*block].terminator.each_target(|target| entries[target] += 1);
    }
    let mut gone: SecondaryMap<Block, bool> = table(func.blocks.len());
    for place in 0..func.layout.len() {
        let block = func.layout[place];
        if gone[block] {
            continue;
        }
        while let Terminator::Bra { target } = func.blocks[block].terminator {
            if target == block || entries[target] != 1 {
                break;
            }
            let mut insts = std::mem::take(&mut func.blocks[target].insts);
            func.blocks[block].insts.append(&mut insts);
            func.blocks[block].terminator = func.blocks[target].terminator.clone();
            let line = func.lines.line(target, None).unwrap_or(0);
            func.lines.set(block, None, line);
            gone[target] = true;
        }
    }
    func.layout.retain(|block| !gone[*block]);
}
