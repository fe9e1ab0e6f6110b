//! Two subgraphs that might be melded, and how their blocks correspond.

use super::align::Column;
use ptx::ir::Block;
use serde::Serialize;

/// Two subgraphs that might be melded.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub kind: Kind,
    pub branch: Block,
    pub entries: [Block; 2],
    pub exits: [Block; 2],
    /// The pair of the entries comes first.
    pub pairs: Vec<Pair>,
    /// The share of the cycles of both that is saved if all that is alike is executed once, at most a half.
    pub share: f64,
    /// Those cycles, each level of loops counting eightfold.
    pub saved: u64,
}

impl Candidate {
    /// All that are melded.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        self.pairs.iter().flat_map(|pair| pair.blocks.into_iter().flatten())
    }
}

/// Kind of correspondence, in the order of preference among equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A block on each side.
    Blocks,
    /// Regions of one shape.
    Regions,
    /// A block and one block of a region: the region is replicated around the block.
    BlockAndRegion,
}

/// Blocks that correspond. A side may have none: its threads pass the other side's block, or never come there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub blocks: [Option<Block>; 2],
    /// The first successor of one corresponds to the second of the other.
    pub inverted: bool,
    /// Behaviour here of threads of a side without a block.
    pub idle: Idle,
    /// Whether they go on to the first successor at a branch.
    pub forced: Option<bool>,
    /// How the instructions correspond, by their positions in the blocks.
    pub columns: Vec<Column>,
}

impl Pair {
    /// The block whose registers threads of a side need here, and whether at its start; `None` where there are no such threads.
    pub fn needs(&self, side: usize) -> Option<(Block, bool)> {
        match (self.blocks[side], self.idle) {
            (Some(_), _) | (None, Idle::Absent) => None,
            (None, Idle::Before(block)) => Some((block, true)),
            (None, Idle::After(block)) => Some((block, false)),
        }
    }
}

/// Threads of a side that has no block of its own here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// There are none: the side has a block, or its threads go another way.
    Absent,
    /// They pass before they execute the block of their side, or after it.
    Before(Block),
    After(Block),
}
