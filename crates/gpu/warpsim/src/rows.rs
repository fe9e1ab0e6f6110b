//! The arithmetic: whole rows of 32 lanes at a time.

use ptx::inst::{BinaryOp, Cmp, Rounding, TernaryOp, Type, UnaryOp};
use std::array::from_fn;

/// One register of all 32 lanes. A 32-bit value has zeros above.
pub(super) type Row = [u64; 32];

pub(super) type Map1 = fn(&Row) -> Row;
pub(super) type Map2 = fn(&Row, &Row) -> Row;
pub(super) type Map3 = fn(&Row, &Row, &Row) -> Row;
/// A comparison of two rows; one bit per lane.
pub(super) type Compare = fn(&Row, &Row) -> u32;

/// Operand widths and signs that matter to integer arithmetic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    F64,
    U32,
    S32,
    U64,
    S64,
}

fn kind(ty: Type) -> Option<Kind> {
    match ty {
        Type::F64 => Some(Kind::F64),
        Type::B32 | Type::U32 => Some(Kind::U32),
        Type::S32 => Some(Kind::S32),
        Type::B64 | Type::U64 => Some(Kind::U64),
        Type::S64 => Some(Kind::S64),
        _ => None,
    }
}

/// Returns the function of an instruction; `None`: there is no such instruction.
pub(super) fn unary(op: UnaryOp, ty: Type) -> Option<Map1> {
    use Kind::*;
    let map: Map1 = match (op, kind(ty)?) {
        (UnaryOp::Mov, _) => |a| *a,
        (UnaryOp::Neg, F64) => |a| real1(a, |x| -x),
        (UnaryOp::Abs, F64) => |a| real1(a, f64::abs),
        (UnaryOp::Rcp, F64) => |a| real1(a, |x| 1.0 / x),
        (UnaryOp::Abs, S32) => |a| a.map(|x| lower((x as i32).unsigned_abs())),
        (UnaryOp::Abs, S64) => |a| a.map(|x| (x as i64).unsigned_abs()),
        (UnaryOp::Sqrt, F64) => |a| real1(a, f64::sqrt),
        (UnaryOp::Neg, U32 | S32) => |a| a.map(|x| lower((x as u32).wrapping_neg())),
        (UnaryOp::Neg, U64 | S64) => |a| a.map(u64::wrapping_neg),
        (UnaryOp::Not, U32 | S32) => |a| a.map(|x| lower(!x as u32)),
        (UnaryOp::Not, U64 | S64) => |a| a.map(|x| !x),
        _ => return None,
    };
    Some(map)
}

/// Returns the function of an instruction; `None`: there is no such instruction.
pub(super) fn binary(op: BinaryOp, ty: Type) -> Option<Map2> {
    match kind(ty)? {
        Kind::F64 => real_binary(op),
        Kind::U32 | Kind::S32 if !signed_matters(op) => word_binary(op),
        Kind::U64 | Kind::S64 if !signed_matters(op) => long_binary(op),
        kind => signed_binary(op, kind),
    }
}

fn real_binary(op: BinaryOp) -> Option<Map2> {
    let map: Map2 = match op {
        BinaryOp::Add => |a, b| real2(a, b, |x, y| x + y),
        BinaryOp::Sub => |a, b| real2(a, b, |x, y| x - y),
        BinaryOp::Mul => |a, b| real2(a, b, |x, y| x * y),
        BinaryOp::Div => |a, b| real2(a, b, |x, y| x / y),
        BinaryOp::Min => |a, b| real2(a, b, min),
        BinaryOp::Max => |a, b| real2(a, b, max),
        _ => return None,
    };
    Some(map)
}

/// Returns the smaller number. A NaN loses against a number, and -0 is below +0. The selections are without branches, for whole rows.
fn min(x: f64, y: f64) -> f64 {
    let least = if x < y { x } else { y };
    let least = if x == y { f64::from_bits(x.to_bits() | y.to_bits()) } else { least };
    if y.is_nan() { x } else { least }
}

fn max(x: f64, y: f64) -> f64 {
    let most = if x > y { x } else { y };
    let most = if x == y { f64::from_bits(x.to_bits() & y.to_bits()) } else { most };
    if y.is_nan() { x } else { most }
}

fn signed_matters(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, MulWide | Div | Rem | Min | Max | Shr)
}

fn word_binary(op: BinaryOp) -> Option<Map2> {
    let map: Map2 = match op {
        BinaryOp::Add => |a, b| word2(a, b, u32::wrapping_add),
        BinaryOp::Sub => |a, b| word2(a, b, u32::wrapping_sub),
        BinaryOp::Mul => |a, b| word2(a, b, u32::wrapping_mul),
        BinaryOp::And => |a, b| word2(a, b, |x, y| x & y),
        BinaryOp::Or => |a, b| word2(a, b, |x, y| x | y),
        BinaryOp::Xor => |a, b| word2(a, b, |x, y| x ^ y),
        BinaryOp::Shl => |a, b| word2(a, b, |x, n| x.checked_shl(n).unwrap_or(0)),
        _ => return None,
    };
    Some(map)
}

fn long_binary(op: BinaryOp) -> Option<Map2> {
    let map: Map2 = match op {
        BinaryOp::Add => |a, b| long2(a, b, u64::wrapping_add),
        BinaryOp::Sub => |a, b| long2(a, b, u64::wrapping_sub),
        BinaryOp::Mul => |a, b| long2(a, b, u64::wrapping_mul),
        BinaryOp::And => |a, b| long2(a, b, |x, y| x & y),
        BinaryOp::Or => |a, b| long2(a, b, |x, y| x | y),
        BinaryOp::Xor => |a, b| long2(a, b, |x, y| x ^ y),
        BinaryOp::Shl => |a, b| long2(a, b, |x, n| x.checked_shl(n as u32).unwrap_or(0)),
        _ => return None,
    };
    Some(map)
}

/// Returns the function for signed operands. Shifts clamp their count; a division by zero gives all ones, its remainder the dividend, as the hardware does.
fn signed_binary(op: BinaryOp, kind: Kind) -> Option<Map2> {
    use Kind::*;
    let map: Map2 = match (op, kind) {
        (BinaryOp::MulWide, U32) => |a, b| long2(a, b, |x, y| lower(x as u32) * lower(y as u32)),
        (BinaryOp::MulWide, S32) => |a, b| long2(a, b, |x, y| widen(x).wrapping_mul(widen(y)) as u64),
        (BinaryOp::Div, U32) => |a, b| word2(a, b, |x, y| x.checked_div(y).unwrap_or(u32::MAX)),
        (BinaryOp::Div, S32) => |a, b| word2(a, b, |x, y| if y == 0 { u32::MAX } else { div(x, y) as u32 }),
        (BinaryOp::Div, U64) => |a, b| long2(a, b, |x, y| x.checked_div(y).unwrap_or(u64::MAX)),
        (BinaryOp::Div, S64) => {
            |a, b| long2(a, b, |x, y| if y == 0 { u64::MAX } else { (x as i64).wrapping_div(y as i64) as u64 })
        }
        (BinaryOp::Rem, U32) => |a, b| word2(a, b, |x, y| x.checked_rem(y).unwrap_or(x)),
        (BinaryOp::Rem, S32) => {
            |a, b| word2(a, b, |x, y| if y == 0 { x } else { (x as i32).wrapping_rem(y as i32) as u32 })
        }
        (BinaryOp::Rem, U64) => |a, b| long2(a, b, |x, y| x.checked_rem(y).unwrap_or(x)),
        (BinaryOp::Rem, S64) => {
            |a, b| long2(a, b, |x, y| if y == 0 { x } else { (x as i64).wrapping_rem(y as i64) as u64 })
        }
        (BinaryOp::Min, U32 | U64) => |a, b| long2(a, b, u64::min),
        (BinaryOp::Max, U32 | U64) => |a, b| long2(a, b, u64::max),
        (BinaryOp::Min, S32) => |a, b| word2(a, b, |x, y| (x as i32).min(y as i32) as u32),
        (BinaryOp::Max, S32) => |a, b| word2(a, b, |x, y| (x as i32).max(y as i32) as u32),
        (BinaryOp::Min, S64) => |a, b| long2(a, b, |x, y| (x as i64).min(y as i64) as u64),
        (BinaryOp::Max, S64) => |a, b| long2(a, b, |x, y| (x as i64).max(y as i64) as u64),
        (BinaryOp::Shr, U32) => |a, b| word2(a, b, |x, n| x.checked_shr(n).unwrap_or(0)),
        (BinaryOp::Shr, U64) => |a, b| long2(a, b, |x, n| x.checked_shr(n as u32).unwrap_or(0)),
        (BinaryOp::Shr, S32) => |a, b| word2(a, b, |x, n| (x as i32 >> n.min(31)) as u32),
        (BinaryOp::Shr, S64) => |a, b| long2(a, b, |x, n| (x as i64 >> (n as u32).min(63)) as u64),
        _ => return None,
    };
    Some(map)
}

fn div(x: u32, y: u32) -> i32 {
    (x as i32).wrapping_div(y as i32)
}

/// Returns the function of an instruction; `None`: there is no such instruction.
pub(super) fn ternary(op: TernaryOp, ty: Type) -> Option<Map3> {
    use Kind::*;
    let map: Map3 = match (op, kind(ty)?) {
        (TernaryOp::Fma, F64) => {
            |a, b, c| from_fn(|i| f64::from_bits(a[i]).mul_add(f64::from_bits(b[i]), f64::from_bits(c[i])).to_bits())
        }
        (TernaryOp::Mad, U32 | S32) => {
            |a, b, c| from_fn(|i| lower((a[i] as u32).wrapping_mul(b[i] as u32).wrapping_add(c[i] as u32)))
        }
        (TernaryOp::Mad, U64 | S64) => |a, b, c| from_fn(|i| a[i].wrapping_mul(b[i]).wrapping_add(c[i])),
        (TernaryOp::Bfe, U32) => |a, b, c| from_fn(|i| extract_bits(a[i], b[i], c[i])),
        (TernaryOp::Bfe, U64) => |a, b, c| from_fn(|i| extract_bits(a[i], b[i], c[i])),
        (TernaryOp::MadWide, U32) => {
            |a, b, c| from_fn(|i| (lower(a[i] as u32) * lower(b[i] as u32)).wrapping_add(c[i]))
        }
        (TernaryOp::MadWide, S32) => {
            |a, b, c| from_fn(|i| (widen(a[i]).wrapping_mul(widen(b[i])) as u64).wrapping_add(c[i]))
        }
        _ => return None,
    };
    Some(map)
}

/// Extracts bits; those behind the end are zero.
fn extract_bits(a: u64, pos: u64, len: u64) -> u64 {
    a.checked_shr(pos as u32 & 255).unwrap_or(0) & low_mask(len)
}

/// Computes `bfi` of 32 or 64 bits.
pub(super) fn insert_bits(long: bool, a: u64, b: u64, pos: u64, len: u64) -> u64 {
    let pos = pos as u32 & 255;
    let (mask, a) = (low_mask(len).checked_shl(pos).unwrap_or(0), a.checked_shl(pos).unwrap_or(0));
    let result = b & !mask | a & mask;
    if long { result } else { lower(result as u32) }
}

fn low_mask(len: u64) -> u64 {
    1u64.checked_shl(len as u32 & 255).map_or(u64::MAX, |bit| bit - 1)
}

/// Returns the comparison; `None`: there is no such instruction.
pub(super) fn compare(cmp: Cmp, ty: Type) -> Option<Compare> {
    let kind = kind(ty)?;
    let map: Compare = match cmp {
        Cmp::Eq if kind == Kind::F64 => |a, b| real_bits(a, b, |x, y| x == y),
        Cmp::Ne if kind == Kind::F64 => |a, b| real_bits(a, b, |x, y| x != y && !x.is_nan() && !y.is_nan()),
        Cmp::Lt if kind == Kind::F64 => |a, b| real_bits(a, b, |x, y| x < y),
        Cmp::Le if kind == Kind::F64 => |a, b| real_bits(a, b, |x, y| x <= y),
        Cmp::Gt if kind == Kind::F64 => |a, b| real_bits(a, b, |x, y| x > y),
        Cmp::Ge if kind == Kind::F64 => |a, b| real_bits(a, b, |x, y| x >= y),
        Cmp::Equ if kind == Kind::F64 => |a, b| real_bits(a, b, |x, y| x == y || x.is_nan() || y.is_nan()),
        Cmp::Neu if kind == Kind::F64 => |a, b| real_bits(a, b, |x, y| x != y),
        Cmp::Ltu if kind == Kind::F64 => |a, b| !real_bits(a, b, |x, y| x >= y),
        Cmp::Leu if kind == Kind::F64 => |a, b| !real_bits(a, b, |x, y| x > y),
        Cmp::Gtu if kind == Kind::F64 => |a, b| !real_bits(a, b, |x, y| x <= y),
        Cmp::Geu if kind == Kind::F64 => |a, b| !real_bits(a, b, |x, y| x < y),
        Cmp::Eq => |a, b| bits(a, b, |x, y| x == y),
        Cmp::Ne => |a, b| bits(a, b, |x, y| x != y),
        _ => return ordered(cmp, kind),
    };
    Some(map)
}

fn ordered(cmp: Cmp, kind: Kind) -> Option<Compare> {
    use Kind::*;
    let map: Compare = match (cmp, kind) {
        (Cmp::Lt, U32 | U64) => |a, b| bits(a, b, |x, y| x < y),
        (Cmp::Le, U32 | U64) => |a, b| bits(a, b, |x, y| x <= y),
        (Cmp::Gt, U32 | U64) => |a, b| bits(a, b, |x, y| x > y),
        (Cmp::Ge, U32 | U64) => |a, b| bits(a, b, |x, y| x >= y),
        (Cmp::Lt, S32) => |a, b| bits(a, b, |x, y| widen(x) < widen(y)),
        (Cmp::Le, S32) => |a, b| bits(a, b, |x, y| widen(x) <= widen(y)),
        (Cmp::Gt, S32) => |a, b| bits(a, b, |x, y| widen(x) > widen(y)),
        (Cmp::Ge, S32) => |a, b| bits(a, b, |x, y| widen(x) >= widen(y)),
        (Cmp::Lt, S64) => |a, b| bits(a, b, |x, y| (x as i64) < y as i64),
        (Cmp::Le, S64) => |a, b| bits(a, b, |x, y| x as i64 <= y as i64),
        (Cmp::Gt, S64) => |a, b| bits(a, b, |x, y| x as i64 > y as i64),
        (Cmp::Ge, S64) => |a, b| bits(a, b, |x, y| x as i64 >= y as i64),
        _ => return None,
    };
    Some(map)
}

/// Returns the conversion; `None`: there is no such instruction. From real numbers Rust's `as` saturates, as PTX does.
pub(super) fn convert(rounding: Rounding, to: Type, from: Type) -> Option<Map1> {
    use Kind::*;
    let map: Map1 = match (kind(from)?, kind(to)?, rounding) {
        (U32, U32 | S32 | U64 | S64, Rounding::None) => |a| *a,
        (S32, U64 | S64, Rounding::None) => |a| a.map(|x| widen(x) as u64),
        (S32 | U64 | S64, U32 | S32, Rounding::None) => |a| a.map(|x| lower(x as u32)),
        (U64 | S64, U64 | S64, Rounding::None) => |a| *a,
        (U32 | U64, F64, Rounding::Rn) => |a| a.map(|x| (x as f64).to_bits()),
        (S32, F64, Rounding::Rn) => |a| a.map(|x| (widen(x) as f64).to_bits()),
        (S64, F64, Rounding::Rn) => |a| a.map(|x| (x as i64 as f64).to_bits()),
        (F64, S32, Rounding::Rzi) => |a| a.map(|x| lower(f64::from_bits(x) as i32 as u32)),
        (F64, U32, Rounding::Rzi) => |a| a.map(|x| lower(f64::from_bits(x) as u32)),
        (F64, S64, Rounding::Rzi) => |a| a.map(|x| f64::from_bits(x) as i64 as u64),
        (F64, U64, Rounding::Rzi) => |a| a.map(|x| f64::from_bits(x) as u64),
        (F64, S32, Rounding::Rni) => |a| a.map(|x| lower(f64::from_bits(x).round_ties_even() as i32 as u32)),
        (F64, S64, Rounding::Rni) => |a| a.map(|x| f64::from_bits(x).round_ties_even() as i64 as u64),
        (F64, F64, Rounding::Rni) => |a| real1(a, f64::round_ties_even),
        (F64, F64, Rounding::Rzi) => |a| real1(a, f64::trunc),
        _ => return None,
    };
    Some(map)
}

fn real1(a: &Row, f: impl Fn(f64) -> f64) -> Row {
    from_fn(|i| f(f64::from_bits(a[i])).to_bits())
}

fn real2(a: &Row, b: &Row, f: impl Fn(f64, f64) -> f64) -> Row {
    from_fn(|i| f(f64::from_bits(a[i]), f64::from_bits(b[i])).to_bits())
}

fn word2(a: &Row, b: &Row, f: impl Fn(u32, u32) -> u32) -> Row {
    from_fn(|i| lower(f(a[i] as u32, b[i] as u32)))
}

fn long2(a: &Row, b: &Row, f: impl Fn(u64, u64) -> u64) -> Row {
    from_fn(|i| f(a[i], b[i]))
}

fn bits(a: &Row, b: &Row, f: impl Fn(u64, u64) -> bool) -> u32 {
    (0..32).fold(0, |bits, i| bits | u32::from(f(a[i], b[i])) << i)
}

fn real_bits(a: &Row, b: &Row, f: impl Fn(f64, f64) -> bool) -> u32 {
    bits(a, b, |x, y| f(f64::from_bits(x), f64::from_bits(y)))
}

fn lower(x: u32) -> u64 {
    u64::from(x)
}

/// Returns the low word as a signed number.
fn widen(x: u64) -> i64 {
    i64::from(x as u32 as i32)
}
