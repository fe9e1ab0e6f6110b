//! Whether a version leaves an SM as many warps as the kernel as it was.

use super::Given;
use crate::occupancy::Demand;
use machine::target::occupancy;
use ptx::analysis::pressure;
use ptx::cost::Model;
use ptx::ir::Module;

/// The kernel as it was: its registers, and with the shape of its CTAs and a target the CTAs that fit an SM.
pub struct Room<'a> {
    kernel: &'a str,
    model: &'a dyn Model,
    given: &'a Given,
    registers: u32,
    ctas: Option<u32>,
}

impl<'a> Room<'a> {
    pub fn new(module: &Module, kernel: &'a str, given: &'a Given, model: &'a dyn Model) -> Self {
        let mut room = Self { kernel, model, given, registers: 0, ctas: None };
        room.registers = room.registers(module);
        room.ctas = room.ctas(module, room.registers);
        room
    }

    /// Whether this version takes no more registers, or leaves room for as many CTAs with them.
    pub fn has(&self, module: &Module) -> bool {
        let registers = self.registers(module);
        registers <= self.registers || self.ctas.is_some() && self.ctas(module, registers) >= self.ctas
    }

    /// Returns the registers that the machine code takes, or those that the order of the text takes.
    fn registers(&self, module: &Module) -> u32 {
        let of_text = || module.func(self.kernel).map_or(0, pressure::max_live);
        self.model.registers(module, self.kernel).unwrap_or_else(of_text)
    }

    fn ctas(&self, module: &Module, registers: u32) -> Option<u32> {
        let (target, index) = (self.given.target?, module.funcs.iter().position(|func| func.name == self.kernel)?);
        let demand = Demand::for_kernel(module, index, self.given.block, self.given.launch_shared)?;
        Some(occupancy(target, demand.kernel(registers.max(1), demand.shared())).blocks)
    }
}
