//! Gated SSA form (Tu and Padua, ICS 1995) as the affine analysis needs it: every φ and every copy behind a loop knows the
//! branches that decide which value a lane brings.
//!
//! Lanes that part at a branch run apart up to its immediate post-dominator. There, a φ is a γ if the branch has two
//! disjoint paths to it, or a μ when only one way leads back; both are a φ with a set of branches here, empty for a μ. A
//! register that is written on a cycle through the branch gets a copy there, an η: lanes that went round less often bring
//! the value of an earlier round. All lanes agree when no branch of the set is divergent.

use super::dominators::post_dominators;
use super::joins::{joins, repeats};
use super::loops::Loops;
use super::ssa::{Def, Facts, Pin, Ssa, Value};
use crate::simt::ir::{Block, Func, Inst, Reg};
use cranelift_entity::{SecondaryMap, packed_option::PackedOption};
use std::collections::BTreeMap;

/// Gated SSA form.
pub struct Gated {
    pub facts: Facts,
    pub loops: Loops,
    pub ssa: Ssa,
    joins: SecondaryMap<Block, Vec<Block>>,
    exits: BTreeMap<(Block, Reg), Vec<Block>>,
    homes: SecondaryMap<Inst, PackedOption<Block>>,
}

/// What a φ or a copy stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// A φ that all lanes enter from one side.
    Mu,
    /// A φ where the ways of a branch meet.
    Gamma,
    /// A copy behind a loop.
    Eta,
    /// A φ on a cycle with several entries.
    Irreducible,
}

impl Gated {
    pub fn compute(func: &Func) -> Self {
        let facts = Facts::compute(func);
        let loops = Loops::compute(&facts.cfg, &facts.dominators);
        let meets = post_dominators(func);
        let joins = joins(&facts.cfg, &meets);
        let mut exits: BTreeMap<(Block, Reg), Vec<Block>> = BTreeMap::new();
        let mut known: SecondaryMap<Reg, PackedOption<Block>> = SecondaryMap::new();
        for repeat in repeats(&facts.cfg, &meets, &loops) {
            for inst in repeat.blocks.iter().flat_map(|block| &func.blocks[*block].insts) {
                for reg in facts.accesses.writes(*inst) {
                    let first = known[*reg].expand() != Some(repeat.branch);
                    known[*reg] = repeat.branch.into();
                    if first && facts.liveness.is_live_in(*reg, repeat.meet) {
                        exits.entry((repeat.meet, *reg)).or_default().push(repeat.branch);
                    }
                }
            }
        }
        let pins: Vec<Pin> = exits.keys().map(|(block, reg)| Pin { block: *block, regs: vec![*reg] }).collect();
        let ssa = Ssa::compute(func, &facts, &pins);
        let mut homes: SecondaryMap<Inst, PackedOption<Block>> = SecondaryMap::with_capacity(func.insts.len());
        for block in &facts.cfg.order {
            func.blocks[*block].insts.iter().for_each(|inst| homes[*inst] = (*block).into());
        }
        Self { facts, loops, ssa, joins, exits, homes }
    }

    /// The block of an instruction that can be reached.
    pub fn home(&self, inst: Inst) -> Option<Block> {
        self.homes[inst].expand()
    }

    /// The branches that decide about a φ or a copy.
    pub fn branches(&self, value: Value) -> &[Block] {
        let data = &self.ssa.values[value];
        match data.def {
            Def::Phi(block, _) => &self.joins[block],
            Def::Copy(block, _) => self.exits.get(&(block, data.reg)).map_or(&[], Vec::as_slice),
            Def::Undefined | Def::Inst(..) => &[],
        }
    }

    /// `None` for results of instructions.
    pub fn gate(&self, value: Value) -> Option<Gate> {
        match self.ssa.values[value].def {
            Def::Phi(block, _) if self.loops.irreducible(block) => Some(Gate::Irreducible),
            Def::Phi(block, _) if self.joins[block].is_empty() => Some(Gate::Mu),
            Def::Phi(..) => Some(Gate::Gamma),
            Def::Copy(..) => Some(Gate::Eta),
            Def::Undefined | Def::Inst(..) => None,
        }
    }
}
