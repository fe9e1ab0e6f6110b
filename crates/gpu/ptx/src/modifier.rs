//! Modifiers between an opcode and its type.

use super::inst::{BinaryOp, TernaryOp, Type, UnaryOp};

/// How arithmetic treats reals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Mode {
    pub rounding: Rounding,
    /// Subnormal inputs and results become zero.
    pub ftz: bool,
    /// The result is clamped to [0, 1], or to the range of an integer type.
    pub sat: bool,
}

impl Mode {
    /// Rounded to nearest, never contracted with another instruction.
    pub const NEAREST: Self = Self { rounding: Rounding::Rn, ftz: false, sat: false };

    /// That of the plain IEEE operation: to nearest where results are rounded.
    pub fn of_unary(op: UnaryOp, ty: Type) -> Self {
        let rounds = matches!(op, UnaryOp::Rcp | UnaryOp::Sqrt);
        if rounds && ty.is_float() { Self::NEAREST } else { Self::default() }
    }

    /// As [`of_unary`](Self::of_unary).
    pub fn of_binary(op: BinaryOp, ty: Type) -> Self {
        let rounds = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
        if rounds && ty.is_float() { Self::NEAREST } else { Self::default() }
    }

    /// As [`of_unary`](Self::of_unary).
    pub fn of_ternary(op: TernaryOp, ty: Type) -> Self {
        let rounds = matches!(op, TernaryOp::Fma | TernaryOp::Mad);
        if rounds && ty.is_float() { Self::NEAREST } else { Self::default() }
    }
}

/// How a result is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rounding {
    /// Nothing is said: to nearest for reals, and the assembler may contract a product with a sum.
    #[default]
    None,
    /// To the nearest floating-point number; towards zero, minus infinity, plus infinity.
    Rn,
    Rz,
    Rm,
    Rp,
    /// To the nearest integer; towards zero, minus infinity, plus infinity.
    Rni,
    Rzi,
    Rmi,
    Rpi,
    /// An approximation.
    Approx,
    /// `div.full`: an approximation over the full range.
    Full,
}

/// How an access is ordered and cached.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Access {
    pub order: Order,
    pub scope: Option<Scope>,
    /// The cache operator and level hints, such as `cg` or `L1::no_allocate.L2::128B`; often empty.
    pub cache: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// Nothing is said: weak for loads and stores, relaxed for atomics.
    #[default]
    None,
    Weak,
    Volatile,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
}

/// The threads that an access is ordered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    Cta,
    Cluster,
    Gpu,
    Sys,
}
