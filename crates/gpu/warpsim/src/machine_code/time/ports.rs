//! The ports of the registers of a sub-partition: two banks, from each of which one register per clock can be read, and the
//! operands that the compiler keeps for the next instruction.

use super::known::Known;
use sass::{Class, Pipe};

/// Clocks that an instruction has to read its sources.
const WINDOW: u64 = 3;

#[derive(Default)]
pub(super) struct Ports {
    /// Time at which each bank has finished its reads.
    banks: [u64; 2],
    /// Operands kept in the reuse cache, by place and bank: the warp and the register.
    kept: [[Option<(usize, u8)>; 2]; 3],
}

impl Ports {
    /// Returns the first clock in which the warp's instruction finds its ports free.
    pub(super) fn free(&self, known: &Known, warp: usize) -> u64 {
        if !uses(known) {
            return 0;
        }
        let [even, odd] = self.reads(known, warp);
        let after =
            |bank: usize, reads: u64| if reads == 0 { 0 } else { (self.banks[bank] + reads).saturating_sub(WINDOW) };
        after(0, even).max(after(1, odd))
    }

    /// Records the issue of the instruction.
    pub(super) fn take(&mut self, known: &Known, warp: usize, now: u64) {
        if !uses(known) {
            return;
        }
        let reads = self.reads(known, warp);
        for (bank, reads) in self.banks.iter_mut().zip(reads) {
            *bank = (*bank).max(now) + reads;
        }
        let reuse = known.control.map_or(0, |control| control.reuse);
        for (place, kept) in self.kept.iter_mut().enumerate() {
            if let Some((register, _)) = known.registers.reads[place] {
                kept[usize::from(register & 1)] = (reuse >> place & 1 == 1).then_some((warp, register));
            }
        }
    }

    fn reads(&self, known: &Known, warp: usize) -> [u64; 2] {
        let mut reads = [0; 2];
        for (place, kept) in self.kept.iter().enumerate() {
            if let Some((register, _)) = known.registers.reads[place] {
                let bank = usize::from(register & 1);
                // assumed: a register that stands in several places is read once
                let again = known.registers.reads[..place].contains(&known.registers.reads[place]);
                reads[bank] += u64::from(!again && kept[bank] != Some((warp, register)));
            }
        }
        reads
    }
}

/// Whether the instruction uses the ports. Only instructions of 32 bits were measured; doubles read both banks at once, at a rate that their pipe sets.
fn uses(known: &Known) -> bool {
    matches!(known.pipe, Pipe::Fma | Pipe::Alu) && known.class != Class::Other && known.control.is_some()
}
