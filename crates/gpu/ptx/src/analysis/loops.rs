//! Natural loops, how they nest, and the cycles that are none.

use super::cfg::Cfg;
use super::dominators::Dominators;
use super::lists::table;
use crate::ir::Block;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};

/// A natural loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loop(u32);
entity_impl!(Loop, "loop");

#[derive(Debug, Clone)]
pub struct LoopData {
    /// Dominates all blocks of the loop.
    pub header: Block,
    /// Blocks that jump back to the header.
    pub latches: Vec<Block>,
    /// All blocks of the loop, those of inner loops too, in reverse post-order; the header first.
    pub blocks: Vec<Block>,
    /// The loop around it.
    pub parent: Option<Loop>,
    /// 1 for a loop that is in no other.
    pub depth: u32,
}

/// The loops of a function.
#[derive(Debug, Clone)]
pub struct Loops {
    /// Outer loops before inner ones. Back edges to one header belong to one loop.
    pub loops: PrimaryMap<Loop, LoopData>,
    innermost: SecondaryMap<Block, Option<Loop>>,
    irreducible: SecondaryMap<Block, bool>,
}

impl Loops {
    pub fn compute(cfg: &Cfg, dominators: &Dominators) -> Self {
        let mut result =
            Self { loops: PrimaryMap::new(), innermost: table(cfg.blocks()), irreducible: table(cfg.blocks()) };
        let backward = |from: Block, to: Block| cfg.number(to) <= cfg.number(from);
        let mut inside = Marks { of: table(cfg.blocks()), last: 0, work: Vec::with_capacity(16) };
        // headers in reverse post-order: an outer loop comes before the loops in it
        for header in &cfg.order {
            let jumps_back = |from: &&Block| dominators.dominates(*header, **from);
            if cfg.predecessors(*header).iter().any(|from| jumps_back(&from)) {
                let latches = cfg.predecessors(*header).iter().filter(jumps_back).copied().collect();
                result.push(cfg, *header, latches, &mut inside);
            }
        }
        for to in &cfg.order {
            for from in cfg.predecessors(*to) {
                if backward(*from, *to) && !dominators.dominates(*to, *from) {
                    result.mark_irreducible(cfg, *from, *to, &mut inside);
                }
            }
        }
        result
    }

    /// The innermost loop around a block.
    pub fn innermost(&self, block: Block) -> Option<Loop> {
        self.innermost[block]
    }

    /// Returns the number of loops around a block.
    pub fn depth(&self, block: Block) -> u32 {
        self.innermost[block].map_or(0, |inner| self.loops[inner].depth)
    }

    /// The block lies on a cycle with several entries.
    pub fn irreducible(&self, block: Block) -> bool {
        self.irreducible[block]
    }

    pub fn contains(&self, outer: Loop, block: Block) -> bool {
        self.enclosing(block).any(|inner| inner == outer)
    }

    /// The loops around a block from the innermost outwards.
    pub fn enclosing(&self, block: Block) -> impl Iterator<Item = Loop> {
        std::iter::successors(self.innermost[block], |inner| self.loops[*inner].parent)
    }

    fn push(&mut self, cfg: &Cfg, header: Block, latches: Vec<Block>, inside: &mut Marks) {
        let count = inside.reaching(cfg, &latches, |block| block != header);
        // the header dominates the others, so that they come behind it
        let mut blocks = Vec::with_capacity(count);
        blocks.extend(cfg.order[cfg.number(header)..].iter().copied().filter(|block| inside.contains(*block)));
        let parent = self.innermost[header];
        let depth = 1 + parent.map_or(0, |outer| self.loops[outer].depth);
        let number = self.loops.next_key();
        blocks.iter().for_each(|block| self.innermost[*block] = Some(number));
        self.loops.push(LoopData { header, latches, blocks, parent, depth });
    }

    /// Marks the blocks on cycles through an edge that is no back edge of a natural loop, inside the loop around it.
    fn mark_irreducible(&mut self, cfg: &Cfg, from: Block, to: Block, cyclic: &mut Marks) {
        let around = self.enclosing(from).find(|outer| self.contains(*outer, to)).map(|outer| self.loops[outer].header);
        let mut forward: SecondaryMap<Block, bool> = SecondaryMap::new();
        let mut work = vec![to];
        while let Some(block) = work.pop() {
            if Some(block) != around && !std::mem::replace(&mut forward[block], true) {
                work.extend(cfg.successors(block));
            }
        }
        cyclic.reaching(cfg, &[from], |block| forward[block]);
        for block in cfg.order.iter().copied().filter(|block| cyclic.contains(*block)) {
            self.irreducible[block] |= forward[block];
        }
    }
}

/// A set of blocks, which a search fills.
struct Marks {
    /// The last search that came to each block.
    of: SecondaryMap<Block, u32>,
    last: u32,
    /// Empty between searches.
    work: Vec<Block>,
}

impl Marks {
    /// Finds the blocks that reach one of these; the search does not go on behind blocks that do not `pass`. How many there are.
    fn reaching(&mut self, cfg: &Cfg, to: &[Block], pass: impl Fn(Block) -> bool) -> usize {
        self.last += 1;
        self.work.extend(to);
        let mut count = 0;
        while let Some(block) = self.work.pop() {
            if std::mem::replace(&mut self.of[block], self.last) != self.last {
                count += 1;
                if pass(block) {
                    self.work.extend(cfg.predecessors(block));
                }
            }
        }
        count
    }

    fn contains(&self, block: Block) -> bool {
        self.of[block] == self.last
    }
}
