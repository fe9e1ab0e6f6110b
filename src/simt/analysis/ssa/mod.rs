//! Pruned SSA form (Cytron et al., TOPLAS 1991, with liveness): first as data about an unchanged function ([`Ssa`]), then,
//! where a pass wants it, as a function whose registers are written once ([`apply()`], [`destruct()`]).
//!
//! A guarded instruction keeps the old value in lanes without the guard, and an unknown one may keep it in all: both read
//! the old value of each result, which comes after the operands and the guard among their reads.

mod apply;
mod destruct;
mod rename;

pub use apply::{Phi, SsaFunc, apply};
pub use destruct::destruct;

use super::access::Accesses;
use super::cfg::Cfg;
use super::dominators::Dominators;
use super::liveness::Liveness;
use crate::simt::ir::{Block, Func, Inst, Reg};
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};

/// One version of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(u32);
entity_impl!(Value, "v");

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueData {
    /// The register that it is a version of.
    pub reg: Reg,
    pub def: Def,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Def {
    /// Whatever the register holds when the kernel starts.
    Undefined,
    /// A result of an instruction, by its position in [`Accesses::writes`].
    Inst(Inst, u32),
    /// At the start of a block: one argument per predecessor, in the order of [`Cfg::predecessors`]; at the entry one more
    /// for the start of the kernel.
    Phi(Block, Vec<Value>),
    /// At the start of a block, behind the φs: a copy that a [`Pin`] asked for.
    Copy(Block, Value),
}

/// Asks for a new version of some registers at the start of a block.
#[derive(Debug, Clone)]
pub struct Pin {
    pub block: Block,
    pub regs: Vec<Reg>,
}

/// Every version of every register, and which of them each instruction reads.
#[derive(Debug, Clone)]
pub struct Ssa {
    pub values: PrimaryMap<Value, ValueData>,
    /// φs and then copies at the start of each block.
    starts: SecondaryMap<Block, Vec<Value>>,
    reads: Vec<Value>,
    writes: Vec<Value>,
    spans: SecondaryMap<Inst, (u32, u32)>,
    conditions: SecondaryMap<Block, Option<Value>>,
    undefined: Vec<Value>,
}

/// What the construction needs to know.
pub struct Facts {
    pub cfg: Cfg,
    pub dominators: Dominators,
    pub accesses: Accesses,
    pub liveness: Liveness,
}

impl Facts {
    pub fn compute(func: &Func) -> Self {
        let cfg = Cfg::compute(func);
        let dominators = Dominators::compute(func, &cfg);
        let accesses = Accesses::compute(func);
        let liveness = Liveness::compute(func, &cfg, &accesses);
        Self { cfg, dominators, accesses, liveness }
    }
}

impl Ssa {
    /// The pins name registers that are live at the start of their block.
    pub fn compute(func: &Func, facts: &Facts, pins: &[Pin]) -> Self {
        rename::rename(func, facts, pins)
    }

    /// The values that the instruction reads, in the order of [`Accesses::reads`].
    pub fn reads(&self, accesses: &Accesses, inst: Inst) -> &[Value] {
        let start = self.spans[inst].0 as usize;
        &self.reads[start..start + accesses.reads(inst).len()]
    }

    /// The values that the instruction makes, in the order of [`Accesses::writes`].
    pub fn writes(&self, accesses: &Accesses, inst: Inst) -> &[Value] {
        let start = self.spans[inst].1 as usize;
        &self.writes[start..start + accesses.writes(inst).len()]
    }

    /// The old values of the results that may stay, in the order of [`Accesses::kept`].
    pub fn kept(&self, accesses: &Accesses, inst: Inst) -> &[Value] {
        let reads = self.reads(accesses, inst);
        &reads[reads.len() - accesses.kept(inst).len()..]
    }

    /// The values of registers that are read before they are written.
    pub fn undefined(&self) -> &[Value] {
        &self.undefined
    }

    /// φs and then copies at the start of a block.
    pub fn starts(&self, block: Block) -> &[Value] {
        &self.starts[block]
    }

    /// What the block's terminator reads.
    pub fn condition(&self, block: Block) -> Option<Value> {
        self.conditions[block]
    }
}

/// The registers that need φs, each with the blocks that give it a value.
fn writers(func: &Func, facts: &Facts, pins: &[Pin]) -> SecondaryMap<Reg, Vec<Block>> {
    let mut result: SecondaryMap<Reg, Vec<Block>> = SecondaryMap::with_capacity(func.regs.len());
    for reg in facts.liveness.live_in(facts.cfg.entry) {
        result[*reg].push(facts.cfg.entry);
    }
    for block in &facts.cfg.order {
        for inst in &func.blocks[*block].insts {
            for reg in facts.accesses.writes(*inst) {
                if result[*reg].last() != Some(block) {
                    result[*reg].push(*block);
                }
            }
        }
    }
    for pin in pins {
        pin.regs.iter().for_each(|reg| result[*reg].push(pin.block));
    }
    result
}

/// The blocks that need a φ for each register: the iterated dominance frontier of its writers, where it is live.
fn place_phis(func: &Func, facts: &Facts, pins: &[Pin]) -> SecondaryMap<Block, Vec<Reg>> {
    let frontiers = facts.dominators.frontiers(&facts.cfg);
    let writers = writers(func, facts, pins);
    let mut phis: SecondaryMap<Block, Vec<Reg>> = SecondaryMap::with_capacity(func.blocks.len());
    let mut work = Vec::new();
    for reg in func.regs.keys().filter(|reg| writers[*reg].len() > 1 || writers[*reg].first() == Some(&facts.cfg.entry))
    {
        work.extend(&writers[reg]);
        while let Some(block) = work.pop() {
            for join in &frontiers[block] {
                if phis[*join].last() != Some(&reg) && facts.liveness.is_live_in(reg, *join) {
                    phis[*join].push(reg);
                    work.push(*join);
                }
            }
        }
    }
    phis
}
