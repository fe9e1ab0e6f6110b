//! Matrix products: what the lanes read and write of slots.

use super::Printer;
use crate::lower::code::{Integer, Local, PRODUCT_GROUPS};
use crate::overlay::program::Var;
use ptx::inst::*;

impl Printer<'_> {
    pub(super) fn multiply(&mut self, row: &Integer, blocks: &[(u32, [Var; 8])]) {
        let Address { base, offset } = self.column_slot(row, self.columns[&Local::ReadColumn]);
        let b = &mut self.builder;
        let columns =
            PRODUCT_GROUPS.map(|point| b.load(Space::Shared, false, Type::F64, base, offset + 8 * i64::from(point)));
        for (register, sums) in blocks {
            let (lo, hi) = self.reals[register];
            let a = self.builder.reg(Type::F64);
            self.builder.push(Op::pack(a, lo, hi));
            for (column, pair) in columns.into_iter().zip(sums.chunks(2)) {
                let dst = [0, 1].map(|i| self.var(pair[i]));
                self.builder.push(Op::Mma { dst, a: a.into(), b: column.into(), c: dst.map(Operand::Reg) });
            }
        }
    }

    pub(super) fn store_block(&mut self, row: &Integer, sums: &[Var; 8]) {
        for (half, column) in [Local::WriteColumn, Local::OtherColumn].into_iter().enumerate() {
            let Address { base, offset } = self.column_slot(row, self.columns[&column]);
            for (point, pair) in PRODUCT_GROUPS.into_iter().zip(sums.chunks(2)) {
                let addr = Address { base, offset: offset + 8 * i64::from(point) };
                let value = self.var(pair[half]);
                self.builder.push(Op::store(Space::Shared, Type::F64, addr, value));
            }
        }
    }
}
