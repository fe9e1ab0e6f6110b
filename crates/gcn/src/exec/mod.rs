//! Executes one instruction of a wave.

mod lanes;
mod memory;
mod scalars;

use crate::instruction::{Instruction, Op};
use crate::listing::{self, CODE, Kernel};
use crate::memory::{Lds, Memory};
use crate::operand::{File, Kind, Operand, Registers};
use crate::wave::{State, Wave};

/// What a wave works on.
pub struct Surroundings<'a, 'm> {
    pub kernel: &'a Kernel,
    pub memory: &'a mut Memory<'m>,
    pub lds: &'a mut Lds,
    /// Approximations are cut to what is documented of them.
    pub cut: bool,
}

/// Executes the next instruction.
///
/// # Errors
/// The hazard that shows.
pub fn step(wave: &mut Wave, around: &mut Surroundings<'_, '_>) -> Result<(), String> {
    let kernel = around.kernel;
    let Some(instruction) = kernel.instructions.get(wave.next) else {
        return Err("the code ends without `s_endpgm`".to_owned());
    };
    wave.next += 1;
    count(wave, instruction);
    for operand in &instruction.operands {
        if let Some(registers) = operand.registers() {
            wave.arrived(registers)?;
        }
    }
    match instruction.op {
        Op::Wait { vector, others } => {
            if let Some(left) = vector {
                wave.wait_for_vectors(left.into());
            }
            if let Some(left) = others {
                wave.wait_for_others(left.into());
            }
        }
        Op::Nothing => {}
        Op::Barrier => {
            if let Some(line) = wave.unshared() {
                return Err(format!("no `s_waitcnt` before it covers what line {line} writes to the LDS"));
            }
            wave.state = State::AtBarrier;
        }
        Op::End => wave.state = State::Ended,
        Op::Jump => {
            let (address, _) = wave.scalar(&instruction.operands[0], Kind::B64)?;
            let offset = address.wrapping_sub(CODE);
            let target = usize::try_from(offset / 8).ok().filter(|_| offset.is_multiple_of(8));
            let target = target.filter(|target| *target < kernel.instructions.len());
            wave.next = target.ok_or_else(|| format!("it jumps to {address:#x}, where no code lies"))?;
        }
        Op::ProgramCounter => {
            let address = listing::address(wave.next);
            wave.write_scalar(&instruction.operands[0], address, true);
        }
        Op::Branch(_) | Op::Scalars(_) | Op::ScalarCompare { .. } | Op::SaveExec(_) => {
            scalars::execute(wave, instruction)?
        }
        Op::ScalarLoad { .. } | Op::Memory { .. } | Op::Pair { .. } => memory::execute(wave, around, instruction)?,
        _ => lanes::execute(wave, instruction, around.cut)?,
    }
    Ok(())
}

fn count(wave: &mut Wave, instruction: &Instruction) {
    let counts = &mut wave.counts;
    counts.instructions += 1;
    let name = instruction.text.split_whitespace().next().unwrap_or_default();
    match name {
        _ if name.starts_with("s_load") => counts.scalar_loads += 1,
        "s_barrier" => counts.barriers += 1,
        _ if name.starts_with("s_") => counts.scalar += 1,
        _ if name.starts_with("v_") => {
            counts.vector += 1;
            counts.doubles += u64::from(name.contains("_f64"));
        }
        _ if name.starts_with("ds_") => counts.lds += 1,
        _ if name.starts_with("scratch_") => counts.scratch += 1,
        _ => counts.global += 1,
    }
}

/// What undefined registers are refused with.
fn undefined(registers: Registers) -> String {
    format!("it reads {registers}, which has no value")
}

impl Wave {
    /// What a scalar instruction reads, and whether it has a value.
    fn scalar(&self, operand: &Operand, kind: Kind) -> Result<(u64, bool), String> {
        match operand {
            Operand::Registers { registers, .. } if registers.file == File::Scalar => {
                let at = usize::from(registers.first);
                let (low, high) = (u64::from(self.scalars[at]), kind.registers() == 2);
                let defined = registers.all().all(|at| self.scalar_defined[usize::from(at)]);
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
    fn known(&self, operand: &Operand, kind: Kind) -> Result<u64, String> {
        match (self.scalar(operand, kind)?, operand.registers()) {
            ((_, false), Some(registers)) => Err(undefined(registers)),
            ((value, _), _) => Ok(value),
        }
    }

    fn write_scalar(&mut self, operand: &Operand, value: u64, defined: bool) {
        let Some(registers) = operand.registers() else { return };
        for (place, at) in registers.all().enumerate() {
            self.scalars[usize::from(at)] = (value >> (32 * place)) as u32;
            self.scalar_defined[usize::from(at)] = defined;
        }
    }

    /// What one lane reads, and whether it has a value.
    fn lane(&self, operand: &Operand, kind: Kind, lane: usize) -> Result<(u64, bool), String> {
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

    fn known_lane(&self, operand: &Operand, kind: Kind, lane: usize) -> Result<u64, String> {
        match (self.lane(operand, kind, lane)?, operand.registers()) {
            ((_, false), Some(registers)) => Err(format!("{} in lane {lane}", undefined(registers))),
            ((value, _), _) => Ok(value),
        }
    }

    fn write_lane(&mut self, operand: &Operand, lane: usize, value: u64, defined: bool) {
        let Some(registers) = operand.registers() else { return };
        for (place, at) in registers.all().enumerate() {
            let at = usize::from(at);
            self.vectors[at][lane] = (value >> (32 * place)) as u32;
            let bit = 1 << lane;
            self.defined[at] = if defined { self.defined[at] | bit } else { self.defined[at] & !bit };
        }
    }

    /// The lanes that EXEC has on.
    fn active(&self) -> impl Iterator<Item = usize> + use<> {
        let exec = self.exec();
        (0..64).filter(move |lane| exec >> lane & 1 == 1)
    }
}
