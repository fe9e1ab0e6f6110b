//! Integer instructions on numbers.

use super::arithmetic::sign_extend;
use crate::inst::{BinaryOp, Cmp, Op, TernaryOp, Type, UnaryOp};

/// The first result of an instruction without side effects on integers, from its operands in their order; `None` where
/// nothing is said.
pub(super) fn eval(op: &Op, [a, b, c]: [u64; 3]) -> Option<u64> {
    match op {
        Op::Unary { op, ty, .. } if ty.is_integer() => unary(*op, *ty, a),
        Op::Binary { op, ty, mode, .. } if ty.is_integer() && !mode.sat => binary(*op, *ty, a, b),
        Op::Ternary { op: TernaryOp::Bfe, ty, .. } if !ty.is_signed() => {
            let (pos, len) = (b as u32 & 255, c as u32 & 255);
            let field = 1u64.checked_shl(len).map_or(u64::MAX, |bit| bit - 1);
            Some((a & ty.mask()).checked_shr(pos).unwrap_or(0) & field)
        }
        Op::Setp { cmp, ty, combine: None, .. } if ty.is_integer() => compare(*cmp, *ty, a, b).map(u64::from),
        _ => None,
    }
}

fn bits(ty: Type) -> u32 {
    8 * ty.bytes()
}

fn signed(x: u64, ty: Type) -> i64 {
    sign_extend(x, bits(ty))
}

fn unary(op: UnaryOp, ty: Type, a: u64) -> Option<u64> {
    let result = match op {
        UnaryOp::Mov => a,
        UnaryOp::Neg => a.wrapping_neg(),
        UnaryOp::Not => !a,
        UnaryOp::Abs => signed(a, ty).unsigned_abs(),
        _ => return None,
    };
    Some(result & ty.mask())
}

/// A division by zero says nothing.
fn binary(op: BinaryOp, ty: Type, a: u64, b: u64) -> Option<u64> {
    use BinaryOp::*;
    let count = b as u32;
    let (a, b) = (a & ty.mask(), b & ty.mask());
    let (x, y) = (signed(a, ty), signed(b, ty));
    let result = match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl if count < bits(ty) => a << count,
        Shl => 0,
        Shr if ty.is_signed() => (x >> count.min(63)) as u64,
        Shr if count < bits(ty) => a >> count,
        Shr => 0,
        Div if ty.is_signed() => x.checked_div(y)? as u64,
        Rem if ty.is_signed() => x.checked_rem(y)? as u64,
        Div => a.checked_div(b)?,
        Rem => a.checked_rem(b)?,
        Min if ty.is_signed() => x.min(y) as u64,
        Max if ty.is_signed() => x.max(y) as u64,
        Min => a.min(b),
        Max => a.max(b),
        _ => return None,
    };
    Some(result & ty.mask())
}

fn compare(cmp: Cmp, ty: Type, a: u64, b: u64) -> Option<bool> {
    let order = if ty.is_signed() { signed(a, ty).cmp(&signed(b, ty)) } else { (a & ty.mask()).cmp(&(b & ty.mask())) };
    Some(match cmp {
        Cmp::Eq => order.is_eq(),
        Cmp::Ne => order.is_ne(),
        Cmp::Lt => order.is_lt(),
        Cmp::Le => order.is_le(),
        Cmp::Gt => order.is_gt(),
        Cmp::Ge => order.is_ge(),
        _ => return None,
    })
}
