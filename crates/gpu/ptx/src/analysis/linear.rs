//! Instructions that put registers and immediates together linearly: most arithmetic on indices.

use crate::inst::*;

/// Result of an instruction as a linear form of the register x that it reads first, and another one, y: x + y, or x + constant,
/// or the same with factor · x for x.
#[derive(Debug, Clone, Copy)]
pub struct Linear {
    pub shape: Shape,
    pub factor: u64,
    /// Constant that is added, if there is no y.
    pub constant: Option<u64>,
    /// The bits of the result.
    pub mask: u64,
}

#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Without the factor.
    Sum,
    Product,
    /// The product of the values of that type, taken to twice its width.
    Wide(Type),
}

impl Linear {
    /// The form of an unguarded instruction, if it has one.
    pub fn from_op(op: &Op) -> Option<Self> {
        use Operand::{Imm, Reg};
        // `constant` is added to a product
        let (ty, a, b, plain, constant) = match *op {
            Op::Binary { mode, ty, a, b, .. } => (ty, a, b, !mode.sat, Some(0)),
            Op::Ternary { mode, ty, a, b, c, .. } => (ty, a, b, !mode.sat && c.reg().is_some(), None),
            _ => return None,
        };
        if !plain || !ty.is_integer() {
            return None;
        }
        let sum = |constant| Self { shape: Shape::Sum, factor: 1, constant, mask: ty.mask() };
        let product = |factor| Self { shape: Shape::Product, factor, constant, mask: ty.mask() };
        let wide = |factor| {
            let unused = 64 - 8 * ty.bytes();
            let zeros = factor << unused;
            let factor = if ty.is_signed() { (zeros as i64 >> unused) as u64 } else { zeros >> unused };
            Self { shape: Shape::Wide(ty), factor, constant, mask: ty.wide().mask() }
        };
        let immediate = match (a, b) {
            (Reg(_), Imm(bits)) | (Imm(bits), Reg(_)) => Some(bits),
            _ => None,
        };
        let second = immediate.filter(|_| a.reg().is_some());
        match op {
            Op::Binary { op: BinaryOp::Add, .. } if a.reg().is_some() && b.reg().is_some() => Some(sum(None)),
            Op::Binary { op: BinaryOp::Add, .. } => immediate.map(|bits| sum(Some(bits))),
            Op::Binary { op: BinaryOp::Sub, .. } => second.map(|bits| sum(Some(bits.wrapping_neg()))),
            Op::Binary { op: BinaryOp::Shl, .. } => {
                second.map(|count| product(1u64.checked_shl(count as u32).unwrap_or(0) & ty.mask()))
            }
            Op::Binary { op: BinaryOp::Mul, .. } | Op::Ternary { op: TernaryOp::Mad, .. } => immediate.map(product),
            Op::Binary { op: BinaryOp::MulWide, .. } | Op::Ternary { op: TernaryOp::MadWide, .. } => {
                immediate.map(wide)
            }
            _ => None,
        }
    }
}
