//! Scalar instructions and branches (CDNA3 ISA).

use super::operands::undefined;
use crate::forms::sign_extended;
use crate::instruction::{Instruction, Op, When};
use crate::operand::Kind::B32;
use crate::operand::{Constant, EXEC, Operand};
use crate::wave::Wave;

pub fn execute(wave: &mut Wave, instruction: &Instruction) -> Result<(), String> {
    let operands = &instruction.operands;
    match instruction.op {
        Op::Scalars(form) | Op::ScalarsOnto(form) => {
            let sources = if matches!(instruction.op, Op::ScalarsOnto(_)) { &operands[..] } else { &operands[1..] };
            let (mut values, mut defined) = ([0; 2], true);
            for ((value, operand), kind) in values.iter_mut().zip(sources).zip(form.sources) {
                let (bits, known) = wave.scalar(operand, *kind)?;
                if !known && !form.moves {
                    return Err(operand.registers().map_or_else(String::new, undefined));
                }
                (*value, defined) = (bits, defined && known);
            }
            let (result, scc) = (form.compute)(values[0], values[1], wave.scc);
            wave.write_scalar(&operands[0], result, defined);
            wave.scc = scc.unwrap_or(wave.scc);
        }
        Op::ScalarCompare { kind, test, short } => {
            let (a, b) = (wave.known(&operands[0], kind)?, wave.known(&operands[1], kind)?);
            let b = if short && test.signed { sign_extended(b) } else { b };
            wave.scc = test.holds(kind, a, b);
        }
        Op::BitCompare { set } => {
            let (a, b) = (wave.known(&operands[0], B32)?, wave.known(&operands[1], B32)?);
            wave.scc = (a >> (b & 31) & 1 == 1) == set;
        }
        Op::SaveExec(combine) => {
            let (source, exec) = (wave.known(&operands[1], instruction.mask)?, wave.exec());
            wave.write_scalar(&operands[0], exec, true);
            wave.set_mask(EXEC, combine(source, exec));
            let now = wave.exec();
            wave.scc = now != 0;
        }
        Op::Branch(when) => {
            let taken = match when {
                When::Always => true,
                When::Condition(wanted) => wave.scc == wanted,
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
