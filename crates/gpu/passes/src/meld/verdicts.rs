//! Divergence of branches. A meld leaves those outside of it as they were, so that what the analysis found of them holds
//! in the next round.

use super::candidate::Candidate;
use super::facts::Facts;
use cranelift_entity::SecondaryMap;
use ptx::analysis::divergence::{BlockShape, Divergence, Options};
use ptx::analysis::gated::Gated;
use ptx::analysis::lists::table;
use ptx::ir::{Block, Func, Inst};

/// Whether branches are divergent.
pub enum Verdicts {
    /// Verdicts on the function that was analysed.
    Own(SecondaryMap<Block, Option<bool>>),
    /// Verdicts on functions from which melding has made this one, by the only instruction that makes the condition, in order: melding
    /// moves branches by it to where their lanes meet, and joins blocks. `None` where two branches differ.
    Inherited(Vec<(Inst, Option<bool>)>),
}

impl Default for Verdicts {
    fn default() -> Self {
        Self::Inherited(Vec::new())
    }
}

impl Verdicts {
    pub fn new(func: &Func, branches: &[(Block, bool)]) -> Self {
        let mut of = table(func.blocks.len());
        branches.iter().for_each(|(branch, divergent)| of[*branch] = Some(*divergent));
        Self::Own(of)
    }

    /// Those that hold in a function that melding has made of this one, too.
    pub fn lasting(self, func: &Func, facts: &Facts) -> Self {
        let Self::Own(of) = self else { return self };
        let known = |(branch, verdict): (Block, &Option<bool>)| Some((maker(func, facts, branch)?, Some((*verdict)?)));
        let mut by_makers: Vec<(Inst, Option<bool>)> = of.iter().filter_map(known).collect();
        by_makers.sort_unstable();
        by_makers.dedup_by(|(inst, verdict), (first, kept)| {
            let same = inst == first;
            *kept = kept.filter(|_| !same || *verdict == *kept);
            same
        });
        Self::Inherited(by_makers)
    }

    /// With those of the candidates; the analysis is asked where one of them is new.
    pub fn with(self, func: &Func, facts: &Facts, candidates: &[Candidate], block: Option<[u32; 3]>) -> Self {
        let known = |candidate: &Candidate| self.divergent(func, facts, candidate.branch).is_some();
        match candidates.iter().all(known) {
            true => self,
            false => Self::new(func, &branches(func, &facts.gated(func), block)),
        }
    }

    /// `None` of branches that nothing is known of.
    pub fn divergent(&self, func: &Func, facts: &Facts, branch: Block) -> Option<bool> {
        match self {
            Self::Own(of) => of[branch],
            Self::Inherited(by_makers) => {
                let maker = maker(func, facts, branch)?;
                let at = by_makers.binary_search_by_key(&maker, |(inst, _)| *inst).ok()?;
                by_makers[at].1
            }
        }
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
    let mut makers = func.blocks[facts.only_writer(func, condition)?].insts.iter().filter(writes);
    makers.next().filter(|_| makers.next().is_none()).copied()
}
