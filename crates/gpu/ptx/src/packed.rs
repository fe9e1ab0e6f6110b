//! Arithmetic on half precision and on numbers that share a register, as its operands say.
//!
//! The IR has no type for these numbers and keeps their instructions verbatim ([`Op::Opaque`](super::inst::Op::Opaque)). Who has to know what they
//! compute asks here. Names and meanings are those of the PTX ISA, sections "Half Precision Floating Point Instructions",
//! "Mixed Precision", "Half Precision Comparison Instructions" and "cvt".

use super::inst::{Address, BinaryOp, Cmp, Mode, Operand, Piece, Rounding, Space, TernaryOp, Type, UnaryOp};
use super::ir::{Module, Reg};
use super::names::Named;
use super::verbatim::{Item, operands};

/// One of these instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Packed {
    /// Each of `count` numbers of a register by itself, the lowest first.
    Compute { op: Operation, element: Element, count: u32, how: How, dst: Reg, sources: Vec<Operand> },
    /// `setp` of one number in each register; `other` gets the negated comparison.
    Compare { cmp: Cmp, element: Element, ftz: bool, dst: Reg, other: Option<Reg>, sources: [Operand; 2] },
    /// `set`: what each number becomes is `yes` or 0.
    Set { cmp: Cmp, element: Element, count: u32, ftz: bool, yes: u64, dst: Reg, sources: [Operand; 2] },
    /// `cvt`; the first of two sources goes to the upper half of the result.
    Convert { to: Element, from: Element, how: How, dst: Reg, sources: Vec<Operand> },
    /// `dp4a`: the products of the bytes of a and b, added to c. The types are those of the bytes.
    Dot { a: Type, b: Type, dst: Reg, sources: [Operand; 3] },
    /// `dp2a`: the products of the halves of a and of two bytes of b, added to c; `high`: the upper two. The types are those of the parts.
    HalfDot { a: Type, b: Type, high: bool, dst: Reg, sources: [Operand; 3] },
    /// `bmsk`: so many ones from a bit on. `clamp`: what lies beyond 31 counts, else only its lowest five bits do.
    Mask { clamp: bool, dst: Reg, sources: [Operand; 2] },
    /// `szext`: the lowest bits, as many as b says, as a number of 32.
    Extend { clamp: bool, signed: bool, dst: Reg, sources: [Operand; 2] },
    /// `cvt.pack.sat`: the nearest numbers of `bits` bits, b in the lowest bits, then a, then c where there is one.
    Pack { bits: u32, signed: bool, dst: Reg, sources: Vec<Operand> },
    /// `cvt` of two numbers to eight bits each; the first of two sources goes to the upper byte.
    ToBytes { to: Byte, from: Element, relu: bool, dst: Reg, sources: Vec<Operand> },
    /// `cvt.f16x2` of two numbers of eight bits.
    FromBytes { from: Byte, relu: bool, dst: Reg, source: Operand },
    /// `redux.sync` of numbers in single precision: the least or the largest of all lanes. NaN counts where `nan` says so, else the other numbers.
    Reduce { op: BinaryOp, nan: bool, dst: Reg, a: Operand, mask: Operand },
    /// `atom.add` and `red.add`: each number of a place in memory by itself.
    Add { element: Element, count: u32, space: Space, dst: Option<Reg>, at: Address, a: Operand },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Ternary(TernaryOp),
}

/// Type of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// 1 bit of sign, 5 of exponent, 10 of mantissa.
    F16,
    /// 1 bit of sign, 8 of exponent, 7 of mantissa.
    Bf16,
    Plain(Type),
}

/// A number of eight bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Byte {
    /// 4 bits of exponent, 3 of mantissa, no infinity.
    E4m3,
    /// 5 bits of exponent, 2 of mantissa.
    E5m2,
}

impl Element {
    pub fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::Plain(ty) => 8 * ty.bytes(),
        }
    }
}

/// How results are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct How {
    pub mode: Mode,
    /// Negative results become 0.
    pub relu: bool,
    /// `min` and `max` give NaN where one side is.
    pub nan: bool,
}

/// Returns the computation of an instruction that is kept verbatim; `None` when it is none of these, or in a form that is not known.
pub fn view(module: &Module, opcode: &str, pieces: &[Piece]) -> Option<Packed> {
    let (name, rest) = opcode.split_once('.')?;
    let parts: Vec<&str> = rest.split('.').collect();
    let items = || operands(module, pieces);
    match name {
        "cvt" if parts.first() == Some(&"pack") => pack(&parts, &items()?),
        "cvt" => bytes(&parts, &items()?).or_else(|| convert(&parts, &items()?)),
        "setp" | "set" => compare(name, &parts, &items()?),
        "dp4a" => dot(&parts, &items()?),
        "dp2a" => half_dot(&parts, &items()?),
        "bmsk" | "szext" => bits(name, &parts, &items()?),
        "redux" => reduce(&parts, &items()?),
        "atom" | "red" => add(&parts, &items()?),
        _ => compute(name, &parts, &items()?),
    }
}

/// The elements of a register.
fn elements(name: &str) -> Option<(Element, u32)> {
    let (base, count) = name.strip_suffix("x2").map_or((name, 1), |base| (base, 2));
    let element = match base {
        "f16" => Element::F16,
        "bf16" => Element::Bf16,
        "f32" | "u16" | "s16" => Element::Plain(Type::by_name(base)?),
        _ => return None,
    };
    Some((element, count))
}

fn reduce(parts: &[&str], items: &[Item]) -> Option<Packed> {
    let (op, nan) = match parts {
        ["sync", op, "f32"] => (*op, false),
        ["sync", op, "NaN", "f32"] => (*op, true),
        _ => return None,
    };
    let op = BinaryOp::by_name(op).filter(|op| matches!(op, BinaryOp::Min | BinaryOp::Max))?;
    let [Item::Value(Operand::Reg(dst)), a, mask] = items else { return None };
    Some(Packed::Reduce { op, nan, dst: *dst, a: a.value()?, mask: mask.value()? })
}

/// Order and scope do not change what is added.
fn add(parts: &[&str], items: &[Item]) -> Option<Packed> {
    let [middle @ .., "add", "noftz", last] = parts else { return None };
    let (element, count) = elements(last).filter(|(element, _)| !matches!(element, Element::Plain(_)))?;
    let space = middle.iter().find_map(|part| match *part {
        "global" => Some(Space::Global),
        "shared" | "shared::cta" => Some(Space::Shared),
        _ => None,
    });
    let orders =
        ["relaxed", "acquire", "release", "acq_rel", "cta", "cluster", "gpu", "sys", "global", "shared", "shared::cta"];
    if !middle.iter().all(|part| orders.contains(part)) {
        return None;
    }
    let (dst, at, a) = match items {
        [Item::Value(Operand::Reg(dst)), Item::At(at), a] => (Some(*dst), *at, a.value()?),
        [Item::At(at), a] => (None, *at, a.value()?),
        _ => return None,
    };
    Some(Packed::Add { element, count, space: space.unwrap_or(Space::Generic), dst, at, a })
}

fn modifiers(parts: &[&str]) -> Option<How> {
    let mut how = How::default();
    for part in parts {
        match *part {
            "ftz" => how.mode.ftz = true,
            "sat" => how.mode.sat = true,
            "relu" => how.relu = true,
            "NaN" => how.nan = true,
            name => {
                how.mode.rounding = Rounding::by_name(name).filter(|_| how.mode.rounding == Rounding::None)?;
            }
        }
    }
    Some(how)
}

fn compute(name: &str, parts: &[&str], items: &[Item]) -> Option<Packed> {
    let (last, rest) = parts.split_last()?;
    let (element, count) = elements(last)?;
    let [Item::Value(Operand::Reg(dst)), sources @ ..] = items else { return None };
    let sources = sources.iter().map(|item| item.value()).collect::<Option<Vec<Operand>>>()?;
    let op = match sources.len() {
        1 => Operation::Unary(UnaryOp::by_name(name)?),
        2 => Operation::Binary(BinaryOp::by_name(name)?),
        3 => Operation::Ternary(TernaryOp::by_name(name)?),
        _ => return None,
    };
    Some(Packed::Compute { op, element, count, how: modifiers(rest)?, dst: *dst, sources })
}

fn compare(name: &str, parts: &[&str], items: &[Item]) -> Option<Packed> {
    let (last, rest) = parts.split_last()?;
    let (cmp, rest) = rest.split_first()?;
    let (element, count) = elements(last)?;
    let cmp = Cmp::by_name(cmp)?;
    let [result, a, b] = items else { return None };
    let sources = [a.value()?, b.value()?];
    let (ftz, to) = match rest {
        ["ftz", to @ ..] => (true, to),
        to => (false, to),
    };
    match (name, to, result) {
        ("setp", [], Item::Value(Operand::Reg(dst))) if count == 1 => {
            Some(Packed::Compare { cmp, element, ftz, dst: *dst, other: None, sources })
        }
        ("setp", [], Item::Pair(Some(dst), other)) if count == 1 => {
            Some(Packed::Compare { cmp, element, ftz, dst: *dst, other: *other, sources })
        }
        ("set", [to], Item::Value(Operand::Reg(dst))) => {
            let yes = match *to {
                "f16" | "f16x2" => 0x3c00,
                "bf16" | "bf16x2" => 0x3f80,
                "u16" | "s16" if count == 1 => 0xffff,
                "u32" | "s32" if count == 1 => 0xffff_ffff,
                "u32" | "s32" => 0xffff,
                _ => return None,
            };
            Some(Packed::Set { cmp, element, count, ftz, yes, dst: *dst, sources })
        }
        _ => None,
    }
}

fn convert(parts: &[&str], items: &[Item]) -> Option<Packed> {
    let [rest @ .., to, from] = parts else { return None };
    let single = |name: &str| match name {
        "f16" => Some(Element::F16),
        "bf16" => Some(Element::Bf16),
        name => Type::by_name(name).filter(|ty| *ty != Type::Pred && ty.bytes() <= 8).map(Element::Plain),
    };
    let [Item::Value(Operand::Reg(dst)), sources @ ..] = items else { return None };
    let sources = sources.iter().map(|item| item.value()).collect::<Option<Vec<Operand>>>()?;
    let to = match (to.strip_suffix("x2"), sources.len()) {
        (Some(half @ ("f16" | "bf16")), 2) if *from == "f32" => single(half)?,
        (None, 1) => single(to)?,
        _ => return None,
    };
    let from = single(from)?;
    // numbers are read in single precision
    if from == Element::Plain(Type::F64) && sources.iter().any(|source| source.reg().is_none()) {
        return None;
    }
    Some(Packed::Convert { to, from, how: modifiers(rest)?, dst: *dst, sources })
}

fn dot(parts: &[&str], items: &[Item]) -> Option<Packed> {
    let bytes = |name: &str| match name {
        "u32" => Some(Type::U8),
        "s32" => Some(Type::S8),
        _ => None,
    };
    let ([a, b], [Item::Value(Operand::Reg(dst)), x, y, z]) = (parts, items) else { return None };
    Some(Packed::Dot { a: bytes(a)?, b: bytes(b)?, dst: *dst, sources: [x.value()?, y.value()?, z.value()?] })
}

fn half_dot(parts: &[&str], items: &[Item]) -> Option<Packed> {
    let part = |name: &str, types: [Type; 2]| match name {
        "u32" => Some(types[0]),
        "s32" => Some(types[1]),
        _ => None,
    };
    let ([half @ ("lo" | "hi"), a, b], [Item::Value(Operand::Reg(dst)), x, y, z]) = (parts, items) else { return None };
    let (a, b) = (part(a, [Type::U16, Type::S16])?, part(b, [Type::U8, Type::S8])?);
    Some(Packed::HalfDot { a, b, high: *half == "hi", dst: *dst, sources: [x.value()?, y.value()?, z.value()?] })
}

fn bits(name: &str, parts: &[&str], items: &[Item]) -> Option<Packed> {
    let ([mode @ ("clamp" | "wrap"), ty], [Item::Value(Operand::Reg(dst)), a, b]) = (parts, items) else { return None };
    let (clamp, dst, sources) = (*mode == "clamp", *dst, [a.value()?, b.value()?]);
    match (name, *ty) {
        ("bmsk", "b32") => Some(Packed::Mask { clamp, dst, sources }),
        ("szext", "u32" | "s32") => Some(Packed::Extend { clamp, signed: *ty == "s32", dst, sources }),
        _ => None,
    }
}

fn pack(parts: &[&str], items: &[Item]) -> Option<Packed> {
    let [Item::Value(Operand::Reg(dst)), sources @ ..] = items else { return None };
    let sources = sources.iter().map(|item| item.value()).collect::<Option<Vec<Operand>>>()?;
    let (to, has_third) = match parts {
        ["pack", "sat", to, "s32"] => (*to, false),
        ["pack", "sat", to, "s32", "b32"] => (*to, true),
        _ => return None,
    };
    let signed = to.starts_with('s');
    let bits: u32 = to.strip_prefix(['u', 's'])?.parse().ok().filter(|bits| matches!(bits, 2 | 4 | 8 | 16))?;
    let fits = sources.len() == if has_third { 3 } else { 2 } && (bits < 16) == has_third;
    fits.then_some(Packed::Pack { bits, signed, dst: *dst, sources })
}

/// Conversions from and to numbers of eight bits.
fn bytes(parts: &[&str], items: &[Item]) -> Option<Packed> {
    let byte = |name: &str| match name {
        "e4m3x2" => Some(Byte::E4m3),
        "e5m2x2" => Some(Byte::E5m2),
        _ => None,
    };
    let [Item::Value(Operand::Reg(dst)), sources @ ..] = items else { return None };
    let sources = sources.iter().map(|item| item.value()).collect::<Option<Vec<Operand>>>()?;
    let ["rn", rest @ .., to, from] = parts else { return None };
    let relu = rest.contains(&"relu");
    match (rest, byte(to), byte(from), sources.as_slice()) {
        (["satfinite"] | ["satfinite", "relu"], Some(to), None, [_, _]) if *from == "f32" => {
            Some(Packed::ToBytes { to, from: Element::Plain(Type::F32), relu, dst: *dst, sources })
        }
        (["satfinite"] | ["satfinite", "relu"], Some(to), None, [_]) if *from == "f16x2" => {
            Some(Packed::ToBytes { to, from: Element::F16, relu, dst: *dst, sources })
        }
        ([] | ["relu"], None, Some(from), [source]) if *to == "f16x2" => {
            Some(Packed::FromBytes { from, relu, dst: *dst, source: *source })
        }
        _ => None,
    }
}
