//! Takes the operands of an instruction one after the other.

use super::decoder::Decoder;
use crate::machine_code::constants;
use crate::machine_code::op::{Bit, Kind, Source, TESTED, TRUE, UNIFORM, UNIFORM_PREDICATE, ZERO};
use ptx::inst::{BoolOp, Cmp};
use sass::{File, Instruction, Operand, Part, Register};

pub(super) struct Operands<'i, 'd, 'c> {
    pub instruction: &'i Instruction,
    pub decoder: &'d mut Decoder<'c>,
    at: usize,
}

impl<'i, 'd, 'c> Operands<'i, 'd, 'c> {
    pub(super) fn new(instruction: &'i Instruction, decoder: &'d mut Decoder<'c>) -> Self {
        Self { instruction, decoder, at: 0 }
    }

    /// Starts again at the first operand.
    pub(super) fn again(&mut self) -> Operands<'i, '_, 'c> {
        Operands { instruction: self.instruction, decoder: self.decoder, at: 0 }
    }

    /// Fails if the instruction has another modifier than these.
    pub(super) fn only(&self, modifiers: &[&str]) -> Option<()> {
        self.instruction.modifiers().all(|found| modifiers.contains(&found)).then_some(())
    }

    pub(super) fn has(&self, modifier: &str) -> bool {
        self.instruction.has(modifier)
    }

    /// Fails if operands are left.
    pub(super) fn done(&self) -> Option<()> {
        (self.at == self.instruction.operands.len()).then_some(())
    }

    pub(super) fn left(&self) -> usize {
        self.instruction.operands.len() - self.at
    }

    pub(super) fn next(&mut self) -> Option<&'i Operand> {
        let operand = self.instruction.operands.get(self.at)?;
        self.at += 1;
        Some(operand)
    }

    pub(super) fn peek(&self) -> Option<&'i Operand> {
        self.instruction.operands.get(self.at)
    }

    /// Takes the row of a register without modifiers.
    pub(super) fn register(&mut self) -> Option<u32> {
        match self.next()? {
            Operand::Register(register) if *register == plain(*register) => Some(row(*register)),
            _ => None,
        }
    }

    /// Takes the row of a result, and whether it sets the condition code.
    pub(super) fn tested(&mut self) -> Option<(u32, bool)> {
        match self.next()? {
            Operand::Register(register) if register.part == Part::WithConditionCode => {
                let whole = plain(*register);
                (*register == Register { part: Part::WithConditionCode, ..whole }).then_some(())?;
                Some((if whole.number.is_none() { TESTED } else { row(whole) }, true))
            }
            Operand::Register(register) if *register == plain(*register) => Some((row(*register), false)),
            _ => None,
        }
    }

    /// Takes a predicate that is written; `Some(None)` if the result is dropped.
    pub(super) fn result_bit(&mut self) -> Option<Option<u8>> {
        match bit(self.next()?)? {
            (TRUE, false) => Some(None),
            (pred, false) => Some(Some(pred)),
            _ => None,
        }
    }

    /// Takes as many written predicates as stand before the next operand of another kind, at most two.
    pub(super) fn carries(&mut self) -> Option<[Option<u8>; 2]> {
        let mut carries = [None; 2];
        for carry in &mut carries {
            if matches!(self.peek(), Some(Operand::Predicate { .. })) {
                *carry = self.result_bit()?;
            }
        }
        Some(carries)
    }

    /// Takes a predicate that is read.
    pub(super) fn bit(&mut self) -> Option<Bit> {
        bit(self.next()?)
    }

    pub(super) fn number(&mut self) -> Option<i64> {
        match self.next()? {
            Operand::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// Takes a value that is read.
    pub(super) fn source(&mut self, kind: Kind) -> Option<Source> {
        match self.next()? {
            Operand::Register(register) => {
                let Register { negate, absolute, invert, .. } = *register;
                if (Register { negate: false, absolute: false, invert: false, ..*register }) != plain(*register) {
                    return None;
                }
                modified(Source { row: row(*register), negate, absolute, invert }, kind)
            }
            Operand::Integer(number) => {
                // immediates have 32 bits, with or without a sign
                let word = i32::try_from(*number).map(|x| x as u32).or_else(|_| u32::try_from(*number)).ok()?;
                match kind {
                    Kind::Integer => Some(self.decoder.constant(word, 0)),
                    Kind::Long if word == 0 => Some(self.decoder.constant(0, 0)),
                    _ => None,
                }
            }
            Operand::Real(value) => self.real(*value, kind),
            Operand::Constant { bank, index: None, offset, negate, absolute, invert } => {
                let bits = self.decoder.constant_at(*bank, *offset, if kind.is_wide() { 8 } else { 4 })?;
                let source = self.decoder.constant(bits as u32, (bits >> 32) as u32);
                modified(Source { negate: *negate, absolute: *absolute, invert: *invert, ..source }, kind)
            }
            Operand::Address { symbol, high } if kind == Kind::Integer => {
                let address = constants::table(self.decoder.cubin, symbol, self.decoder.buffers)?;
                let word = if *high { address >> 32 } else { address };
                Some(self.decoder.constant(word as u32, 0))
            }
            _ => None,
        }
    }

    /// Takes a real number. The text tells the value, the encoding the bits; both must agree.
    fn real(&mut self, value: f64, kind: Kind) -> Option<Source> {
        let bits = match self.instruction.immediate() {
            Some(bits) => bits,
            None => short(value, kind)?,
        };
        let (found, source) = match kind {
            Kind::Single | Kind::Flushed => (f64::from(f32::from_bits(bits)), (bits, 0)),
            Kind::Double => (f64::from_bits(u64::from(bits) << 32), (0, bits)),
            Kind::Integer | Kind::Long => return None,
        };
        let printed = if matches!(kind, Kind::Single | Kind::Flushed) { f64::from(value as f32) } else { value };
        let agree = found == printed || found.is_nan() && value.is_nan();
        agree.then(|| self.decoder.constant(source.0, source.1))
    }

    /// Returns the index of the instruction among all.
    pub(super) fn index(&self) -> Option<u32> {
        let instructions = &self.decoder.kernel.instructions;
        let found = instructions.binary_search_by_key(&self.instruction.address, |instruction| instruction.address);
        found.ok().map(|index| index as u32)
    }

    /// Whether the next operand is an absolute value.
    pub(super) fn takes_magnitude(&self) -> bool {
        matches!(self.peek(), Some(Operand::Register(register)) if register.absolute)
    }

    /// Takes an integer that is read, without its absolute-value modifier.
    pub(super) fn plain_source(&mut self) -> Option<Source> {
        match self.peek()? {
            Operand::Register(register) if register.absolute && !register.negate && !register.invert => {
                self.next();
                let whole = plain(*register);
                (Register { absolute: true, ..whole } == *register).then_some(())?;
                Some(Source { row: row(whole), negate: false, absolute: false, invert: false })
            }
            _ => self.source(Kind::Integer),
        }
    }

    /// Takes a word of which a byte is read: `R7.B1`, or all of it.
    pub(super) fn byte(&mut self) -> Option<(Source, u32)> {
        let Operand::Register(register) = *self.peek()? else { return Some((self.source(Kind::Integer)?, 0)) };
        let byte = match register.part {
            Part::Other("B0") | Part::Whole => 0,
            Part::Other("B1") => 1,
            Part::Other("B2") => 2,
            Part::Other("B3") => 3,
            _ => return None,
        };
        self.next();
        (!register.negate && !register.absolute && !register.invert).then_some(())?;
        Some((Source { row: row(register), negate: false, absolute: false, invert: false }, byte))
    }

    /// Takes the upper word of a double; an immediate is written as the whole double.
    pub(super) fn upper_word(&mut self) -> Option<Source> {
        let Operand::Real(value) = *self.peek()? else { return self.source(Kind::Single) };
        self.next();
        let double = self.real(value, Kind::Double)?;
        // the pair of rows is that of the whole double
        Some(Source { row: double.row + 1, ..double })
    }

    /// Returns the comparison operator.
    pub(super) fn compared(&self) -> Option<Cmp> {
        self.instruction.modifiers().find_map(|word| {
            Some(match word {
                "LT" => Cmp::Lt,
                "LE" => Cmp::Le,
                "GT" => Cmp::Gt,
                "GE" => Cmp::Ge,
                "EQ" => Cmp::Eq,
                "NE" => Cmp::Ne,
                "LTU" => Cmp::Ltu,
                "LEU" => Cmp::Leu,
                "GTU" => Cmp::Gtu,
                "GEU" => Cmp::Geu,
                "EQU" => Cmp::Equ,
                "NEU" => Cmp::Neu,
                "NUM" => Cmp::Num,
                "NAN" => Cmp::Nan,
                _ => return None,
            })
        })
    }

    /// Returns the comparison operator, and the operation that joins its result to a predicate.
    pub(super) fn comparison(&self) -> Option<(Cmp, BoolOp)> {
        let combine = |word: &str| {
            Some(match word {
                "AND" => BoolOp::And,
                "OR" => BoolOp::Or,
                "XOR" => BoolOp::Xor,
                _ => return None,
            })
        };
        Some((self.compared()?, self.instruction.modifiers().find_map(combine)?))
    }
}

/// Returns the upper 32 bits of a number whose encoding is not at hand. Before Volta an immediate has at most 20 bits in front of
/// zeros, or all 32 of a single, for which the text has enough digits.
fn short(value: f64, kind: Kind) -> Option<u32> {
    match kind {
        Kind::Double => (value.to_bits() << 20 == 0 && !value.is_nan()).then_some((value.to_bits() >> 32) as u32),
        Kind::Single | Kind::Flushed => (!value.is_nan()).then_some((value as f32).to_bits()),
        Kind::Integer | Kind::Long => None,
    }
}

/// Decodes a predicate operand.
pub(super) fn bit(operand: &Operand) -> Option<Bit> {
    let Operand::Predicate { file, number, negate } = operand else { return None };
    Some((number.map_or(TRUE, |number| first_predicate(*file) + number), *negate))
}

/// Returns the place of a file's first predicate.
pub(super) fn first_predicate(file: File) -> u8 {
    match file {
        File::General => 0,
        File::Uniform => UNIFORM_PREDICATE,
    }
}

/// Returns the row of a register.
pub(super) fn row(register: Register) -> u32 {
    match (register.file, register.number) {
        (_, None) => ZERO,
        (File::General, Some(number)) => number.into(),
        (File::Uniform, Some(number)) => UNIFORM + u32::from(number),
    }
}

/// Returns the register without its modifiers.
fn plain(register: Register) -> Register {
    Register { part: Part::Whole, negate: false, absolute: false, invert: false, ..register }
}

/// Returns the source if its modifiers fit the kind.
fn modified(source: Source, kind: Kind) -> Option<Source> {
    let real = matches!(kind, Kind::Single | Kind::Flushed | Kind::Double);
    let fits = if real { !source.invert } else { !(source.absolute || source.negate && source.invert) };
    fits.then_some(source)
}
