//! Pruned SSA form (Cytron et al., TOPLAS 1991, with liveness): first as data about an unchanged function ([`Ssa`]), then,
//! where a pass wants it, as a function whose registers are written once ([`apply()`], [`destruct()`]).
//!
//! A guarded instruction keeps the old value in lanes without the guard, and an unknown one may keep it in all: both read
//! the old value of each result, which comes after the operands and the guard among their reads.

mod apply;
mod destruct;
mod phis;
mod rename;

pub use apply::{Phi, SsaFunc, apply};
pub use destruct::destruct;

use super::access::Accesses;
use super::cfg::Cfg;
use super::dominators::Dominators;
use super::sites::Sites;
use crate::ir::{Block, Func, Inst, Reg};
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl, packed_option::PackedOption};
use std::sync::OnceLock;

/// One version of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(u32);
entity_impl!(Value, "v");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueData {
    /// The register that it is a version of.
    pub reg: Reg,
    pub def: Def,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Def {
    /// Whatever the register holds when the kernel starts.
    Undefined,
    /// A result of an instruction, by its position in [`Accesses::writes`].
    Inst(Inst, u32),
    /// At the start of a block, with its number among all φs.
    Phi(Block, u32),
    /// At the start of a block, behind the φs: a copy that a [`Pin`] asked for.
    Copy(Block, Value),
}

/// Asks for a new version of a register at the start of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pin {
    pub block: Block,
    pub reg: Reg,
}

/// Every version of every register, and which of them each instruction reads.
#[derive(Debug, Clone)]
pub struct Ssa {
    /// Values in the order of the reachable blocks; in a block, φs, copies and results of its instructions. So a
    /// definition comes before its uses, except arguments of φs that come from later blocks. Then come those of the
    /// other blocks and the undefined ones.
    pub values: PrimaryMap<Value, ValueData>,
    /// Every value at its own place, to give ranges of them as slices.
    all: Vec<Value>,
    starts: SecondaryMap<Block, (u32, u32)>,
    reads: Vec<Value>,
    /// Where the reads and the results of each instruction start and end.
    spans: SecondaryMap<Inst, Spans>,
    arguments: Vec<Value>,
    /// Where the arguments of each φ start, and where the last ones end.
    phis: Vec<u32>,
    conditions: SecondaryMap<Block, PackedOption<Value>>,
    /// Where the values of reachable blocks end.
    reachable: u32,
    /// Where the undefined ones start.
    undefined: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Spans {
    reads: (u32, u32),
    writes: (u32, u32),
}

/// Facts that the construction needs.
#[derive(Debug, Clone)]
pub struct Facts {
    pub cfg: Cfg,
    pub dominators: Dominators,
    pub accesses: Accesses,
    sites: OnceLock<Sites>,
}

impl Facts {
    pub fn compute(func: &Func) -> Self {
        Self::from_accesses(func, Accesses::compute(func))
    }

    /// As [`compute`](Self::compute), where it is known what each instruction reads and writes.
    pub fn from_accesses(func: &Func, accesses: Accesses) -> Self {
        let cfg = Cfg::compute(func);
        let dominators = Dominators::compute(func, &cfg);
        Self { cfg, dominators, accesses, sites: OnceLock::new() }
    }

    /// Returns the facts of a function with the same graph, whose instructions read and write other registers.
    pub fn with_accesses(self, accesses: impl FnOnce(Accesses) -> Accesses) -> Self {
        let accesses = accesses(self.accesses);
        Self { accesses, sites: OnceLock::new(), ..self }
    }

    /// Where the registers of the function, which is the one that was analysed, are read and written: looked for when first asked for.
    pub fn sites(&self, func: &Func) -> &Sites {
        self.sites.get_or_init(|| Sites::compute(func, &self.cfg, &self.accesses))
    }

    /// The register is written in one block only, and nothing reads it before: it needs no φ.
    pub fn plain(&self, sites: &Sites, reg: Reg) -> bool {
        let Some(writer) = sites.only_writer(reg) else { return false };
        let read_behind = |block: &Block| *block != writer && self.dominators.dominates(writer, *block);
        sites.exposed(reg).iter().all(read_behind)
    }
}

impl Ssa {
    /// The pins name registers that are live at the start of their block, each once, in the order of blocks and registers.
    pub fn compute(func: &Func, facts: &Facts, pins: &[Pin]) -> Self {
        rename::rename(func, facts, pins)
    }

    /// The values that the instruction reads, in the order of [`Accesses::reads`].
    pub fn reads(&self, inst: Inst) -> &[Value] {
        let (start, end) = self.spans[inst].reads;
        &self.reads[start as usize..end as usize]
    }

    /// The values that the instruction makes, in the order of [`Accesses::writes`].
    pub fn writes(&self, inst: Inst) -> &[Value] {
        let (start, end) = self.spans[inst].writes;
        &self.all[start as usize..end as usize]
    }

    /// The old values of the results that may stay, in the order of [`Accesses::kept`].
    pub fn kept(&self, accesses: &Accesses, inst: Inst) -> &[Value] {
        let reads = self.reads(inst);
        &reads[reads.len() - accesses.kept(inst).len()..]
    }

    /// The arguments of a φ: one per predecessor, in the order of [`Cfg::predecessors`]; at the entry one more for the start
    /// of the kernel. None for other values.
    pub fn arguments(&self, value: Value) -> &[Value] {
        match self.values[value].def {
            Def::Phi(_, number) => {
                let number = number as usize;
                &self.arguments[self.phis[number] as usize..self.phis[number + 1] as usize]
            }
            _ => &[],
        }
    }

    /// All values that are defined in reachable blocks, in order.
    pub fn reachable(&self) -> &[Value] {
        &self.all[..self.reachable as usize]
    }

    /// The values of registers that are read before they are written.
    pub fn undefined(&self) -> &[Value] {
        &self.all[self.undefined as usize..]
    }

    /// φs and then copies at the start of a block.
    pub fn starts(&self, block: Block) -> &[Value] {
        let (start, end) = self.starts[block];
        &self.all[start as usize..end as usize]
    }

    /// The block that makes a value, if it can be reached.
    pub fn block(&self, cfg: &Cfg, value: Value) -> Option<Block> {
        let behind = cfg.order.partition_point(|block| self.starts[*block].0 <= value.0);
        cfg.order[..behind].last().copied().filter(|_| value.0 < self.reachable)
    }

    /// Returns the value that the block's terminator reads.
    pub fn condition(&self, block: Block) -> Option<Value> {
        self.conditions[block].expand()
    }
}
