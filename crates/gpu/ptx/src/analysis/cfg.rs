//! The control-flow graph: who follows whom, in which order.

use super::lists::Lists;
use crate::ir::{Block, Func};
use cranelift_entity::{EntityRef, SecondaryMap};

/// Edges between the reachable blocks of a function. Two edges from one block to another count once.
#[derive(Debug, Clone)]
pub struct Cfg {
    pub entry: Block,
    /// The reachable blocks in reverse post-order; the entry first.
    pub order: Vec<Block>,
    numbers: SecondaryMap<Block, u32>,
    predecessors: Lists<Block, Block>,
    successors: Lists<Block, Block>,
}

const UNREACHABLE: u32 = u32::MAX;

impl Cfg {
    pub fn compute(func: &Func) -> Self {
        let entry = func.layout[0];
        let mut edges: Vec<(Block, Block)> = Vec::with_capacity(2 * func.blocks.len());
        let mut reached = vec![false; func.blocks.len()];
        let mut order = Vec::with_capacity(func.blocks.len());
        // the edges of a block follow each other
        let visit = |block: Block, edges: &mut Vec<(Block, Block)>| {
            let first = edges.len();
            func.blocks[block].terminator.each_target(|target| {
                if !edges[first..].contains(&(block, target)) {
                    edges.push((block, target));
                }
            });
            (block, first, edges.len())
        };
        reached[entry.index()] = true;
        let mut path = Vec::with_capacity(func.blocks.len());
        path.push(visit(entry, &mut edges));
        while let Some((block, next, end)) = path.last_mut() {
            if next < end {
                let (_, target) = edges[*next];
                *next += 1;
                if !std::mem::replace(&mut reached[target.index()], true) {
                    path.push(visit(target, &mut edges));
                }
            } else {
                order.push(*block);
                path.pop();
            }
        }
        order.reverse();
        let mut numbers = SecondaryMap::with_default(UNREACHABLE);
        numbers.resize(func.blocks.len());
        for (i, block) in order.iter().enumerate() {
            numbers[*block] = i as u32;
        }
        let successors = Lists::new(func.blocks.len(), &edges);
        let mut backward = Vec::with_capacity(edges.len());
        for from in &order {
            backward.extend(successors.get(*from).iter().map(|to| (*to, *from)));
        }
        let predecessors = Lists::new(func.blocks.len(), &backward);
        Self { entry, order, numbers, predecessors, successors }
    }

    pub fn predecessors(&self, block: Block) -> &[Block] {
        self.predecessors.get(block)
    }

    pub fn successors(&self, block: Block) -> &[Block] {
        self.successors.get(block)
    }

    /// Returns the number of blocks of the function, with those that cannot be reached.
    pub fn blocks(&self) -> usize {
        self.numbers.keys().len()
    }

    pub fn reachable(&self, block: Block) -> bool {
        self.numbers[block] != UNREACHABLE
    }

    /// The position of a reachable block in [`order`](Self::order).
    pub fn number(&self, block: Block) -> usize {
        self.numbers[block] as usize
    }
}
