//! Registers that moves count from an index (CDNA3 ISA, S_SET_GPR_IDX_ON).

use crate::instruction::{Instruction, Op};
use crate::operand::{ACCUMULATION, File, Operand};

/// Index of a wave's moves between vector registers.
#[derive(Debug, Clone, Copy)]
pub struct Index {
    pub by: u16,
    pub source: bool,
    pub result: bool,
}

impl Index {
    /// Returns the instruction with the registers that it means.
    ///
    /// # Errors
    /// It is no move, or there is no such register.
    pub fn applied(self, instruction: &Instruction) -> Result<Instruction, String> {
        let mut made = instruction.clone();
        if made.text.starts_with("s_") {
            return Ok(made);
        }
        if !matches!(made.op, Op::Lanes(form) if form.name == "v_mov_b32") {
            return Err("an instruction other than a move counts registers from an index".to_owned());
        }
        for (operand, is_moved) in made.operands.iter_mut().zip([self.result, self.source]) {
            let Operand::Registers { registers, .. } = operand else { continue };
            if is_moved && registers.file == File::Vector {
                registers.first += self.by;
                if registers.first >= ACCUMULATION {
                    return Err(format!("the index {} leaves the vector registers", self.by));
                }
            }
        }
        Ok(made)
    }
}
