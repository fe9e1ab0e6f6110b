//! Kernels in PTX for tests and benchmarks, and whether two do the same.
#![forbid(unsafe_code)]

pub mod broken;
pub mod corpus;
pub mod diagnosed_ptx;
pub mod dips;
pub mod divergence;
pub mod fuzzed;
pub mod pressure;
pub mod random_kernel;
pub mod random_module;
pub mod random_structured;
pub mod ring;
pub mod same_execution;

pub use testkit::*;
