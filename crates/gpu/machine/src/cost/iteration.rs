//! One turn of a kernel's streaming loop, as its static schedule shows it.

use crate::target::Target;

/// The latency of a named barrier, in double-precision issue slots of a warp that shares the pipe with the others of its CTA:
/// with 8 warps on an SM that issues 64 a clock, 80 clocks.
const BARRIER: u64 = 20;

/// Cost of a warp's load from global memory, in the same slots: its 256 bytes take two clocks of a cache that delivers 128 bytes
/// per clock. An SM issues up to four double-precision instructions in that time.
const LOAD: u64 = 4;

/// Counts of one turn, for comparing schedules of one kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Iteration {
    pub warps: u32,
    pub points_per_lane: u32,
    /// Double-precision issue slots from the first step to the last along warps and barriers, for one point of each lane.
    pub slots: u64,
    /// Uses of named barriers.
    pub barriers: u32,
    /// Loads of a warp from global memory that keep it from going on, for one point of each lane.
    pub loads: u64,
}

impl Iteration {
    /// Clocks of an SM that has one CTA, whose warps share its double-precision pipe evenly.
    pub fn clocks(&self, target: &Target) -> f64 {
        let own = u64::from(self.points_per_lane) * (self.slots + LOAD * self.loads);
        let slots = own + BARRIER * u64::from(self.barriers);
        let clocks_per_slot = f64::from(32 * self.warps) / f64::from(target.fp64_per_clock_per_sm);
        clocks_per_slot * slots as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_share_barriers_but_not_slots_and_loads() {
        let kepler = Target::by_name("kepler").unwrap();
        let one = Iteration { warps: 8, points_per_lane: 1, slots: 100, barriers: 3, loads: 5 };
        assert_eq!(one.clocks(kepler), 4.0 * (100.0 + 60.0 + 20.0));
        assert_eq!(Iteration { points_per_lane: 2, ..one }.clocks(kepler), 4.0 * (200.0 + 60.0 + 40.0));
    }
}
