//! Barriers: on CDNA one instruction, on gfx1250 several.

use crate::barriers::{Barriers, Id};
use crate::instruction::{Instruction, Op, Split};
use crate::operand::{Kind, M0, Operand, Registers};
use crate::wave::{State, Wave};

/// A kernel has so many `named` barriers.
pub fn execute(
    wave: &mut Wave,
    barriers: &mut Barriers,
    instruction: &Instruction,
    named: usize,
) -> Result<(), String> {
    let own = wave.index;
    let Op::Split(part) = instruction.op else {
        shared(wave)?;
        barriers.signal(own, Id::WORKGROUP, None)?;
        wave.state = State::At(barriers.wait(own, Id::WORKGROUP)?);
        return Ok(());
    };
    let operand = &instruction.operands[0];
    let number = wave.known(operand, Kind::B32)? as u32;
    // A register holds the count, too.
    let is_m0 = operand.registers().is_some_and(|registers| registers.first == M0);
    let id = Id::read(if is_m0 { (number & 31) as i32 } else { number as i32 }, named)?;
    let count = |number: u32| number >> 16 & 127;
    match part {
        Split::Init => {
            let m0 = Registers { file: crate::operand::File::Scalar, first: M0, count: 1 };
            let m0 = Operand::Registers { registers: m0, negated: false, absolute: false };
            let expected = count(wave.known(&m0, Kind::B32)? as u32);
            barriers.init(own, id, expected)
        }
        Split::Join => barriers.join(own, id),
        Split::Signal => {
            shared(wave)?;
            barriers.signal(own, id, Some(count(number)).filter(|count| is_m0 && *count > 0))
        }
        Split::Wait => {
            wave.state = State::At(barriers.wait(own, id)?);
            Ok(())
        }
    }
}

/// Whether others see what the wave wrote.
fn shared(wave: &Wave) -> Result<(), String> {
    match wave.waiting.unshared() {
        Some(line) => Err(format!("no `s_wait…` before it covers what line {line} writes to the LDS")),
        None => Ok(()),
    }
}
