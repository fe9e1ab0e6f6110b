//! Shared code of the tests and benchmarks of all packages.
//!
//! Each house has a testkit of its own with what its tests need besides, which gives this one, too: a change of a house builds no test
//! of those below it anew.
#![forbid(unsafe_code)]

pub mod numbers;
pub mod once;
pub mod openfoam;
pub mod page;
mod place;
pub mod skip;

pub use place::{root, shipped};
