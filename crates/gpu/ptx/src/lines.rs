//! Where the instructions of a function stood in the text that was read.

use super::ir::{Block, Inst};
use cranelift_entity::SecondaryMap;

/// Lines, counted from 1, of instructions and of the ends of blocks. What a function is does not depend on them: functions
/// that differ in lines only are equal.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    insts: SecondaryMap<Inst, u32>,
    ends: SecondaryMap<Block, u32>,
}

impl Lines {
    /// The line of an instruction, or without one of the block's end; `None` for what no text had.
    pub fn line(&self, block: Block, inst: Option<Inst>) -> Option<u32> {
        let line = inst.map_or(self.ends[block], |inst| self.insts[inst]);
        (line != 0).then_some(line)
    }

    pub fn set(&mut self, block: Block, inst: Option<Inst>, line: u32) {
        match inst {
            Some(inst) => self.insts[inst] = line,
            None => self.ends[block] = line,
        }
    }
}

impl PartialEq for Lines {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
