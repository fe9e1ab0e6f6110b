//! Scalar instructions and branches (CDNA3 ISA).

use super::operands::undefined;
use crate::forms::{Scalars, sign_extended};
use crate::instruction::{Instruction, Op, When};
use crate::operand::Kind::B32;
use crate::operand::{Constant, EXEC, Operand};
use crate::wave::Wave;

pub fn execute(wave: &mut Wave, instruction: &Instruction) -> Result<(), String> {
    let operands = &instruction.operands;
    match instruction.op {
        Op::Scalars(form) | Op::ScalarsOnto(form) => {
            let sources = if matches!(instruction.op, Op::ScalarsOnto(_)) { &operands[..] } else { &operands[1..] };
            let (mut values, mut bits) = ([0; 2], [u64::MAX; 2]);
            for (at, (operand, kind)) in sources.iter().zip(form.sources).enumerate() {
                (values[at], bits[at]) = (wave.scalar(operand, *kind)?.0, wave.known_bits(operand));
                if bits[at] != u64::MAX && !form.moves && !form.is_bitwise() {
                    return Err(operand.registers().map_or_else(String::new, undefined));
                }
            }
            let before = if form.conditional { scc(wave)? } else { false };
            let (mut result, mut after) = (form.compute)(values[0], values[1], before);
            let mut known = if form.moves { bits[0] } else { u64::MAX };
            if form.is_bitwise() && bits != [u64::MAX; 2] {
                (result, known) = bitwise(form, values, bits);
                after = None;
                wave.scc = if result & known != 0 { Some(true) } else { (known == u64::MAX).then_some(false) };
            }
            if known != u64::MAX && operands[0].registers().is_some_and(|registers| registers.first == EXEC) {
                return Err("it writes bits without a value to EXEC".to_owned());
            }
            wave.write_bits(&operands[0], result, known);
            wave.scc = after.or(wave.scc);
        }
        Op::ScalarCompare { kind, test, short } => {
            let (a, b) = (wave.known(&operands[0], kind)?, wave.known(&operands[1], kind)?);
            let b = if short && test.signed { sign_extended(b) } else { b };
            wave.scc = Some(test.holds(kind, a, b));
        }
        Op::BitCompare { set } => {
            let (a, b) = (wave.known(&operands[0], B32)?, wave.known(&operands[1], B32)?);
            wave.scc = Some((a >> (b & 31) & 1 == 1) == set);
        }
        Op::SaveExec(combine) => {
            let (source, exec) = (wave.scalar(&operands[1], instruction.mask)?.0, wave.exec());
            let unknown = !wave.known_bits(&operands[1]) & (u64::MAX >> (64 - wave.family.lanes()));
            // Bits without a value may not matter.
            if combine(source & !unknown, exec) != combine(source | unknown, exec) {
                return Err(operands[1].registers().map_or_else(String::new, undefined));
            }
            wave.write_scalar(&operands[0], exec, true);
            wave.set_mask(EXEC, combine(source, exec));
            let now = wave.exec();
            wave.scc = Some(now != 0);
        }
        Op::Branch(when) => {
            let taken = match when {
                When::Always => true,
                When::Condition(wanted) => scc(wave)? == wanted,
                When::ExecZero(wanted) => (wave.exec() == 0) == wanted,
                When::VccZero(wanted) => {
                    let vcc = wave.vcc();
                    wave.waiting.arrived(vcc)?;
                    (wave.mask(vcc.first) == 0) == wanted
                }
            };
            if let (true, [Operand::Constant(Constant::Integer(target))]) = (taken, &operands[..]) {
                wave.next = usize::try_from(*target).unwrap_or(usize::MAX);
            }
        }
        _ => {}
    }
    Ok(())
}

fn scc(wave: &Wave) -> Result<bool, String> {
    wave.scc.ok_or_else(|| "it reads SCC, which has no value".to_owned())
}

/// A result, and its bits that are the same whatever those without a value are.
fn bitwise(form: &Scalars, values: [u64; 2], bits: [u64; 2]) -> (u64, u64) {
    let filled = |at: usize, ones: bool| if ones { values[at] | !bits[at] } else { values[at] & bits[at] };
    let of = |a: bool, b: bool| (form.compute)(filled(0, a), filled(1, b), false).0;
    let first = of(false, false);
    let differ = [of(false, true), of(true, false), of(true, true)].iter().fold(0, |all, one| all | (one ^ first));
    (first, !differ)
}
