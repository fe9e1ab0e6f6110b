//! Whole numbers, and the addresses made of them.

use super::Printer;
use lower::code::{BankSpace, Integer, IntegerOperator, Local, SlotSpace, TableKind};
use ptx::inst::*;
use ptx::ir::Reg;

impl Printer<'_> {
    /// The value: an immediate or a 32-bit register.
    pub(super) fn integer(&mut self, value: &Integer) -> Operand {
        match value {
            Integer::Literal(value) => return (*value).into(),
            Integer::Local(local) => return self.local(*local),
            Integer::Counter(counter) => return self.counter(*counter).into(),
            Integer::Points => return self.points.into(),
            Integer::Thread => return self.thread.into(),
            Integer::Own(register) => return self.indices[register].into(),
            Integer::Opaque(value) => return self.integer(value),
            _ => {}
        }
        if let Some(reg) = self.known.integers.get(value) {
            return (*reg).into();
        }
        let reg = match value {
            Integer::Cta => self.builder.mov(Type::U32, Operand::Special(Special::CtaidX)),
            Integer::Ctas => self.builder.mov(Type::U32, Operand::Special(Special::NctaidX)),
            Integer::Broadcast { register, lane } => {
                let lane = self.integer(lane);
                self.builder.shfl(self.indices[register], lane)
            }
            Integer::Uniform(value) => match self.integer(value) {
                Operand::Reg(value) => self.builder.shfl(value, 0),
                literal => return literal,
            },
            Integer::Bank(index) => {
                let dst = self.builder.reg(Type::B32);
                self.load_entry(TableKind::IndexBank, index, Type::B32, dst);
                dst
            }
            Integer::IsNotZero(value) => {
                let value = self.integer(value);
                self.builder.binary(BinaryOp::Min, Type::U32, value, 1)
            }
            Integer::Binary(operator, a, b) => match (operator, self.integer(a), self.integer(b)) {
                // An immediate stands last.
                (IntegerOperator::Add, a @ Operand::Imm(_), b) => self.builder.binary(BinaryOp::Add, Type::U32, b, a),
                (operator, a, b) => self.operation(*operator, a, b),
            },
            _ => unreachable!("handled above"),
        };
        self.known.integers.insert(value.clone(), reg);
        reg.into()
    }

    fn operation(&mut self, operator: IntegerOperator, a: Operand, b: Operand) -> Reg {
        let power = |b: Operand| if let Operand::Imm(b) = b { b.trailing_zeros() } else { 0 };
        let (op, ty, b) = match operator {
            IntegerOperator::Add => (BinaryOp::Add, Type::U32, b),
            IntegerOperator::Sub => (BinaryOp::Sub, Type::U32, b),
            IntegerOperator::Mul => (BinaryOp::Mul, Type::U32, b),
            IntegerOperator::Div => (BinaryOp::Shr, Type::U32, power(b).into()),
            IntegerOperator::Rem => (BinaryOp::And, Type::B32, ((1u32 << power(b)) - 1).into()),
            IntegerOperator::And => (BinaryOp::And, Type::B32, b),
            IntegerOperator::Xor => (BinaryOp::Xor, Type::B32, b),
            IntegerOperator::ShiftLeft => (BinaryOp::Shl, Type::B32, b),
            IntegerOperator::ShiftRight => (BinaryOp::Shr, Type::U32, b),
            IntegerOperator::Min => (BinaryOp::Min, Type::U32, b),
        };
        self.builder.binary(op, ty, a, b)
    }

    /// The state space and address of this lane's element of a row of slots.
    pub(super) fn slot(&mut self, row: &Integer) -> (Space, Address) {
        let (space, row) = &self.code.slots.place(row);
        match space {
            SlotSpace::Shared => (Space::Shared, self.column_slot(row, self.columns[&Local::Lane])),
            SlotSpace::Global => (Space::Global, self.global_slot(row)),
            SlotSpace::Local => {
                let start = self.slots_base.expect("code that uses slots declares them");
                let variable = self.slots.expect("code that uses slots declares them");
                let bytes = self.code.slots.number.bytes() as u32;
                (Space::Local, self.element(Base::Variable(variable), start, row, bytes))
            }
        }
    }

    /// The address of a number that waits in local memory.
    pub(super) fn spill_place(&self, place: u32) -> Address {
        let variable = self.spills.expect("code that spills declares the places");
        Address { base: Base::Variable(variable), offset: 8 * i64::from(place) }
    }

    /// The address of this lane's element of a row of the workspace, computed in 64 bits.
    fn global_slot(&mut self, row: &Integer) -> Address {
        let column = self.global_column.expect("code with slots in global memory defines the lane");
        let bytes = self.code.slots.global_row_bytes();
        self.element(Base::Reg(column), column, row, bytes as u32)
    }

    /// The address of the element of a row of shared slots in the column with this address in row 0.
    pub(super) fn column_slot(&mut self, row: &Integer, column: Reg) -> Address {
        let pitch = self.code.slots.row_bytes();
        let (row, offset) = split(row);
        let (row, factor) = match row {
            Some(Integer::Binary(IntegerOperator::Mul, row, factor)) if matches!(*factor, Integer::Literal(_)) => {
                let Integer::Literal(factor) = *factor else { unreachable!("matched above") };
                (Some(*row), factor)
            }
            row => (row, 1),
        };
        let base = match row.map(|row| self.integer(&row)) {
            None => column,
            Some(row) => self.builder.ternary(TernaryOp::Mad, Type::U32, row, pitch * factor, column),
        };
        Address { base: Base::Reg(base), offset: i64::from(pitch) * offset }
    }

    /// The address of `arrays[array][row*stride + point]`, computed in 64 bits.
    pub(super) fn field(&mut self, array: usize, row: &Integer, point: u32) -> Address {
        let (key, bytes) = ((row.clone(), point), self.code.io().bytes());
        let offset = match self.known.offsets.get(&key) {
            Some(offset) => *offset,
            None => {
                let value = self.integer(row);
                let b = &mut self.builder;
                let point = self.own[point as usize].0;
                let element = match value {
                    Operand::Imm(0) => point,
                    _ => b.ternary(TernaryOp::MadWide, Type::U32, self.stride, value, point),
                };
                let offset = b.binary(BinaryOp::Shl, Type::B64, element, bytes.ilog2());
                self.known.offsets.insert(key, offset);
                offset
            }
        };
        let address = self.builder.binary(BinaryOp::Add, Type::U64, self.arrays[array], offset);
        Address { base: Base::Reg(address), offset: 0 }
    }

    /// Loads an entry of a bank.
    pub(super) fn load_entry(&mut self, bank: TableKind, index: &Integer, ty: Type, dst: Reg) {
        let (index, offset) = split(index);
        let index = index.map(|index| self.integer(&index));
        self.load_at(bank, index, offset, ty, dst);
    }

    /// Loads the entry at the sum of an index and a number.
    pub(super) fn load_at(&mut self, bank: TableKind, index: Option<Operand>, offset: i64, ty: Type, dst: Reg) {
        let bytes = ty.bytes();
        let base = match (self.code.banks, index) {
            (BankSpace::Shared, None) => Base::Reg(self.shared_banks[&bank]),
            (BankSpace::Shared, Some(index)) => {
                let start = self.shared_banks[&bank];
                Base::Reg(self.builder.ternary(TernaryOp::Mad, Type::U32, index, bytes, start))
            }
            (BankSpace::Constant | BankSpace::Global, None) => Base::Variable(self.tables[&bank]),
            (BankSpace::Constant | BankSpace::Global, Some(index)) => {
                let start = self.bases[&bank];
                Base::Reg(self.builder.ternary(TernaryOp::MadWide, Type::U32, index, bytes, start))
            }
        };
        let (space, addr) = (self.bank_space(), Address { base, offset: i64::from(bytes) * offset });
        self.builder.push(Op::load(space, space == Space::Global, ty, dst, addr));
    }

    /// The address of an element of a variable, whose address the register has.
    fn element(&mut self, variable: Base, start: Reg, index: &Integer, bytes: u32) -> Address {
        let (index, offset) = split(index);
        let base = match index.map(|index| self.integer(&index)) {
            None => variable,
            Some(index) => Base::Reg(self.builder.ternary(TernaryOp::MadWide, Type::U32, index, bytes, start)),
        };
        Address { base, offset: i64::from(bytes) * offset }
    }
}

/// Splits off the literal part of a sum, which becomes the offset of an address.
fn split(value: &Integer) -> (Option<Integer>, i64) {
    match value {
        Integer::Literal(value) => (None, i64::from(*value)),
        Integer::Binary(IntegerOperator::Add, a, b) => {
            let ((a, x), (b, y)) = (split(a), split(b));
            let rest = match (a, b) {
                (Some(a), Some(b)) => Some(Integer::binary(IntegerOperator::Add, a, b)),
                (a, b) => a.or(b),
            };
            (rest, x + y)
        }
        Integer::Binary(IntegerOperator::Sub, a, b) if matches!(**b, Integer::Literal(_)) => {
            let ((a, x), (_, y)) = (split(a), split(b));
            (a, x - y)
        }
        Integer::Binary(IntegerOperator::Mul, a, b) => match **b {
            Integer::Literal(factor) => {
                let (rest, offset) = split(a);
                (rest.map(|rest| rest.with(IntegerOperator::Mul, factor)), offset * i64::from(factor))
            }
            _ => (Some(value.clone()), 0),
        },
        other => (Some(other.clone()), 0),
    }
}
