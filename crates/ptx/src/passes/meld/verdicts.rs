//! Which branches are divergent. A meld leaves those outside of it as they were, so that what the analysis found of them holds
//! in the next round.

use super::facts::Facts;
use super::plan::Candidate;
use crate::analysis::divergence::{BlockShape, Divergence, Options};
use crate::ir::{Block, Func, Inst};
use std::collections::BTreeMap;

/// Whether branches are divergent, by the only instruction that makes their condition. Where there are several, this is known of
/// one function alone.
#[derive(Default)]
pub struct Verdicts(BTreeMap<(Block, Option<Inst>), bool>);

impl Verdicts {
    /// Adds those of the candidates, of a function that melding has made since; the analysis is asked where one of them is new.
    pub fn add(&mut self, func: &Func, facts: &Facts, candidates: &[Candidate], block: Option<[u32; 3]>) {
        self.0.retain(|(_, maker), _| maker.is_some());
        if candidates.iter().all(|candidate| self.0.contains_key(&key(func, facts, candidate.branch))) {
            return;
        }
        let gated = facts.gated(func);
        let block = block.map_or(BlockShape::Unknown, BlockShape::Known);
        let divergence = Divergence::compute(func, &gated, Options { block, ..Options::default() });
        for branch in &facts.cfg.order {
            if let Some(uniform) = divergence.uniform_branch(&gated, *branch) {
                self.0.insert(key(func, facts, *branch), !uniform);
            }
        }
    }

    pub fn divergent(&self, func: &Func, facts: &Facts, branch: Block) -> bool {
        self.0.get(&key(func, facts, branch)) == Some(&true)
    }
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
