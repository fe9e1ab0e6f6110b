//! Operands of instructions.

use super::body::Body;
use super::{Reader, Rule};
use crate::simt::inst::{Address, Base, Operand, Special, Type};
use crate::simt::ir::Reg;
use pest::iterators::Pair;

/// The types that the IR has.
pub(super) fn ty(name: &str) -> Option<Type> {
    Some(match name.trim_start_matches('.') {
        "pred" => Type::Pred,
        "b32" => Type::B32,
        "u32" => Type::U32,
        "s32" => Type::S32,
        "b64" => Type::B64,
        "u64" => Type::U64,
        "s64" => Type::S64,
        "f64" => Type::F64,
        _ => return None,
    })
}

/// The bits of a literal: `0d` and `0f` forms as they stand, integers in 64 bits.
pub(super) fn bits(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0d").or(lower.strip_prefix("0f")) {
        return u64::from_str_radix(hex, 16).ok();
    }
    let (negative, digits) = lower.strip_prefix('-').map_or((false, &lower[..]), |rest| (true, rest));
    let digits = digits.trim_end_matches('u');
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(digits, 8).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

fn special(name: &str) -> Option<Special> {
    Some(match name {
        "%tid.x" => Special::TidX,
        "%tid.y" => Special::TidY,
        "%tid.z" => Special::TidZ,
        "%ntid.x" => Special::NtidX,
        "%ntid.y" => Special::NtidY,
        "%ntid.z" => Special::NtidZ,
        "%ctaid.x" => Special::CtaidX,
        "%ctaid.y" => Special::CtaidY,
        "%ctaid.z" => Special::CtaidZ,
        "%nctaid.x" => Special::NctaidX,
        "%laneid" => Special::LaneId,
        "%warpid" => Special::WarpId,
        _ => return None,
    })
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
        let Some(inner) = pair.clone().into_inner().next() else { return Err(Misfit::Unknown) };
        match inner.as_rule() {
            Rule::number => literal(inner.as_str(), ty).map(Operand::Imm).ok_or(Misfit::Unknown),
            Rule::word => {
                let name = inner.as_str();
                if let Some(special) = special(name) {
                    return Ok(Operand::Special(special));
                }
                if let Some(variable) = self.variables.get(name) {
                    return Ok(Operand::Variable(*variable));
                }
                self.reg(&inner, body).map(Operand::Reg)
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

    /// The register of that name, which must be declared unless it is one of the machine's.
    pub(super) fn reg(&mut self, word: &Pair<'a, Rule>, body: &mut Body<'a>) -> Result<Reg, Misfit> {
        let name = word.as_str();
        match body.reg(name) {
            Some(reg) => Ok(reg),
            None if name.starts_with('%') && MACHINE.iter().any(|m| name[1..].starts_with(m)) => Err(Misfit::Unknown),
            None => {
                self.error(word, "ptx::undeclared", format!("{name} is not declared"));
                Err(Misfit::Reported)
            }
        }
    }

    /// The two registers of `{a, b}`.
    pub(super) fn two(&mut self, pair: &Pair<'a, Rule>, body: &mut Body<'a>) -> Result<(Reg, Reg), Misfit> {
        let words = vector(pair).filter(|words| words.len() == 2).ok_or(Misfit::Unknown)?;
        Ok((self.reg(&words[0], body)?, self.reg(&words[1], body)?))
    }

    pub(super) fn address(&mut self, pair: &Pair<'a, Rule>, body: &mut Body<'a>) -> Result<Address, Misfit> {
        let inner = pair.clone().into_inner().next().filter(|inner| inner.as_rule() == Rule::address);
        let mut parts = inner.ok_or(Misfit::Unknown)?.into_inner();
        let word = parts.next().ok_or(Misfit::Unknown)?;
        let offset = match parts.next() {
            Some(integer) => bits(integer.as_str()).ok_or(Misfit::Unknown)? as i64,
            None => 0,
        };
        let name = word.as_str();
        let base = if let Some(param) = body.params.get(name) {
            Base::Param(*param)
        } else if let Some(variable) = self.variables.get(name) {
            Base::Variable(*variable)
        } else {
            Base::Reg(self.reg(&word, body)?)
        };
        Ok(Address { base, offset })
    }
}

/// Further special registers, by the start of their names.
const MACHINE: [&str; 20] = [
    "tid",
    "ntid",
    "ctaid",
    "nctaid",
    "laneid",
    "warpid",
    "nwarpid",
    "smid",
    "nsmid",
    "gridid",
    "lanemask",
    "clock",
    "pm",
    "envreg",
    "globaltimer",
    "total_smem",
    "dynamic_smem",
    "aggr_smem",
    "is_explicit",
    "cluster",
];

/// The words of `{…}`.
pub(super) fn vector<'a>(pair: &Pair<'a, Rule>) -> Option<Vec<Pair<'a, Rule>>> {
    let inner = pair.clone().into_inner().next().filter(|inner| inner.as_rule() == Rule::vector)?;
    Some(inner.into_inner().collect())
}

/// An immediate as the IR holds it for an operand of that type.
pub(super) fn literal(text: &str, ty: Type) -> Option<u64> {
    let real = text.len() > 2 && matches!(text.as_bytes()[1], b'd' | b'D' | b'f' | b'F') && !text.starts_with('-');
    let bits = bits(text)?;
    match ty {
        Type::F64 => real.then_some(bits),
        _ if real => None,
        Type::Pred => Some(u64::from(bits != 0)),
        Type::B32 | Type::U32 | Type::S32 => Some(bits & 0xffff_ffff),
        Type::B64 | Type::U64 | Type::S64 => Some(bits),
    }
}
