//! What the reader gives: instructions with their operands.

use crate::forms::{Lanes, Scalars};
use crate::operand::{Kind, Operand};

#[derive(Debug, Clone)]
pub struct Instruction {
    /// In the listing, from 1.
    pub line: u32,
    pub text: String,
    pub op: Op,
    pub operands: Vec<Operand>,
    /// `offset`, or `offset0` and `offset1`.
    pub offsets: [i64; 2],
    /// `op_sel`, bit by operand.
    pub select: Option<u8>,
    /// `offen`: the address of a buffer instruction has a register's offset.
    pub offen: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum Op {
    /// Computes each lane by itself.
    Lanes(&'static Lanes),
    /// As before, but no document tells the last bits.
    Approximate(&'static Lanes),
    /// Reads its destination, too.
    Accumulate(&'static Lanes),
    Compare {
        kind: Kind,
        test: Test,
    },
    Class,
    /// Adds or subtracts with carries, which lie in a mask of lanes.
    Carry {
        difference: bool,
        reversed: bool,
        carried: bool,
    },
    WideMultiplyAdd {
        signed: bool,
    },
    Select,
    ReadLane,
    ReadFirstLane,
    WriteLane,
    DivScale,
    DivFmas,
    /// A register pair from one half of each of two.
    PackedMove,
    Scalars(&'static Scalars),
    /// As before, but its destination is its first source, too.
    ScalarsOnto(&'static Scalars),
    ScalarCompare {
        kind: Kind,
        test: Test,
        /// The second source is a number of 16 bits.
        short: bool,
    },
    /// EXEC becomes a function of it and the source, and the destination what it was.
    SaveExec(fn(u64, u64) -> u64),
    ProgramCounter,
    Jump,
    Branch(When),
    Wait {
        vector: Option<u8>,
        others: Option<u8>,
    },
    Barrier,
    End,
    Nothing,
    ScalarLoad {
        registers: u16,
    },
    Memory {
        space: Space,
        store: bool,
        bytes: u8,
        signed: bool,
    },
    /// Loads or stores two values, whose offsets are in units of so many bytes.
    Pair {
        store: bool,
        bytes: u8,
        unit: u16,
    },
    Permute {
        to: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    Global,
    Flat,
    Scratch,
    /// Private memory by its descriptor, as gfx90a reaches it.
    Buffer,
    Lds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Always,
    Condition(bool),
    /// VCC is zero, or is not.
    VccZero(bool),
    ExecZero(bool),
}

/// What a comparison asks: one or several of less, equal, greater and unordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Test {
    pub less: bool,
    pub equal: bool,
    pub greater: bool,
    pub unordered: bool,
    pub signed: bool,
}
