//! What a kernel costs on a target: the one model of time and of registers. Forms, schedules, the search, the tuner and reports
//! ask here, with plain counts, so that a better model has one place to go to.
//!
//! Time is that of the busiest pipe at its peak rate: a lower bound, in which latency, waiting and the issue of other
//! instructions than these do not occur.

mod iteration;
pub mod latency;
mod registers;
mod work;

pub use iteration::Iteration;
pub use registers::{Held, doubles_beside_short_lived, lacking, short_lived};
pub use work::Work;

/// Double-precision issue slots of a division or a square root: a reciprocal estimate, Newton steps and a rounding correction
/// take about nine double-precision instructions on every architecture since Fermi.
pub const DIVISION_SLOTS: u32 = 9;
