//! Doubles: one IEEE operation each, and the steps of [`super::functions`].

use super::{Printer, functions};
use crate::graph::steps::Function;
use crate::lower::code::{Real, TableKind};
use crate::overlay::program::{Binary, Unary};
use ptx::inst::*;
use ptx::ir::Reg;

const TY: Type = Type::F64;

impl Printer<'_> {
    /// The value: an immediate or a register.
    pub(super) fn real(&mut self, value: &Real) -> Operand {
        match value {
            Real::Literal(value) => Operand::f64(*value),
            Real::Var(var) => self.var(*var).into(),
            _ => {
                let dst = self.builder.reg(TY);
                self.assign(dst, value);
                dst.into()
            }
        }
    }

    /// Computes `value` into `dst`.
    pub(super) fn assign(&mut self, dst: Reg, value: &Real) {
        let op = match value {
            Real::Literal(_) | Real::Var(_) => {
                let a = self.real(value);
                Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: TY, dst, a }
            }
            Real::Broadcast { register, lane } => {
                let lane = self.integer(lane);
                let (lo, hi) = self.reals[register];
                let (lo, hi) = (self.builder.shfl(lo, lane), self.builder.shfl(hi, lane));
                Op::pack(dst, lo, hi)
            }
            Real::Bank(index) => return self.load_entry(TableKind::RealBank, index, TY, dst),
            Real::BankLe { first, operands } => {
                let [a, b] = self.operands(operands);
                let pred = self.at_most(a, b);
                let behind = self.builder.selp(Type::U32, 1, 0, pred);
                return self.load_at(TableKind::RealBank, Some(behind.into()), i64::from(*first), TY, dst);
            }
            Real::Slot(row) => {
                let (space, addr) = self.slot(row);
                Op::load(space, false, TY, dst, addr)
            }
            Real::Field(field) => {
                let addr = self.field(field.array, &field.row, field.point);
                Op::load(Space::Global, field.is_read_only, TY, dst, addr)
            }
            Real::Unary(op, a) => {
                let a = self.real(a);
                if let Some(function) = op.function() {
                    return self.call(dst, a, function);
                }
                let op = if *op == Unary::Neg { UnaryOp::Neg } else { UnaryOp::Sqrt };
                Op::Unary { op, mode: Mode::of_unary(op, TY), ty: TY, dst, a }
            }
            Real::SeparateProduct(operands) => self.binary(BinaryOp::Mul, dst, operands),
            Real::Binary(op, operands) => {
                let op = match op {
                    Binary::Add => BinaryOp::Add,
                    Binary::Sub => BinaryOp::Sub,
                    Binary::Mul => BinaryOp::Mul,
                    Binary::Div => BinaryOp::Div,
                };
                self.binary(op, dst, operands)
            }
            Real::Fma(operands) => {
                let [a, b, c] = self.operands(operands);
                Op::Ternary { op: TernaryOp::Fma, mode: Mode::NEAREST, ty: TY, dst, a, b, c }
            }
            Real::SelectLe(operands) => {
                let [a, b, then, otherwise] = self.operands(operands);
                Op::Selp { ty: TY, dst, a: then, b: otherwise, pred: self.at_most(a, b) }
            }
        };
        self.builder.push(op);
    }

    /// Whether a <= b.
    fn at_most(&mut self, a: Operand, b: Operand) -> Reg {
        let builder = &mut self.builder;
        *self.known.comparisons.entry((a, b)).or_insert_with(|| builder.setp(Cmp::Le, TY, a, b))
    }

    fn binary(&mut self, op: BinaryOp, dst: Reg, operands: &[Real; 2]) -> Op {
        let [a, b] = self.operands(operands);
        Op::Binary { op, mode: Mode::of_binary(op, TY), ty: TY, dst, a, b }
    }

    fn operands<const N: usize>(&mut self, operands: &[Real; N]) -> [Operand; N] {
        std::array::from_fn(|i| self.real(&operands[i]))
    }

    /// A function of a register; of the same register as before, with the steps that both functions begin with.
    fn call(&mut self, dst: Reg, x: Operand, function: &'static Function) {
        let x = match x {
            Operand::Reg(x) => x,
            literal => self.builder.mov(TY, literal),
        };
        let before = self.known.functions.remove(&x);
        let made = functions::call(&mut self.builder, dst, x, function, before, self.function_tables);
        self.known.functions.insert(x, made);
    }
}
