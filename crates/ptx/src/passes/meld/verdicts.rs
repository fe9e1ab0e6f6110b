//! Which branches are divergent. A meld leaves those outside of it as they were, so that what the analysis found of them holds
//! in the next round.

use super::facts::Facts;
use super::plan::Candidate;
use crate::analysis::divergence::{BlockShape, Divergence, Options};
use crate::analysis::gated::Gated;
use crate::ir::{Block, Func, Inst};
use std::collections::BTreeMap;

/// Whether branches are divergent, by the only instruction that makes their condition. Where there are several, this is known of
/// one function alone.
#[derive(Default)]
pub struct Verdicts(BTreeMap<(Block, Option<Inst>), bool>);

impl Verdicts {
    pub fn of(func: &Func, facts: &Facts, branches: &[(Block, bool)]) -> Self {
        Self(branches.iter().map(|(branch, divergent)| (key(func, facts, *branch), *divergent)).collect())
    }

    /// Those that hold in a function that melding has made, too.
    pub fn lasting(mut self) -> Self {
        self.0.retain(|(_, maker), _| maker.is_some());
        self
    }

    /// Adds those of the candidates; the analysis is asked where one of them is new.
    pub fn add(&mut self, func: &Func, facts: &Facts, candidates: &[Candidate], block: Option<[u32; 3]>) {
        if candidates.iter().any(|candidate| !self.0.contains_key(&key(func, facts, candidate.branch))) {
            let found = Self::of(func, facts, &branches(func, &facts.gated(func), block));
            self.0.extend(found.0);
        }
    }

    pub fn divergent(&self, func: &Func, facts: &Facts, branch: Block) -> bool {
        self.0.get(&key(func, facts, branch)) == Some(&true)
    }
}

/// The branches of a function, and whether they are divergent. `block`: the shape of the CTA, where it is known.
pub fn branches(func: &Func, gated: &Gated, block: Option<[u32; 3]>) -> Vec<(Block, bool)> {
    let block = block.map_or(BlockShape::Unknown, BlockShape::Known);
    let divergence = Divergence::compute(func, gated, Options { block, ..Options::default() });
    let verdict = |branch: &Block| divergence.uniform_branch(gated, *branch).map(|uniform| (*branch, !uniform));
    gated.facts.cfg.order.iter().filter_map(verdict).collect()
}

fn key(func: &Func, facts: &Facts, branch: Block) -> (Block, Option<Inst>) {
    let maker = || {
        let condition = func.blocks[branch].terminator.condition()?;
        let writes = |inst: &&Inst| facts.accesses.writes(**inst).contains(&condition);
        let mut makers = func.blocks[facts.only_writer(condition)?].insts.iter().filter(writes);
        makers.next().filter(|_| makers.next().is_none()).copied()
    };
    (branch, maker())
}
