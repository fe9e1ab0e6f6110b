//! Cost of a kernel on a target: the only model of time and of registers. Forms, schedules, the search, the tuner and reports ask
//! here, with plain counts, so that a better model has one place to go to.
//!
//! [`Work::clocks`] is the time of the busiest pipe at its peak rate: a lower bound without latency, waiting and the issue of
//! other instructions. [`Work::estimated_clocks`] includes these if the spread of the work over an SM is known.

mod bound;
mod estimate;
mod iteration;
pub mod latency;
mod registers;
mod residency;
mod work;

pub use bound::{Bound, Executed};
pub use estimate::{CALIBRATED, Factors, Spread};
pub use iteration::Iteration;
pub use registers::{RegisterPressure, doubles_beside_short_lived, short_lived};
pub use residency::Residency;
pub use work::Work;

/// Double-precision issue slots of a division or a square root: a reciprocal estimate, Newton steps and a rounding correction
/// take about nine double-precision instructions on every architecture since Fermi.
pub const DIVISION_SLOTS: u32 = 9;
