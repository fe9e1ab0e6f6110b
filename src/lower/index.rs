//! Warp-uniform index expressions and the addresses made of them.

use super::Lowering;
use super::frame::{Table, slot_space};
use crate::overlay::program::{Execution, Index};
use cranelift_entity::EntityRef;
use ptx::inst::*;
use ptx::ir::Reg;

impl Lowering<'_> {
    /// The value of an index expression: an immediate or a 32-bit register.
    pub(super) fn index(&mut self, index: &Index) -> Operand {
        match index {
            Index::Literal(value) => return (*value).into(),
            Index::Counter(counter) => return self.counters[counter.index()].into(),
            Index::Warp => return self.frame.warp.into(),
            _ => {}
        }
        if let Some(reg) = self.indices.get(index) {
            return (*reg).into();
        }
        let reg = match index {
            Index::Literal(_) | Index::Counter(_) | Index::Warp => unreachable!("handled above"),
            Index::Striped { register, lane } => {
                let lane = self.index(lane);
                self.builder.shfl(self.frame.indices[*register as usize], lane)
            }
            Index::Bank(index) => {
                let bank = self.frame.index_bank.expect("a program with an index-bank reference has an index bank");
                let (space, addr) = self.bank(bank, index, 4);
                let dst = self.builder.reg(Type::B32);
                self.load(space, Type::B32, dst, addr);
                dst
            }
            Index::Sum(a, b) => match (self.index(a), self.index(b)) {
                (Operand::Imm(a), Operand::Imm(b)) => return (a as u32).wrapping_add(b as u32).into(),
                (Operand::Imm(0), x) | (x, Operand::Imm(0)) => return x,
                (a @ Operand::Imm(_), b) => self.builder.binary(BinaryOp::Add, Type::U32, b, a),
                (a, b) => self.builder.binary(BinaryOp::Add, Type::U32, a, b),
            },
            Index::Scaled(a, factor) => match (self.index(a), *factor) {
                (Operand::Imm(a), factor) => return (a as u32).wrapping_mul(factor).into(),
                (a, 1) => return a,
                (a, factor) => self.builder.binary(BinaryOp::Mul, Type::U32, a, factor),
            },
        };
        self.indices.insert(index.clone(), reg);
        reg.into()
    }

    /// The state space and address of this lane's element of a slot.
    pub(super) fn slot(&mut self, row: &Index) -> (Space, Address) {
        let slots = self.frame.slots.expect("a program that uses slots declares them");
        let (row, offset) = split(row);
        let addr = match self.program.execution {
            Execution::WarpSpecialized { .. } => {
                let pitch = 8 * self.program.pitch();
                let (row, factor) = match row {
                    Some(Index::Scaled(row, factor)) => (Some(*row), factor),
                    row => (row, 1),
                };
                let base = match row.map(|row| self.index(&row)) {
                    None => slots.base,
                    Some(row) => self.builder.ternary(TernaryOp::Mad, Type::U32, row, pitch * factor, slots.base),
                };
                Address { base: Base::Reg(base), offset: i64::from(pitch) * i64::from(offset) }
            }
            Execution::DataParallel { .. } => self.element(slots, row, offset, 8),
        };
        (slot_space(self.program), addr)
    }

    /// The address of `arrays[array][row*stride + point]`, computed in 64 bits.
    pub(super) fn field(&mut self, array: usize, row: &Index, point: u32) -> Address {
        let key = (row.clone(), point);
        let offset = match self.offsets.get(&key) {
            Some(offset) => *offset,
            None => {
                let value = self.index(row);
                let b = &mut self.builder;
                let point = self.frame.own[point as usize].point;
                let element = match value {
                    Operand::Imm(0) => point,
                    _ => b.ternary(TernaryOp::MadWide, Type::U32, self.frame.stride, value, point),
                };
                let offset = b.binary(BinaryOp::Shl, Type::B64, element, 3);
                self.offsets.insert(key, offset);
                offset
            }
        };
        let address = self.builder.binary(BinaryOp::Add, Type::U64, self.frame.arrays[array], offset);
        Address { base: Base::Reg(address), offset: 0 }
    }

    /// The state space and address of an element of a bank.
    pub(super) fn bank(&mut self, bank: Table, index: &Index, bytes: u32) -> (Space, Address) {
        let (index, offset) = split(index);
        (self.frame.bank_space, self.element(bank, index, offset, bytes))
    }

    /// Loads read-only data from the bank's space.
    pub(super) fn load(&mut self, space: Space, ty: Type, dst: Reg, addr: Address) {
        self.builder.push(Op::load(space, space == Space::Global, ty, dst, addr));
    }

    fn element(&mut self, table: Table, index: Option<Index>, offset: u32, bytes: u32) -> Address {
        let base = match index.map(|index| self.index(&index)) {
            None => Base::Variable(table.variable),
            Some(index) => Base::Reg(self.builder.ternary(TernaryOp::MadWide, Type::U32, index, bytes, table.base)),
        };
        Address { base, offset: i64::from(bytes) * i64::from(offset) }
    }
}

/// Splits off the literal part of a sum, which becomes the offset of an address.
fn split(index: &Index) -> (Option<Index>, u32) {
    match index {
        Index::Literal(value) => (None, *value),
        Index::Sum(a, b) => {
            let ((a, x), (b, y)) = (split(a), split(b));
            let rest = match (a, b) {
                (Some(a), Some(b)) => Some(Index::Sum(Box::new(a), Box::new(b))),
                (a, b) => a.or(b),
            };
            (rest, x.wrapping_add(y))
        }
        Index::Scaled(a, factor) => {
            let (rest, offset) = split(a);
            (rest.map(|rest| Index::Scaled(Box::new(rest), *factor)), offset.wrapping_mul(*factor))
        }
        other => (Some(other.clone()), 0),
    }
}
