//! CUDA C++ from the typed [`Code`](lower::code::Code): one file per kernel.
//!
//! The text compiles with nvcc and, without its host part, with NVRTC. It is the same for the same input, to the byte.

pub(crate) mod body;
mod branch_free;
mod expression;
pub(crate) mod helpers;
mod hip_helpers;
pub(crate) mod kernel;
pub(crate) mod legend;
mod workspace;

pub use kernel::print;
