//! Where the lanes that part at a branch come together again, and what happened in between.

use super::cfg::Cfg;
use super::lists::{Lists, table};
use super::loops::Loops;
use super::waiting::Waiting;
use crate::ir::Block;
use cranelift_entity::{EntityRef, SecondaryMap};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Returns the branches that join at each block: two paths lead from the branch to it that share no other block.
///
/// Labels flow forward from the successors of each branch, in reverse post-order, up to the branch's immediate
/// post-dominator, which is a join always. A block that two labels reach is one too and gives its own label on. Where only
/// one label flows on that can meet no other, the rest of the way is left out: else branches that never come together again
/// would take time that grows with the square of the blocks.
pub fn joins(cfg: &Cfg, post_dominators: &SecondaryMap<Block, Option<Block>>) -> Lists<Block, Block> {
    let mut result = Vec::with_capacity(2 * cfg.blocks());
    let mut labels: SecondaryMap<Block, (u32, u32)> = table(cfg.blocks());
    let (mut work, mut reached) = (Waiting::new(cfg.order.len()), Vec::with_capacity(cfg.blocks()));
    for branch in cfg.order.iter().copied().filter(|block| cfg.successors(*block).len() > 1) {
        let reconvergence = post_dominators[branch];
        if let Some(reconvergence) = reconvergence {
            result.push((reconvergence, branch));
        }
        let ways: SmallVec<[Block; 4]> =
            cfg.successors(branch).iter().copied().filter(|way| Some(*way) != reconvergence).collect();
        if ways.len() < 2 {
            continue;
        }
        let stamp = branch.index() as u32 + 1;
        while work.pop().is_some() {}
        reached.clear();
        for (i, way) in ways.iter().enumerate() {
            labels[*way] = (stamp, u32::MAX - i as u32);
            if !cfg.successors(*way).is_empty() {
                work.insert(cfg.number(*way));
            }
            reached.push(*way);
        }
        let (mut steps, mut look) = (0, 1);
        while let Some(number) = work.pop() {
            let block = cfg.order[number];
            if block == branch {
                continue;
            }
            let label = labels[block];
            for next in cfg.successors(block).iter().copied().filter(|next| Some(*next) != reconvergence) {
                let own = (stamp, next.index() as u32);
                if labels[next].0 != stamp {
                    labels[next] = label;
                    reached.push(next);
                } else if labels[next] != label && labels[next] != own {
                    labels[next] = own;
                    result.push((next, branch));
                } else {
                    continue;
                }
                // from an end nothing flows on
                if !cfg.successors(next).is_empty() {
                    work.insert(cfg.number(next));
                }
            }
            steps += 1;
            if steps == look {
                look *= 2;
                if alone(cfg, &labels, &work, &reached, branch) {
                    break;
                }
            }
        }
    }
    Lists::new(cfg.blocks(), &result)
}

/// Whether all that flows on has one label, and can reach no block that has another and is not a join already: the blocks in
/// front of such a block have given their labels on.
fn alone(
    cfg: &Cfg,
    labels: &SecondaryMap<Block, (u32, u32)>,
    work: &Waiting,
    reached: &[Block],
    branch: Block,
) -> bool {
    let mut waiting = reached.iter().filter(|block| work.contains(cfg.number(**block)));
    let Some(label) = waiting.next().map(|block| labels[*block]) else { return false };
    let stamp = label.0;
    let done = |before: &Block| *before == branch || labels[*before].0 == stamp && !work.contains(cfg.number(*before));
    let met = |block: &Block| {
        let own = labels[*block];
        own == label || own == (stamp, block.index() as u32) || cfg.predecessors(*block).iter().all(done)
    };
    waiting.all(|block| labels[*block] == label) && reached.iter().all(met)
}

/// Branches that some lanes may pass more often than others before all meet.
#[derive(Debug, Clone)]
pub struct Repeat {
    pub branches: Vec<Block>,
    pub reconvergence: Block,
    /// The blocks that lie on a cycle through each of the branches that avoids the meeting point.
    pub blocks: Vec<Block>,
}

/// The branches that leave a loop, and those that lead to its next round before others get there.
pub fn repeats(cfg: &Cfg, post_dominators: &SecondaryMap<Block, Option<Block>>, loops: &Loops) -> Vec<Repeat> {
    let mut result: Vec<Repeat> = Vec::new();
    let mut seen: SecondaryMap<Block, (u32, bool)> = table(cfg.blocks());
    // branches that leave a loop have all of it in common
    let mut whole: BTreeMap<_, usize> = BTreeMap::new();
    for branch in cfg.order.iter().copied().filter(|block| cfg.successors(*block).len() > 1) {
        let outermost = loops.enclosing(branch).last();
        let Some(reconvergence) = post_dominators[branch].filter(|_| outermost.is_some() || loops.irreducible(branch))
        else {
            continue;
        };
        if let Some(outer) = outermost.filter(|outer| !loops.contains(*outer, reconvergence)) {
            if let Some(at) = whole.get(&(outer, reconvergence)) {
                result[*at].branches.push(branch);
                continue;
            }
            whole.insert((outer, reconvergence), result.len());
        }
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
        result.push(Repeat { branches: vec![branch], reconvergence, blocks });
    }
    result
}

#[cfg(test)]
mod tests;
