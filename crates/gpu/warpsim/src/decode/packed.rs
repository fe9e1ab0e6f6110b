//! Half precision and numbers that share a register.

use super::super::counts::Class;
use super::super::float::{least, sum_error};
use super::super::micro::*;
use super::super::scalar::{self, Each, whole};
use super::super::{byte, half};
use super::Decoder;
use ptx::inst::*;
use ptx::packed::{Element, How, Operation, Packed, view};

/// Decodes one of these instructions; `None`: the simulator does not know it.
pub(super) fn decode(d: &mut Decoder, opcode: &str, pieces: &[Piece]) -> Option<(Class, Micro)> {
    let micro = match view(d.code.module, opcode, pieces)? {
        Packed::Compute { op, element, count, how, dst, sources } => {
            each(d, per_element(compute(op, element, how)?, element, count), dst, &sources)
        }
        Packed::Add { element, count, space, dst, at, a } => {
            let f = per_element(compute(Operation::Binary(BinaryOp::Add), element, How::default())?, element, count);
            let (base, offset) = super::memory::address(d, at)?;
            let (dst, a, bytes) = (dst.map(|dst| d.row(dst)), d.source(a), element.bits() * count / 8);
            let micro = Micro::MemoryAccess(MemoryAccess::Atomic { f, space, bytes, d: dst, base, offset, a, b: None });
            return Some((super::memory::class(space)?, micro));
        }
        Packed::Reduce { op, nan, dst, a, mask } => {
            let how = How { nan, ..How::default() };
            let f = compute(Operation::Binary(op), Element::Plain(Type::F32), how)?;
            let micro = Micro::Collective(Collective::Redux { f, d: d.row(dst), a: d.source(a), mask: d.source(mask) });
            return Some((Class::Vote, micro));
        }
        Packed::Compare { cmp, element, ftz, dst, other, sources: [a, b] } => {
            let f = Comparison::Each(comparison(cmp, element, ftz)?);
            let (dst, other, a, b) = (d.row(dst), other.map(|reg| d.row(reg)), d.source(a), d.source(b));
            Micro::Test(Test::Compare { f, d: dst, other, combine: None, a, b })
        }
        Packed::Set { cmp, element, count, ftz, yes, dst, sources } => {
            let test = comparison(cmp, element, ftz)?;
            let bits = element.bits();
            let f: Each = Box::new(move |[a, b, _]| {
                let part = |i: u32| if test(a >> (bits * i), b >> (bits * i)) { yes << (bits * i) } else { 0 };
                (0..count).fold(0, |word, i| word | part(i))
            });
            each(d, f, dst, &sources)
        }
        Packed::Convert { to, from, how, dst, sources } => {
            let one = convert(to, from, how)?;
            let f: Each = match sources.len() {
                1 => {
                    let (to, wide) = (to, d.class_of(dst));
                    Box::new(move |[a, ..]| match to {
                        Element::Plain(ty) if ty.is_signed() => scalar::bits(scalar::number(one(a), ty), wide),
                        _ => one(a),
                    })
                }
                _ => Box::new(move |[a, b, _]| one(a) << 16 | one(b)),
            };
            each(d, f, dst, &sources)
        }
        Packed::Dot { a, b, dst, sources } => each(d, dot(a, b), dst, &sources),
        Packed::HalfDot { a, b, high, dst, sources } => each(d, half_dot(a, b, high), dst, &sources),
        Packed::Mask { clamp, dst, sources } => each(d, Box::new(move |[a, b, _]| ones(a, b, clamp)), dst, &sources),
        Packed::Extend { clamp, signed, dst, sources } => {
            each(d, Box::new(move |[a, b, _]| extended(a, b, clamp, signed)), dst, &sources)
        }
        Packed::Pack { bits, signed, dst, sources } => each(d, packed(bits, signed, sources.len() == 3), dst, &sources),
        Packed::ToBytes { to, from, relu, dst, sources } => {
            let value = move |word: u64| match from {
                Element::Plain(_) => f64::from(f32::from_bits(word as u32)),
                half_from => half::value(word, half_from),
            };
            let one = move |word: u64| byte::nearest(value(word), to, relu);
            let f: Each = match sources.len() {
                1 => Box::new(move |[a, ..]| one(a >> 16) << 8 | one(a)),
                _ => Box::new(move |[a, b, _]| one(a) << 8 | one(b)),
            };
            each(d, f, dst, &sources)
        }
        Packed::FromBytes { from, relu, dst, source } => {
            let one = move |word: u64| {
                let x = byte::value(word, from);
                let x = if relu && x <= 0.0 { 0.0 } else { x };
                half::bits(x, 0.0, Element::F16, Rounding::Rn)
            };
            each(d, Box::new(move |[a, ..]| one(a >> 8) << 16 | one(a)), dst, &[source])
        }
    };
    Some((Class::Single, micro))
}

/// Returns the sum of the products of four bytes and an operand.
fn dot(left: Type, right: Type) -> Each {
    Box::new(move |[a, b, c]| {
        let product = |i: i32| scalar::number(a >> (8 * i), left) * scalar::number(b >> (8 * i), right);
        scalar::bits((0..4).map(product).sum::<i128>() + i128::from(c), Type::U32)
    })
}

/// Returns the sum of the products of two halves of words and two bytes, the upper ones if `high`, and an operand.
fn half_dot(left: Type, right: Type, high: bool) -> Each {
    let first = if high { 2 } else { 0 };
    Box::new(move |[a, b, c]| {
        let half = |i: i32| scalar::number(a >> (16 * i), left);
        let product = |i: i32| half(i) * scalar::number(b >> (8 * (first + i)), right);
        scalar::bits((0..2).map(product).sum::<i128>() + i128::from(c), Type::U32)
    })
}

/// Packs two words, each clamped to `bits` bits; with `third`, the bits of a third word lie above them.
fn packed(bits: u32, signed: bool, third: bool) -> Each {
    Box::new(move |[a, b, c]| {
        let (low, high) = if signed { (-1i128 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
        let part = |word: u64| scalar::number(word, Type::S32).clamp(low, high) as u64 & mask(bits);
        let both = part(a) << bits | part(b);
        if third { (c << (2 * bits) | both) & 0xffff_ffff } else { both }
    })
}

/// Returns `b` ones from bit `a` on.
fn ones(a: u64, b: u64, clamp: bool) -> u64 {
    let (first, count) = if clamp { (a.min(32), b.min(32)) } else { (a & 31, b & 31) };
    let end = (first + count).min(32);
    (mask(end as u32) & !mask(first as u32)) & 0xffff_ffff
}

/// Returns the lowest `b` bits of a as a number of 32 bits.
fn extended(a: u64, b: u64, clamp: bool, signed: bool) -> u64 {
    let count = if clamp { b.min(32) } else { b & 31 } as u32;
    let low = a & mask(count);
    let negative = signed && count > 0 && low >> (count - 1) & 1 == 1;
    if negative { (low | !mask(count)) & 0xffff_ffff } else { low }
}

/// Applies a function to each of `count` numbers of a register by itself.
fn per_element(one: Each, element: Element, count: u32) -> Each {
    let bits = element.bits();
    Box::new(move |sources| {
        let part = |i: u32| one(sources.map(|word| word >> (bits * i) & mask(bits))) << (bits * i);
        (0..count).fold(0, |word, i| word | part(i))
    })
}

fn each(d: &mut Decoder, f: Each, dst: ptx::ir::Reg, sources: &[Operand]) -> Micro {
    let at = |i: usize| sources[i.min(sources.len() - 1)];
    Micro::Compute(Compute::Each { f, d: d.row(dst), sources: [at(0), at(1), at(2)].map(|operand| d.source(operand)) })
}

fn mask(bits: u32) -> u64 {
    if bits == 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Computes one number of `bits` bits from those of its sources.
fn compute(op: Operation, element: Element, how: How) -> Option<Each> {
    let Element::Plain(ty) = element else { return halves(op, element, how) };
    if how.nan {
        let single = ty == Type::F32 && matches!(op, Operation::Binary(BinaryOp::Min | BinaryOp::Max)) && !how.relu;
        let plain = compute(op, element, How { nan: false, ..how }).filter(|_| single)?;
        let is_nan = |word: u64| f32::from_bits(word as u32).is_nan();
        return Some(Box::new(move |[a, b, c]| if is_nan(a) || is_nan(b) { 0x7fff_ffff } else { plain([a, b, c]) }));
    }
    let plain = match op {
        Operation::Unary(op) => scalar::unary(op, how.mode, ty),
        Operation::Binary(op) => scalar::binary(op, how.mode, ty),
        Operation::Ternary(op) => scalar::ternary(op, how.mode, ty),
    }?;
    match (how.relu, ty) {
        (false, _) => Some(plain),
        (true, Type::S16) => Some(Box::new(move |sources| {
            let word = plain(sources);
            if scalar::number(word, ty) < 0 { 0 } else { word }
        })),
        _ => None,
    }
}

/// Arithmetic on doubles, which is exact except for sums; the error of a sum comes with it. The result is rounded once.
fn halves(op: Operation, element: Element, how: How) -> Option<Each> {
    let How { mode, relu, nan } = how;
    let approximates = matches!(op, Operation::Unary(UnaryOp::Ex2 | UnaryOp::Tanh));
    let is_nearest = matches!(mode.rounding, Rounding::None | Rounding::Rn);
    if !(is_nearest || approximates && mode.rounding == Rounding::Approx) {
        return None;
    }
    let flush = move |x: f64| if mode.ftz && x.abs() < smallest(element) { 0.0f64.copysign(x) } else { x };
    let value = move |word: u64| flush(half::value(word, element));
    let finish = move |x: f64, rest: f64| {
        let x = match (mode.sat, x.is_nan()) {
            (true, true) => 0.0,
            (true, false) if x <= 0.0 => 0.0,
            (true, false) => x.min(1.0),
            _ if relu && x <= 0.0 => 0.0,
            _ => x,
        };
        let word = half::bits(x, if x == 0.0 { 0.0 } else { rest }, element, Rounding::Rn);
        let subnormal = mode.ftz && half::value(word, element).abs() < smallest(element);
        if subnormal { word & 0x8000 } else { word }
    };
    let either = move |x: f64, y: f64| nan && (x.is_nan() || y.is_nan());
    Some(match op {
        // these keep the other bits of a NaN
        Operation::Unary(UnaryOp::Neg) if !mode.ftz => Box::new(|[a, ..]| a ^ 0x8000),
        Operation::Unary(UnaryOp::Abs) if !mode.ftz => Box::new(|[a, ..]| a & 0x7fff),
        Operation::Unary(op) => {
            let f: fn(f64) -> f64 = match op {
                UnaryOp::Neg => |x| -x,
                UnaryOp::Abs => f64::abs,
                UnaryOp::Ex2 => f64::exp2,
                UnaryOp::Tanh => f64::tanh,
                _ => return None,
            };
            Box::new(move |[a, ..]| finish(f(value(a)), 0.0))
        }
        Operation::Binary(BinaryOp::Add) => Box::new(move |[a, b, _]| sum(value(a), value(b), &finish)),
        Operation::Binary(BinaryOp::Sub) => Box::new(move |[a, b, _]| sum(value(a), -value(b), &finish)),
        Operation::Binary(BinaryOp::Mul) => Box::new(move |[a, b, _]| finish(value(a) * value(b), 0.0)),
        Operation::Binary(op @ (BinaryOp::Min | BinaryOp::Max)) => Box::new(move |[a, b, _]| {
            let (x, y) = (value(a), value(b));
            match op {
                _ if either(x, y) => finish(f64::NAN, 0.0),
                BinaryOp::Min => finish(least(x, y), 0.0),
                _ => finish(-least(-x, -y), 0.0),
            }
        }),
        Operation::Ternary(TernaryOp::Fma) => Box::new(move |[a, b, c]| sum(value(a) * value(b), value(c), &finish)),
        _ => return None,
    })
}

fn sum(x: f64, y: f64, finish: &dyn Fn(f64, f64) -> u64) -> u64 {
    finish(x + y, sum_error(x, y))
}

/// Returns the smallest normal number.
fn smallest(element: Element) -> f64 {
    half::value(if element == Element::Bf16 { 0x80 } else { 0x400 }, element)
}

fn comparison(cmp: Cmp, element: Element, ftz: bool) -> Option<Box<dyn Fn(u64, u64) -> bool>> {
    let Element::Plain(ty) = element else {
        let flush = move |x: f64| if ftz && x.abs() < smallest(element) { 0.0 } else { x };
        let doubles = scalar::compare(cmp, false, Type::F64)?;
        let value = move |word: u64| flush(half::value(word, element)).to_bits();
        return Some(Box::new(move |a, b| doubles(value(a), value(b))));
    };
    scalar::compare(cmp, ftz, ty)
}

/// Converts one number to another type.
fn convert(to: Element, from: Element, how: How) -> Option<Box<dyn Fn(u64) -> u64>> {
    let How { mode, relu, nan } = how;
    if nan {
        return None;
    }
    match (from, to) {
        (Element::Plain(_), Element::Plain(_)) => None,
        (half_from, Element::Plain(ty)) if !relu => {
            let fits = if ty.is_float() { mode.rounding == Rounding::None } else { whole(mode.rounding).is_some() };
            // every number of half precision is one of single precision
            let mode = if ty == Type::F32 { Mode { rounding: Rounding::Rn, ..mode } } else { mode };
            let convert = scalar::convert(mode, ty, Type::F64).filter(|_| fits)?;
            Some(Box::new(move |a| convert([half::value(a, half_from).to_bits(); 3])))
        }
        (_, Element::Plain(_)) => None,
        (from, to) => {
            // integers of 64 bits would be rounded twice
            let known = match from {
                Element::Plain(ty) => ty.is_float() || ty.bytes() <= 4,
                _ => true,
            };
            let round = whole(mode.rounding);
            let approximates = matches!(mode.rounding, Rounding::Approx | Rounding::Full);
            if !known || approximates || round.is_some() && from != to {
                return None;
            }
            Some(Box::new(move |a| {
                let x = match from {
                    Element::Plain(Type::F64) => f64::from_bits(a),
                    Element::Plain(Type::F32) => {
                        let x = f32::from_bits(a as u32);
                        f64::from(if mode.ftz && x.is_subnormal() { 0.0f32.copysign(x) } else { x })
                    }
                    Element::Plain(ty) => scalar::number(a, ty) as f64,
                    half_from => half::value(a, half_from),
                };
                let x = round.map_or(x, |round| round(x));
                let x = match (mode.sat, relu) {
                    (true, _) if x.is_nan() || x <= 0.0 => 0.0,
                    (true, _) => x.min(1.0),
                    (_, true) if x <= 0.0 => 0.0,
                    _ => x,
                };
                half::bits(x, 0.0, to, mode.rounding)
            }))
        }
    }
}
