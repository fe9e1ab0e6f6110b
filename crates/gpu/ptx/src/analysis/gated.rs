//! Gated SSA form (Tu and Padua, ICS 1995) as the affine analysis needs it: every φ and every copy behind a loop knows the
//! branches that decide which value a lane brings.
//!
//! Lanes that part at a branch run apart up to its immediate post-dominator. There, a φ is a γ if the branch has two
//! disjoint paths to it, or a μ when only one way leads back; both are a φ with a set of branches here, empty for a μ. A
//! register that is written on a cycle through the branch gets a copy there, an η: lanes that went round less often bring
//! the value of an earlier round. All lanes agree when no branch of the set is divergent.

use super::dependents::Dependents;
use super::dominators::post_dominators_of_reachable;
use super::joins::{Repeat, joins, repeats};
use super::lists::{Lists, table};
use super::loops::Loops;
use super::sites::LiveBlocks;
use super::ssa::{Def, Facts, Pin, Ssa, Value};
use super::steps::Steps;
use crate::ir::{Block, Func, Inst, Reg};
use cranelift_entity::{SecondaryMap, packed_option::PackedOption};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Gated SSA form.
pub struct Gated {
    pub facts: Arc<Facts>,
    pub loops: Arc<Loops>,
    pub ssa: Ssa,
    joins: Lists<Block, Block>,
    /// For each copy one of the groups: copies that the same branches decide about share one, as there may be as many branches as copies.
    exits: Lists<Value, u32>,
    groups: Vec<Box<[Block]>>,
    dependents: Dependents,
    steps: Steps,
}

/// Meaning of a φ or a copy.
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
        Self::assuming(func, &BTreeSet::new())
    }

    /// As [`compute`](Self::compute), where the loads `alike` of parameters give the same to all lanes.
    pub fn assuming(func: &Func, alike: &BTreeSet<Inst>) -> Self {
        let facts = Arc::new(Facts::compute(func));
        let loops = Loops::compute(&facts.cfg, &facts.dominators);
        let meets = post_dominators_of_reachable(&facts.cfg);
        Self::from_facts(func, facts, Arc::new(loops), &meets, alike)
    }

    /// As [`assuming`](Self::assuming), where these are known of the function.
    pub fn from_facts(
        func: &Func,
        facts: Arc<Facts>,
        loops: Arc<Loops>,
        post_dominators: &SecondaryMap<Block, Option<Block>>,
        alike: &BTreeSet<Inst>,
    ) -> Self {
        let joins = joins(&facts.cfg, post_dominators);
        let repeats = repeats(&facts.cfg, post_dominators, &loops);
        let exits = exits(func, &facts, &loops, &repeats);
        let pins: Vec<Pin> = exits.chunk_by(|a, b| a.0 == b.0).map(|same| same[0].0).collect();
        let ssa = Ssa::compute(func, &facts, &pins);
        let (mut pairs, mut groups) = (Vec::with_capacity(16), BTreeMap::new());
        for value in facts.cfg.order.iter().flat_map(|block| ssa.starts(*block)) {
            let data = &ssa.values[*value];
            if let Def::Copy(block, _) = data.def {
                let pin = Pin { block, reg: data.reg };
                let same = exits[exits.partition_point(|(other, _)| *other < pin)..].iter();
                let of: Vec<u32> = same.take_while(|(other, _)| *other == pin).map(|(_, repeat)| *repeat).collect();
                let next = groups.len() as u32;
                pairs.push((*value, *groups.entry(of).or_insert(next)));
            }
        }
        let exits = Lists::new(ssa.values.len(), &pairs);
        let groups = branches_of(&facts, &repeats, groups);
        let (dependents, steps) = (Dependents::default(), Steps::default());
        let mut gated = Self { facts, loops, ssa, joins, exits, groups, dependents, steps };
        gated.dependents = Dependents::compute(&gated);
        gated.steps = Steps::compute(func, &gated, alike);
        gated
    }

    /// The block that makes a value, if it can be reached.
    pub fn block(&self, value: Value) -> Option<Block> {
        self.ssa.block(&self.facts.cfg, value)
    }

    /// The branches that decide about a φ or a copy.
    pub fn branches(&self, value: Value) -> &[Block] {
        match self.ssa.values[value].def {
            Def::Phi(block, _) => self.joins.get(block),
            Def::Copy(..) => match self.exits.get(value) {
                [group] => &self.groups[*group as usize][..],
                _ => &[],
            },
            Def::Undefined | Def::Inst(..) => &[],
        }
    }

    /// Visits the inputs of a value: operands, or arguments and the conditions that decide which of them a lane brings.
    pub fn inputs(&self, value: Value, mut visit: impl FnMut(Value)) {
        self.each_input(value, &mut visit);
    }

    fn each_input(&self, value: Value, visit: &mut dyn FnMut(Value)) {
        match self.ssa.values[value].def {
            Def::Phi(..) => self.ssa.arguments(value).iter().copied().for_each(&mut *visit),
            Def::Copy(_, source) => visit(source),
            Def::Inst(inst, _) => self.ssa.reads(inst).iter().copied().for_each(&mut *visit),
            Def::Undefined => {}
        }
        self.branches(value).iter().filter_map(|branch| self.ssa.condition(*branch)).for_each(visit);
    }

    /// How every value follows from others.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// Returns the dependents of each value, for sparse analyses.
    pub fn dependents(&self) -> &Dependents {
        &self.dependents
    }

    /// `None` for results of instructions.
    pub fn gate(&self, value: Value) -> Option<Gate> {
        match self.ssa.values[value].def {
            Def::Phi(block, _) if self.loops.irreducible(block) => Some(Gate::Irreducible),
            Def::Phi(block, _) if self.joins.get(block).is_empty() => Some(Gate::Mu),
            Def::Phi(..) => Some(Gate::Gamma),
            Def::Copy(..) => Some(Gate::Eta),
            Def::Undefined | Def::Inst(..) => None,
        }
    }
}

/// The branches of groups of repeats, by the number of the group.
fn branches_of(facts: &Facts, repeats: &[Repeat], groups: BTreeMap<Vec<u32>, u32>) -> Vec<Box<[Block]>> {
    let mut numbered: Vec<(u32, Vec<u32>)> = groups.into_iter().map(|(repeats, number)| (number, repeats)).collect();
    numbered.sort_unstable();
    let branches = |(_, of): (u32, Vec<u32>)| {
        let mut branches: Vec<Block> = of.iter().flat_map(|at| &repeats[*at as usize].branches).copied().collect();
        branches.sort_by_key(|branch| facts.cfg.number(*branch));
        branches.into_boxed_slice()
    };
    numbered.into_iter().map(branches).collect()
}

/// The copies that are needed, in order, each with the repeats whose branches decide what a lane brings.
fn exits(func: &Func, facts: &Facts, loops: &Loops, repeats: &[Repeat]) -> Vec<(Pin, u32)> {
    if repeats.is_empty() {
        return Vec::new();
    }
    let Facts { cfg, dominators, accesses, .. } = facts;
    let sites = facts.sites(func);
    let reducible = cfg.order.iter().all(|block| !loops.irreducible(*block));
    // cheap and never wrong to say yes
    let may_be_live = |reg: Reg, reconvergence: Block| {
        let Some(last) = sites.exposed(reg).last() else { return false };
        let behind = cfg.number(*last) < cfg.number(reconvergence) && reducible && loops.depth(reconvergence) == 0;
        let written = |writer: Block| !facts.plain(sites, reg) || dominators.dominates(writer, reconvergence);
        !behind && sites.only_writer(reg).is_none_or(written)
    };
    let mut found: Vec<(Reg, Block, u32)> = Vec::with_capacity(32);
    let mut known: SecondaryMap<Reg, PackedOption<Block>> = table(func.regs.len());
    for (number, repeat) in repeats.iter().enumerate() {
        let branch = PackedOption::from(repeat.branches[0]);
        for inst in repeat.blocks.iter().flat_map(|block| &func.blocks[*block].insts) {
            for &reg in accesses.writes(*inst) {
                if std::mem::replace(&mut known[reg], branch) != branch && may_be_live(reg, repeat.reconvergence) {
                    found.push((reg, repeat.reconvergence, number as u32));
                }
            }
        }
    }
    found.sort_by_key(|(reg, _, repeat)| (*reg, *repeat));
    let mut exits: Vec<(Pin, u32)> = Vec::with_capacity(found.len());
    let mut live = LiveBlocks::new(func);
    for same in found.chunk_by(|a, b| a.0 == b.0) {
        live.walk(same[0].0, sites, cfg, None);
        let meets = |(reg, reconvergence, _): &&(Reg, Block, u32)| live.is_live_in(*reg, *reconvergence);
        exits.extend(same.iter().filter(meets).map(|&(reg, block, repeat)| (Pin { block, reg }, repeat)));
    }
    // the repeats of a copy stay in order
    exits.sort_by_key(|(pin, _)| *pin);
    exits
}
