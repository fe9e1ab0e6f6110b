//! Which branches are divergent. A meld leaves those outside of it as they were, so that what the analysis found of them holds
//! in the next round.

use super::candidates::Candidate;
use super::facts::Facts;
use crate::analysis::divergence::{BlockShape, Divergence, Options};
use crate::analysis::gated::Gated;
use crate::analysis::lists::table;
use crate::ir::{Block, Func, Inst};
use cranelift_entity::{SecondaryMap, packed_option::PackedOption};

/// Whether branches are divergent.
#[derive(Default)]
pub struct Verdicts {
    of: SecondaryMap<Block, Option<bool>>,
    /// Of verdicts on a function from which melding has made this one: the only instruction that makes the condition.
    makers: Option<SecondaryMap<Block, PackedOption<Inst>>>,
}

impl Verdicts {
    pub fn of(func: &Func, branches: &[(Block, bool)]) -> Self {
        let mut of = table(func.blocks.len());
        branches.iter().for_each(|(branch, divergent)| of[*branch] = Some(*divergent));
        Self { of, makers: None }
    }

    /// Those that hold in a function that melding has made of this one, too: where one instruction alone makes the condition.
    pub fn lasting(mut self, func: &Func, facts: &Facts) -> Self {
        if self.makers.is_some() {
            return self;
        }
        let mut makers = table(func.blocks.len());
        for (branch, verdict) in self.of.iter_mut().filter(|(_, verdict)| verdict.is_some()) {
            let maker = maker(func, facts, branch);
            makers[branch] = maker.into();
            *verdict = verdict.filter(|_| maker.is_some());
        }
        self.makers = Some(makers);
        self
    }

    /// With those of the candidates; the analysis is asked where one of them is new.
    pub fn with(self, func: &Func, facts: &Facts, candidates: &[Candidate], block: Option<[u32; 3]>) -> Self {
        let known = |candidate: &Candidate| self.divergent(func, facts, candidate.branch).is_some();
        match candidates.iter().all(known) {
            true => self,
            false => Self::of(func, &branches(func, &facts.gated(func), block)),
        }
    }

    /// `None` of branches that nothing is known of.
    pub fn divergent(&self, func: &Func, facts: &Facts, branch: Block) -> Option<bool> {
        let holds =
            |makers: &SecondaryMap<Block, PackedOption<Inst>>| makers[branch] == maker(func, facts, branch).into();
        self.of[branch].filter(|_| self.makers.as_ref().is_none_or(holds))
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
