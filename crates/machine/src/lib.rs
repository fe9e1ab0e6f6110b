//! GPUs as Singe knows them: descriptions of targets with the occupancy calculator, what work costs on them, and the compilers for
//! them that are installed.
#![deny(unsafe_code)]

pub mod cost;
pub mod target;
pub mod toolchain;
