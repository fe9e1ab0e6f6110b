//! Branches, and the tokens by which lanes meet.

use super::super::control;
use super::super::operands::Operands;
use crate::machine_code::op::Purpose;
use crate::machine_code::op::{Bit, Flow, NULL, Op};
use sass::Operand;

/// Decodes an instruction; `None`: it is not one of these, or has a form that is not known.
pub(super) fn decode(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    let op = match o.instruction.operation() {
        "BRA" => branch(o)?,
        "BRX" => {
            o.only(&[])?;
            let a = o.register()?;
            // relative to the next word
            Op::Flow(Flow::Indirect { a, wide: false, base: o.number()? + i64::from(o.instruction.address) + 8 })
        }
        "SSY" => push(o, Purpose::Join)?,
        "PBK" => push(o, Purpose::Break)?,
        "PCNT" => push(o, Purpose::Continue)?,
        "CAL" => {
            o.only(&[])?;
            let behind = o.index()? + 1;
            Op::Flow(Flow::Push { purpose: Purpose::Return, target: behind, to: Some(control::target(o)?) })
        }
        "BRK" => pop(o, Purpose::Break)?,
        "CONT" => pop(o, Purpose::Continue)?,
        "RET" => pop(o, Purpose::Return)?,
        // a wait that only matters in time
        "TEXDEPBAR" => return Some(Op::Nothing),
        "EXIT" | "BAR" | "SHFL" | "VOTE" | "S2R" | "NOP" | "DEPBAR" | "MEMBAR" | "CCTL" => return control::decode(o),
        _ => return None,
    };
    o.done()?;
    Some(op)
}

/// Whether the operation decides the next instruction, or the next warp.
pub(super) fn is_control(op: &Op) -> bool {
    matches!(
        op,
        Op::Flow(Flow::Branch { .. })
            | Op::Flow(Flow::Indirect { .. })
            | Op::Flow(Flow::Push { .. })
            | Op::Flow(Flow::Pop { .. })
            | Op::Flow(Flow::Exit { .. })
            | Op::Flow(Flow::Barrier { .. })
    )
}

/// Decodes `BRA[.U] [CC.TEST,] target`; `U`: only all active lanes together.
fn branch(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["U"])?;
    let with = condition(o)?;
    Some(Op::Flow(Flow::Branch { target: control::target(o)?, with, unless: None, whole: o.has("U") }))
}

fn push(o: &mut Operands<'_, '_, '_>, purpose: Purpose) -> Option<Op> {
    o.only(&[])?;
    Some(Op::Flow(Flow::Push { purpose, target: control::target(o)?, to: None }))
}

/// Decodes `BRK [CC.TEST]`.
fn pop(o: &mut Operands<'_, '_, '_>, purpose: Purpose) -> Option<Op> {
    o.only(&[])?;
    Some(Op::Flow(Flow::Pop { purpose, with: condition(o)? }))
}

/// Decodes a test of the condition code: whether the last result that set it was 0. Its other tests are not known. `Some(None)`:
/// there is no condition.
fn condition(o: &mut Operands<'_, '_, '_>) -> Option<Option<Bit>> {
    let Some(Operand::ConditionCode(test)) = o.peek() else { return Some(None) };
    o.next();
    match &**test {
        "EQ" | "EQU" => Some(Some((NULL, false))),
        "NE" | "NEU" => Some(Some((NULL, true))),
        _ => None,
    }
}
