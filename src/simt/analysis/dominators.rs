//! Dominators and post-dominators.

use super::cfg::Cfg;
use crate::simt::ir::{Block, Func};
use cranelift_entity::{EntityRef, SecondaryMap};
use petgraph::algo::dominators;
use petgraph::graph::{DiGraph, NodeIndex};

/// The dominator tree of the reachable blocks.
#[derive(Debug, Clone)]
pub struct Dominators {
    parent: SecondaryMap<Block, Option<Block>>,
    children: SecondaryMap<Block, Vec<Block>>,
    /// First and last number of each subtree in a walk over the tree; (1, 0) where unreachable.
    spans: SecondaryMap<Block, (u32, u32)>,
}

impl Dominators {
    pub fn compute(func: &Func, cfg: &Cfg) -> Self {
        let edges = cfg.order.iter().flat_map(|from| cfg.successors(*from).iter().map(|to| (from.index(), to.index())));
        let parent = parents(func.blocks.len(), cfg.entry.index(), edges);
        let mut children: SecondaryMap<Block, Vec<Block>> = SecondaryMap::with_capacity(func.blocks.len());
        for block in &cfg.order {
            if let Some(parent) = parent[*block] {
                children[parent].push(*block);
            }
        }
        let mut spans = SecondaryMap::with_default((1, 0));
        let mut count = 0;
        let mut path = vec![(cfg.entry, 0)];
        while let Some((block, next)) = path.last_mut() {
            if *next == 0 {
                spans[*block].0 = count;
                count += 1;
            }
            match children[*block].get(*next) {
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
        &self.children[block]
    }

    /// Every path from the entry to `b` passes `a`, or they are the same block. False where one is unreachable.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let ((first, last), (other, end)) = (self.spans[a], self.spans[b]);
        first <= other && other <= last && other <= end
    }

    /// The blocks where the dominance of each block ends.
    pub fn frontiers(&self, cfg: &Cfg) -> SecondaryMap<Block, Vec<Block>> {
        let mut frontiers: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for join in &cfg.order {
            let from = cfg.predecessors(*join);
            if from.len() < 2 && *join != cfg.entry {
                continue;
            }
            for block in from {
                let mut runner = Some(*block);
                while let Some(at) = runner.filter(|at| Some(*at) != self.parent[*join]) {
                    if frontiers[at].last() != Some(join) {
                        frontiers[at].push(*join);
                    }
                    runner = self.parent[at];
                }
            }
        }
        frontiers
    }
}

/// The immediate post-dominator of each block: where lanes that part at its end meet again. `None`: only at the exit.
pub fn post_dominators(func: &Func) -> SecondaryMap<Block, Option<Block>> {
    let exit = func.blocks.len();
    let edges = func.blocks.iter().flat_map(|(block, data)| {
        let targets = data.terminator.targets();
        let returns = targets.is_empty().then_some((exit, block.index()));
        returns.into_iter().chain(targets.into_iter().map(move |to| (to.index(), block.index())))
    });
    let mut result = parents(exit + 1, exit, edges);
    for block in func.blocks.keys() {
        result[block] = result[block].filter(|parent| parent.index() != exit);
    }
    result
}

/// The immediate dominators in a graph with nodes 0 to `nodes`-1.
fn parents(
    nodes: usize,
    root: usize,
    edges: impl Iterator<Item = (usize, usize)>,
) -> SecondaryMap<Block, Option<Block>> {
    let mut graph = DiGraph::<(), ()>::with_capacity(nodes, 2 * nodes);
    for _ in 0..nodes {
        graph.add_node(());
    }
    for (from, to) in edges {
        graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
    }
    let tree = dominators::simple_fast(&graph, NodeIndex::new(root));
    let mut result = SecondaryMap::with_capacity(nodes);
    for node in 0..nodes {
        result[Block::new(node)] =
            tree.immediate_dominator(NodeIndex::new(node)).map(|parent| Block::new(parent.index()));
    }
    result
}
