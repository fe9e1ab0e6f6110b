//! Kernels in PTX for tests and benchmarks, whether two do the same, and the compilers to machine code.
#![forbid(unsafe_code)]

pub mod compilers;
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
