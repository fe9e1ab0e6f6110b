//! The registers of a thread that is executed symbolically.

use super::numbers::Number;
use crate::analysis::lists::filled;
use crate::ir::Reg;
use cranelift_entity::EntityRef;

/// The value of each register, if it has one. All are forgotten at once.
pub struct Registers {
    /// The run in which the value was written, and the value.
    values: Vec<(u32, Number)>,
    run: u32,
}

impl Registers {
    pub fn new(registers: usize) -> Self {
        Self { values: filled((0, 0), registers), run: 1 }
    }

    pub fn forget(&mut self) {
        self.run += 1;
    }

    pub fn get(&self, reg: Reg) -> Option<Number> {
        let (run, number) = *self.values.get(reg.index())?;
        (run == self.run).then_some(number)
    }

    pub fn set(&mut self, reg: Reg, number: Number) {
        if reg.index() >= self.values.len() {
            self.values.resize(reg.index() + 1, (0, 0));
        }
        self.values[reg.index()] = (self.run, number);
    }
}
