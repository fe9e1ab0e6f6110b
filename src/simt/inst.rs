//! Instructions, operands and types of the IR. Names and meanings are PTX's.

use super::ir::{Block, Param, Reg, Variable};

/// A PTX fundamental type. The `B` types are untyped bits: instructions on them do not care for the sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    Pred,
    B32,
    U32,
    S32,
    B64,
    U64,
    S64,
    F64,
}

impl Type {
    /// Size in memory; a predicate has none.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Pred => 0,
            Self::B32 | Self::U32 | Self::S32 => 4,
            Self::B64 | Self::U64 | Self::S64 | Self::F64 => 8,
        }
    }
}

/// A state space of PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    Param,
    Global,
    Shared,
    Local,
    Const,
}

/// A special register, read by `mov`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Special {
    TidX,
    NtidX,
    CtaidX,
    NctaidX,
    TidY,
    TidZ,
    NtidY,
    NtidZ,
    CtaidY,
    CtaidZ,
    LaneId,
    /// The warp's number; `%tid.x / 32` in the launches of the simulator.
    WarpId,
}

/// What an instruction reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operand {
    Reg(Reg),
    /// The bits of an immediate; the type is the instruction's. A 32-bit immediate has zeros above, also a negative one.
    Imm(u64),
    Special(Special),
    /// The address of a variable in its own state space.
    Variable(Variable),
}

impl Operand {
    /// A double-precision immediate.
    pub fn f64(value: f64) -> Self {
        Self::Imm(value.to_bits())
    }
}

impl From<Reg> for Operand {
    fn from(reg: Reg) -> Self {
        Self::Reg(reg)
    }
}

impl From<u32> for Operand {
    fn from(value: u32) -> Self {
        Self::Imm(u64::from(value))
    }
}

/// `[base + offset]`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Address {
    pub base: Base,
    pub offset: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Base {
    Reg(Reg),
    Variable(Variable),
    Param(Param),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Mov,
    Neg,
    Not,
    Abs,
    /// 1/a, rounded to nearest; f64 only.
    Rcp,
    /// Rounded to nearest; f64 only.
    Sqrt,
    /// `cvta.to.global.u64`: a generic address becomes one of the global space.
    CvtaToGlobal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    /// `mul.rn.f64`, or `mul.lo` of integers.
    Mul,
    /// `mul.wide.u32` and `.s32`: the type is the operands', the result is 64 bits wide.
    MulWide,
    /// `div.rn.f64`, or the quotient of integers.
    Div,
    Rem,
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    /// Arithmetic for signed types.
    Shr,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TernaryOp {
    /// `fma.rn.f64`
    Fma,
    /// `mad.lo` of integers.
    Mad,
    /// `mad.wide.u32` and `.s32`: c and the result are 64 bits wide.
    MadWide,
    /// `bfe`: c bits of a from bit b on, unsigned types only.
    Bfe,
}

/// Comparisons are ordered: false when a side is NaN, except those that end in `u`, which are then true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
}

/// How `cvt` rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// The conversion is exact or between integers.
    None,
    /// To the nearest floating-point number.
    Rn,
    /// To the nearest integer.
    Rni,
    /// To the integer towards zero.
    Rzi,
}

/// Which lane a shuffle reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShflMode {
    Idx,
    Up,
    Down,
    Bfly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VoteMode {
    All,
    Any,
    Uni,
    /// The destination is a 32-bit register.
    Ballot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BarKind {
    /// Arrive and wait.
    Sync,
    /// Arrive and go on.
    Arrive,
}

/// `@p` or `@!p` in front of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Guard {
    pub pred: Reg,
    pub negate: bool,
}

/// One instruction inside a block.
#[derive(Debug, Clone, PartialEq)]
pub struct InstData {
    pub guard: Option<Guard>,
    pub op: Op,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    Unary {
        op: UnaryOp,
        ty: Type,
        dst: Reg,
        a: Operand,
    },
    Binary {
        op: BinaryOp,
        ty: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Ternary {
        op: TernaryOp,
        ty: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
        c: Operand,
    },
    Setp {
        cmp: Cmp,
        ty: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    /// dst = pred ? a : b
    Selp {
        ty: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
        pred: Reg,
    },
    Cvt {
        rounding: Rounding,
        to: Type,
        from: Type,
        dst: Reg,
        a: Operand,
    },
    /// `mov.b64 dst, {lo, hi}`
    Pack {
        dst: Reg,
        lo: Reg,
        hi: Reg,
    },
    /// `mov.b64 {lo, hi}, src`
    Unpack {
        lo: Reg,
        hi: Reg,
        src: Reg,
    },
    /// `read_only` is the `.nc` path of global memory.
    Ld {
        space: Space,
        read_only: bool,
        ty: Type,
        dst: Reg,
        addr: Address,
    },
    St {
        space: Space,
        ty: Type,
        addr: Address,
        src: Operand,
    },
    /// `clamp` is PTX's operand c: the segment mask at bit 8 and the highest lane.
    Shfl {
        mode: ShflMode,
        dst: Reg,
        src: Reg,
        lane: Operand,
        clamp: Operand,
    },
    Vote {
        mode: VoteMode,
        dst: Reg,
        pred: Reg,
        negate: bool,
    },
    /// Without `threads` the whole CTA takes part.
    Bar {
        kind: BarKind,
        id: u32,
        threads: Option<u32>,
    },
    /// `bfi`: b with `len` of its bits from bit `pos` on replaced by the low bits of a.
    Bfi {
        ty: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
        pos: Operand,
        len: Operand,
    },
    /// An instruction that the IR does not know, kept verbatim: it may read and write any of its registers.
    Opaque {
        opcode: String,
        pieces: Vec<Piece>,
    },
}

/// A part of the operands of an unknown instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Reg(Reg),
    Text(String),
}

/// How a block ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Terminator {
    Bra {
        target: Block,
    },
    /// `@guard bra then`, else on to `otherwise`.
    CondBra {
        guard: Guard,
        then: Block,
        otherwise: Block,
    },
    /// `brx.idx`: an index past the end is undefined.
    Brx {
        index: Reg,
        targets: Vec<Block>,
    },
    Ret,
}

impl Terminator {
    /// The successors, in order, possibly repeated.
    pub fn targets(&self) -> Vec<Block> {
        match self {
            Self::Bra { target } => vec![*target],
            Self::CondBra { then, otherwise, .. } => vec![*then, *otherwise],
            Self::Brx { targets, .. } => targets.clone(),
            Self::Ret => Vec::new(),
        }
    }
}
