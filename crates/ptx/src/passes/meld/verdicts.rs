//! Which branches are divergent. A meld leaves those outside of it as they were, so that what the analysis found of them holds
//! in the next round.

use super::candidates::Candidate;
use super::facts::Facts;
use crate::analysis::divergence::{BlockShape, Divergence, Options};
use crate::analysis::gated::Gated;
use crate::analysis::lists::table;
use crate::ir::{Block, Func, Inst};
use cranelift_entity::SecondaryMap;

/// Whether branches are divergent, with the only instruction that makes their condition. Where there are several, this is known
/// of one function alone.
#[derive(Default)]
pub struct Verdicts(SecondaryMap<Block, Option<(Option<Inst>, bool)>>);

impl Verdicts {
    pub fn of(func: &Func, facts: &Facts, branches: &[(Block, bool)]) -> Self {
        let mut verdicts = Self(table(func.blocks.len()));
        for (branch, divergent) in branches {
            verdicts.0[*branch] = Some((maker(func, facts, *branch), *divergent));
        }
        verdicts
    }

    /// Those that hold in a function that melding has made, too.
    pub fn lasting(mut self) -> Self {
        self.0.values_mut().for_each(|verdict| *verdict = verdict.filter(|(maker, _)| maker.is_some()));
        self
    }

    /// With those of the candidates; the analysis is asked where one of them is new.
    pub fn with(self, func: &Func, facts: &Facts, candidates: &[Candidate], block: Option<[u32; 3]>) -> Self {
        let known = |candidate: &Candidate| self.divergent(func, facts, candidate.branch).is_some();
        match candidates.iter().all(known) {
            true => self,
            false => Self::of(func, facts, &branches(func, &facts.gated(func), block)),
        }
    }

    /// `None` of branches that nothing is known of.
    pub fn divergent(&self, func: &Func, facts: &Facts, branch: Block) -> Option<bool> {
        self.0[branch].filter(|(known, _)| *known == maker(func, facts, branch)).map(|(_, divergent)| divergent)
    }
}

/// The branches of a function, and whether they are divergent. `block`: the shape of the CTA, where it is known.
pub fn branches(func: &Func, gated: &Gated, block: Option<[u32; 3]>) -> Vec<(Block, bool)> {
    let block = block.map_or(BlockShape::Unknown, BlockShape::Known);
    let divergence = Divergence::compute(func, gated, Options { block, ..Options::default() });
    let verdict = |branch: &Block| divergence.uniform_branch(gated, *branch).map(|uniform| (*branch, !uniform));
    gated.facts.cfg.order.iter().filter_map(verdict).collect()
}

/// The only instruction that makes the condition of a branch.
fn maker(func: &Func, facts: &Facts, branch: Block) -> Option<Inst> {
    let condition = func.blocks[branch].terminator.condition()?;
    let writes = |inst: &&Inst| facts.accesses.writes(**inst).contains(&condition);
    let mut makers = func.blocks[facts.only_writer(condition)?].insts.iter().filter(writes);
    makers.next().filter(|_| makers.next().is_none()).copied()
}
