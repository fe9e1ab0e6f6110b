//! The control-flow graph: who follows whom, in which order.

use crate::simt::ir::{Block, Func};
use cranelift_entity::SecondaryMap;

/// Edges between the reachable blocks of a function. Two edges from one block to another count once.
#[derive(Debug, Clone)]
pub struct Cfg {
    pub entry: Block,
    /// The reachable blocks in reverse post-order; the entry first.
    pub order: Vec<Block>,
    numbers: SecondaryMap<Block, u32>,
    predecessors: SecondaryMap<Block, Vec<Block>>,
    successors: SecondaryMap<Block, Vec<Block>>,
}

const UNREACHABLE: u32 = u32::MAX;

impl Cfg {
    pub fn compute(func: &Func) -> Self {
        let entry = func.layout[0];
        let mut successors: SecondaryMap<Block, Vec<Block>> = SecondaryMap::with_capacity(func.blocks.len());
        let mut reached: SecondaryMap<Block, bool> = SecondaryMap::with_capacity(func.blocks.len());
        let mut order = Vec::with_capacity(func.blocks.len());
        let visit = |block: Block, successors: &mut SecondaryMap<Block, Vec<Block>>| {
            let mut targets = Vec::new();
            for target in func.blocks[block].terminator.targets() {
                if !targets.contains(&target) {
                    targets.push(target);
                }
            }
            successors[block] = targets;
            (block, 0)
        };
        reached[entry] = true;
        let mut path = vec![visit(entry, &mut successors)];
        while let Some((block, next)) = path.last_mut() {
            match successors[*block].get(*next) {
                Some(&target) => {
                    *next += 1;
                    if !std::mem::replace(&mut reached[target], true) {
                        path.push(visit(target, &mut successors));
                    }
                }
                None => {
                    order.push(*block);
                    path.pop();
                }
            }
        }
        order.reverse();
        let mut numbers = SecondaryMap::with_default(UNREACHABLE);
        let mut predecessors: SecondaryMap<Block, Vec<Block>> = SecondaryMap::with_capacity(func.blocks.len());
        for (i, block) in order.iter().enumerate() {
            numbers[*block] = i as u32;
            for target in &successors[*block] {
                predecessors[*target].push(*block);
            }
        }
        Self { entry, order, numbers, predecessors, successors }
    }

    pub fn predecessors(&self, block: Block) -> &[Block] {
        &self.predecessors[block]
    }

    pub fn successors(&self, block: Block) -> &[Block] {
        &self.successors[block]
    }

    pub fn reachable(&self, block: Block) -> bool {
        self.numbers[block] != UNREACHABLE
    }

    /// The position of a reachable block in [`order`](Self::order).
    pub fn number(&self, block: Block) -> usize {
        self.numbers[block] as usize
    }
}
