//! The registers of a thread.
//!
//! An assembler can reorder values within straight-line code. Values held across such stretches remain, and decide whether the
//! kernel spills. Compared on 36 kernels of gri30, dme and heptane on Kepler, Volta, Ampere and Hopper: if constants stay in
//! registers, the estimate of [`RegisterPressure`] is 8 below to 4 above the registers that the code holds (29 kernels). If each
//! phase loads its own, it is 9 to 28 above (7 kernels). With the [`short_lived`] ones, the code's registers are 17 from ptxas's
//! number without a limit, at the median.

/// Registers of a thread's place: addresses of fields and slots, the group of points, counters of loops.
const PLACE: u32 = 20;

/// Registers that a thread holds from one stretch of straight-line code to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterPressure {
    /// Running states and scalars of all points of a lane, and striped constants.
    pub doubles: u32,
    /// Striped indices.
    pub integers: u32,
}

impl RegisterPressure {
    /// 32-bit registers.
    pub fn registers(self) -> u32 {
        2 * self.doubles + self.integers + PLACE
    }
}

/// 32-bit registers of values that live within straight-line code: powers of a point's scalars, and intermediate results. Such
/// code evaluates about two polynomials of a point at a time.
pub fn short_lived(points_per_lane: u32) -> u32 {
    4 + 16 * points_per_lane
}

/// Doubles that a thread with so many registers can hold at each of its points, when it holds nothing else.
pub fn doubles_beside_short_lived(registers: u32, points_per_lane: u32) -> u32 {
    registers.saturating_sub(PLACE + short_lived(points_per_lane)) / (2 * points_per_lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_take_two_registers() {
        let held = RegisterPressure { doubles: 10, integers: 3 };
        assert_eq!(held.registers(), RegisterPressure { doubles: 0, ..held }.registers() + 20);
    }

    #[test]
    fn as_many_doubles_fit_as_the_estimate_allows() {
        for points_per_lane in [1, 2, 4] {
            for registers in [40, 63, 128, 255] {
                let most = doubles_beside_short_lived(registers, points_per_lane);
                let needed = |doubles: u32| {
                    RegisterPressure { doubles: points_per_lane * doubles, integers: 0 }.registers()
                        + short_lived(points_per_lane)
                };
                assert!(most == 0 || needed(most) <= registers, "{registers} {points_per_lane}");
                assert!(needed(most + 1) > registers, "{registers} {points_per_lane}");
            }
        }
    }
}
