//! Loads and stores (CDNA3 ISA). Values are there at once; that they come later is kept by [`Waiting`](crate::waits::Waiting).

use super::surroundings::Surroundings;
use crate::family::Family;
use crate::instruction::{Counter, Instruction, Op, Space};
use crate::memory::descriptor;
use crate::operand::Kind::{B32, B64};
use crate::operand::{File, Operand};
use crate::waits::Outstanding;
use crate::wave::{LANES, Wave};

pub fn execute(wave: &mut Wave, around: &mut Surroundings<'_, '_>, instruction: &Instruction) -> Result<(), String> {
    let operands = &instruction.operands;
    let entry = |registers, shares| Outstanding { registers, scalar: false, shares, line: instruction.line };
    match instruction.op {
        Op::ScalarLoad { registers } => {
            let base = wave.known(&operands[1], B64)?;
            let offset = wave.known(&operands[2], B32)?;
            // An immediate has a sign, a register none.
            let offset = match operands[2].registers() {
                Some(_) => in_units(wave, instruction, offset, 4 * u64::from(registers))?,
                None => offset as u32 as i32 as u64,
            };
            let address = base.wrapping_add(offset).wrapping_add(instruction.offsets[0] as u64) & !3;
            let Some(results) = operands[0].registers() else { return Ok(()) };
            for (place, at) in results.all().enumerate() {
                let address = address.wrapping_add(4 * place as u64);
                match around.memory.is_beside_data(address) {
                    true => wave.forget(at),
                    false => wave.set(at, around.memory.read(address, 4)?),
                }
            }
            let counter = if is_split(wave) { Counter::Scalar } else { Counter::Lds };
            wave.waiting.issue(counter, Outstanding { scalar: true, ..entry(Some(results), false) });
            if is_split(wave) {
                wave.waiting.translate(
                    operands[1..].iter().filter_map(Operand::registers).collect(),
                    true,
                    instruction.line,
                );
            }
        }
        Op::Memory { space, store, bytes, signed } => {
            let (data, place) = if store && space != Space::Buffer { (1, 0) } else { (0, 1) };
            for lane in wave.active() {
                let address = match space {
                    Space::Buffer => private(wave, instruction, lane)?,
                    _ => address(wave, instruction, space, place, bytes, lane)?,
                };
                move_data(wave, around, (space, store, signed), &operands[data], (address, bytes), lane)?;
            }
            let registers = operands[data].registers().filter(|_| !store);
            let shares = store && space == Space::Lds;
            if space != Space::Lds {
                let counter = if store && is_split(wave) { Counter::Stores } else { Counter::Loads };
                wave.waiting.issue(counter, entry(registers, false));
                if is_split(wave) {
                    let sources = operands.iter().enumerate().filter(|(at, _)| store || *at != data);
                    let sources = sources.filter_map(|(_, operand)| operand.registers()).collect();
                    wave.waiting.translate(sources, false, instruction.line);
                }
            }
            if matches!(space, Space::Lds | Space::Flat) {
                wave.waiting.issue(Counter::Lds, entry(registers, shares));
            }
        }
        Op::Pair { store, bytes, unit } => {
            let (first, place) = if store { (1, 0) } else { (0, 1) };
            for lane in wave.active() {
                // The first value may go where the address is.
                let base = wave.known_lane(&operands[place], B32, lane)?;
                for (at, offset) in instruction.offsets.iter().enumerate() {
                    let address = base.wrapping_add((offset * i64::from(unit)) as u64);
                    let data = if store { operands[first + at].clone() } else { part(&operands[0], at, bytes) };
                    move_data(wave, around, (Space::Lds, store, false), &data, (address, bytes), lane)?;
                }
            }
            wave.waiting.issue(Counter::Lds, entry(operands[0].registers().filter(|_| !store), store));
        }
        _ => {}
    }
    Ok(())
}

/// One of the two values in the registers of a pair.
fn part(operand: &Operand, at: usize, bytes: u8) -> Operand {
    let Operand::Registers { registers, .. } = operand else { return operand.clone() };
    let count = u16::from(bytes / 4);
    let registers = crate::operand::Registers { first: registers.first + count * at as u16, count, ..*registers };
    Operand::Registers { registers, negated: false, absolute: false }
}

/// Whether the machine has a counter for each kind of memory.
fn is_split(wave: &Wave) -> bool {
    wave.family == Family::Gfx1250
}

/// A register's offset, in bytes.
///
/// # Errors
/// On gfx1250, one that would be another one with a sign: which one it has is told of no instruction.
fn in_units(wave: &Wave, instruction: &Instruction, offset: u64, bytes: u64) -> Result<u64, String> {
    if is_split(wave) && offset >> 31 != 0 {
        return Err(format!("a register's offset of {offset:#x}, whose sign is not known"));
    }
    Ok(if instruction.scaled { offset * bytes } else { offset })
}

/// Where a lane reads or writes: an address in global memory, or an offset in its private memory or in the LDS.
fn address(
    wave: &Wave,
    instruction: &Instruction,
    space: Space,
    place: usize,
    bytes: u8,
    lane: usize,
) -> Result<u64, String> {
    let operands = &instruction.operands;
    let of_lane = |kind| match &operands[place] {
        Operand::Off => Ok(0),
        operand => wave.known_lane(operand, kind, lane),
    };
    let base = match (space, operands.get(2)) {
        (Space::Global, Some(Operand::Off)) | (Space::Flat, _) => of_lane(B64)?,
        (Space::Global, Some(scalar)) => {
            wave.known(scalar, B64)?.wrapping_add(in_units(wave, instruction, of_lane(B32)?, bytes.into())?)
        }
        (Space::Scratch, Some(scalar @ Operand::Registers { .. })) => {
            wave.known(scalar, B32)?.wrapping_add(of_lane(B32)?)
        }
        _ => of_lane(B32)?,
    };
    Ok(base.wrapping_add(instruction.offsets[0] as u64))
}

/// Where in its private memory a lane is sent by the wave's descriptor. Words of 64 lanes lie beside each other there, so that what is added for all
/// lanes counts 64 times.
fn private(wave: &Wave, instruction: &Instruction, lane: usize) -> Result<u64, String> {
    let operands = &instruction.operands;
    let Some(registers) = operands[2].registers() else { return Err("no descriptor".to_owned()) };
    for (at, expected) in registers.all().zip(descriptor(wave.index)) {
        let at = usize::from(at);
        if wave.scalar_defined[at] != u32::MAX || wave.scalars[at] != expected {
            return Err("its descriptor is not that of the wave's private memory".to_owned());
        }
    }
    let shared = wave.known(&operands[3], B32)?;
    if !shared.is_multiple_of(4 * LANES as u64) {
        return Err(format!("the offset {shared} of all lanes is no multiple of {}", 4 * LANES));
    }
    let own = if instruction.offen { wave.known_lane(&operands[1], B32, lane)? } else { 0 };
    Ok((shared / LANES as u64).wrapping_add(own).wrapping_add(instruction.offsets[0] as u64))
}

/// Moves the registers of a lane to or from memory.
fn move_data(
    wave: &mut Wave,
    around: &mut Surroundings<'_, '_>,
    (space, store, signed): (Space, bool, bool),
    data: &Operand,
    (address, bytes): (u64, u8),
    lane: usize,
) -> Result<(), String> {
    let Some(registers) = data.registers().filter(|registers| registers.file == File::Vector) else {
        return Err("its data lie in no vector registers".to_owned());
    };
    // Clang reads two numbers of 16 bits as one word: global memory has no alignment (LLVM, "User Guide for AMDGPU Backend", unaligned-access-mode).
    let needs_alignment = !matches!(space, Space::Global | Space::Flat);
    if needs_alignment && !address.is_multiple_of(u64::from(bytes.min(4))) {
        return Err(format!("the address {address:#x} is not aligned"));
    }
    for (place, at) in registers.all().enumerate() {
        let (address, bytes) = (address.wrapping_add(4 * place as u64), bytes.min(4));
        let word = Operand::Registers {
            registers: crate::operand::Registers { first: at, count: 1, ..registers },
            negated: false,
            absolute: false,
        };
        // Private memory keeps spilled registers, those without a value among them.
        if matches!(space, Space::Scratch | Space::Buffer) {
            let size = 4 * wave.scratch.len();
            let index = (address / 4) as usize;
            if index >= wave.scratch.len() || bytes != 4 {
                return Err(format!("the address {address:#x} is beyond the {size} bytes of private memory"));
            }
            if store {
                let (value, defined) = wave.lane(&word, B32, lane)?;
                wave.scratch[index][lane] = defined.then_some(value as u32);
            } else {
                let value = wave.scratch[index][lane];
                wave.write_lane(&word, lane, value.unwrap_or(0).into(), value.is_some());
            }
            continue;
        }
        if store {
            let value = wave.known_lane(&word, B32, lane)? as u32;
            match space {
                Space::Lds => around.lds.write(address, value, wave.index, around.barriers.clock(wave.index))?,
                _ => around.memory.write(address, bytes, value)?,
            }
        } else {
            let value = match space {
                Space::Lds => around.lds.read(address, wave.index, around.barriers.clock(wave.index))?,
                _ => around.memory.read(address, bytes)?,
            };
            let value = match (bytes, signed) {
                (1, true) => value as u8 as i8 as i32 as u32,
                (2, true) => value as u16 as i16 as i32 as u32,
                _ => value,
            };
            wave.write_lane(&word, lane, value.into(), true);
        }
    }
    Ok(())
}
