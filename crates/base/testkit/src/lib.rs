//! Shared code of the tests and benchmarks of all packages.
//!
//! A house takes the features that its tests need: `chem` for models of mechanisms, `warps` for schedules, `ptx` for kernels in PTX, `compiler` for
//! requests and projects of the whole compiler.
#![forbid(unsafe_code)]

pub mod numbers;
pub mod openfoam;
pub mod page;
mod place;
pub mod skip;

#[cfg(feature = "ptx")]
pub mod broken;
#[cfg(feature = "ptx")]
pub mod corpus;
#[cfg(feature = "ptx")]
pub mod diagnosed_ptx;
#[cfg(feature = "ptx")]
pub mod dips;
#[cfg(feature = "ptx")]
pub mod divergence;
#[cfg(feature = "ptx")]
pub mod fuzzed;
#[cfg(feature = "ptx")]
pub mod pressure;
#[cfg(feature = "ptx")]
pub mod random_kernel;
#[cfg(feature = "ptx")]
pub mod random_module;
#[cfg(feature = "ptx")]
pub mod random_structured;
#[cfg(feature = "ptx")]
pub mod ring;
#[cfg(feature = "ptx")]
pub mod same_execution;

#[cfg(feature = "compiler")]
pub mod file_test;
#[cfg(feature = "compiler")]
pub mod gpu_reactor;
#[cfg(feature = "warps")]
pub mod handover;
#[cfg(feature = "compiler")]
pub mod host_program;
#[cfg(feature = "chem")]
pub mod made_up;
#[cfg(feature = "chem")]
mod model;
#[cfg(feature = "warps")]
pub mod named_barriers;
#[cfg(feature = "compiler")]
pub mod project;
#[cfg(feature = "chem")]
pub mod reference;
#[cfg(feature = "compiler")]
pub mod request;
#[cfg(feature = "compiler")]
pub mod sweep;
#[cfg(feature = "compiler")]
pub mod verified;

#[cfg(feature = "chem")]
pub use model::{detailed, model};
pub use place::{root, shipped};
