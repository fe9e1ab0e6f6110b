//! Matrix products: what the lanes read and write of slots.

use super::Printer;
use lower::code::{Integer, Local, PRODUCT_GROUPS};
use overlay::program::Var;
use ptx::inst::*;
use ptx::ir::Reg;
use std::slice::Chunks;

impl Printer<'_> {
    /// The blocks of a chunk, at most two, are multiplied at once.
    pub(super) fn multiply(&mut self, row: &Integer, chunks: Chunks<'_, (u32, [Var; 8])>) {
        let Address { base, offset } = self.column_slot(row, self.columns[&Local::ReadColumn]);
        let b = &mut self.builder;
        let columns =
            PRODUCT_GROUPS.map(|point| b.load(Space::Shared, false, Type::F64, base, offset + 8 * i64::from(point)));
        for blocks in chunks {
            let block = |(register, _): &(u32, [Var; 8])| {
                let (lo, hi) = self.reals[register];
                let a = self.builder.reg(Type::F64);
                self.builder.push(Op::pack(a, lo, hi));
                Operand::Reg(a)
            };
            let a: Vec<Operand> = blocks.iter().map(block).collect();
            for (group, column) in columns.into_iter().enumerate() {
                let of_group = |(_, sums): &(u32, [Var; 8])| [sums[2 * group], sums[2 * group + 1]];
                let dst: Vec<Reg> = blocks.iter().flat_map(of_group).map(|sum| self.var(sum)).collect();
                let c = dst.iter().map(|dst| Operand::Reg(*dst)).collect();
                self.builder.push(Op::Mma { dst, a: a.clone(), b: column.into(), c });
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
