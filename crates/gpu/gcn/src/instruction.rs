//! Output of the reader: instructions with their operands.

use crate::forms::{Lanes, Scalars};
use crate::operand::{Kind, Operand, Registers};

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
    /// SDWA: what is taken of the first two sources.
    pub parts: Option<[Part; 2]>,
    /// `offen`: the address of a buffer instruction has a register's offset.
    pub offen: bool,
    /// `scale_offset`: a register's offset counts in units of what is moved.
    pub scaled: bool,
    /// `bitop3`: what bits become, by three others.
    pub truth: u8,
    /// Kind of a mask of lanes.
    pub mask: Kind,
    /// Second instruction of a pair, which runs at the same time.
    pub second: Option<Box<Instruction>>,
}

/// Some bits of a word, with zeros above: a byte, a half, or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub first: u32,
    pub bits: u32,
}

impl Part {
    pub const ALL: Self = Self { first: 0, bits: 32 };

    pub fn extract(self, word: u64) -> u64 {
        word >> self.first & ((1 << self.bits) - 1)
    }
}

impl Instruction {
    /// Those that it writes.
    pub fn results(&self) -> impl Iterator<Item = Registers> + use<'_> {
        let writes = match self.op {
            Op::Wait(_) | Op::Barrier | Op::Split(_) | Op::Branch(_) | Op::Jump | Op::End | Op::Nothing => 0,
            Op::IndexOn { .. } | Op::IndexOff => 0,
            Op::ScalarCompare { .. } | Op::BitCompare { .. } | Op::CompareExec { .. } => 0,
            Op::Memory { store, .. } | Op::Pair { store, .. } if store => 0,
            Op::Carry { .. } | Op::WideMultiplyAdd { .. } | Op::DivScale => 2,
            _ => 1,
        };
        let second = self.second.iter().filter_map(|second| second.operands[0].registers());
        self.operands[..writes].iter().filter_map(Operand::registers).chain(second)
    }

    /// Registers of all operands.
    pub fn registers(&self) -> impl Iterator<Item = Registers> + use<'_> {
        let second = self.second.iter().flat_map(|second| &second.operands);
        self.operands.iter().chain(second).filter_map(Operand::registers)
    }
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
    /// As [`Op::Compare`], but the lanes where it holds become EXEC.
    CompareExec {
        kind: Kind,
        test: Test,
    },
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
    /// Any function of the bits of two or three registers.
    Truth {
        sources: usize,
    },
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
    /// SCC becomes whether a bit of the first source, whose number is the second, is set, or is not.
    BitCompare {
        set: bool,
    },
    /// EXEC becomes a function of it and the source, and the destination what it was.
    SaveExec(fn(u64, u64) -> u64),
    ProgramCounter,
    Jump,
    /// Jumps to its source, and keeps where the next instruction lies.
    Call,
    /// From here on moves count registers from an index: those of their source, of their destination.
    IndexOn {
        source: bool,
        result: bool,
    },
    IndexOff,
    Branch(When),
    Wait(Waits),
    /// Arrives at the workgroup's barrier and waits.
    Barrier,
    /// A part of that, or what is done with a named barrier.
    Split(Split),
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

/// Numbers of instructions that may be outstanding behind the wait, by counter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waits {
    /// By [`Counter`].
    pub left: [Option<u8>; 4],
    /// Number of memory instructions whose addresses may still be needed.
    pub addresses: Option<u8>,
}

/// A counter of instructions on memory. CDNA counts stores with loads, and scalar loads with the LDS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    Loads,
    Stores,
    Lds,
    Scalar,
}

/// An operation of gfx1250 on a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    Init,
    Join,
    Signal,
    Wait,
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

/// Condition of a comparison: one or several of less, equal, greater and unordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Test {
    pub less: bool,
    pub equal: bool,
    pub greater: bool,
    pub unordered: bool,
    pub signed: bool,
    /// The low 16 bits are compared.
    pub short: bool,
}
