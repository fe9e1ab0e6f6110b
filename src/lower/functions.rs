//! The sequences of [`crate::graph::elementary`], [`crate::graph::exp2`] and [`crate::graph::log2`].

use crate::graph::{elementary as e, exp2, log2};
use ptx::builder::Builder;
use ptx::inst::*;
use ptx::ir::{Reg, Variable};

/// The steps of [`e::exp`].
pub(super) fn exp(b: &mut Builder, dst: Reg, x: Reg) {
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
pub(super) fn exp2_polynomial(b: &mut Builder, dst: Reg, x: Reg) {
    let (n, r) = reduced(b, x, exp2::WHOLE_MAGIC);
    let p = polynomial(b, &exp2::COEFFICIENTS, r);
    let (low, high) = b.unpack(p);
    let scale = b.binary(BinaryOp::Shl, Type::B32, n, 20);
    let high = b.binary(BinaryOp::Add, Type::U32, high, scale);
    limited(b, dst, x, (low, high), exp2::LIMIT_HIGH_WORD);
}

/// The steps of [`exp2::tabulated`]; each lane holds the words of one power.
pub(super) fn exp2_tabulated(b: &mut Builder, dst: Reg, x: Reg, table: (Reg, Reg)) {
    let (n, r) = reduced(b, x, exp2::PARTS_MAGIC);
    let q = polynomial(b, &exp2::PART_COEFFICIENTS, r);
    let q = b.binary(BinaryOp::Mul, Type::F64, q, r);
    let words = from_table(b, n, q, table);
    limited(b, dst, x, words, exp2::LIMIT_HIGH_WORD);
}

/// The words of 2^(n/32) (1 + q).
fn from_table(b: &mut Builder, n: Reg, q: Reg, (power_low, power_high): (Reg, Reg)) -> (Reg, Reg) {
    let lane = b.binary(BinaryOp::And, Type::B32, n, 31);
    let (lo, hi) = (b.shfl(power_low, lane), b.shfl(power_high, lane));
    let power = b.reg(Type::F64);
    b.push(Op::pack(power, lo, hi));
    let p = fma(b, power, q.into(), power.into());
    let (low, high) = b.unpack(p);
    let whole = b.binary(BinaryOp::And, Type::B32, n, !31u32);
    let scale = b.binary(BinaryOp::Shl, Type::B32, whole, 15);
    (low, b.binary(BinaryOp::Add, Type::U32, high, scale))
}

/// What [`exp2::rising`] and [`exp2::falling`] have in common: number of 1/32, rest, odd and even part of the polynomial.
#[derive(Clone, Copy)]
pub(super) struct Powers {
    n: Reg,
    r: Reg,
    odd: Reg,
    even: Reg,
}

pub(super) fn powers(b: &mut Builder, x: Reg) -> Powers {
    let [c1, c2, c3, c4, c5, c6] = exp2::PART_COEFFICIENTS;
    let (n, r) = reduced(b, x, exp2::PARTS_MAGIC);
    let z = b.binary(BinaryOp::Mul, Type::F64, r, r);
    let odd = polynomial(b, &[c1, c3, c5], z);
    let even = polynomial(b, &[c2, c4, c6], z);
    let even = b.binary(BinaryOp::Mul, Type::F64, z, even);
    Powers { n, r, odd, even }
}

pub(super) fn power(b: &mut Builder, dst: Reg, x: Reg, common: Powers, falling: bool, table: (Reg, Reg)) {
    let Powers { n, r, odd, even } = common;
    let (n, r, x) = if falling {
        let minus = b.binary(BinaryOp::Sub, Type::U32, 0, n);
        (minus, b.unary(UnaryOp::Neg, Type::F64, r), b.unary(UnaryOp::Neg, Type::F64, x))
    } else {
        (n, r, x)
    };
    let q = fma(b, r, odd.into(), even.into());
    let words = from_table(b, n, q, table);
    limited(b, dst, x, words, exp2::LIMIT_HIGH_WORD);
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
pub(super) fn log(b: &mut Builder, dst: Reg, x: Reg) {
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
    let result = fma(b, k_real, Operand::f64(e::LOG_LN2_HI), sum.into());
    if_normal(b, dst, x, result);
}

/// The logarithm of a positive normal x; of any other x what is not a number.
fn if_normal(b: &mut Builder, dst: Reg, x: Reg, logarithm: Reg) {
    let (_, high) = b.unpack(x);
    let above = b.binary(BinaryOp::Sub, Type::U32, high, e::LEAST_NORMAL_HIGH_WORD);
    let pred = b.setp(Cmp::Lt, Type::U32, above, e::NORMAL_HIGH_WORDS);
    b.push(Op::Selp { ty: Type::F64, dst, a: logarithm.into(), b: Operand::f64(f64::NAN), pred });
}

/// The steps of [`log2::log2`]; the table has pairs of doubles. Selections are integer instructions.
pub(super) fn log2(b: &mut Builder, dst: Reg, x: Reg, table: Variable) {
    let (low, high) = b.unpack(x);
    let above = b.binary(BinaryOp::Sub, Type::U32, high, log2::FIRST_HIGH_WORD);
    let from_near = b.binary(BinaryOp::Sub, Type::U32, above, log2::NEAR);
    let near = b.setp(Cmp::Lt, Type::U32, from_near, log2::NEAR_WIDTH);
    let k = b.binary(BinaryOp::Shr, Type::S32, above, 20);
    let exponent = b.binary(BinaryOp::Shl, Type::B32, k, 20);
    let high = b.binary(BinaryOp::Sub, Type::U32, high, exponent);
    let m = b.reg(Type::F64);
    b.push(Op::pack(m, low, high));
    let part = b.binary(BinaryOp::Shr, Type::U32, above, 14);
    let part = b.binary(BinaryOp::And, Type::B32, part, log2::ENTRIES.len() as u32 - 1);
    let start = b.mov(Type::U64, Operand::Variable(table));
    let entry = b.ternary(TernaryOp::MadWide, Type::U32, part, 16, start);
    let [inverse, logarithm] = [0, 8].map(|offset| b.load(Space::Global, true, Type::F64, Base::Reg(entry), offset));
    let f = fma(b, m, inverse.into(), Operand::f64(-1.0));
    let p = polynomial(b, &log2::COEFFICIENTS, f);
    let first = b.selp(Type::F64, Operand::f64(log2::LOG2_E_LOW), Operand::f64(log2::LOG2_E), near);
    let p = fma(b, p, f.into(), first.into());
    let k_real = b.reg(Type::F64);
    b.push(Op::Cvt { mode: Mode::NEAREST, to: Type::F64, from: Type::S32, dst: k_real, a: k.into() });
    let factor = b.selp(Type::F64, f, k_real, near);
    let other = b.selp(Type::F64, p, Operand::f64(1.0), near);
    let rest = fma(b, factor, other.into(), logarithm.into());
    let slope = b.selp(Type::F64, Operand::f64(log2::LOG2_E), p, near);
    let result = fma(b, f, slope.into(), rest.into());
    if_normal(b, dst, x, result);
}

/// The steps of [`e::positive`].
pub(super) fn positive(b: &mut Builder, dst: Reg, x: Reg) {
    let (_, high) = b.unpack(x);
    let pred = b.setp(Cmp::Ge, Type::S32, high, e::NEGATIVE_LIMIT_HIGH_WORD as u32);
    b.push(Op::Selp { ty: Type::F64, dst, a: x.into(), b: Operand::f64(0.0), pred });
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
