//! The operands of an instruction, for those who look at all of them alike.

use super::inst::{Address, Base, Op, Operand, Piece, Terminator};
use super::ir::{Block, Reg, Variable};

/// A place in an instruction that names something.
pub enum Slot<'a> {
    Read(&'a mut Reg),
    Write(&'a mut Reg),
    /// The instruction may read it and may write it.
    Both(&'a mut Reg),
    Variable(&'a mut Variable),
}

impl Op {
    /// Visits everything that the instruction names, reads in the order of [`operands`](Self::operands) and writes in the
    /// order of [`results`](Self::results). What an unknown instruction names is visited once and counts as both.
    pub fn slots(&mut self, mut visit: impl FnMut(Slot)) {
        let visit = &mut visit;
        match self {
            Self::Unary { dst, a, .. } | Self::Cvt { dst, a, .. } => {
                operand(a, visit);
                visit(Slot::Write(dst));
            }
            Self::Binary { dst, a, b, .. } | Self::Setp { dst, a, b, .. } => {
                [a, b].into_iter().for_each(|o| operand(o, visit));
                visit(Slot::Write(dst));
            }
            Self::Ternary { dst, a, b, c, .. } => {
                [a, b, c].into_iter().for_each(|o| operand(o, visit));
                visit(Slot::Write(dst));
            }
            Self::Selp { dst, a, b, pred, .. } => {
                [a, b].into_iter().for_each(|o| operand(o, visit));
                visit(Slot::Read(pred));
                visit(Slot::Write(dst));
            }
            Self::Pack { dst, lo, hi } => {
                [lo, hi].into_iter().for_each(|reg| visit(Slot::Read(reg)));
                visit(Slot::Write(dst));
            }
            Self::Unpack { lo, hi, src } => {
                visit(Slot::Read(src));
                [lo, hi].into_iter().for_each(|reg| visit(Slot::Write(reg)));
            }
            Self::Ld { dst, addr, .. } => {
                address(addr, visit);
                visit(Slot::Write(dst));
            }
            Self::St { addr, src, .. } => {
                address(addr, visit);
                operand(src, visit);
            }
            Self::Shfl { dst, src, lane, clamp, .. } => {
                visit(Slot::Read(src));
                [lane, clamp].into_iter().for_each(|o| operand(o, visit));
                visit(Slot::Write(dst));
            }
            Self::Vote { dst, pred, .. } => {
                visit(Slot::Read(pred));
                visit(Slot::Write(dst));
            }
            Self::Bar { .. } => {}
            Self::Bfi { dst, a, b, pos, len, .. } => {
                [a, b, pos, len].into_iter().for_each(|o| operand(o, visit));
                visit(Slot::Write(dst));
            }
            Self::Opaque { pieces, .. } => {
                for piece in pieces {
                    if let Piece::Reg(reg) = piece {
                        visit(Slot::Both(reg));
                    }
                }
            }
        }
    }

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

fn operand(operand: &mut Operand, visit: &mut impl FnMut(Slot)) {
    match operand {
        Operand::Reg(reg) => visit(Slot::Read(reg)),
        Operand::Variable(variable) => visit(Slot::Variable(variable)),
        Operand::Imm(_) | Operand::Special(_) => {}
    }
}

fn address(address: &mut Address, visit: &mut impl FnMut(Slot)) {
    match &mut address.base {
        Base::Reg(reg) => visit(Slot::Read(reg)),
        Base::Variable(variable) => visit(Slot::Variable(variable)),
        Base::Param(_) => {}
    }
}

impl Terminator {
    /// The register that decides where to go.
    pub fn condition(&self) -> Option<Reg> {
        match self {
            Self::CondBra { guard, .. } => Some(guard.pred),
            Self::Brx { index, .. } => Some(*index),
            Self::Bra { .. } | Self::Ret => None,
        }
    }

    /// Visits the successors, in the order of [`targets`](Self::targets).
    pub fn targets_mut(&mut self, visit: impl FnMut(&mut Block)) {
        match self {
            Self::Bra { target } => [target].into_iter().for_each(visit),
            Self::CondBra { then, otherwise, .. } => [then, otherwise].into_iter().for_each(visit),
            Self::Brx { targets, .. } => targets.iter_mut().for_each(visit),
            Self::Ret => {}
        }
    }

    /// [`condition`](Self::condition), to change it.
    pub fn condition_mut(&mut self) -> Option<&mut Reg> {
        match self {
            Self::CondBra { guard, .. } => Some(&mut guard.pred),
            Self::Brx { index, .. } => Some(index),
            Self::Bra { .. } | Self::Ret => None,
        }
    }
}
