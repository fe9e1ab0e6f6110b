//! Operands of instructions (CDNA3 ISA).

use crate::family::Family;
use std::fmt;

/// How the bits of an operand are to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    B32,
    B64,
    F32,
    F64,
}

impl Kind {
    /// Registers that it takes.
    pub const fn registers(self) -> u16 {
        match self {
            Self::B32 | Self::F32 => 1,
            Self::B64 | Self::F64 => 2,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum File {
    Scalar,
    /// Vector registers; accumulation registers are those from [`ACCUMULATION`] on.
    Vector,
}

/// Where accumulation registers begin among the vector registers.
pub const ACCUMULATION: u16 = 1024;
/// Accumulation registers.
const ACCUMULATIONS: u16 = 256;
/// Vector registers of both kinds.
pub const VECTORS: usize = (ACCUMULATION + ACCUMULATIONS) as usize;
pub const VCC: u16 = 106;
/// Where the registers begin that tell a wave of gfx1250 which workgroup it is of.
pub const TRAP: u16 = 108;
pub const M0: u16 = 124;
pub const EXEC: u16 = 126;

/// Where generic addresses lie that mean the LDS, which no kernel here uses but to compare them with nothing.
const SHARED_BASE: u64 = 0x0001_0000_0000_0000;

/// Consecutive registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    pub file: File,
    pub first: u16,
    pub count: u16,
}

impl fmt::Display for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.file, self.first) {
            (File::Scalar, VCC | 107) => write!(f, "vcc"),
            (File::Scalar, EXEC | 127) => write!(f, "exec"),
            (File::Scalar, M0) => write!(f, "m0"),
            (File::Scalar, first) if first >= TRAP => write!(f, "ttmp{}", first - TRAP),
            (File::Scalar, first) => write!(f, "s{first}"),
            (File::Vector, first) if first >= ACCUMULATION => write!(f, "a{}", first - ACCUMULATION),
            (File::Vector, first) => write!(f, "v{first}"),
        }
    }
}

impl Registers {
    pub fn all(self) -> impl Iterator<Item = u16> {
        self.first..self.first + self.count
    }

    pub fn overlaps(self, other: Self) -> bool {
        self.file == other.file && self.first < other.first + other.count && other.first < self.first + self.count
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant {
    /// Inline, -16 to 64, or a 16-bit immediate.
    Integer(i64),
    /// A literal of 32 bits.
    Literal(u32),
    /// A literal of 64 bits.
    Wide(u64),
    Real(f64),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    Registers {
        registers: Registers,
        negated: bool,
        absolute: bool,
    },
    Constant(Constant),
    /// No base address.
    Off,
    /// A result that nothing keeps.
    Null,
    /// A value that the assembler computes: a label, or a formula of labels.
    Symbolic(String),
}

impl Operand {
    pub fn registers(&self) -> Option<Registers> {
        match self {
            Self::Registers { registers, .. } => Some(*registers),
            _ => None,
        }
    }
}

/// 1/2π, as a double and in single precision.
const INVERSE_TWO_PI: (u64, u32) = (0x3fc4_5f30_6dc9_c882, 0x3e22_f983);

impl Constant {
    /// The bits that an operand of that kind has. Literals of 64-bit integers are refused if their sign matters.
    pub fn bits(self, kind: Kind) -> Option<u64> {
        match (self, kind) {
            (Self::Integer(value), Kind::B32 | Kind::F32) => Some(u64::from(value as u32)),
            (Self::Integer(value), Kind::B64 | Kind::F64) => Some(value as u64),
            (Self::Literal(bits), Kind::B32 | Kind::F32) => Some(bits.into()),
            (Self::Literal(bits), Kind::F64) => Some(u64::from(bits) << 32),
            (Self::Literal(bits), Kind::B64) => (bits >> 31 == 0).then_some(bits.into()),
            (Self::Wide(bits), Kind::B64 | Kind::F64) => Some(bits),
            (Self::Wide(_), Kind::B32 | Kind::F32) => None,
            (Self::Real(value), _) if (0.159..0.16).contains(&value) => Some(match kind.registers() {
                1 => INVERSE_TWO_PI.1.into(),
                _ => INVERSE_TWO_PI.0,
            }),
            (Self::Real(value), Kind::B32 | Kind::F32) => Some(u64::from((value as f32).to_bits())),
            (Self::Real(value), Kind::B64 | Kind::F64) => Some(value.to_bits()),
        }
    }
}

/// Reads one operand; nothing where it is none.
pub fn read(text: &str, family: Family) -> Option<Operand> {
    match text {
        "off" => return Some(Operand::Off),
        "null" => return Some(Operand::Null),
        "src_shared_base" => return Some(Operand::Constant(Constant::Wide(SHARED_BASE))),
        _ => {}
    }
    if let Some(constant) = constant(text) {
        return Some(Operand::Constant(constant));
    }
    let (negated, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let inner = rest.strip_prefix('|').and_then(|rest| rest.strip_suffix('|'));
    let (absolute, name) = inner.map_or((false, rest), |inner| (true, inner));
    if let Some(registers) = registers(name, family) {
        return Some(Operand::Registers { registers, negated, absolute });
    }
    let is_symbolic = text.starts_with(|c: char| c.is_alphabetic() || "._(".contains(c))
        && (text.contains("rel32@") || text.contains("@rel64") || text.contains(".L"));
    is_symbolic.then(|| Operand::Symbolic(text.to_owned()))
}

fn constant(text: &str) -> Option<Constant> {
    if let Some(hex) = text.strip_prefix("0x") {
        let bits = u64::from_str_radix(hex, 16).ok()?;
        return Some(u32::try_from(bits).map_or(Constant::Wide(bits), Constant::Literal));
    }
    if text.contains('.') && text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()) {
        return text.parse().ok().map(Constant::Real);
    }
    let value: i64 = text.parse().ok()?;
    Some(if (-16..=64).contains(&value) {
        Constant::Integer(value)
    } else {
        Constant::Literal(u32::try_from(value).ok()?)
    })
}

fn registers(name: &str, family: Family) -> Option<Registers> {
    let scalar = |first, count| Some(Registers { file: File::Scalar, first, count });
    match name {
        "vcc" => return scalar(VCC, 2),
        "vcc_lo" => return scalar(VCC, 1),
        "vcc_hi" => return scalar(VCC + 1, 1),
        "exec" => return scalar(EXEC, 2),
        "exec_lo" => return scalar(EXEC, 1),
        "exec_hi" => return scalar(EXEC + 1, 1),
        "m0" => return scalar(M0, 1),
        _ => {}
    }
    let letters = name.find(|c: char| c.is_ascii_digit() || c == '[')?;
    let (letters, rest) = name.split_at(letters);
    let (file, base, limit) = match letters {
        "s" => (File::Scalar, 0, VCC),
        "ttmp" => (File::Scalar, TRAP, M0),
        "v" => (File::Vector, 0, family.vectors()),
        "a" => (File::Vector, ACCUMULATION, ACCUMULATION + ACCUMULATIONS),
        _ => return None,
    };
    let (first, last): (u16, u16) = match rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(range) => {
            let (first, last) = range.split_once(':')?;
            (first.parse().ok()?, last.parse().ok()?)
        }
        None => {
            let only = rest.parse().ok()?;
            (only, only)
        }
    };
    let fits = first <= last && last < limit - base;
    fits.then(|| Registers { file, first: base + first, count: last - first + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Operand> {
        super::read(text, Family::Cdna)
    }

    #[test]
    fn operands_are_read_as_clang_prints_them() {
        let vector = |first, count| Registers { file: File::Vector, first, count };
        let plain = |registers| Some(Operand::Registers { registers, negated: false, absolute: false });
        assert_eq!(read("v[0:1]"), plain(vector(0, 2)));
        assert_eq!(read("a7"), plain(vector(ACCUMULATION + 7, 1)));
        let negated = Operand::Registers { registers: vector(4, 2), negated: true, absolute: true };
        assert_eq!(read("-|v[4:5]|"), Some(negated));
        assert_eq!(read("v256"), None);
        assert_eq!(read("s[3:1]"), None);
        assert_eq!(read("vcc"), plain(Registers { file: File::Scalar, first: 106, count: 2 }));
        assert!(matches!(read("x@rel32@lo+4"), Some(Operand::Symbolic(_))));
        assert_eq!(read("flat_scratch"), None);
    }

    #[test]
    fn constants_have_the_bits_of_their_kind() {
        let bits = |text: &str, kind| match read(text) {
            Some(Operand::Constant(constant)) => constant.bits(kind),
            _ => None,
        };
        assert_eq!(bits("1.0", Kind::F64), Some(1.0f64.to_bits()));
        assert_eq!(bits("1.0", Kind::B32), Some(0x3f80_0000));
        assert_eq!(bits("-1", Kind::B32), Some(0xffff_ffff));
        assert_eq!(bits("-1", Kind::B64), Some(u64::MAX));
        assert_eq!(bits("0x3ff00000", Kind::F64), Some(1.0f64.to_bits()));
        assert_eq!(bits("0x3ff00000", Kind::B64), Some(0x3ff0_0000));
        assert_eq!(bits("0x80000000", Kind::B64), None);
        assert_eq!(bits("0.15915494309189532", Kind::F64), Some(0x3fc4_5f30_6dc9_c882));
    }
}
