//! GPUs as Singe knows them: descriptions of targets with the occupancy calculator, and the compilers for them that are installed.
#![deny(unsafe_code)]

pub mod target;
pub mod toolchain;

#[cfg(test)]
#[path = "../../../tests/common/skip.rs"]
mod skip;
