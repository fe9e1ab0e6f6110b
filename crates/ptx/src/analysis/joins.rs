//! Where the lanes that part at a branch come together again, and what happened in between.

use super::cfg::Cfg;
use super::lists::{Lists, table};
use super::loops::Loops;
use crate::ir::Block;
use cranelift_entity::{EntityRef, SecondaryMap};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// For each block the branches of which it is a join: two paths lead from the branch to it that share no other block.
///
/// Labels flow forward from the successors of each branch, in reverse post-order, up to the branch's immediate
/// post-dominator, which is a join always. A block that two labels reach is one too and gives its own label on.
pub fn joins(cfg: &Cfg, post_dominators: &SecondaryMap<Block, Option<Block>>) -> Lists<Block, Block> {
    let mut result = Vec::new();
    let mut labels: SecondaryMap<Block, (u32, u32)> = table(cfg.blocks());
    for branch in cfg.order.iter().copied().filter(|block| cfg.successors(*block).len() > 1) {
        let reconvergence = post_dominators[branch];
        if let Some(reconvergence) = reconvergence {
            result.push((reconvergence, branch));
        }
        let ways: Vec<Block> =
            cfg.successors(branch).iter().copied().filter(|way| Some(*way) != reconvergence).collect();
        if ways.len() < 2 {
            continue;
        }
        let stamp = branch.index() as u32 + 1;
        let mut work = BinaryHeap::new();
        for (i, way) in ways.iter().enumerate() {
            labels[*way] = (stamp, u32::MAX - i as u32);
            work.push(Reverse(cfg.number(*way)));
        }
        while let Some(Reverse(number)) = work.pop() {
            let block = cfg.order[number];
            if block == branch {
                continue;
            }
            let label = labels[block];
            for next in cfg.successors(block).iter().copied().filter(|next| Some(*next) != reconvergence) {
                let own = (stamp, next.index() as u32);
                if labels[next].0 != stamp {
                    labels[next] = label;
                } else if labels[next] != label && labels[next] != own {
                    labels[next] = own;
                    result.push((next, branch));
                } else {
                    continue;
                }
                work.push(Reverse(cfg.number(next)));
            }
        }
    }
    Lists::new(cfg.blocks(), &result)
}

/// A branch that some lanes may pass more often than others before all meet.
#[derive(Debug, Clone)]
pub struct Repeat {
    pub branch: Block,
    pub reconvergence: Block,
    /// The blocks that lie on a cycle through the branch that avoids the meeting point.
    pub blocks: Vec<Block>,
}

/// The branches that leave a loop, and those that lead to its next round before others get there.
pub fn repeats(cfg: &Cfg, post_dominators: &SecondaryMap<Block, Option<Block>>, loops: &Loops) -> Vec<Repeat> {
    let mut result = Vec::new();
    let mut seen: SecondaryMap<Block, (u32, bool)> = table(cfg.blocks());
    for branch in cfg.order.iter().copied().filter(|block| cfg.successors(*block).len() > 1) {
        let outermost = loops.around(branch).last();
        let Some(reconvergence) = post_dominators[branch].filter(|_| outermost.is_some() || loops.irreducible(branch))
        else {
            continue;
        };
        let inside =
            |block: Block| block != reconvergence && outermost.is_none_or(|outer| loops.contains(outer, block));
        let stamp = branch.index() as u32 + 1;
        let mut work: Vec<Block> = cfg.successors(branch).to_vec();
        while let Some(block) = work.pop() {
            if inside(block) && seen[block].0 != stamp {
                seen[block] = (stamp, false);
                if block != branch {
                    work.extend(cfg.successors(block));
                }
            }
        }
        let mut blocks = Vec::new();
        work.push(branch);
        while let Some(block) = work.pop() {
            if seen[block] == (stamp, false) {
                seen[block].1 = true;
                blocks.push(block);
                work.extend(cfg.predecessors(block));
            }
        }
        if !blocks.is_empty() {
            result.push(Repeat { branch, reconvergence, blocks });
        }
    }
    result
}
