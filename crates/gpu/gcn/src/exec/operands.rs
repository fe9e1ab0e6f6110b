//! Reads and writes of instructions that are the same in all lanes.

use crate::instruction::Instruction;
use crate::operand::{File, Kind, Operand, Registers};
use crate::wave::{LANES, Wave};

/// Returns the reason for which undefined registers are refused.
pub(super) fn undefined(registers: Registers) -> String {
    format!("it reads {registers}, which has no value")
}

impl Wave {
    /// Returns the bits that a scalar instruction reads, and whether they have a value.
    pub(super) fn scalar(&self, operand: &Operand, kind: Kind) -> Result<(u64, bool), String> {
        match operand {
            Operand::Registers { registers, .. } if registers.file == File::Scalar => {
                let at = usize::from(registers.first);
                let (low, high) = (u64::from(self.scalars[at]), kind.registers() == 2);
                let defined = registers.all().all(|at| self.scalar_defined[usize::from(at)] == u32::MAX);
                Ok((if high { u64::from(self.scalars[at + 1]) << 32 | low } else { low }, defined))
            }
            Operand::Constant(constant) => {
                let bits = constant.bits(kind).ok_or_else(|| "a constant of another kind".to_owned())?;
                Ok((bits, true))
            }
            _ => Err("an operand that no scalar instruction has".to_owned()),
        }
    }

    /// A scalar that must have a value.
    pub(super) fn known(&self, operand: &Operand, kind: Kind) -> Result<u64, String> {
        match (self.scalar(operand, kind)?, operand.registers()) {
            ((_, false), Some(registers)) => Err(undefined(registers)),
            ((value, _), _) => Ok(value),
        }
    }

    /// The bits of a scalar operand that have a value.
    pub(super) fn known_bits(&self, operand: &Operand) -> u64 {
        match operand.registers() {
            Some(Registers { file: File::Scalar, first, count }) => {
                let of = |place: u16| u64::from(self.scalar_defined[usize::from(first + place)]) << (32 * place);
                (0..count.min(2)).map(of).sum::<u64>() | if count == 1 { u64::MAX << 32 } else { 0 }
            }
            _ => u64::MAX,
        }
    }

    /// A mask of lanes, of which those that are on must have a value.
    pub(super) fn known_mask(&self, operand: &Operand, kind: Kind) -> Result<u64, String> {
        match operand.registers() {
            Some(registers) if self.exec() & !self.known_bits(operand) != 0 => Err(undefined(registers)),
            _ => Ok(self.scalar(operand, kind)?.0),
        }
    }

    pub(super) fn write_scalar(&mut self, operand: &Operand, value: u64, defined: bool) {
        self.write_bits(operand, value, if defined { u64::MAX } else { 0 });
    }

    /// Writes a scalar, some bits of which have a value.
    pub(super) fn write_bits(&mut self, operand: &Operand, value: u64, known: u64) {
        let Some(registers) = operand.registers() else { return };
        for (place, at) in registers.all().enumerate() {
            self.scalars[usize::from(at)] = (value >> (32 * place)) as u32;
            self.scalar_defined[usize::from(at)] = (known >> (32 * place)) as u32;
        }
    }

    /// Returns the bits that one lane reads, and whether they have a value.
    pub(super) fn lane(&self, operand: &Operand, kind: Kind, lane: usize) -> Result<(u64, bool), String> {
        let Operand::Registers { registers, negated, absolute } = operand else { return self.scalar(operand, kind) };
        let (bits, defined) = match registers.file {
            File::Scalar => self.scalar(operand, kind)?,
            File::Vector => {
                let at = usize::from(registers.first);
                let low = u64::from(self.vectors[at][lane]);
                let is_defined = |at: u16| self.defined[usize::from(at)] >> lane & 1 == 1;
                let high = if kind.registers() == 2 { u64::from(self.vectors[at + 1][lane]) << 32 } else { 0 };
                (high | low, registers.all().all(is_defined))
            }
        };
        let sign = if kind.registers() == 2 { 1 << 63 } else { 1 << 31 };
        let bits = if *absolute { bits & !sign } else { bits };
        Ok((if *negated { bits ^ sign } else { bits }, defined))
    }

    pub(super) fn known_lane(&self, operand: &Operand, kind: Kind, lane: usize) -> Result<u64, String> {
        match (self.lane(operand, kind, lane)?, operand.registers()) {
            ((_, false), Some(registers)) => Err(format!("{} in lane {lane}", undefined(registers))),
            ((value, _), _) => Ok(value),
        }
    }

    pub(super) fn write_lane(&mut self, operand: &Operand, lane: usize, value: u64, defined: bool) {
        let Some(registers) = operand.registers() else { return };
        for (place, at) in registers.all().enumerate() {
            let at = usize::from(at);
            self.vectors[at][lane] = (value >> (32 * place)) as u32;
            let bit = 1 << lane;
            self.defined[at] = if defined { self.defined[at] | bit } else { self.defined[at] & !bit };
        }
    }

    /// The registers of an instruction's result: number, values, and in which lanes they have one.
    pub(super) fn kept(&self, instruction: &Instruction) -> Vec<(u16, [u32; LANES], u64)> {
        let registers = instruction.operands[0].registers().filter(|registers| registers.file == File::Vector);
        let of = |at: u16| (at, self.vectors[usize::from(at)], self.defined[usize::from(at)]);
        registers.into_iter().flat_map(Registers::all).map(of).collect()
    }

    pub(super) fn restore(&mut self, kept: Vec<(u16, [u32; LANES], u64)>) {
        for (at, values, defined) in kept {
            self.vectors[usize::from(at)] = values;
            self.defined[usize::from(at)] = defined;
        }
    }

    /// The lanes that EXEC has on.
    pub(super) fn active(&self) -> impl Iterator<Item = usize> + use<> {
        let exec = self.exec();
        (0..64).filter(move |lane| exec >> lane & 1 == 1)
    }
}
