//! The pipes that a kernel keeps busy.

use crate::target::{SHUFFLES_PER_CLOCK_PER_SM, Target};

/// A register that a thread lacks is stored and loaded once per point, in a pass over shared memory each: local memory has the
/// same pipe.
const PASSES_PER_SPILL: f64 = 2.0;

/// Demand of a grid point on each pipe. A warp instruction, which serves 32 lanes with a point each, counts as one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Work {
    /// Double-precision issue slots.
    pub slots: f64,
    pub shuffles: f64,
    /// Passes over the banks of shared memory, each of 32 words of 32 bits.
    pub shared_passes: f64,
    /// Bytes of all accesses to global memory.
    pub global_bytes: f64,
    /// Bytes to and from the memory of the device, where caches hold what is read again: each input and output once.
    pub device_bytes: f64,
    /// Bytes to and from local memory.
    pub local_bytes: f64,
    /// All warp instructions of PTX.
    pub instructions: f64,
}

impl Work {
    /// Returns the same work for a thread that lacks this many 32-bit registers.
    pub fn spilling(self, registers: u32) -> Self {
        Self { shared_passes: self.shared_passes + PASSES_PER_SPILL * f64::from(registers), ..self }
    }

    /// Clocks of an SM per point in the busiest of its own pipes: double precision, shuffles, shared memory.
    pub fn clocks(&self, target: &Target) -> f64 {
        let slots = self.slots / f64::from(target.fp64_per_clock_per_sm);
        let shuffles = self.shuffles / f64::from(SHUFFLES_PER_CLOCK_PER_SM);
        let passes = self.shared_passes / f64::from(target.shared_passes_per_clock_per_sm());
        slots.max(shuffles).max(passes)
    }

    /// Nanoseconds per point on the target's board, of the SMs' pipes and its memory.
    pub fn nanoseconds(&self, target: &Target) -> f64 {
        let board = &target.board;
        let memory = self.device_bytes / f64::from(board.gigabytes_per_second);
        board.nanoseconds(self.clocks(target)).max(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(name: &str) -> &'static Target {
        Target::by_name(name).unwrap()
    }

    #[test]
    fn the_busiest_pipe_decides() {
        let kepler = target("kepler");
        // 64 double-precision lanes, 32 lanes of shuffles and 64 of shared memory per clock.
        let work = Work { slots: 640.0, shuffles: 64.0, shared_passes: 64.0, ..Work::default() };
        assert_eq!(work.clocks(kepler), 10.0);
        assert_eq!(Work { shuffles: 640.0, ..work }.clocks(kepler), 20.0);
        assert_eq!(Work { shared_passes: 1920.0, ..work }.clocks(kepler), 30.0);
        assert_eq!(work.spilling(800).clocks(kepler), 26.0);
    }

    #[test]
    fn memory_is_one_of_the_pipes_of_a_board() {
        let kepler = target("kepler");
        let bytes = Work { device_bytes: 1000.0 * f64::from(kepler.board.gigabytes_per_second), ..Work::default() };
        assert_eq!((bytes.clocks(kepler), bytes.nanoseconds(kepler)), (0.0, 1000.0));
        let both = Work { slots: 64.0, ..bytes };
        assert_eq!(both.nanoseconds(kepler), 1000.0);
        let clocks_per_us = f64::from(kepler.board.multiprocessors * kepler.board.megahertz);
        let slots = Work { slots: 64.0 * clocks_per_us, ..Work::default() }.nanoseconds(kepler);
        assert!((slots - 1000.0).abs() < 1e-9, "{slots}");
    }
}
