//! Options of predication.

use ptx::analysis::divergence::BlockShape;
use ptx::ir::{Block, Module};
use std::collections::BTreeSet;

/// Optimisations, limits and machine of a predication.
#[derive(Debug, Clone)]
pub struct Options {
    /// Static branch-uniformity optimisation: branches that all lanes take the same way stay.
    pub sbu: bool,
    /// Run-time branch-uniformity optimisation: a vote skips a side of a branch that no lane takes.
    pub rbu: bool,
    /// The branches whose sides are skipped; all, where none are named.
    pub tested: Option<BTreeSet<Block>>,
    /// Predicate registers per thread; what is alive beyond them is kept as bits of words.
    pub predicates: u32,
    /// Known shape of the launch's CTAs.
    pub block: BlockShape,
    /// Blocks whose branches keep the stack.
    pub kept: BTreeSet<Block>,
    /// The machine that it is for, such as 90, where that is not the one of the text.
    pub sm: Option<u32>,
}

impl Options {
    /// The machine for which votes are written: from sm_70 on lanes of one without a mask need not be together.
    pub fn machine(&self, module: &Module) -> u32 {
        let named = self.sm.filter(|_| module.version.is_none_or(|version| version >= FIRST_WITH_MASKS));
        named.map_or(module.sm, |sm| sm.max(module.sm))
    }
}

/// The first version of PTX whose votes have masks.
const FIRST_WITH_MASKS: (u32, u32) = (6, 0);

impl Default for Options {
    fn default() -> Self {
        let (block, kept) = (BlockShape::Unknown, BTreeSet::new());
        Self { sbu: false, rbu: false, tested: None, predicates: 7, block, kept, sm: None }
    }
}
