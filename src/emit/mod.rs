//! The typed [`code`](crate::lower::code) of kernels as text, and what host codes get.

pub mod cpu;
pub mod cuda;
mod expression;
pub mod hip;
pub mod host;
pub mod ptx;
