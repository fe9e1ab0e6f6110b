//! Vector instructions (CDNA3 ISA).

use super::operands::undefined;
use crate::float;
use crate::forms::Lanes;
use crate::instruction::{Counter, Instruction, Op, Part, Test};
use crate::operand::Kind::{self, B32, B64, F32, F64};
use crate::operand::{EXEC, Operand, Registers, VCC};
use crate::waits::Outstanding;
use crate::wave::Wave;

pub fn execute(wave: &mut Wave, instruction: &Instruction, cut: bool) -> Result<(), String> {
    let Some(second) = &instruction.second else { return one(wave, instruction, cut) };
    // Both read before either writes.
    let before = wave.kept(instruction);
    one(wave, instruction, cut)?;
    let first = wave.kept(instruction);
    wave.restore(before);
    one(wave, second, cut)?;
    wave.restore(first);
    Ok(())
}

fn one(wave: &mut Wave, instruction: &Instruction, cut: bool) -> Result<(), String> {
    let operands = &instruction.operands;
    match instruction.op {
        Op::Lanes(form) => each(wave, form, operands, instruction.parts, None, |bits| bits),
        Op::Approximate(form) => {
            each(wave, form, operands, None, None, |bits| float::approximate(f64::from_bits(bits), cut).to_bits())
        }
        Op::Accumulate(form) => each(wave, form, operands, None, Some(&operands[0]), |bits| bits),
        Op::Compare { kind, test } => mask(wave, &operands[0], |wave, lane| {
            let of = |at: usize| -> Result<u64, String> {
                let bits = wave.known_lane(&operands[at], kind, lane)?;
                Ok(instruction.parts.map_or(bits, |parts| parts[at - 1].extract(bits)))
            };
            Ok(test.holds(kind, of(1)?, of(2)?))
        }),
        Op::Class => mask(wave, &operands[0], |wave, lane| {
            let value = f64::from_bits(wave.known_lane(&operands[1], F64, lane)?);
            Ok(float::class(value) & wave.known_lane(&operands[2], B32, lane)? as u32 != 0)
        }),
        Op::CompareExec { kind, test } => {
            let mut bits = 0u64;
            for lane in wave.active() {
                let of = |at: usize| wave.known_lane(&operands[at], kind, lane);
                bits |= u64::from(test.holds(kind, of(0)?, of(1)?)) << lane;
            }
            wave.set_mask(EXEC, bits);
            Ok(())
        }
        Op::Carry { difference, reversed, carried } => carry(wave, instruction, difference, reversed, carried),
        Op::WideMultiplyAdd { signed } => wide(wave, operands, signed),
        Op::Select => select(wave, instruction),
        Op::Truth { .. } => {
            for lane in wave.active() {
                let (mut sources, mut defined) = ([0u32; 3], true);
                for (source, operand) in sources.iter_mut().zip(&operands[1..]) {
                    let (bits, known) = wave.lane(operand, B32, lane)?;
                    (*source, defined) = (bits as u32, defined && known);
                }
                let value = by_truth(instruction.truth, sources);
                wave.write_lane(&operands[0], lane, value.into(), defined);
            }
            Ok(())
        }
        Op::ReadLane | Op::ReadFirstLane => {
            let lane = match instruction.op {
                Op::ReadLane => wave.known(&operands[2], B32)? as usize & (wave.family.lanes() - 1),
                _ => wave.active().next().unwrap_or(0),
            };
            let (value, defined) = wave.lane(&operands[1], B32, lane)?;
            wave.write_scalar(&operands[0], value, defined);
            Ok(())
        }
        Op::WriteLane => {
            let lane = wave.known(&operands[2], B32)? as usize & (wave.family.lanes() - 1);
            let (value, defined) = wave.scalar(&operands[1], B32)?;
            wave.write_lane(&operands[0], lane, value, defined);
            Ok(())
        }
        Op::DivScale => div_scale(wave, operands),
        Op::DivFmas => {
            let vcc = wave.vcc();
            wave.waiting.arrived(vcc)?;
            let scaled = wave.mask(VCC);
            for lane in wave.active() {
                let of = |at: usize| wave.known_lane(&operands[at], F64, lane).map(f64::from_bits);
                let value = float::div_fmas(of(1)?, of(2)?, of(3)?, scaled >> lane & 1 == 1);
                wave.write_lane(&operands[0], lane, value.to_bits(), true);
            }
            Ok(())
        }
        Op::PackedMove => packed_move(wave, instruction),
        Op::Permute { to } => permute(wave, instruction, to),
        _ => Ok(()),
    }
}

/// Computes each active lane from its own values; `also` is a last source.
fn each(
    wave: &mut Wave,
    form: &Lanes,
    operands: &[Operand],
    parts: Option<[Part; 2]>,
    also: Option<&Operand>,
    finish: impl Fn(u64) -> u64,
) -> Result<(), String> {
    for lane in wave.active() {
        let (mut values, mut defined) = ([0; 3], true);
        let own = operands[1..].iter().zip(form.sources.iter().copied());
        for (value, (operand, kind)) in values.iter_mut().zip(own.chain(also.map(|also| (also, form.result)))) {
            let (bits, known) = wave.lane(operand, kind, lane)?;
            if !known && !form.moves {
                return Err(operand
                    .registers()
                    .map_or_else(String::new, |r| format!("{} in lane {lane}", undefined(r))));
            }
            (*value, defined) = (bits, defined && known);
        }
        for (value, part) in values.iter_mut().zip(parts.iter().flatten()) {
            *value = part.extract(*value);
        }
        wave.write_lane(&operands[0], lane, finish((form.compute)(values)), defined);
    }
    Ok(())
}

/// Writes a mask with a bit for each lane; lanes that are off get zeros.
fn mask(wave: &mut Wave, result: &Operand, holds: impl Fn(&Wave, usize) -> Result<bool, String>) -> Result<(), String> {
    let mut bits = 0u64;
    for lane in wave.active() {
        bits |= u64::from(holds(wave, lane)?) << lane;
    }
    wave.write_scalar(result, bits, true);
    Ok(())
}

fn carry(
    wave: &mut Wave,
    instruction: &Instruction,
    difference: bool,
    reversed: bool,
    carried: bool,
) -> Result<(), String> {
    let operands = &instruction.operands;
    let before = if carried { wave.known(&operands[4], instruction.mask)? } else { 0 };
    let mut after = 0u64;
    for lane in wave.active() {
        let (a, b) = (wave.known_lane(&operands[2], B32, lane)?, wave.known_lane(&operands[3], B32, lane)?);
        let (a, b) = if reversed { (b, a) } else { (a, b) };
        let carry = before >> lane & 1;
        let (value, over) = if difference {
            (a.wrapping_sub(b).wrapping_sub(carry), b + carry > a)
        } else {
            (a + b + carry, a + b + carry > u64::from(u32::MAX))
        };
        after |= u64::from(over) << lane;
        wave.write_lane(&operands[0], lane, value & u64::from(u32::MAX), true);
    }
    wave.write_scalar(&operands[1], after, true);
    Ok(())
}

fn wide(wave: &mut Wave, operands: &[Operand], signed: bool) -> Result<(), String> {
    let (mut carries, mut unknown) = (0u64, 0u64);
    for lane in wave.active() {
        let of = |at: usize| wave.known_lane(&operands[at], B32, lane);
        let (a, b) = (of(2)?, of(3)?);
        // Clang computes sums of 32 bits so, too: the upper half of the addend may have no value.
        let (c, is_whole) = wave.lane(&operands[4], B64, lane)?;
        if let (false, Some(low)) = (is_whole, half(&operands[4], 0)) {
            wave.known_lane(&low, B32, lane)?;
        }
        // The last bit of a sum of 65 bits: of numbers with signs that is the sum's sign, and no overflow.
        let (value, over) = if signed {
            let sum = i128::from(i64::from(a as i32) * i64::from(b as i32)) + i128::from(c as i64);
            (sum as u64, sum < 0)
        } else {
            (a * b).overflowing_add(c)
        };
        carries |= u64::from(over) << lane;
        unknown |= u64::from(!is_whole) << lane;
        wave.write_lane(&operands[0], lane, value, true);
        if let (false, Some(high)) = (is_whole, half(&operands[0], 1)) {
            wave.write_lane(&high, lane, value >> 32, false);
        }
    }
    wave.write_bits(&operands[1], carries, !unknown);
    Ok(())
}

/// A register of a pair.
fn half(operand: &Operand, place: u16) -> Option<Operand> {
    let registers = operand.registers()?;
    let registers = Registers { first: registers.first + place, count: 1, ..registers };
    Some(Operand::Registers { registers, negated: false, absolute: false })
}

/// The second source where the mask has a bit, else the first.
fn select(wave: &mut Wave, instruction: &Instruction) -> Result<(), String> {
    let operands = &instruction.operands;
    let mask = wave.known_mask(&operands[3], instruction.mask)?;
    for lane in wave.active() {
        let chosen = if mask >> lane & 1 == 1 { &operands[2] } else { &operands[1] };
        let (value, defined) = wave.lane(chosen, B32, lane)?;
        wave.write_lane(&operands[0], lane, value, defined);
    }
    Ok(())
}

fn div_scale(wave: &mut Wave, operands: &[Operand]) -> Result<(), String> {
    let mut scaled = 0u64;
    for lane in wave.active() {
        let of = |at: usize| wave.known_lane(&operands[at], F64, lane).map(f64::from_bits);
        let (value, is_scaled) = float::div_scale(of(2)?, of(3)?, of(4)?);
        scaled |= u64::from(is_scaled) << lane;
        wave.write_lane(&operands[0], lane, value.to_bits(), true);
    }
    wave.write_scalar(&operands[1], scaled, true);
    Ok(())
}

/// Computes each bit from three others; the first is the highest bit of the place in the table.
fn by_truth(table: u8, [a, b, c]: [u32; 3]) -> u32 {
    let rows = (0..8u32).filter(|row| table >> row & 1 == 1);
    let like = |value: u32, wanted: u32| if wanted & 1 == 1 { value } else { !value };
    rows.map(|row| like(a, row >> 2) & like(b, row >> 1) & like(c, row)).fold(0, |all, one| all | one)
}

/// `op_sel` chooses the half of each source; without it, both are the low ones.
fn packed_move(wave: &mut Wave, instruction: &Instruction) -> Result<(), String> {
    let operands = &instruction.operands;
    let select = instruction.select.unwrap_or(0);
    for lane in wave.active() {
        let half = |at: usize| -> Result<(u64, bool), String> {
            let (bits, defined) = wave.lane(&operands[at], B64, lane)?;
            Ok((bits >> (32 * (select >> (at - 1) & 1)) & u64::from(u32::MAX), defined))
        };
        let ((low, first), (high, second)) = (half(1)?, half(2)?);
        wave.write_lane(&operands[0], lane, high << 32 | low, first && second);
    }
    Ok(())
}

/// Values of other lanes: each lane reads from the one that its address names, or writes to it. Lanes that are off give zero.
fn permute(wave: &mut Wave, instruction: &Instruction, to: bool) -> Result<(), String> {
    let [result, place, source] = &instruction.operands[..] else { return Ok(()) };
    let exec = wave.exec();
    let mut values = [(0u64, true); 64];
    for lane in wave.active() {
        let address = wave.known_lane(place, B32, lane)? as i64 + instruction.offsets[0];
        let other = (address >> 2) as usize & (wave.family.lanes() - 1);
        if to {
            values[other] = wave.lane(source, B32, lane)?;
        } else if exec >> other & 1 == 1 {
            values[lane] = wave.lane(source, B32, other)?;
        }
    }
    for lane in wave.active() {
        let (value, defined) = values[lane];
        wave.write_lane(result, lane, value, defined);
    }
    if let Some(registers) = result.registers() {
        let line = instruction.line;
        let entry = Outstanding { registers: Some(registers), scalar: false, shares: false, line };
        wave.waiting.issue(Counter::Lds, entry);
    }
    Ok(())
}

impl Test {
    /// Whether it holds of two values.
    pub fn holds(self, kind: Kind, a: u64, b: u64) -> bool {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let order = match (kind, self.signed) {
            _ if self.short && self.signed => Some((a as i16).cmp(&(b as i16))),
            _ if self.short => Some((a as u16).cmp(&(b as u16))),
            (F64, _) => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
            (F32, _) => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
            (B32, true) => Some((a as i32).cmp(&(b as i32))),
            (B64, true) => Some((a as i64).cmp(&(b as i64))),
            _ => Some(a.cmp(&b)),
        };
        match order {
            Some(Less) => self.less,
            Some(Equal) => self.equal,
            Some(Greater) => self.greater,
            None => self.unordered,
        }
    }
}
