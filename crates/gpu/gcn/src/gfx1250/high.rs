//! Registers beyond the first 256: an instruction has eight bits for a register, and `s_set_vgpr_msb` tells the others for all that follow, by
//! the place of an operand. Clang prints the eight bits, and the whole number in a comment; here both must agree.

use crate::instruction::{Instruction, Op, Space};
use crate::operand::File;

/// The upper two bits of registers' numbers, by the place of the operand: three sources and the result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HighBits(u8);

const RESULT: usize = 3;

impl HighBits {
    /// The upper byte of the number is what was set before.
    pub fn set(&mut self, number: &str) -> Option<()> {
        self.0 = u16::try_from(read(number)?).ok()? as u8;
        Some(())
    }

    /// Writing any of the mode's bits sets these from bits 12 to 19 of the number: first those of the result, then those of the sources
    /// (LLVM, AMDGPULowerVGPREncoding). Of the mode itself it may only say how loads are begun again whose pages are absent.
    pub fn set_with_mode(&mut self, number: &str) -> Option<()> {
        let number = read(number)?;
        let bits = (number >> 12) as u8;
        self.0 = bits.rotate_right(2);
        (number & !0xff000 == 1).then_some(())
    }

    /// Whether all are zero, as they must be where code from elsewhere comes to.
    pub fn are_zero(self) -> bool {
        self.0 == 0
    }

    /// Whether the instruction's registers are those of these bits.
    ///
    /// # Errors
    /// The register that is another one.
    pub fn check(self, instruction: &Instruction) -> Result<(), String> {
        for (operand, place) in instruction.operands.iter().zip(places(instruction)) {
            let Some(registers) = operand.registers().filter(|registers| registers.file == File::Vector) else {
                continue;
            };
            let bits = u16::from(self.0 >> (2 * place) & 3);
            if registers.first >> 8 != bits || (registers.first + registers.count - 1) >> 8 != bits {
                return Err(format!("{registers} is not what `s_set_vgpr_msb` says"));
            }
        }
        Ok(())
    }
}

fn read(number: &str) -> Option<u32> {
    number.strip_prefix("0x").map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())
}

/// The places of an instruction's operands, one by one (LLVM, AMDGPULowerVGPREncoding).
fn places(instruction: &Instruction) -> Vec<usize> {
    match instruction.op {
        Op::Memory { store: true, space: Space::Buffer, .. } => vec![1, 0],
        Op::Memory { store: true, .. } | Op::Pair { store: true, .. } => vec![0, 1, 2],
        Op::CompareExec { .. } => vec![0, 1],
        // Beside the result they have a mask.
        Op::DivScale | Op::Carry { .. } | Op::WideMultiplyAdd { .. } => vec![RESULT, RESULT, 0, 1, 2],
        _ => vec![RESULT, 0, 1, 2],
    }
}

/// The text with whole numbers of registers: those in comments.
pub fn numbered(text: &str) -> Option<String> {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        let (number, after) = comment.split_once("*/")?;
        let before = before.trim_end();
        whole.push_str(before.get(..before.rfind('v')?)?);
        whole.push_str(number);
        rest = after;
    }
    Some(whole + rest)
}
