//! Instructions, as read from one line of a listing each.

use crate::control::Control;

#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// Bytes from the start of the kernel's code.
    pub address: u32,
    /// The line of the listing, counted from 1.
    pub line: u32,
    /// The predicate under which it is executed.
    pub guard: Option<Operand>,
    /// The operation with its modifiers, such as `IMAD.WIDE.U32`.
    pub name: Box<str>,
    pub operands: Vec<Operand>,
    /// Before Volta, whether the name ends in `.S`: its lanes then wait for those that they parted from at `SSY`.
    pub joins: bool,
    /// The 16 bytes of the instruction, from Volta on; before, instructions share words with control bits.
    pub encoding: Option<u128>,
    /// The 32 bits of an immediate NaN on Kepler, whose instructions keep the upper 20.
    pub nan: Option<u32>,
}

impl Instruction {
    /// Returns the operation, such as `IMAD`.
    pub fn operation(&self) -> &str {
        self.name.split_once('.').map_or(&*self.name, |(operation, _)| operation)
    }

    /// Returns the modifiers behind it, such as `WIDE` and `U32`.
    pub fn modifiers(&self) -> impl Iterator<Item = &str> {
        self.name.split('.').skip(1)
    }

    /// Returns the control bits, if the architecture has them in every instruction.
    pub fn control(&self) -> Option<Control> {
        self.encoding.map(Control::decode)
    }

    /// Returns the 32 bits of an immediate operand. A real number in the text has its value, but not the bits of a NaN.
    pub fn immediate(&self) -> Option<u32> {
        self.encoding.map(|encoding| (encoding >> 32) as u32).or(self.nan)
    }

    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers().any(|found| found == modifier)
    }
}

/// Register file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum File {
    /// `R0` …, one value per lane.
    General,
    /// `UR0` …, one value per warp.
    Uniform,
}

/// A register as an operand, with the modifiers of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register {
    pub file: File,
    /// `None` for `RZ` and `URZ`, which read as 0.
    pub number: Option<u8>,
    /// Suffix of the name, such as `.64` of an address; without `.reuse`.
    pub part: Part,
    pub negate: bool,
    pub absolute: bool,
    /// Complement of all bits, `~`.
    pub invert: bool,
}

/// Part of a register that an operand uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    Whole,
    /// The register with the next one.
    Wide,
    /// Its 32 bits, zero-extended, in an address of 64 bits.
    Unsigned,
    /// A result that also sets the condition code, before Volta.
    WithConditionCode,
    /// A scaled or cut register, in the listing's own word.
    Other(&'static str),
}

/// An operand as the listing shows it.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    Register(Register),
    /// `P0` … `P6`, `UP0` …; `None` for `PT` and `UPT`, which hold.
    Predicate {
        file: File,
        number: Option<u8>,
        negate: bool,
    },
    /// All predicates as one word, `PR` and `UPR`.
    Predicates(File),
    /// A test of the condition code, such as `NEU` of `CC.NEU`, before Volta; empty where the instruction's name has it.
    ConditionCode(Box<str>),
    /// A convergence barrier, `B0` ….
    Convergence(u8),
    /// `SB0` …
    Scoreboard(u8),
    Integer(i64),
    Real(f64),
    /// `c[bank][register + offset]`
    Constant {
        bank: u8,
        index: Option<Register>,
        offset: i64,
        negate: bool,
        absolute: bool,
        invert: bool,
    },
    /// `[registers + offset]`; a `desc[…]` in front says how global memory is accessed, not where.
    Memory {
        terms: Vec<Register>,
        offset: i64,
    },
    /// A place in the kernel's code, in bytes from its start.
    Label(u32),
    /// 32 bits of the address of a table.
    Address {
        symbol: Box<str>,
        high: bool,
    },
    /// A special register such as `SR_TID.X`; `SRZ` reads as 0.
    Special(Box<str>),
    /// An operand unknown to the reader, verbatim.
    Unknown(Box<str>),
}
