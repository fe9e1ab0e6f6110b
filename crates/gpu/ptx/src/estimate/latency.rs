//! Cost of instructions where melding is decided: the latency of their results.

use crate::inst::{BinaryOp, Op, Space, TernaryOp, Type, UnaryOp};
pub use machine::cost::latency::{BRANCH, SIMPLE};
use machine::cost::latency::{CONSTANT, DOUBLE, MEMORY, SHARED};

/// Returns the latency of one instruction.
pub fn latency(op: &Op) -> u64 {
    match op {
        Op::Directive(_) => 0,
        Op::Ld { space, .. } | Op::St { space, .. } | Op::Atom { space, .. } => memory(*space),
        Op::Unary { op, ty, .. } => match op {
            UnaryOp::Mov | UnaryOp::Neg | UnaryOp::Not | UnaryOp::Abs | UnaryOp::Cnot => simple(*ty),
            UnaryOp::Rcp | UnaryOp::Sqrt | UnaryOp::Rsqrt if *ty == Type::F64 => 57,
            UnaryOp::Popc | UnaryOp::Clz | UnaryOp::Bfind | UnaryOp::BfindShift | UnaryOp::Brev => 14,
            _ => 16,
        },
        Op::Binary { op: BinaryOp::Div | BinaryOp::Rem, ty, .. } => match ty {
            Type::F64 => 159,
            Type::F32 => 39,
            _ => 145,
        },
        Op::Binary { op: BinaryOp::Mul | BinaryOp::MulWide | BinaryOp::MulHi, ty, .. } if !ty.is_float() => 5,
        Op::Binary { ty, .. } => simple(*ty),
        Op::Ternary { op: TernaryOp::Mad | TernaryOp::MadWide | TernaryOp::MadHi, ty, .. } if !ty.is_float() => 5,
        Op::Ternary { ty, .. } | Op::Setp { ty, .. } | Op::Set { ty, .. } => simple(*ty),
        Op::Cvt { to, from, .. } if to.bytes().max(from.bytes()) == 8 => 14,
        _ => SIMPLE,
    }
}

fn memory(space: Space) -> u64 {
    match space {
        Space::Param | Space::Const => CONSTANT,
        Space::Shared => SHARED,
        Space::Global | Space::Local | Space::Generic => MEMORY,
    }
}

fn simple(ty: Type) -> u64 {
    if ty == Type::F64 { DOUBLE } else { SIMPLE }
}
