//! Arithmetic, comparisons, conversions and moves.

use super::body::Body;
use super::instruction::Args;
use super::operand::{Misfit, literal, ty, vector};
use super::{Reader, Rule};
use crate::inst::*;
use crate::names::Named;
use crate::print::part_type;

impl<'a> Reader<'a> {
    pub(super) fn arithmetic(&mut self, parts: &[&str], args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Op, Misfit> {
        let ty = parts.last().and_then(|name| ty(name)).ok_or(Misfit::Unknown)?;
        let (rest, found) = operation(&parts[..parts.len() - 1], ty).ok_or(Misfit::Unknown)?;
        let dst = self.register(args.first().ok_or(Misfit::Unknown)?, body)?;
        let mut take = |at: usize, ty: Type| self.operand(args.get(at).ok_or(Misfit::Unknown)?, ty, body);
        let op = match found {
            Found::Unary(op) if args.len() == 2 => {
                Op::Unary { op, mode: mode(rest).ok_or(Misfit::Unknown)?, ty, dst, a: take(1, ty)? }
            }
            Found::Binary(op) if args.len() == 3 => {
                let mode = mode(rest).ok_or(Misfit::Unknown)?;
                Op::Binary { op, mode, ty, dst, a: take(1, ty)?, b: take(2, op.second(ty))? }
            }
            Found::Ternary(op) if args.len() == 4 => {
                let (mode, types) = (mode(rest).ok_or(Misfit::Unknown)?, op.operands(ty));
                let (a, b, c) = (take(1, types[0])?, take(2, types[1])?, take(3, types[2])?);
                Op::Ternary { op, mode, ty, dst, a, b, c }
            }
            Found::Carry { op, reads, writes } if rest.is_empty() => {
                let product = matches!(op, CarryOp::MadLo | CarryOp::MadHi);
                if args.len() != 3 + usize::from(product) {
                    return Err(Misfit::Unknown);
                }
                let (a, b) = (take(1, ty)?, take(2, ty)?);
                let c = if product { Some(take(3, ty)?) } else { None };
                Op::Carry { op, reads, writes, ty, dst, a, b, c }
            }
            Found::Other("selp") if args.len() == 4 && rest.is_empty() && ty != Type::Pred => {
                let (a, b) = (take(1, ty)?, take(2, ty)?);
                Op::Selp { ty, dst, a, b, pred: self.register(&args[3], body)? }
            }
            Found::Other("slct") if args.len() == 4 => {
                let (ftz, to) = match rest {
                    ["ftz", to] => (true, to),
                    [to] => (false, to),
                    _ => return Err(Misfit::Unknown),
                };
                let to = super::operand::ty(to).ok_or(Misfit::Unknown)?;
                Op::Slct { ftz, ty: to, by: ty, dst, a: take(1, to)?, b: take(2, to)?, c: take(3, ty)? }
            }
            Found::Other("bfi") if args.len() == 5 && rest.is_empty() => {
                let (a, b, pos, len) = (take(1, ty)?, take(2, ty)?, take(3, Type::U32)?, take(4, Type::U32)?);
                Op::Bfi { ty, dst, a, b, pos, len }
            }
            Found::Other("lop3") if args.len() == 5 && rest.is_empty() && ty == Type::B32 => {
                let (a, b, c) = (take(1, ty)?, take(2, ty)?, take(3, ty)?);
                let table = literal(args[4].as_str().trim(), Type::B32).and_then(|table| u8::try_from(table).ok());
                Op::Lop3 { dst, a, b, c, table: table.ok_or(Misfit::Unknown)? }
            }
            _ => return Err(Misfit::Unknown),
        };
        Ok(op)
    }

    pub(super) fn mov(&mut self, parts: &[&str], args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Vec<Op>, Misfit> {
        let ([_, ty_name], [to, from]) = (parts, args) else { return Err(Misfit::Unknown) };
        let ty = ty(ty_name).ok_or(Misfit::Unknown)?;
        let fits = |count: usize| count > 1 && (ty.bytes() as usize).is_multiple_of(count);
        if let Some(words) = vector(to) {
            let mut unpacked = Vec::new();
            for word in words.iter().filter(|_| fits(words.len())) {
                unpacked.push(if word.as_str() == "_" { None } else { Some(self.reg(word, body)?) });
            }
            let src = self.operand(from, ty, body)?;
            return if unpacked.is_empty() {
                Err(Misfit::Unknown)
            } else {
                Ok(vec![Op::Unpack { ty, parts: unpacked, src }])
            };
        }
        let dst = self.register(to, body)?;
        if let Some(words) = vector(from) {
            let part = part_type(ty, words.len());
            let packed: Result<Vec<Operand>, Misfit> =
                words.iter().filter(|_| fits(words.len())).map(|word| self.simple(word, part, body)).collect();
            let parts = packed?;
            return if parts.is_empty() { Err(Misfit::Unknown) } else { Ok(vec![Op::Pack { ty, dst, parts }]) };
        }
        let copy = |a| Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty, dst, a };
        // the address of a place inside a variable
        if let Some(sum) = from.clone().into_inner().next().filter(|inner| inner.as_rule() == Rule::sum) {
            let mut inner = sum.into_inner();
            let (word, offset) = (inner.next().ok_or(Misfit::Unknown)?, inner.next().ok_or(Misfit::Unknown)?);
            let a = self.simple(&word, ty, body)?;
            let b = Operand::Imm(literal(offset.as_str(), ty).ok_or(Misfit::Unknown)?);
            let add = Op::Binary { op: BinaryOp::Add, mode: Mode::default(), ty: ty.unsigned(), dst, a: dst.into(), b };
            return if matches!(a, Operand::Variable(_) | Operand::Param(_)) {
                Ok(vec![copy(a), add])
            } else {
                Err(Misfit::Unknown)
            };
        }
        match from.clone().into_inner().next() {
            Some(word) if word.as_rule() == Rule::word && self.is_elsewhere(word.as_str(), body) => {
                Err(Misfit::Unknown)
            }
            _ => Ok(vec![copy(self.operand(from, ty, body)?)]),
        }
    }

    pub(super) fn comparison(&mut self, parts: &[&str], args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Op, Misfit> {
        let unknown = Misfit::Unknown;
        let (last, mut rest) = parts[1..].split_last().ok_or(Misfit::Unknown)?;
        let ty = ty(last).ok_or(Misfit::Unknown)?;
        let mut to = None;
        if parts[0] == "set" {
            let (name, before) = rest.split_last().ok_or(Misfit::Unknown)?;
            to = Some(super::operand::ty(name).ok_or(Misfit::Unknown)?);
            rest = before;
        }
        let (name, mut rest) = rest.split_first().ok_or(Misfit::Unknown)?;
        let cmp = match *name {
            "lo" => Cmp::Lt,
            "ls" => Cmp::Le,
            "hi" => Cmp::Gt,
            "hs" => Cmp::Ge,
            name => Cmp::by_name(name).ok_or(Misfit::Unknown)?,
        };
        let mut with = None;
        if let [name, after @ ..] = rest
            && let Some(op) = BoolOp::by_name(name)
        {
            with = Some(op);
            rest = after;
        }
        let ftz = match rest {
            [] => false,
            ["ftz"] => true,
            _ => return Err(unknown),
        };
        let (a, b) = match args {
            [_, a, b] | [_, a, b, _] if args.len() == 3 + usize::from(with.is_some()) => (a, b),
            _ => return Err(unknown),
        };
        let (dst, other) = self.pair(&args[0], body)?;
        let (a, b) = (self.operand(a, ty, body)?, self.operand(b, ty, body)?);
        let combine = match with {
            Some(op) => Some((op, self.predicate(&args[3], body)?)),
            None => None,
        };
        match (to, other) {
            (Some(to), None) => Ok(Op::Set { cmp, ftz, to, ty, dst, a, b, combine }),
            (None, _) => Ok(Op::Setp { cmp, ftz, ty, dst, other, a, b, combine }),
            _ => Err(unknown),
        }
    }

    pub(super) fn conversion(&mut self, parts: &[&str], args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Op, Misfit> {
        let [dst, a] = args else { return Err(Misfit::Unknown) };
        let dst = self.register(dst, body)?;
        match parts {
            ["isspacep", space] => {
                let space = named_space(space).ok_or(Misfit::Unknown)?;
                Ok(Op::Isspacep { space, dst, a: self.operand(a, Type::U64, body)? })
            }
            ["cvta", "to", space, last] | ["cvta", space, last] => {
                let (to, ty) = (parts[1] == "to", ty(last).ok_or(Misfit::Unknown)?);
                let space = named_space(space).ok_or(Misfit::Unknown)?;
                Ok(Op::Cvta { to, space, ty, dst, a: self.operand(a, ty, body)? })
            }
            ["cvt", rest @ .., to, from] => {
                let (to, from) = (ty(to).ok_or(Misfit::Unknown)?, ty(from).ok_or(Misfit::Unknown)?);
                let mode = mode(rest).ok_or(Misfit::Unknown)?;
                Ok(Op::Cvt { mode, to, from, dst, a: self.operand(a, from, body)? })
            }
            _ => Err(Misfit::Unknown),
        }
    }
}

/// A state space by its name; that of the own CTA is the plain one. The banks of constant memory, which were up to PTX 2.1, are one.
pub(super) fn named_space(name: &str) -> Option<Space> {
    match name {
        "" => None,
        "shared::cta" => Some(Space::Shared),
        "param::entry" | "param::func" => Some(Space::Param),
        name if name.starts_with("const[") => Some(Space::Const),
        name => Space::by_name(name),
    }
}

/// Operation of an opcode.
enum Found<'s> {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Ternary(TernaryOp),
    Carry { op: CarryOp, reads: bool, writes: bool },
    Other(&'s str),
}

/// The operation, and the modifiers between its name and its type.
fn operation<'p, 's>(parts: &'p [&'s str], ty: Type) -> Option<(&'p [&'s str], Found<'s>)> {
    let carry = |op, reads, writes, length: usize| Some((&parts[length..], Found::Carry { op, reads, writes }));
    match parts {
        ["add", "cc", ..] => return carry(CarryOp::Add, false, true, 2),
        ["addc", "cc", ..] => return carry(CarryOp::Add, true, true, 2),
        ["addc", ..] => return carry(CarryOp::Add, true, false, 1),
        ["sub", "cc", ..] => return carry(CarryOp::Sub, false, true, 2),
        ["subc", "cc", ..] => return carry(CarryOp::Sub, true, true, 2),
        ["subc", ..] => return carry(CarryOp::Sub, true, false, 1),
        ["mad", "lo", "cc", ..] => return carry(CarryOp::MadLo, false, true, 3),
        ["mad", "hi", "cc", ..] => return carry(CarryOp::MadHi, false, true, 3),
        ["madc", "lo", "cc", ..] => return carry(CarryOp::MadLo, true, true, 3),
        ["madc", "hi", "cc", ..] => return carry(CarryOp::MadHi, true, true, 3),
        ["madc", "lo", ..] => return carry(CarryOp::MadLo, true, false, 2),
        ["madc", "hi", ..] => return carry(CarryOp::MadHi, true, false, 2),
        ["mul", "lo", rest @ ..] if !ty.is_float() => return Some((rest, Found::Binary(BinaryOp::Mul))),
        ["mad", "lo", rest @ ..] if !ty.is_float() => return Some((rest, Found::Ternary(TernaryOp::Mad))),
        ["mul" | "mad"] if !ty.is_float() => return None,
        _ => {}
    }
    (1..=parts.len().min(3)).rev().find_map(|length| {
        let name = parts[..length].join(".");
        let found = UnaryOp::by_name(&name)
            .map(Found::Unary)
            .or_else(|| BinaryOp::by_name(&name).map(Found::Binary))
            .or_else(|| TernaryOp::by_name(&name).map(Found::Ternary))
            .or_else(|| (length == 1).then(|| Found::Other(parts[0])));
        found.map(|found| (&parts[length..], found))
    })
}

/// The modifiers, which come in this order.
fn mode(parts: &[&str]) -> Option<Mode> {
    let mut mode = Mode::default();
    let mut rest = parts;
    if let [name, after @ ..] = rest
        && let Some(rounding) = Rounding::by_name(name).filter(|rounding| *rounding != Rounding::None)
    {
        mode.rounding = rounding;
        rest = after;
    }
    if let ["ftz", after @ ..] = rest {
        mode.ftz = true;
        rest = after;
    }
    if let ["sat", after @ ..] = rest {
        mode.sat = true;
        rest = after;
    }
    rest.is_empty().then_some(mode)
}
