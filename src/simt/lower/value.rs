//! Values: one IEEE operation each, and the sequences of [`crate::dataflow::elementary`] and [`crate::dataflow::exp2`].

use super::Lowering;
use crate::dataflow::{elementary as e, exp2};
use crate::emit::program::{Binary, ConstantRef, Unary, Value};
use crate::simt::builder::Builder;
use crate::simt::inst::*;
use crate::simt::ir::Reg;

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
            Value::Unary(op, a) => {
                let a = self.vars[*a];
                let op = match op {
                    Unary::Exp => return exp(&mut self.builder, dst, a),
                    Unary::Log => return log(&mut self.builder, dst, a),
                    Unary::Exp2 => return exp2_polynomial(&mut self.builder, dst, a),
                    Unary::Exp2Table => {
                        let powers = self.frame.powers.expect("a program that reads the table has one");
                        return exp2_tabulated(&mut self.builder, dst, a, powers);
                    }
                    Unary::Neg => UnaryOp::Neg,
                    Unary::Sqrt => UnaryOp::Sqrt,
                };
                Op::Unary { op, mode: Mode::of_unary(op, TY), ty: TY, dst, a: a.into() }
            }
            Value::Binary(op, a, b) => {
                let op = match op {
                    Binary::Add => BinaryOp::Add,
                    Binary::Sub => BinaryOp::Sub,
                    Binary::Mul => BinaryOp::Mul,
                    Binary::Div => BinaryOp::Div,
                    Binary::Max => BinaryOp::Max,
                    Binary::Min => BinaryOp::Min,
                };
                let (a, b) = (self.vars[*a].into(), self.vars[*b].into());
                Op::Binary { op, mode: Mode::of_binary(op, TY), ty: TY, dst, a, b }
            }
            Value::Fma(a, b, c) => {
                let (a, b, c) = (self.vars[*a].into(), self.vars[*b].into(), self.vars[*c].into());
                Op::Ternary { op: TernaryOp::Fma, mode: Mode::NEAREST, ty: TY, dst, a, b, c }
            }
            Value::SelectLe { a, b, then, otherwise } => {
                let pred = self.builder.setp(Cmp::Le, TY, self.vars[*a], self.vars[*b]);
                Op::Selp { ty: TY, dst, a: self.vars[*then].into(), b: self.vars[*otherwise].into(), pred }
            }
        };
        self.builder.push(op);
    }
}

fn mov(dst: Reg, a: Operand) -> Op {
    Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: Type::F64, dst, a }
}

/// The steps of [`e::exp`].
fn exp(b: &mut Builder, dst: Reg, x: Reg) {
    let shifted = fma(b, x, Operand::f64(e::LOG2_E), Operand::f64(e::ROUND_MAGIC));
    let (n, _) = b.unpack(shifted);
    let whole = b.binary(BinaryOp::Sub, Type::F64, shifted, Operand::f64(e::ROUND_MAGIC));
    let r = fma(b, whole, Operand::f64(-e::EXP_LN2_HI), x.into());
    let r = fma(b, whole, Operand::f64(-e::EXP_LN2_LO), r.into());
    let p = polynomial(b, &e::EXP_COEFFICIENTS, r);
    let (low, high) = b.unpack(p);
    let scale = b.binary(BinaryOp::Shl, Type::B32, n, 20);
    let high = b.binary(BinaryOp::Add, Type::U32, high, scale);
    limited(b, dst, x, (low, high), e::EXP_LIMIT_HIGH_WORD);
}

/// The steps of [`exp2::polynomial`].
fn exp2_polynomial(b: &mut Builder, dst: Reg, x: Reg) {
    let (n, r) = reduced(b, x, exp2::WHOLE_MAGIC);
    let p = polynomial(b, &exp2::COEFFICIENTS, r);
    let (low, high) = b.unpack(p);
    let scale = b.binary(BinaryOp::Shl, Type::B32, n, 20);
    let high = b.binary(BinaryOp::Add, Type::U32, high, scale);
    limited(b, dst, x, (low, high), exp2::LIMIT_HIGH_WORD);
}

/// The steps of [`exp2::tabulated`]; each lane holds the words of one power.
fn exp2_tabulated(b: &mut Builder, dst: Reg, x: Reg, (power_low, power_high): (Reg, Reg)) {
    let (n, r) = reduced(b, x, exp2::PARTS_MAGIC);
    let q = polynomial(b, &exp2::PART_COEFFICIENTS, r);
    let q = b.binary(BinaryOp::Mul, Type::F64, q, r);
    let lane = b.binary(BinaryOp::And, Type::B32, n, 31);
    let (lo, hi) = (b.shfl(power_low, lane), b.shfl(power_high, lane));
    let power = b.reg(Type::F64);
    b.push(Op::pack(power, lo, hi));
    let p = fma(b, power, q.into(), power.into());
    let (low, high) = b.unpack(p);
    let whole = b.binary(BinaryOp::And, Type::B32, n, !31u32);
    let scale = b.binary(BinaryOp::Shl, Type::B32, whole, 15);
    let high = b.binary(BinaryOp::Add, Type::U32, high, scale);
    limited(b, dst, x, (low, high), exp2::LIMIT_HIGH_WORD);
}

/// The number of units next to x, and what is left of x; the magic number says what a unit is.
fn reduced(b: &mut Builder, x: Reg, magic: f64) -> (Reg, Reg) {
    let shifted = b.binary(BinaryOp::Add, Type::F64, x, Operand::f64(magic));
    let (n, _) = b.unpack(shifted);
    let whole = b.binary(BinaryOp::Sub, Type::F64, shifted, Operand::f64(magic));
    (n, b.binary(BinaryOp::Sub, Type::F64, x, whole))
}

/// The words of a power of x where |x| is below the limit, else 0 or infinity.
fn limited(b: &mut Builder, dst: Reg, x: Reg, (low, high): (Reg, Reg), limit_high_word: u32) {
    let (_, x_high) = b.unpack(x);
    let magnitude = b.binary(BinaryOp::And, Type::B32, x_high, 0x7fff_ffff);
    let inside = b.setp(Cmp::Lt, Type::U32, magnitude, limit_high_word);
    let positive = b.setp(Cmp::Ge, Type::S32, x_high, 0);
    let limit = b.selp(Type::B32, 0x7ff0_0000, 0, positive);
    let high = b.selp(Type::B32, high, limit, inside);
    let lo = b.selp(Type::B32, low, 0, inside);
    b.push(Op::pack(dst, lo, high));
}

/// The steps of [`e::log`].
fn log(b: &mut Builder, dst: Reg, x: Reg) {
    let (low, high) = b.unpack(x);
    let above = b.binary(BinaryOp::Sub, Type::U32, high, e::LOG_SPLIT_HIGH_WORD);
    let k = b.binary(BinaryOp::Shr, Type::S32, above, 20);
    let exponent = b.binary(BinaryOp::Shl, Type::B32, k, 20);
    let high = b.binary(BinaryOp::Sub, Type::U32, high, exponent);
    let m = b.reg(Type::F64);
    b.push(Op::pack(m, low, high));
    let k_real = b.reg(Type::F64);
    b.push(Op::Cvt { mode: Mode::NEAREST, to: Type::F64, from: Type::S32, dst: k_real, a: k.into() });
    let f = b.binary(BinaryOp::Sub, Type::F64, m, Operand::f64(1.0));
    let sum = b.binary(BinaryOp::Add, Type::F64, m, Operand::f64(1.0));
    let s = b.binary(BinaryOp::Div, Type::F64, f, sum);
    let z = b.binary(BinaryOp::Mul, Type::F64, s, s);
    let r = polynomial(b, &e::LOG_COEFFICIENTS, z);
    let minus_r = b.unary(UnaryOp::Neg, Type::F64, r);
    let t = fma(b, z, minus_r.into(), f.into());
    let minus_t = b.unary(UnaryOp::Neg, Type::F64, t);
    let small = b.binary(BinaryOp::Mul, Type::F64, k_real, Operand::f64(e::LOG_LN2_LO));
    let low = fma(b, s, minus_t.into(), small.into());
    let sum = b.binary(BinaryOp::Add, Type::F64, f, low);
    b.push(Op::Ternary {
        op: TernaryOp::Fma,
        mode: Mode::NEAREST,
        ty: Type::F64,
        dst,
        a: k_real.into(),
        b: Operand::f64(e::LOG_LN2_HI),
        c: sum.into(),
    });
}

/// Horner's rule, each step fused; coefficients ascend.
fn polynomial(b: &mut Builder, coefficients: &[f64], x: Reg) -> Reg {
    let (last, rest) = coefficients.split_last().expect("a polynomial has coefficients");
    let mut p = b.mov(Type::F64, Operand::f64(*last));
    for c in rest.iter().rev() {
        p = fma(b, p, x.into(), Operand::f64(*c));
    }
    p
}

fn fma(b: &mut Builder, x: Reg, y: Operand, z: Operand) -> Reg {
    b.ternary(TernaryOp::Fma, Type::F64, x, y, z)
}
