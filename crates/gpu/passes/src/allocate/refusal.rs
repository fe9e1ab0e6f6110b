//! Why a kernel cannot have so few registers.

use super::MOST_UNITS;
use super::class::{Class, File};
use ptx::inst::{InstData, Op};
use ptx::ir::{Func, Module, Reg};
use ptx::print;
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

/// Why there is no allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The module has no such kernel with a body.
    NoKernel,
    /// One instruction, with its spill code, needs more registers at once.
    TooFew(TooFew),
    /// The file cannot be that large.
    TooMany,
}

/// The file that is too small, and the instruction that needs most of it at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooFew {
    pub file: File,
    /// Its text.
    pub widest: String,
    /// Units that the instruction needs by itself; spill code may need more.
    pub units: u32,
}

impl TooFew {
    pub(super) fn new(module: &Module, func: &Func, file: File) -> Self {
        let all = func.layout.iter().flat_map(|block| func.blocks[*block].insts.iter().map(|inst| (*block, *inst)));
        let widest = all.rev().max_by_key(|(_, inst)| units(func, &func.insts[*inst], file));
        let text = widest.map(|(block, inst)| print::instruction_text(module, func, block, Some(inst)));
        let units = widest.map_or(0, |(_, inst)| units(func, &func.insts[inst], file));
        Self { file, widest: text.unwrap_or_default(), units }
    }
}

/// Returns the units that the instruction reads or writes at once. An unknown one may read what it names behind its first result.
fn units(func: &Func, data: &InstData, file: File) -> u32 {
    let mut reads: BTreeSet<Reg> = data.guard.iter().map(|guard| guard.pred).collect();
    data.op.operands(|operand| reads.extend(operand.reg()));
    let writes: BTreeSet<Reg> = data.op.results().into_iter().collect();
    if data.guard.is_some() || matches!(data.op, Op::Opaque { .. }) {
        reads.extend(&writes);
    }
    let sum = |regs: BTreeSet<Reg>| {
        let classes = regs.into_iter().map(|reg| Class::for_type(func.regs[reg]));
        classes.filter(|class| class.file == file).map(|class| class.units).sum()
    };
    u32::max(sum(reads), sum(writes))
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKernel => write!(f, "the module has no such kernel"),
            Self::TooFew(TooFew { file, widest, units }) => {
                let registers = if *file == File::General { "registers of 32 bits" } else { "predicates" };
                write!(f, "`{widest}` alone needs {units} {registers} at once, spill code not counted")
            }
            Self::TooMany => write!(f, "a thread has at most {MOST_UNITS} registers"),
        }
    }
}
