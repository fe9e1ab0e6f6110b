//! Requests and projects of the whole compiler for tests and benchmarks; the testkits of the houses besides.
#![forbid(unsafe_code)]

pub mod file_test;
pub mod gpu_reactor;
pub mod host_program;
pub mod on_devices;
pub mod project;
pub mod request;
pub mod standing_in;
pub mod sweep;
pub mod verified;

pub use testkit_gpu::*;
pub use testkit_warps::*;
