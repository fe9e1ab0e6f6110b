//! Dominators and post-dominators.

use super::cfg::Cfg;
use super::lists::{Lists, table};
use crate::ir::{Block, Func};
use cranelift_entity::{EntityRef, SecondaryMap};
use petgraph::algo::dominators;
use petgraph::graph::{DiGraph, NodeIndex};

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
        let follow = cfg.order.iter().flat_map(|from| cfg.successors(*from).iter().map(|to| (*from, *to)));
        let parent = parents(func.blocks.len(), cfg.entry, follow);
        let edges: Vec<(Block, Block)> = cfg.order.iter().filter_map(|block| Some((parent[*block]?, *block))).collect();
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
            match children.get(*block).get(*next) {
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
        self.children.get(block)
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
    post_dominators_where(func, |_| true)
}

/// As [`post_dominators`], where blocks that do not go on (`goes_on`) lead nowhere, not even to the exit.
pub fn post_dominators_where(func: &Func, goes_on: impl Fn(Block) -> bool) -> SecondaryMap<Block, Option<Block>> {
    let mut edges = Vec::with_capacity(2 * func.blocks.len());
    for (block, data) in func.blocks.iter().filter(|(block, _)| goes_on(*block)) {
        let first = edges.len();
        data.terminator.each_target(|target| edges.push((block, Some(target))));
        if edges.len() == first {
            edges.push((block, None));
        }
    }
    meets(func.blocks.len(), &edges)
}

/// As [`post_dominators`], of the blocks that can be reached.
pub fn post_dominators_of_reachable(cfg: &Cfg) -> SecondaryMap<Block, Option<Block>> {
    let mut edges = Vec::with_capacity(2 * cfg.order.len());
    for block in &cfg.order {
        match cfg.successors(*block) {
            [] => edges.push((*block, None)),
            behind => edges.extend(behind.iter().map(|to| (*block, Some(*to)))),
        }
    }
    meets(cfg.blocks(), &edges)
}

/// Post-dominators in a graph with these edges; `None` is the exit, behind all blocks that nothing follows.
fn meets(count: usize, edges: &[(Block, Option<Block>)]) -> SecondaryMap<Block, Option<Block>> {
    let exit = Block::new(count);
    let backward = edges.iter().map(|(from, to)| (to.unwrap_or(exit), *from));
    let mut meets = parents(count + 1, exit, backward);
    meets.values_mut().for_each(|meet| *meet = meet.filter(|meet| *meet != exit));
    meets
}

/// The immediate dominators in a graph with so many nodes; none of the root and of what cannot be reached.
fn parents(
    nodes: usize,
    root: Block,
    edges: impl Iterator<Item = (Block, Block)>,
) -> SecondaryMap<Block, Option<Block>> {
    let node = |block: Block| NodeIndex::<u32>::new(block.index());
    let mut graph = DiGraph::<(), ()>::with_capacity(nodes, 2 * nodes);
    (0..nodes).for_each(|_| _ = graph.add_node(()));
    graph.extend_with_edges(edges.map(|(from, to)| (node(from), node(to))));
    let dominators = dominators::simple_fast(&graph, node(root));
    let mut parents = table(nodes);
    for block in (0..nodes).map(Block::new) {
        parents[block] = dominators.immediate_dominator(node(block)).map(|parent| Block::new(parent.index()));
    }
    parents
}
