//! Instructions and operands of the IR. Names and meanings are PTX's.
//!
//! An instruction that the IR does not know is [`Op::Opaque`]: it may read and write any register that it names, and nothing
//! is known of what else it does.

use super::ir::{Block, Param, Reg, Variable};
pub use super::modifier::*;
pub use super::opcode::*;
pub use super::types::{Space, Special, Type};
use smallvec::{SmallVec, smallvec};

/// Registers that a load writes: up to four need no allocation.
pub type Destinations = SmallVec<[Reg; 4]>;

/// Operands that a store writes: a single one, as in most stores, needs no allocation.
pub type Sources = SmallVec<[Operand; 1]>;

/// An operand that an instruction reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operand {
    Reg(Reg),
    /// The bits of an immediate; the type is the instruction's. Above its width are zeros, also for a negative one.
    Imm(u64),
    Special(Special),
    /// The address of a variable in its own state space.
    Variable(Variable),
    /// The address of a parameter in the parameter space.
    Param(Param),
}

impl Operand {
    /// A double-precision immediate.
    pub fn f64(value: f64) -> Self {
        Self::Imm(value.to_bits())
    }

    pub fn f32(value: f32) -> Self {
        Self::Imm(value.to_bits().into())
    }

    /// The register, if it is one.
    pub fn reg(self) -> Option<Reg> {
        match self {
            Self::Reg(reg) => Some(reg),
            _ => None,
        }
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

/// `@p` or `@!p` in front of an instruction; also a predicate that an instruction reads, perhaps negated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Guard {
    pub pred: Reg,
    pub negate: bool,
}

/// One instruction inside a block.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InstData {
    pub guard: Option<Guard>,
    pub op: Op,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Op {
    Unary {
        op: UnaryOp,
        mode: Mode,
        ty: Type,
        dst: Reg,
        a: Operand,
    },
    Binary {
        op: BinaryOp,
        mode: Mode,
        ty: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Ternary {
        op: TernaryOp,
        mode: Mode,
        ty: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
        c: Operand,
    },
    /// `add.cc`, `addc`, `sub.cc`, `subc`, `mad.lo.cc`, `madc` …: arithmetic that reads or writes the condition code, one hidden
    /// bit per thread.
    Carry {
        op: CarryOp,
        reads: bool,
        writes: bool,
        ty: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
        c: Option<Operand>,
    },
    /// dst = a `cmp` b, combined with the predicate; `other` is then the negated comparison combined with it.
    Setp {
        cmp: Cmp,
        ftz: bool,
        ty: Type,
        dst: Reg,
        other: Option<Reg>,
        a: Operand,
        b: Operand,
        combine: Option<(BoolOp, Guard)>,
    },
    /// As `setp`, with all ones or 1.0 for true and 0 for false.
    Set {
        cmp: Cmp,
        ftz: bool,
        to: Type,
        ty: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
        combine: Option<(BoolOp, Guard)>,
    },
    /// dst = pred ? a : b
    Selp {
        ty: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
        pred: Reg,
    },
    /// dst = c >= 0 ? a : b, with c of type `by`
    Slct {
        ftz: bool,
        ty: Type,
        by: Type,
        dst: Reg,
        a: Operand,
        b: Operand,
        c: Operand,
    },
    Cvt {
        mode: Mode,
        to: Type,
        from: Type,
        dst: Reg,
        a: Operand,
    },
    /// `cvta`: between generic addresses and those of a space. `to`: into the space.
    Cvta {
        to: bool,
        space: Space,
        ty: Type,
        dst: Reg,
        a: Operand,
    },
    /// Whether a generic address lies in the space.
    Isspacep {
        space: Space,
        dst: Reg,
        a: Operand,
    },
    /// `mov.b64 dst, {lo, hi}` and its like; the first part is the lowest.
    Pack {
        ty: Type,
        dst: Reg,
        parts: Vec<Operand>,
    },
    /// `mov.b64 {lo, hi}, src`; `None` for `_`.
    Unpack {
        ty: Type,
        parts: Vec<Option<Reg>>,
        src: Operand,
    },
    /// Any function of the bits of three words: bit `4 a + 2 b + c` of the table.
    Lop3 {
        dst: Reg,
        a: Operand,
        b: Operand,
        c: Operand,
        table: u8,
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
    /// One, two or four registers from consecutive places; `read_only` is the `.nc` path of global memory.
    Ld {
        space: Space,
        read_only: bool,
        access: Access,
        ty: Type,
        dst: Destinations,
        addr: Address,
    },
    St {
        space: Space,
        access: Access,
        ty: Type,
        addr: Address,
        src: Sources,
    },
    /// `atom`, and without `dst` `red`. `b` belongs to `cas`: a is compared with, b is stored.
    Atom {
        op: AtomOp,
        space: Space,
        access: Access,
        ty: Type,
        dst: Option<Reg>,
        addr: Address,
        a: Operand,
        b: Option<Operand>,
    },
    /// `clamp` is PTX's operand c: the segment mask at bit 8 and the highest lane. `valid`: whether the lane read lies in the
    /// segment. Without `mask`: `shfl` before sm_70, all lanes from then on.
    Shfl {
        mode: ShflMode,
        dst: Reg,
        valid: Option<Reg>,
        src: Operand,
        lane: Operand,
        clamp: Operand,
        mask: Option<Operand>,
    },
    /// `mask` as in `Shfl`.
    Vote {
        mode: VoteMode,
        dst: Reg,
        pred: Guard,
        mask: Option<Operand>,
    },
    /// `match.any`, or `match.all` with an optional predicate.
    Match {
        all: bool,
        ty: Type,
        dst: Reg,
        valid: Option<Reg>,
        a: Operand,
        mask: Operand,
    },
    /// `redux.sync`: add, min, max, and, or, xor over the lanes.
    Redux {
        op: BinaryOp,
        ty: Type,
        dst: Reg,
        a: Operand,
        mask: Operand,
    },
    /// `mma.sync.aligned.m8n8k4` of doubles: d = A B + C, for a matrix A of 8 rows and 4 columns and B of 4 and 8. The lanes of
    /// the warp hold the elements: lane l that of A at row l/4, column l%4, that of B at row l%4, column l/4, and those
    /// of C and d at row l/4, columns 2 (l%4) and 2 (l%4) + 1. `m16n8k4` has 8 more rows of A, C and d behind these, which the
    /// lanes hold likewise.
    Mma {
        dst: Vec<Reg>,
        /// One element, or two.
        a: Vec<Operand>,
        b: Operand,
        c: Vec<Operand>,
    },
    Activemask {
        dst: Reg,
    },
    /// Without `threads` the whole CTA takes part. Not `aligned`: the lanes of a warp may come one by one.
    Bar {
        kind: BarKind,
        aligned: bool,
        id: Operand,
        threads: Option<Operand>,
    },
    /// `bar.red`: a barrier that reduces a predicate over its threads.
    BarRed {
        op: BarRedOp,
        aligned: bool,
        dst: Reg,
        id: Operand,
        threads: Option<Operand>,
        pred: Guard,
    },
    /// `bar.warp.sync`
    BarWarp {
        mask: Operand,
    },
    /// `membar` and `fence`, by their full name.
    Fence {
        name: String,
    },
    Call {
        uni: bool,
        callee: Callee,
        results: Vec<Param>,
        arguments: Vec<Param>,
    },
    /// `.loc` or `.pragma`, verbatim: no instruction.
    Directive(String),
    /// An instruction that the IR does not know, kept verbatim: it may read and write any of its registers.
    Opaque {
        opcode: String,
        pieces: Vec<Piece>,
    },
}

impl Op {
    /// Whether it does nothing but compute its results from its operands.
    pub fn only_computes(&self) -> bool {
        matches!(
            self,
            Self::Unary { .. }
                | Self::Binary { .. }
                | Self::Ternary { .. }
                | Self::Setp { .. }
                | Self::Set { .. }
                | Self::Selp { .. }
                | Self::Slct { .. }
                | Self::Cvt { .. }
                | Self::Cvta { .. }
                | Self::Isspacep { .. }
                | Self::Pack { .. }
                | Self::Unpack { .. }
                | Self::Lop3 { .. }
                | Self::Bfi { .. }
        )
    }

    /// A plain load of one register.
    pub fn load(space: Space, read_only: bool, ty: Type, dst: Reg, addr: Address) -> Self {
        Self::Ld { space, read_only, access: Access::default(), ty, dst: smallvec![dst], addr }
    }

    /// A plain store of one register.
    pub fn store(space: Space, ty: Type, addr: Address, src: impl Into<Operand>) -> Self {
        Self::St { space, access: Access::default(), ty, addr, src: smallvec![src.into()] }
    }

    /// `mov.b64 dst, {lo, hi}`
    pub fn pack(dst: Reg, lo: impl Into<Operand>, hi: impl Into<Operand>) -> Self {
        Self::Pack { ty: Type::B64, dst, parts: vec![lo.into(), hi.into()] }
    }

    /// A barrier with a fixed number, for whole warps.
    pub fn bar(kind: BarKind, id: u32, threads: Option<u32>) -> Self {
        Self::Bar { kind, aligned: true, id: id.into(), threads: threads.map(Operand::from) }
    }
}

/// Who is called.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Callee {
    Func(String),
    /// The address in a register, with the name of its prototype or of the list of its targets.
    Reg(Reg, String),
}

/// A part of the operands of an unknown instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
        /// `bra.uni`: all lanes that come here go the same way.
        uni: bool,
        then: Block,
        otherwise: Block,
    },
    /// `brx.idx`: an index past the end is undefined.
    Brx {
        index: Reg,
        targets: Vec<Block>,
    },
    /// Back to the caller; the end of a thread in a kernel.
    Ret,
    /// The end of the thread.
    Exit,
}

impl Terminator {
    /// The successors, in order, possibly repeated.
    pub fn targets(&self) -> SmallVec<[Block; 2]> {
        match self {
            Self::Bra { target } => smallvec![*target],
            Self::CondBra { then, otherwise, .. } => smallvec![*then, *otherwise],
            Self::Brx { targets, .. } => targets.iter().copied().collect(),
            Self::Ret | Self::Exit => SmallVec::new(),
        }
    }
}
