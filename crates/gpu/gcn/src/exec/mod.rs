//! Executes one instruction of a wave.

mod barriers;
mod index;
mod lanes;
mod memory;
mod operands;
mod scalars;
mod surroundings;

use crate::instruction::{Counter, Instruction, Op, Space};
use crate::listing::{self, CODE};
use crate::operand::{Kind, M0};
use crate::wave::{State, Wave};

pub use index::Index;
pub use surroundings::Surroundings;

/// The counter of a load whose first operand comes behind all that the same counter waits for.
fn loads_in_order(instruction: &Instruction) -> Option<Counter> {
    match instruction.op {
        Op::Memory { store: false, space: Space::Lds, .. } | Op::Pair { store: false, .. } => Some(Counter::Lds),
        Op::Memory { store: false, space: Space::Flat, .. } => None,
        Op::Memory { store: false, .. } => Some(Counter::Loads),
        _ => None,
    }
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
    let indexed = wave.indexed.map(|index| index.applied(instruction)).transpose()?;
    let instruction = indexed.as_ref().unwrap_or(instruction);
    count(wave, instruction);
    let in_order = loads_in_order(instruction);
    for (place, registers) in instruction.registers().enumerate() {
        match in_order {
            Some(counter) if place == 0 => wave.waiting.arrives_before(registers, counter)?,
            _ => wave.waiting.arrived(registers)?,
        }
    }
    for registers in instruction.results() {
        match instruction.op {
            Op::Memory { space, .. } if space != Space::Lds => wave.waiting.overtakes(registers),
            _ => wave.waiting.translated(registers)?,
        }
    }
    match instruction.op {
        Op::Wait(waits) => wave.waiting.wait(waits),
        Op::Nothing => {}
        Op::Barrier | Op::Split(_) => barriers::execute(wave, around.barriers, instruction, kernel.named_barriers())?,
        Op::End => {
            wave.state = State::Ended;
            around.barriers.end(wave.index);
        }
        Op::Jump | Op::Call => {
            let to = instruction.operands.last().ok_or("a jump to nowhere")?;
            let address = wave.known(to, Kind::B64)?;
            let offset = address.wrapping_sub(CODE);
            let target = usize::try_from(offset / 8).ok().filter(|_| offset.is_multiple_of(8));
            let target = target.filter(|target| *target < kernel.instructions.len());
            let target = target.ok_or_else(|| format!("it jumps to {address:#x}, where no code lies"))?;
            if matches!(instruction.op, Op::Call) {
                wave.write_scalar(&instruction.operands[0], listing::address(wave.next), true);
            }
            wave.next = target;
        }
        Op::IndexOn { source, result } => {
            // Its low byte counts.
            let by = wave.known(&instruction.operands[0], Kind::B32)? as u16 & 255;
            wave.indexed = Some(Index { by, source, result });
            wave.forget(M0);
        }
        Op::IndexOff => wave.indexed = None,
        Op::ProgramCounter => {
            let address = listing::address(wave.next);
            wave.write_scalar(&instruction.operands[0], address, true);
        }
        Op::Branch(_)
        | Op::Scalars(_)
        | Op::ScalarsOnto(_)
        | Op::ScalarCompare { .. }
        | Op::BitCompare { .. }
        | Op::SaveExec(_) => scalars::execute(wave, instruction)?,
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
        "s_barrier" | "s_barrier_signal" => counts.barriers += 1,
        _ if name.starts_with("s_") => counts.scalar += 1,
        _ if name.starts_with("v_") => {
            counts.vector += 1;
            counts.doubles += u64::from(instruction.text.contains("_f64"));
        }
        _ if name.starts_with("ds_") => counts.lds += 1,
        _ if name.starts_with("scratch_") || name.starts_with("buffer_") => counts.scratch += 1,
        _ => counts.global += 1,
    }
}
