//! Matrix products: what the lanes read and write of slots.

use super::Lowering;
use super::frame::Tensor;
use crate::overlay::program::{LaneRows, TensorBlock, Var};
use ptx::inst::*;
use ptx::ir::Reg;

/// Bytes from one group of 8 points to the next.
const GROUP: i64 = 64;

impl Lowering<'_> {
    pub(super) fn multiply(&mut self, rows: LaneRows, blocks: &[TensorBlock]) {
        let (read, offset) = self.lane_slot(rows, self.tensor().read);
        let b = &mut self.builder;
        let columns: Vec<Reg> = (0..4)
            .map(|group| b.load(Space::Shared, false, Type::F64, Base::Reg(read), offset + GROUP * group))
            .collect();
        for block in blocks {
            let (lo, hi) = self.frame.reals[block.register as usize];
            let a = self.builder.reg(Type::F64);
            self.builder.push(Op::pack(a, lo, hi));
            for (column, sums) in columns.iter().zip(block.sums.chunks(2)) {
                let dst = [0, 1].map(|i| self.vars[sums[i]]);
                self.builder.push(Op::Mma { dst, a: a.into(), b: (*column).into(), c: dst.map(Operand::Reg) });
            }
        }
    }

    pub(super) fn store_block(&mut self, rows: LaneRows, sums: &[Var; 8]) {
        for half in 0..2 {
            let (base, offset) = self.lane_slot(rows, self.tensor().write[half]);
            for (group, pair) in (0..).zip(sums.chunks(2)) {
                let addr = Address { base: Base::Reg(base), offset: offset + GROUP * group };
                self.builder.push(Op::store(Space::Shared, Type::F64, addr, self.vars[pair[half]]));
            }
        }
    }

    fn tensor(&self) -> Tensor {
        self.frame.tensor.expect("a program with matrix products has the places of its lanes")
    }

    /// The address of the lane's slot at its place, as a register and an offset.
    fn lane_slot(&mut self, rows: LaneRows, place: Reg) -> (Reg, i64) {
        let (row, pitch) = (self.frame.indices[rows.register as usize], 8 * self.program.pitch());
        let base = self.builder.ternary(TernaryOp::Mad, Type::U32, row, pitch * rows.factor, place);
        (base, i64::from(pitch) * i64::from(rows.offset))
    }
}
