//! Singe compiles combustion mechanisms to warp-specialized CUDA kernels.
#![forbid(unsafe_code)]

pub mod dataflow;
pub mod diagnostic;
pub mod emit;
pub mod kinetics;
pub mod mechanism;
pub mod sim;
pub mod simt;
