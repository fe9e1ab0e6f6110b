//! Executes one instruction of a wave.

mod lanes;
mod memory;
mod operands;
mod scalars;
mod surroundings;

use crate::instruction::{Instruction, Op};
use crate::listing::{self, CODE};
use crate::operand::Kind;
use crate::wave::{State, Wave};

pub use surroundings::Surroundings;

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
        Op::Branch(_) | Op::Scalars(_) | Op::ScalarsOnto(_) | Op::ScalarCompare { .. } | Op::SaveExec(_) => {
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
        _ if name.starts_with("scratch_") || name.starts_with("buffer_") => counts.scratch += 1,
        _ => counts.global += 1,
    }
}
