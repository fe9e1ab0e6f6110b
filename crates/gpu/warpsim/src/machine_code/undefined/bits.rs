//! Bits of a result that depend on undefined bits of its sources.

use sass::{File, Instruction, Operand, Part, Register};

/// Returns the undefined bits of the result, for instructions that are followed bit by bit; for `R2P` those of the bits that it
/// tests. `undefined` returns the undefined bits of a register.
pub(super) fn of_result(instruction: &Instruction, undefined: impl Fn(u8) -> u32) -> Option<u32> {
    let operands = &instruction.operands;
    let has_predicate = usize::from(matches!(operands.first()?, Operand::Predicate { .. }));
    let source = |at: usize| operands.get(has_predicate + at).map(|operand| Bits::from_operand(operand, &undefined));
    match instruction.operation() {
        "MOV" => Some(source(1)?.undefined),
        "IMAD" if instruction.has("MOV") => Some(source(3)?.undefined),
        "LOP3" => {
            let Operand::Integer(table) = operands.get(has_predicate + 4)? else { return None };
            Some(logic(u8::try_from(*table).ok()?, [source(1)?, source(2)?, source(3)?]))
        }
        "R2P" => Some(source(1)?.undefined >> (8 * byte(operands.get(1)?)) & source(2)?.ones),
        _ => None,
    }
}

/// Returns the byte of a word that an operand reads first: 1 for `R7.B1`.
fn byte(operand: &Operand) -> u32 {
    match operand {
        Operand::Register(Register { part: Part::Other("B1"), .. }) => 1,
        Operand::Register(Register { part: Part::Other("B2"), .. }) => 2,
        Operand::Register(Register { part: Part::Other("B3"), .. }) => 3,
        _ => 0,
    }
}

/// Knowledge of a source's bits; bits of none of these kinds have a value that differs from run to run.
#[derive(Clone, Copy)]
struct Bits {
    undefined: u32,
    zeros: u32,
    ones: u32,
}

impl Bits {
    fn from_operand(operand: &Operand, undefined: impl Fn(u8) -> u32) -> Self {
        match operand {
            Operand::Integer(value) => Self { undefined: 0, zeros: !*value as u32, ones: *value as u32 },
            Operand::Register(Register { number: None, invert, .. }) => {
                let ones = if *invert { u32::MAX } else { 0 };
                Self { undefined: 0, zeros: !ones, ones }
            }
            Operand::Register(Register { file: File::General, number: Some(number), part, .. }) => {
                let found = undefined(*number);
                let is_read = matches!(part, Part::Whole | Part::Other("B0" | "B1" | "B2" | "B3"));
                let undefined = if is_read || found == 0 { found } else { u32::MAX };
                Self { undefined, zeros: 0, ones: 0 }
            }
            _ => Self { undefined: 0, zeros: 0, ones: 0 },
        }
    }

    /// Whether the bit may have this value.
    fn may_be(&self, bit: u32, value: bool) -> bool {
        (if value { self.zeros } else { self.ones }) >> bit & 1 == 0
    }
}

/// Returns the undefined bits of logic by a table. A bit is undefined if two values of the undefined sources give different
/// results, for some possible value of the others.
fn logic(table: u8, sources: [Bits; 3]) -> u32 {
    let depends = |bit: u32| {
        let is_possible =
            |row: u32| sources.iter().zip([4, 2, 1]).all(|(source, place)| source.may_be(bit, row & place != 0));
        let free = sources.iter().zip([4, 2, 1]).filter(|(source, _)| source.undefined >> bit & 1 == 1);
        let free = free.fold(0, |rows, (_, place)| rows | place);
        let rows = || (0..8).filter(|row| is_possible(*row));
        rows().any(|a| rows().any(|b| (a ^ b) & !free == 0 && (table >> a ^ table >> b) & 1 == 1))
    };
    (0..32).filter(|bit| depends(*bit)).fold(0, |bits, bit| bits | 1 << bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine_code::registers::instruction;

    /// Returns the undefined bits of the result if R18's are those of the mask.
    fn found(text: &str, mask: u32) -> Option<u32> {
        of_result(&instruction(text), |register| if register == 18 { mask } else { 0 })
    }

    #[test]
    fn bits_that_are_cleared_or_set_are_defined() {
        assert_eq!(found("LOP3.LUT R18, R18, 0xffffffef, RZ, 0xc0, !PT", u32::MAX), Some(!0x10));
        assert_eq!(found("LOP3.LUT R4, R18, 0x18, RZ, 0xfc, !PT", u32::MAX), Some(!0x18));
        assert_eq!(found("LOP3.LUT R4, R18, 0x10, RZ, 0x3c, !PT", !0x10), Some(!0x10));
        assert_eq!(found("LOP3.LUT R4, R18, R3, RZ, 0xc0, !PT", 0xff), Some(0xff));
    }

    #[test]
    fn a_test_sees_the_bits_that_it_names() {
        assert_eq!(found("LOP3.LUT P2, RZ, R18, 0x10, RZ, 0xc0, !PT", !0x10), Some(0));
        assert_eq!(found("LOP3.LUT P2, RZ, R18, 0x18, RZ, 0xc0, !PT", !0x10), Some(8));
        assert_eq!(found("R2P PR, R18, 0x10", !0x10), Some(0));
        assert_eq!(found("R2P PR, R18, 0x7e", !0x10), Some(0x6e));
        assert_eq!(found("R2P PR, R18.B1, 0x7e", !0x1000), Some(0x6e));
        assert_eq!(found("R2P PR, R18.B1, 0x7e", 0xff), Some(0));
    }

    #[test]
    fn moves_keep_them_and_others_are_not_followed() {
        assert_eq!(found("MOV R4, R18", 6), Some(6));
        assert_eq!(found("IMAD.MOV.U32 R4, RZ, RZ, R18", 6), Some(6));
        assert_eq!(found("IADD3 R4, R18, 0x1, RZ", 6), None);
    }
}
