//! Asynchronous copies to shared memory. The IR keeps their instructions verbatim.

use super::{Printer, branch};
use lower::code::{Integer, Less};
use ptx::inst::{Base, BinaryOp, Cmp, Op, Piece, Terminator, TernaryOp, Type};
use ptx::ir::Reg;

impl Printer<'_> {
    /// As [`Statement::CopyInputs`](lower::code::Statement::CopyInputs).
    pub(super) fn copy_inputs(&mut self, more: &Less, points: &[Integer], copies: &[(Integer, usize, u32, u32)]) {
        let (a, b) = (self.integer(&more.a), self.integer(&more.b));
        let bytes = self.code.io().bytes();
        let done = self.builder.setp(Cmp::Ge, Type::U32, a, b);
        let (block, join) = (self.builder.block(), self.builder.block());
        self.end(branch(done, false, join, block), block);
        let points: Vec<Reg> = points.iter().map(|point| self.point(point)).collect();
        for (row, array, field, point) in copies {
            let (_, to) = self.slot(row);
            let (point, array, stride) = (points[*point as usize], self.arrays[*array], self.stride);
            let b = &mut self.builder;
            let element =
                if *field == 0 { point } else { b.ternary(TernaryOp::MadWide, Type::U32, stride, *field, point) };
            let offset = b.binary(BinaryOp::Shl, Type::B64, element, bytes.ilog2());
            let from = b.binary(BinaryOp::Add, Type::U64, array, offset);
            let Base::Reg(base) = to.base else { unreachable!("rows of shared memory have a lane's address") };
            let offset = to.offset.to_string();
            let to = [text("["), Piece::Reg(base), text("+"), text(&offset), text("]"), text(",")];
            let from = [text("["), Piece::Reg(from), text("]"), text(","), text(&bytes.to_string())];
            self.asynchronous("ca.shared.global", to.into_iter().chain(from));
        }
        self.end(Terminator::Bra { target: join }, join);
        self.asynchronous("commit_group", []);
    }

    /// `cp.async` with what follows.
    pub(super) fn asynchronous(&mut self, opcode: &str, pieces: impl IntoIterator<Item = Piece>) {
        self.builder.push(Op::Opaque { opcode: format!("cp.async.{opcode}"), pieces: pieces.into_iter().collect() });
    }

    /// In 64 bits.
    fn point(&mut self, point: &Integer) -> Reg {
        let a = self.integer(point);
        let dst = self.builder.reg(Type::U64);
        self.builder.push(Op::Cvt { mode: Default::default(), to: Type::U64, from: Type::U32, dst, a });
        dst
    }
}

pub(super) fn text(piece: &str) -> Piece {
    Piece::Text(piece.to_owned())
}
