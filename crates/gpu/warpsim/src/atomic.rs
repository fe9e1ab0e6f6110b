//! Arithmetic of atomics.

use super::scalar::{Each, bits, number};
use ptx::inst::{AtomOp, Type};

/// Returns the function from the old value and the operands to the new one; `None`: there is no such atomic.
pub(super) fn function(op: AtomOp, ty: Type) -> Option<Each> {
    apply(op, ty, [0; 3])?;
    Some(Box::new(move |sources| apply(op, ty, sources).unwrap_or(sources[0])))
}

/// Computes the new value from the old one and the operands; `None`: there is no such atomic.
pub(super) fn apply(op: AtomOp, ty: Type, [old, a, b]: [u64; 3]) -> Option<u64> {
    let n = |x| number(x, ty);
    let mask = ty.mask();
    Some(match (op, ty) {
        (_, Type::Pred | Type::B128) => return None,
        (AtomOp::Exch, _) => a & mask,
        (AtomOp::Cas, _) => {
            if old & mask == a & mask {
                b & mask
            } else {
                old
            }
        }
        (AtomOp::Add, Type::F32) => (f32::from_bits(old as u32) + f32::from_bits(a as u32)).to_bits().into(),
        (AtomOp::Add, Type::F64) => (f64::from_bits(old) + f64::from_bits(a)).to_bits(),
        (_, Type::F32 | Type::F64) => return None,
        (AtomOp::And, _) => old & a & mask,
        (AtomOp::Or, _) => (old | a) & mask,
        (AtomOp::Xor, _) => (old ^ a) & mask,
        (AtomOp::Add, _) => bits(n(old) + n(a), ty),
        (AtomOp::Inc, _) => {
            if old >= a {
                0
            } else {
                old + 1
            }
        }
        (AtomOp::Dec, _) => {
            if old == 0 || old > a {
                a & mask
            } else {
                old - 1
            }
        }
        (AtomOp::Min, _) => bits(n(old).min(n(a)), ty),
        (AtomOp::Max, _) => bits(n(old).max(n(a)), ty),
    })
}
