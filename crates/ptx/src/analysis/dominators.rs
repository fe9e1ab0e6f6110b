//! Dominators and post-dominators, after Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001).

use super::cfg::Cfg;
use super::lists::{Lists, filled, table};
use crate::ir::{Block, Func};
use cranelift_entity::{EntityRef, SecondaryMap};

/// The dominator tree of the reachable blocks.
#[derive(Debug, Clone)]
pub struct Dominators {
    parent: SecondaryMap<Block, Option<Block>>,
    children: Lists<Block, Block>,
    /// First and last number of each subtree in a walk over the tree; (1, 0) where unreachable.
    spans: SecondaryMap<Block, (u32, u32)>,
}

impl Dominators {
    pub fn compute(func: &Func, cfg: &Cfg) -> Self {
        let numbers = parents(cfg.order.len(), |node| {
            cfg.predecessors(cfg.order[node as usize]).iter().map(|from| cfg.number(*from) as u32)
        });
        let mut parent = table(func.blocks.len());
        let mut edges = Vec::with_capacity(cfg.order.len());
        for (block, above) in cfg.order.iter().zip(&numbers).skip(1) {
            let above = cfg.order[*above as usize];
            parent[*block] = Some(above);
            edges.push((above, *block));
        }
        let children = Lists::new(func.blocks.len(), &edges);
        let mut spans = SecondaryMap::with_default((1, 0));
        spans.resize(func.blocks.len());
        let mut count = 0;
        let mut path = Vec::with_capacity(cfg.blocks());
        path.push((cfg.entry, 0));
        while let Some((block, next)) = path.last_mut() {
            if *next == 0 {
                spans[*block].0 = count;
                count += 1;
            }
            match children.of(*block).get(*next) {
                Some(child) => {
                    *next += 1;
                    path.push((*child, 0));
                }
                None => {
                    spans[*block].1 = count - 1;
                    path.pop();
                }
            }
        }
        Self { parent, children, spans }
    }

    /// The immediate dominator; none for the entry and unreachable blocks.
    pub fn parent(&self, block: Block) -> Option<Block> {
        self.parent[block]
    }

    /// The blocks that this one dominates immediately, in reverse post-order.
    pub fn children(&self, block: Block) -> &[Block] {
        self.children.of(block)
    }

    /// Every path from the entry to `b` passes `a`, or they are the same block. False where one is unreachable.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let ((first, last), (other, end)) = (self.spans[a], self.spans[b]);
        first <= other && other <= last && other <= end
    }

    /// The blocks where the dominance of each block ends.
    pub fn frontiers(&self, cfg: &Cfg) -> Lists<Block, Block> {
        let mut edges = Vec::with_capacity(cfg.blocks());
        let mut last: SecondaryMap<Block, Option<Block>> = table(cfg.blocks());
        for join in &cfg.order {
            let from = cfg.predecessors(*join);
            if from.len() < 2 && *join != cfg.entry {
                continue;
            }
            for block in from {
                let mut runner = Some(*block);
                // above a block that was here already, all were
                while let Some(at) = runner.filter(|at| Some(*at) != self.parent[*join] && last[*at] != Some(*join)) {
                    last[at] = Some(*join);
                    edges.push((at, *join));
                    runner = self.parent[at];
                }
            }
        }
        Lists::new(cfg.blocks(), &edges)
    }
}

/// The immediate post-dominator of each block: where lanes that part at its end meet again. `None`: only at the exit.
pub fn post_dominators(func: &Func) -> SecondaryMap<Block, Option<Block>> {
    let mut edges = Vec::with_capacity(2 * func.blocks.len());
    for (block, data) in func.blocks.iter() {
        data.terminator.each_target(|target| edges.push((block, target)));
    }
    let forward = Lists::new(func.blocks.len(), &edges);
    edges.iter_mut().for_each(|(from, to)| std::mem::swap(from, to));
    let backward = Lists::new(func.blocks.len(), &edges);
    meets(func.blocks.len(), func.blocks.keys(), |block| forward.of(block), |block| backward.of(block))
}

/// As [`post_dominators`], of the blocks that can be reached.
pub fn post_dominators_of_reachable(cfg: &Cfg) -> SecondaryMap<Block, Option<Block>> {
    let blocks = cfg.order.iter().copied();
    meets(cfg.blocks(), blocks, |block| cfg.successors(block), |block| cfg.predecessors(block))
}

fn meets<'a>(
    count: usize,
    blocks: impl Iterator<Item = Block>,
    forward: impl Fn(Block) -> &'a [Block],
    backward: impl Fn(Block) -> &'a [Block],
) -> SecondaryMap<Block, Option<Block>> {
    // behind all blocks that nothing follows
    let exit = Block::new(count);
    let ends: Vec<Block> = blocks.filter(|block| forward(*block).is_empty()).collect();
    let order = backward_order(count, exit, |block| if block == exit { &ends } else { backward(block) });
    let mut numbers: SecondaryMap<Block, Option<u32>> = table(count + 1);
    for (number, block) in order.iter().enumerate() {
        numbers[*block] = Some(number as u32);
    }
    let parents = parents(order.len(), |node| {
        let behind = forward(order[node as usize]);
        behind.iter().filter_map(|to| numbers[*to]).chain(behind.is_empty().then_some(0))
    });
    let mut result = table(count);
    for (block, parent) in order.iter().zip(parents).skip(1) {
        result[*block] = Some(order[parent as usize]).filter(|parent| *parent != exit);
    }
    result
}

/// The blocks that lead to the exit in reverse post-order of the backward graph, the exit first.
fn backward_order<'a>(count: usize, exit: Block, backward: impl Fn(Block) -> &'a [Block]) -> Vec<Block> {
    let mut reached = filled(false, count + 1);
    let mut order = Vec::with_capacity(count + 1);
    let mut path = Vec::with_capacity(count + 1);
    path.push((exit, 0));
    reached[exit.index()] = true;
    while let Some((block, next)) = path.last_mut() {
        match backward(*block).get(*next) {
            Some(from) => {
                *next += 1;
                if !std::mem::replace(&mut reached[from.index()], true) {
                    path.push((*from, 0));
                }
            }
            None => {
                order.push(*block);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The immediate dominators in a graph whose nodes are numbered in reverse post-order; the root is its own.
fn parents<I: Iterator<Item = u32>>(nodes: usize, from: impl Fn(u32) -> I) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX;
    let mut parents = vec![UNKNOWN; nodes];
    parents[0] = 0;
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for node in 1..nodes as u32 {
            let mut parent = UNKNOWN;
            for mut other in from(node).filter(|other| parents[*other as usize] != UNKNOWN) {
                // where the two ways up meet
                while parent != UNKNOWN && parent != other {
                    if other > parent {
                        other = parents[other as usize];
                    } else {
                        parent = parents[parent as usize];
                    }
                }
                parent = other;
            }
            changed |= std::mem::replace(&mut parents[node as usize], parent) != parent;
        }
    }
    parents
}
