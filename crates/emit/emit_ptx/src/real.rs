//! Doubles or singles: one IEEE operation each, and the steps of [`super::functions`].

use super::numbers::{literal, of_memory};
use super::{Printer, branch_free, functions};
use graph::single::{self, double_float};
use graph::steps::Function;
use lower::code::{Real, TableKind};
use overlay::program::{Arithmetic, Binary, Share, Unary};
use ptx::inst::*;
use ptx::ir::Reg;

impl Printer<'_> {
    /// The type of numbers in registers.
    pub(super) fn ty(&self) -> Type {
        of_memory(self.code.arithmetic.number())
    }

    /// Loads a number of that type, as registers have it.
    fn load(&mut self, space: Space, is_read_only: bool, from: Type, dst: Reg, address: Address) -> Op {
        let to = self.ty();
        if from == to {
            return Op::load(space, is_read_only, to, dst, address);
        }
        let a = self.builder.reg(from);
        self.builder.push(Op::load(space, is_read_only, from, a, address));
        Op::Cvt { mode: conversion(to), to, from, dst, a: a.into() }
    }

    /// Loads one of the singles that a double is read as: the operations of [`double_float::of_double`].
    fn load_share(&mut self, space: Space, is_read_only: bool, dst: Reg, address: Address, share: Share) {
        use BinaryOp::{Add, And, Max, Min, Mul, Or, Shl, Shr, Sub};
        let (b, words) = (&mut self.builder, double_float::WORDS);
        let number = b.load(space, is_read_only, Type::F64, address.base, address.offset);
        let (low, high) = b.unpack(number);
        let size = b.binary(And, Type::B32, high, words.size);
        let size = b.binary(Max, Type::U32, size, words.small);
        let size = b.binary(Min, Type::U32, size, words.large);
        let digits = b.binary(Shl, Type::B32, size, 3);
        let more = b.binary(Shr, Type::U32, low, 29);
        let digits = b.binary(Or, Type::B32, digits, more);
        let digits = b.binary(Sub, Type::U32, digits, words.rebased);
        let sign = b.binary(And, Type::B32, high, !words.size);
        let first = b.binary(Or, Type::B32, digits, sign);
        let power = b.binary(And, Type::B32, first, words.power);
        let next = b.binary(Shr, Type::U32, low, 6);
        let next = b.binary(And, Type::B32, next, !words.power);
        let next = b.binary(Or, Type::B32, next, power);
        let [first, power, next] = [first, power, next].map(|word| {
            let dst = b.reg(Type::F32);
            b.push(Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: Type::B32, dst, a: word.into() });
            dst
        });
        let rest = b.binary(Sub, Type::F32, next, power);
        let rest = b.binary(Mul, Type::F32, rest, Operand::f32(double_float::NEXT));
        let sum = b.binary(Add, Type::F32, first, rest);
        let (a, of_rest) = match share {
            Share::Second => (rest.into(), b.binary(Sub, Type::F32, sum, first)),
            Share::First | Share::Whole => {
                return b.push(Op::Unary {
                    op: UnaryOp::Mov,
                    mode: Mode::default(),
                    ty: Type::F32,
                    dst,
                    a: sum.into(),
                });
            }
        };
        let (op, ty) = (Sub, Type::F32);
        b.push(Op::Binary { op, mode: Mode::of_binary(op, ty), ty, dst, a, b: of_rest.into() });
    }

    /// The sum of two numbers of registers in double precision.
    pub(super) fn in_double(&mut self, value: Operand, rest: Operand) -> Operand {
        let [a, b] = [value, rest].map(|number| self.converted(number, Type::F64));
        self.builder.binary(BinaryOp::Add, Type::F64, a, b).into()
    }

    /// A number of registers as one of that type.
    pub(super) fn converted(&mut self, value: Operand, to: Type) -> Operand {
        let from = self.ty();
        if from == to {
            return value;
        }
        let a = match value {
            Operand::Reg(a) => a,
            literal => self.builder.mov(from, literal),
        };
        let dst = self.builder.reg(to);
        self.builder.push(Op::Cvt { mode: conversion(to), to, from, dst, a: a.into() });
        dst.into()
    }

    /// The value: an immediate or a register.
    pub(super) fn real(&mut self, value: &Real) -> Operand {
        match value {
            Real::Literal(value) => literal(self.ty(), *value),
            Real::Var(var) => self.var(*var).into(),
            _ => {
                let ty = self.ty();
                let dst = self.builder.reg(ty);
                self.assign(dst, value);
                dst.into()
            }
        }
    }

    /// Computes `value` into `dst`.
    pub(super) fn assign(&mut self, dst: Reg, value: &Real) {
        let ty = self.ty();
        let op = match value {
            Real::Literal(_) | Real::Var(_) => {
                let a = self.real(value);
                Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty, dst, a }
            }
            Real::Broadcast { register, lane } => {
                let lane = self.integer(lane);
                let (lo, hi) = self.reals[register];
                let (lo, hi) = (self.builder.shfl(lo, lane), self.builder.shfl(hi, lane));
                Op::pack(dst, lo, hi)
            }
            Real::Bank(index) => return self.load_entry(TableKind::RealBank, index, ty, dst),
            Real::BankLe { first, operands } => {
                let [a, b] = self.operands(operands);
                let pred = self.at_most(a, b);
                let behind = self.builder.selp(Type::U32, 1, 0, pred);
                return self.load_at(TableKind::RealBank, Some(behind.into()), i64::from(*first), ty, dst);
            }
            Real::Slot(row, share) => {
                let ((space, addr), number) = (self.slot(row), of_memory(self.code.slots.number));
                match share {
                    Share::Whole => self.load(space, false, number, dst, addr),
                    share => return self.load_share(space, false, dst, addr, *share),
                }
            }
            Real::Spilled(place) => {
                let addr = self.spill_place(*place);
                self.load(Space::Local, false, Type::F64, dst, addr)
            }
            Real::Field(field) => {
                let addr = self.field(field.array, &field.row, field.point);
                match field.share {
                    Share::Whole => self.load(Space::Global, field.is_read_only, of_memory(self.code.io()), dst, addr),
                    share => return self.load_share(Space::Global, field.is_read_only, dst, addr, share),
                }
            }
            Real::Unary(op, a) => {
                let a = self.real(a);
                let function = match self.code.arithmetic {
                    Arithmetic::Double => op.function(),
                    Arithmetic::Single { .. } => single::steps::function(*op),
                };
                if let Some(function) = function {
                    return self.call(dst, a, function);
                }
                if *op == Unary::SqrtNear {
                    return branch_free::root(&mut self.builder, dst, a);
                }
                let op = if *op == Unary::Neg { UnaryOp::Neg } else { UnaryOp::Sqrt };
                Op::Unary { op, mode: Mode::of_unary(op, ty), ty, dst, a }
            }
            Real::SeparateProduct(operands) => self.binary(BinaryOp::Mul, dst, operands),
            Real::Binary(Binary::DivNear, operands) => {
                let operands = self.operands(operands);
                return branch_free::quotient(&mut self.builder, dst, operands);
            }
            Real::Binary(op, operands) => {
                let op = match op {
                    Binary::Add => BinaryOp::Add,
                    Binary::Sub => BinaryOp::Sub,
                    Binary::Mul => BinaryOp::Mul,
                    Binary::Div | Binary::DivNear => BinaryOp::Div,
                };
                self.binary(op, dst, operands)
            }
            Real::Fma(operands) => {
                let [a, b, c] = self.operands(operands);
                Op::Ternary { op: TernaryOp::Fma, mode: Mode::NEAREST, ty, dst, a, b, c }
            }
            Real::SelectLe(operands) => {
                let [a, b, then, otherwise] = self.operands(operands);
                Op::Selp { ty, dst, a: then, b: otherwise, pred: self.at_most(a, b) }
            }
        };
        self.builder.push(op);
    }

    /// Whether a <= b.
    fn at_most(&mut self, a: Operand, b: Operand) -> Reg {
        let (ty, builder) = (self.ty(), &mut self.builder);
        *self.known.comparisons.entry((a, b)).or_insert_with(|| builder.setp(Cmp::Le, ty, a, b))
    }

    fn binary(&mut self, op: BinaryOp, dst: Reg, operands: &[Real; 2]) -> Op {
        let ([a, b], ty) = (self.operands(operands), self.ty());
        Op::Binary { op, mode: Mode::of_binary(op, ty), ty, dst, a, b }
    }

    fn operands<const N: usize>(&mut self, operands: &[Real; N]) -> [Operand; N] {
        std::array::from_fn(|i| self.real(&operands[i]))
    }

    /// A function of a register; of the same register as before, with the steps that both functions begin with.
    fn call(&mut self, dst: Reg, x: Operand, function: &'static Function) {
        let ty = self.ty();
        let x = match x {
            Operand::Reg(x) => x,
            literal => self.builder.mov(ty, literal),
        };
        let before = self.known.functions.remove(&x);
        let made = functions::call(&mut self.builder, ty, dst, x, function, before, self.function_tables);
        self.known.functions.insert(x, made);
    }
}

/// Doubles are rounded; singles are doubles.
fn conversion(to: Type) -> Mode {
    if to == Type::F32 { Mode::NEAREST } else { Mode::default() }
}
