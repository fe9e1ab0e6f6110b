//! Control-flow facts.

use super::ir::{Block, Func};
use cranelift_entity::{EntityRef, SecondaryMap};
use petgraph::algo::dominators;
use petgraph::graph::{DiGraph, NodeIndex};

/// The immediate post-dominator of each block: where lanes that part at its end meet again. `None`: only at the exit.
pub fn post_dominators(func: &Func) -> SecondaryMap<Block, Option<Block>> {
    let blocks = func.blocks.len();
    let exit = NodeIndex::new(blocks);
    let mut reversed = DiGraph::<(), ()>::with_capacity(blocks + 1, 2 * blocks);
    for _ in 0..=blocks {
        reversed.add_node(());
    }
    for (block, data) in func.blocks.iter() {
        let targets = data.terminator.targets();
        if targets.is_empty() {
            reversed.add_edge(exit, NodeIndex::new(block.index()), ());
        }
        for target in targets {
            reversed.add_edge(NodeIndex::new(target.index()), NodeIndex::new(block.index()), ());
        }
    }
    let tree = dominators::simple_fast(&reversed, exit);
    let mut result = SecondaryMap::new();
    for block in func.blocks.keys() {
        let dominator = tree.immediate_dominator(NodeIndex::new(block.index()));
        result[block] = dominator.filter(|node| *node != exit).map(|node| Block::new(node.index()));
    }
    result
}
