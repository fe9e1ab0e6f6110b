//! Singe compiles combustion mechanisms to warp-specialized CUDA kernels.
#![deny(unsafe_code)]

pub mod dataflow;
pub mod diagnostic;
pub mod emit;
pub mod kinetics;
pub mod mapping;
pub mod mechanism;
pub mod schedule;
pub mod target;
