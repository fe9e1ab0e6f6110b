//! Values: one IEEE operation each, and the steps of [`super::functions`].

use super::{Lowering, functions};
use crate::graph::steps::Function;
use crate::overlay::program::{Binary, ConstantRef, Unary, Value, Var};
use ptx::inst::*;
use ptx::ir::Reg;
use std::collections::HashMap;

/// What a block has computed and may use again.
#[derive(Default)]
pub(super) struct Shared {
    /// a <= b
    comparisons: HashMap<(Var, Var), Reg>,
    /// What the latest function of a variable has made on its way.
    functions: HashMap<Var, functions::Made>,
}

impl Shared {
    /// Forgets what was made of a variable that is assigned.
    pub(super) fn assigned(&mut self, var: Var) {
        self.comparisons.retain(|&(a, b), _| a != var && b != var);
        self.functions.remove(&var);
    }
}

impl Lowering<'_> {
    /// Computes `value` into `dst`.
    pub(super) fn assign(&mut self, dst: Reg, value: &Value) {
        const TY: Type = Type::F64;
        let op = match value {
            Value::Literal(value) => mov(dst, Operand::f64(*value)),
            Value::Var(var) => mov(dst, self.vars[*var].into()),
            Value::Constant(ConstantRef::Striped { register, lane }) => {
                let lane = self.index(lane);
                let (lo, hi) = self.frame.reals[*register as usize];
                let (lo, hi) = (self.builder.shfl(lo, lane), self.builder.shfl(hi, lane));
                Op::pack(dst, lo, hi)
            }
            Value::Constant(ConstantRef::Bank(index)) => {
                let bank = self.frame.real_bank.expect("a program with a bank reference has a bank");
                let (space, addr) = self.bank(bank, index, 8);
                return self.load(space, TY, dst, addr);
            }
            Value::Slot(row) => {
                let (space, addr) = self.slot(row);
                Op::load(space, false, TY, dst, addr)
            }
            Value::Field { array, row, point } => {
                let addr = self.field(*array, row, *point);
                // outputs may be read back, and the read-only path does not see writes
                let read_only = !self.program.arrays[*array].output;
                Op::load(Space::Global, read_only, TY, dst, addr)
            }
            Value::Unary(op, x) => {
                let a = self.vars[*x];
                if let Some(function) = op.function() {
                    return self.call(dst, *x, function);
                }
                let op = if *op == Unary::Neg { UnaryOp::Neg } else { UnaryOp::Sqrt };
                Op::Unary { op, mode: Mode::of_unary(op, TY), ty: TY, dst, a: a.into() }
            }
            Value::Binary(op, a, b) => {
                let op = match op {
                    Binary::Add => BinaryOp::Add,
                    Binary::Sub => BinaryOp::Sub,
                    Binary::Mul => BinaryOp::Mul,
                    Binary::Div => BinaryOp::Div,
                };
                let (a, b) = (self.vars[*a].into(), self.vars[*b].into());
                Op::Binary { op, mode: Mode::of_binary(op, TY), ty: TY, dst, a, b }
            }
            Value::Fma(a, b, c) => {
                let (a, b, c) = (self.vars[*a].into(), self.vars[*b].into(), self.vars[*c].into());
                Op::Ternary { op: TernaryOp::Fma, mode: Mode::NEAREST, ty: TY, dst, a, b, c }
            }
            Value::SelectLe { a, b, then, otherwise } => {
                let builder = &mut self.builder;
                let compare = || builder.setp(Cmp::Le, TY, self.vars[*a], self.vars[*b]);
                let pred = *self.shared.comparisons.entry((*a, *b)).or_insert_with(compare);
                Op::Selp { ty: TY, dst, a: self.vars[*then].into(), b: self.vars[*otherwise].into(), pred }
            }
        };
        self.builder.push(op);
    }

    /// A function of a variable; of the same variable as before, with the steps that both functions begin with.
    fn call(&mut self, dst: Reg, x: Var, function: &'static Function) {
        let before = self.shared.functions.remove(&x);
        let made = functions::call(&mut self.builder, dst, self.vars[x], function, before, self.frame.tables);
        self.shared.functions.insert(x, made);
    }
}

fn mov(dst: Reg, a: Operand) -> Op {
    Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: Type::F64, dst, a }
}
