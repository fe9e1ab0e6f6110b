//! A change that is checked, and what may be wrong with it.

use cranelift_entity::{SecondaryMap, packed_option::PackedOption};
use ptx::analysis::lists::table;
use ptx::inst::Operand;
use ptx::ir::{Block, Func, Reg};
use std::fmt::{self, Display, Formatter};

/// A changed function beside the one that it was made from.
pub struct Change<'a> {
    pub before: &'a Func,
    pub after: &'a Func,
    /// New names of registers; the others keep theirs.
    pub renames: &'a [(Reg, Reg)],
    /// Blocks of both functions from which on they may differ.
    pub roots: &'a [Block],
    /// Conditions by which lanes take one side of a meld, at most 64.
    pub conditions: &'a [Condition],
}

/// A predicate that it matters for whether it is true.
#[derive(Debug, Clone)]
pub struct Condition {
    /// In the changed function.
    pub pred: Reg,
    /// The branches of melds by it, and where their lanes meet again, from where on it does not matter for the meld.
    pub regions: Vec<(Block, Option<Block>)>,
    /// New registers that hold one sum where the predicate is true and another where it is not.
    pub selected: Vec<(Reg, [OffsetOperand; 2])>,
}

/// An operand and what is added to it.
pub type OffsetOperand = (Operand, i64);

/// Fault of a change, and the block from which on it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub block: Block,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Memory is accessed differently.
    Memory,
    /// The ways lead to different ends, or depend on different conditions.
    End,
    /// A register does not have the value that is needed later.
    Value(Reg),
    /// Two registers that are alive together have one name.
    Names(Reg, Reg),
    /// A block differs that no change accounts for.
    Elsewhere,
    /// An instruction that concerns several threads was added, removed or changed.
    Convergent,
}

impl Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let block = self.block;
        match self.kind {
            Kind::Memory => write!(f, "from {block} on memory is accessed differently"),
            Kind::End => write!(f, "from {block} on the ways lead elsewhere"),
            Kind::Value(reg) => write!(f, "from {block} on {reg} gets another value"),
            Kind::Names(a, b) => write!(f, "in {block} {a} and {b} have one name"),
            Kind::Elsewhere => write!(f, "{block} was changed without a reason"),
            Kind::Convergent => write!(f, "in {block} what threads do together was changed"),
        }
    }
}

/// The new names of registers.
pub struct Names(SecondaryMap<Reg, PackedOption<Reg>>);

impl Names {
    pub fn new(change: &Change) -> Self {
        let mut names: SecondaryMap<Reg, PackedOption<Reg>> = table(change.before.regs.len());
        change.renames.iter().for_each(|(from, to)| names[*from] = (*to).into());
        Self(names)
    }

    pub fn get(&self, reg: Reg) -> Reg {
        self.0[reg].expand().unwrap_or(reg)
    }
}
