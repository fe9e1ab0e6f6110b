//! What instructions cost where melding is decided: cycles until a dependent instruction can go on, of one warp on Volta after
//! Jia, Maggioni, Staiger and Scarpazza ("Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018), for
//! memory those of a hit. Only ratios matter.

use crate::inst::{BinaryOp, Op, Space, TernaryOp, Type, UnaryOp};

/// A branch: its own issue and the fetch behind it.
pub const BRANCH: u64 = 8;

/// A move, a selection, a comparison: what a meld adds.
pub const SIMPLE: u64 = 4;

/// Of one instruction.
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
        Space::Param | Space::Const => 8,
        Space::Shared => 23,
        Space::Global | Space::Local | Space::Generic => 30,
    }
}

fn simple(ty: Type) -> u64 {
    if ty == Type::F64 { 8 } else { SIMPLE }
}
