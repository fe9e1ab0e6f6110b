//! Operands of instructions.

use super::body::Body;
use super::{Reader, Rule};
use crate::inst::{Address, Base, Guard, Operand, Space, Special, Type};
use crate::ir::Reg;
use crate::names::{Named, WARP_SIZE};
use pest::iterators::Pair;

/// The type of that name, with or without its dot.
pub(super) fn ty(name: &str) -> Option<Type> {
    Type::by_name(name.strip_prefix('.').unwrap_or(name))
}

/// The type of a register or a parameter: half precision lies in untyped bits.
pub(super) fn storage(name: &str) -> Option<Type> {
    ty(name).or(match name {
        ".f16" | ".bf16" => Some(Type::B16),
        ".f16x2" | ".bf16x2" => Some(Type::B32),
        _ => None,
    })
}

/// A literal.
enum Literal {
    /// An integer in 64 bits.
    Integer(u64),
    /// The bits of `0f…`, and of `0d…` or a decimal number.
    Single(u32),
    Double(u64),
}

fn parse(text: &str) -> Option<Literal> {
    let lower = text.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0d") {
        return u64::from_str_radix(hex, 16).ok().map(Literal::Double);
    }
    if let Some(hex) = lower.strip_prefix("0f") {
        return u32::from_str_radix(hex, 16).ok().map(Literal::Single);
    }
    let hexadecimal = lower.trim_start_matches('-').starts_with("0x");
    if !hexadecimal && lower.contains(['.', 'e']) {
        return lower.parse::<f64>().ok().map(|value| Literal::Double(value.to_bits()));
    }
    bits(text).map(Literal::Integer)
}

/// The bits of an integer literal; of a real one, those that it shows.
pub(super) fn bits(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0d").or(lower.strip_prefix("0f")) {
        return u64::from_str_radix(hex, 16).ok();
    }
    let (negative, digits) = lower.strip_prefix('-').map_or((false, &lower[..]), |rest| (true, rest));
    let digits = digits.trim_end_matches('u');
    let value = match digits.get(..2) {
        Some("0x") => u64::from_str_radix(&digits[2..], 16).ok()?,
        Some("0b") => u64::from_str_radix(&digits[2..], 2).ok()?,
        Some(_) if digits.starts_with('0') => u64::from_str_radix(digits, 8).ok()?,
        _ => digits.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

/// An immediate as the IR holds it for an operand of that type.
pub(super) fn literal(text: &str, ty: Type) -> Option<u64> {
    match (parse(text)?, ty) {
        (Literal::Single(bits), Type::F32 | Type::B32) => Some(bits.into()),
        (Literal::Single(bits), Type::F64) => Some(f64::from(f32::from_bits(bits)).to_bits()),
        (Literal::Double(bits), Type::F64 | Type::B64) => Some(bits),
        (Literal::Double(bits), Type::F32) => Some((f64::from_bits(bits) as f32).to_bits().into()),
        (Literal::Integer(bits), Type::Pred) => Some(u64::from(bits != 0)),
        (Literal::Integer(0), Type::F32 | Type::F64) => Some(0),
        (_, Type::F32 | Type::F64) | (Literal::Single(_) | Literal::Double(_), _) => None,
        (Literal::Integer(bits), ty) => Some(bits & ty.mask()),
    }
}

/// Why an operand could not be taken.
pub(super) enum Misfit {
    /// The instruction becomes an opaque one.
    Unknown,
    /// An error has been reported.
    Reported,
}

impl<'a> Reader<'a> {
    pub(super) fn operand(&mut self, pair: &Pair<'a, Rule>, ty: Type, body: &mut Body<'a>) -> Result<Operand, Misfit> {
        let inner = pair.clone().into_inner().next().ok_or(Misfit::Unknown)?;
        self.simple(&inner, ty, body)
    }

    /// An operand from its number or word.
    pub(super) fn simple(&mut self, inner: &Pair<'a, Rule>, ty: Type, body: &mut Body<'a>) -> Result<Operand, Misfit> {
        match inner.as_rule() {
            Rule::number => literal(inner.as_str(), ty).map(Operand::Imm).ok_or(Misfit::Unknown),
            Rule::word => {
                let name = inner.as_str();
                if let Some(special) = Special::by_name(name) {
                    return Ok(Operand::Special(special));
                }
                if let Some(variable) = self.variable_of(name) {
                    return Ok(Operand::Variable(variable));
                }
                if name == WARP_SIZE.0 && body.reg(name).is_none() {
                    return Ok(Operand::Imm(WARP_SIZE.1));
                }
                if let (None, Some(param)) = (body.reg(name), body.param(name)) {
                    return Ok(Operand::Param(param));
                }
                self.reg(inner, body).map(Operand::Reg)
            }
            _ => Err(Misfit::Unknown),
        }
    }

    /// An operand that must be a register.
    pub(super) fn register(&mut self, pair: &Pair<'a, Rule>, body: &mut Body<'a>) -> Result<Reg, Misfit> {
        match pair.clone().into_inner().next() {
            Some(word) if word.as_rule() == Rule::word => self.reg(&word, body),
            _ => Err(Misfit::Unknown),
        }
    }

    /// `a` or `a|b`
    pub(super) fn pair(&mut self, pair: &Pair<'a, Rule>, body: &mut Body<'a>) -> Result<(Reg, Option<Reg>), Misfit> {
        match pair.clone().into_inner().next() {
            Some(either) if either.as_rule() == Rule::either => {
                let mut words = either.into_inner();
                let (first, second) = (words.next().ok_or(Misfit::Unknown)?, words.next().ok_or(Misfit::Unknown)?);
                let first = self.reg(&first, body)?;
                Ok((first, if second.as_str() == "_" { None } else { Some(self.reg(&second, body)?) }))
            }
            _ => Ok((self.register(pair, body)?, None)),
        }
    }

    /// `p` or `!p`
    pub(super) fn predicate(&mut self, pair: &Pair<'a, Rule>, body: &mut Body<'a>) -> Result<Guard, Misfit> {
        let inner = pair.clone().into_inner().next().ok_or(Misfit::Unknown)?;
        let negate = inner.as_rule() == Rule::negated;
        let word = if negate { inner.into_inner().next().ok_or(Misfit::Unknown)? } else { inner };
        if word.as_rule() != Rule::word {
            return Err(Misfit::Unknown);
        }
        let pred = self.reg(&word, body)?;
        if body.func.regs[pred] == Type::Pred { Ok(Guard { pred, negate }) } else { Err(Misfit::Unknown) }
    }

    /// The register of that name, which must be declared unless it is one of the machine's.
    pub(super) fn reg(&mut self, word: &Pair<'a, Rule>, body: &mut Body<'a>) -> Result<Reg, Misfit> {
        let name = word.as_str();
        match body.reg(name) {
            Some(reg) => Ok(reg),
            // nobody reads what goes there
            None if name == "_" => body.sink.map(|ty| body.func.regs.push(ty)).ok_or(Misfit::Unknown),
            None if is_machine(name) => Err(Misfit::Unknown),
            // the address of a function or a texture, which may be declared later
            None if !name.starts_with('%') && word.as_rule() == Rule::word && self.is_symbol(name) => {
                Err(Misfit::Unknown)
            }
            None => {
                self.error(word, "ptx::undeclared", format!("{name} is not declared"));
                Err(Misfit::Reported)
            }
        }
    }

    /// Whether a word that names nothing here may be a variable of another module, which this one does not declare.
    pub(super) fn is_elsewhere(&self, name: &str, body: &mut Body<'a>) -> bool {
        let known = Special::by_name(name).is_some()
            || name == WARP_SIZE.0
            || self.variable_of(name).is_some()
            || body.param(name).is_some();
        let is_own = known || self.declared.contains(name) || body.reg(name).is_some();
        !is_own && !name.starts_with('%') && name != "_"
    }

    /// An address; `space` is that of the access.
    pub(super) fn address(
        &mut self,
        pair: &Pair<'a, Rule>,
        space: Space,
        body: &mut Body<'a>,
    ) -> Result<Address, Misfit> {
        let inner = pair.clone().into_inner().next().filter(|inner| inner.as_rule() == Rule::address);
        let mut parts = inner.ok_or(Misfit::Unknown)?.into_inner();
        let word = parts.next().ok_or(Misfit::Unknown)?;
        let offset = match parts.next() {
            Some(integer) => bits(integer.as_str()).ok_or(Misfit::Unknown)? as i64,
            None => 0,
        };
        let name = word.as_str();
        let base = if let Some(param) = body.param(name) {
            Base::Param(param)
        } else if let Some(variable) = self.variable_of(name) {
            Base::Variable(variable)
        } else if space != Space::Param && self.is_elsewhere(name, body) {
            return Err(Misfit::Unknown);
        } else {
            Base::Reg(self.reg(&word, body)?)
        };
        Ok(Address { base, offset })
    }
}

/// Further special registers, by the start of their names.
const MACHINE: [&str; 20] = [
    "tid", "ntid", "ctaid", "nctaid", "laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "lanemask", "clock",
    "pm", "envreg", "globaltimer", "total_smem", "dynamic_smem", "aggr_smem", "is_explicit", "cluster",
];

/// Whether it is a register of the machine.
pub(super) fn is_machine(name: &str) -> bool {
    name.strip_prefix('%').is_some_and(|name| MACHINE.iter().any(|start| name.starts_with(start)))
}

/// The elements of `{…}`.
pub(super) fn vector<'a>(pair: &Pair<'a, Rule>) -> Option<Vec<Pair<'a, Rule>>> {
    let inner = pair.clone().into_inner().next().filter(|inner| inner.as_rule() == Rule::vector)?;
    Some(inner.into_inner().collect())
}
