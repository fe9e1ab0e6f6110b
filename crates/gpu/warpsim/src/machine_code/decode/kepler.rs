//! Kepler: instructions that no later architecture has, or that mean something else there. The others are decoded as on later architectures.
//!
//! Sums and products write a condition code if the result is marked (`R2.CC`), and take its carry in if the instruction is
//! (`IADD.X`). The factors of products tell their signs (`U32.U32`), and shifts clamp their counts unless marked (`W`).

mod control;
mod integer;

use super::operands::Operands;
use super::{memory, real};
use crate::machine_code::op::{Bit, Decoded, Integer, Op, TESTED};
use sass::{Operand, Part};

/// Decodes an instruction; `None`: it is not known.
pub(super) fn decode(o: &mut Operands<'_, '_, '_>, guard: Option<Bit>) -> Option<Decoded> {
    let op = integer::decode(o)
        .or_else(|| real::decode(&mut o.again()))
        .or_else(|| memory::decode(&mut o.again()))
        .or_else(|| control::decode(&mut o.again()))?;
    let joins = o.instruction.joins;
    // nothing tells whether lanes without the guard wait too, or what comes first at a branch or a barrier
    let is_plain = guard.is_none() && !control::is_control(&op);
    (!joins || is_plain || matches!(op, Op::Nothing)).then_some(())?;
    let tested = match o.instruction.operands.first() {
        // it sets the condition code itself
        _ if matches!(op, Op::Integer(Integer::UpperExtremum { .. })) => None,
        Some(Operand::Register(register)) if register.part == Part::WithConditionCode => {
            Some(register.number.map_or(TESTED, u32::from))
        }
        _ => None,
    };
    let tests_on = tested.is_some() && matches!(o.instruction.operation(), "LOP" | "LOP32I") && o.has("X");
    Some(Decoded { guard, uniform: false, tested, tests_on, joins, op })
}
