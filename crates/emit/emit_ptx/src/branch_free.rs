//! Quotients, reciprocals and roots of singles without special cases, an instruction for each step.

use super::numbers::literal;
use graph::single::branch_free::{Operand as Read, QUOTIENT, RECIPROCAL, ROOT, Sequence, Step};
use ptx::builder::Builder;
use ptx::inst::*;
use ptx::ir::Reg;

/// The quotient of both; of 1 the reciprocal.
pub(super) fn quotient(b: &mut Builder, dst: Reg, [dividend, divisor]: [Operand; 2]) {
    let is_one = dividend == literal(Type::F32, 1.0);
    emit(b, dst, [dividend, divisor], if is_one { RECIPROCAL } else { QUOTIENT });
}

pub(super) fn root(b: &mut Builder, dst: Reg, argument: Operand) {
    emit(b, dst, [argument, argument], ROOT);
}

fn emit(b: &mut Builder, dst: Reg, [dividend, divisor]: [Operand; 2], sequence: Sequence) {
    let ty = Type::F32;
    let mut made: Vec<Operand> = Vec::with_capacity(sequence.len());
    for (n, (_, step)) in sequence.iter().enumerate() {
        let read = |operand: Read| match operand {
            Read::A => dividend,
            Read::B => divisor,
            Read::Step(n) => made[n],
            Read::One => literal(ty, 1.0),
            Read::Half => literal(ty, 0.5),
        };
        let to = |b: &mut Builder| if n + 1 == sequence.len() { dst } else { b.reg(ty) };
        let (register, op) = match *step {
            Step::EstimateReciprocal | Step::EstimateReciprocalRoot => {
                let op = if *step == Step::EstimateReciprocal { UnaryOp::Rcp } else { UnaryOp::Rsqrt };
                let (dst, mode) = (to(b), Mode { rounding: Rounding::Approx, ftz: true, sat: false });
                (dst, Op::Unary { op, mode, ty, dst, a: divisor })
            }
            Step::Product([x, y]) => {
                let (dst, op) = (to(b), BinaryOp::Mul);
                (dst, Op::Binary { op, mode: Mode::of_binary(op, ty), ty, dst, a: read(x), b: read(y) })
            }
            Step::Fused([x, y, z]) => {
                let (dst, op) = (to(b), TernaryOp::Fma);
                (dst, Op::Ternary { op, mode: Mode::NEAREST, ty, dst, a: read(x), b: read(y), c: read(z) })
            }
            Step::MinusFused([x, y, z]) => {
                let minus = b.unary(UnaryOp::Neg, ty, read(x));
                let (dst, op) = (to(b), TernaryOp::Fma);
                (dst, Op::Ternary { op, mode: Mode::NEAREST, ty, dst, a: minus.into(), b: read(y), c: read(z) })
            }
        };
        b.push(op);
        made.push(register.into());
    }
}
