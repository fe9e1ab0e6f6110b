//! Schedules for tests and benchmarks.
#![forbid(unsafe_code)]

pub mod handover;
pub mod named_barriers;

pub use testkit_chem::*;
