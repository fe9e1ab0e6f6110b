//! The operations of instructions.

use super::inst::Type;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Mov,
    Neg,
    Not,
    Abs,
    /// 1/a
    Rcp,
    Sqrt,
    /// 1/√a
    Rsqrt,
    Sin,
    Cos,
    /// 2^a
    Ex2,
    /// log2 a
    Lg2,
    Tanh,
    /// The number of ones; the result has 32 bits.
    Popc,
    /// The number of leading zeros; the result has 32 bits.
    Clz,
    Brev,
    /// The position of the highest bit that differs from the sign, or all ones; the result has 32 bits.
    Bfind,
    /// The same as the distance from the highest position.
    BfindShift,
    /// 1 for 0, else 0
    Cnot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    /// The product of reals, or `mul.lo` of integers.
    Mul,
    /// `mul.wide`: the type is the operands', the result is twice as wide.
    MulWide,
    /// The upper half of the product of integers.
    MulHi,
    /// The low, or the middle, 32 bits of the product of the operands' low 24.
    Mul24,
    Mul24Hi,
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
    /// b with the sign of a.
    Copysign,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TernaryOp {
    Fma,
    /// `mad.lo` of integers; `mad` of reals, which is an `fma` from sm_20 on.
    Mad,
    /// `mad.wide`: c and the result are twice as wide.
    MadWide,
    MadHi,
    Mad24,
    Mad24Hi,
    /// `bfe`: c bits of a from bit b on.
    Bfe,
    /// c + |a - b|
    Sad,
    /// Four bytes of a and b that the nibbles of c choose.
    Prmt,
    /// The 64 bits (b, a) shifted by c, their upper half for left shifts and their lower half for right shifts. The
    /// count wraps at 32 or is clamped to 32.
    ShfLeftWrap,
    ShfLeftClamp,
    ShfRightWrap,
    ShfRightClamp,
}

/// Arithmetic with the condition code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CarryOp {
    Add,
    Sub,
    MadLo,
    MadHi,
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
    /// Neither is NaN.
    Num,
    /// One of them is NaN.
    Nan,
}

/// How `setp` combines a comparison with a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BoolOp {
    And,
    Or,
    Xor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomOp {
    And,
    Or,
    Xor,
    Cas,
    Exch,
    Add,
    /// Up to the operand, then 0.
    Inc,
    /// Down to 0, then the operand.
    Dec,
    Min,
    Max,
}

/// Lane that a shuffle reads.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BarRedOp {
    And,
    Or,
    /// The destination is a 32-bit register.
    Popc,
}

impl UnaryOp {
    /// The type of the result of an instruction of type `ty`.
    pub fn result(self, ty: Type) -> Type {
        match self {
            Self::Popc | Self::Clz | Self::Bfind | Self::BfindShift => Type::U32,
            _ => ty,
        }
    }
}

impl BinaryOp {
    /// The type of the result of an instruction of type `ty`.
    pub fn result(self, ty: Type) -> Type {
        if self == Self::MulWide { ty.wide() } else { ty }
    }

    /// The type of the second operand: shifts count in 32 bits, whatever they shift.
    pub fn second(self, ty: Type) -> Type {
        if matches!(self, Self::Shl | Self::Shr) { Type::U32 } else { ty }
    }

    /// Whether the sign of the type is without meaning, so that PTX wants untyped bits.
    pub fn is_bitwise(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Xor | Self::Shl)
    }
}

impl TernaryOp {
    /// The type of the result of an instruction of type `ty`.
    pub fn result(self, ty: Type) -> Type {
        if self == Self::MadWide { ty.wide() } else { ty }
    }

    /// The types of the three operands.
    pub fn operands(self, ty: Type) -> [Type; 3] {
        match self {
            Self::MadWide => [ty, ty, ty.wide()],
            Self::Bfe => [ty, Type::U32, Type::U32],
            _ => [ty; 3],
        }
    }
}
