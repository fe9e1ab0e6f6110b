//! The operands of an instruction, for those who look at all of them alike.

use super::inst::{Base, Op, Operand, Piece};
use super::ir::Reg;

impl Op {
    /// Visits what the instruction reads: operands and the bases of addresses.
    pub fn operands(&self, mut visit: impl FnMut(Operand)) {
        let base = |base: &Base| match base {
            Base::Reg(reg) => Some(Operand::Reg(*reg)),
            Base::Variable(variable) => Some(Operand::Variable(*variable)),
            Base::Param(_) => None,
        };
        match self {
            Self::Unary { a, .. } | Self::Cvt { a, .. } => visit(*a),
            Self::Binary { a, b, .. } | Self::Setp { a, b, .. } => [*a, *b].into_iter().for_each(visit),
            Self::Ternary { a, b, c, .. } => [*a, *b, *c].into_iter().for_each(visit),
            Self::Selp { a, b, pred, .. } => [*a, *b, Operand::Reg(*pred)].into_iter().for_each(visit),
            Self::Pack { lo, hi, .. } => [*lo, *hi].into_iter().for_each(|reg| visit(Operand::Reg(reg))),
            Self::Unpack { src, .. } => visit(Operand::Reg(*src)),
            Self::Ld { addr, .. } => base(&addr.base).into_iter().for_each(visit),
            Self::St { addr, src, .. } => base(&addr.base).into_iter().chain([*src]).for_each(visit),
            Self::Shfl { src, lane, clamp, .. } => [Operand::Reg(*src), *lane, *clamp].into_iter().for_each(visit),
            Self::Vote { pred, .. } => visit(Operand::Reg(*pred)),
            Self::Bar { .. } => {}
            Self::Bfi { a, b, pos, len, .. } => [*a, *b, *pos, *len].into_iter().for_each(visit),
            Self::Opaque { pieces, .. } => pieces.iter().filter_map(register).for_each(|reg| visit(Operand::Reg(reg))),
        }
    }

    /// The registers that the instruction may write.
    pub fn results(&self) -> Vec<Reg> {
        match self {
            Self::Unary { dst, .. }
            | Self::Binary { dst, .. }
            | Self::Ternary { dst, .. }
            | Self::Setp { dst, .. }
            | Self::Selp { dst, .. }
            | Self::Cvt { dst, .. }
            | Self::Pack { dst, .. }
            | Self::Ld { dst, .. }
            | Self::Shfl { dst, .. }
            | Self::Vote { dst, .. }
            | Self::Bfi { dst, .. } => vec![*dst],
            Self::Unpack { lo, hi, .. } => vec![*lo, *hi],
            Self::St { .. } | Self::Bar { .. } => Vec::new(),
            Self::Opaque { pieces, .. } => pieces.iter().filter_map(register).collect(),
        }
    }
}

fn register(piece: &Piece) -> Option<Reg> {
    match piece {
        Piece::Reg(reg) => Some(*reg),
        Piece::Text(_) => None,
    }
}
