//! Matrix products: what the lanes read and write of slots.

use super::Printer;
use crate::lower::code::{Integer, Local};
use crate::overlay::program::Var;
use ptx::inst::*;
use ptx::ir::Reg;

/// Bytes from one group of 8 points to the next.
const GROUP: i64 = 64;

impl Printer<'_> {
    pub(super) fn multiply(&mut self, row: &Integer, blocks: &[(u32, [Var; 8])]) {
        let Address { base, offset } = self.column_slot(row, self.columns[&Local::ReadColumn]);
        let b = &mut self.builder;
        let columns: Vec<Reg> =
            (0..4).map(|group| b.load(Space::Shared, false, Type::F64, base, offset + GROUP * group)).collect();
        for (register, sums) in blocks {
            let (lo, hi) = self.reals[register];
            let a = self.builder.reg(Type::F64);
            self.builder.push(Op::pack(a, lo, hi));
            for (column, pair) in columns.iter().zip(sums.chunks(2)) {
                let dst = [0, 1].map(|i| self.var(pair[i]));
                self.builder.push(Op::Mma { dst, a: a.into(), b: (*column).into(), c: dst.map(Operand::Reg) });
            }
        }
    }

    pub(super) fn store_block(&mut self, row: &Integer, sums: &[Var; 8]) {
        for (half, column) in [Local::WriteColumn, Local::OtherColumn].into_iter().enumerate() {
            let Address { base, offset } = self.column_slot(row, self.columns[&column]);
            for (group, pair) in (0..).zip(sums.chunks(2)) {
                let addr = Address { base, offset: offset + GROUP * group };
                let value = self.var(pair[half]);
                self.builder.push(Op::store(Space::Shared, Type::F64, addr, value));
            }
        }
    }
}
