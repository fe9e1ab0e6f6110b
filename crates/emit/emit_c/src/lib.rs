//! The typed [`code`](lower::code) of kernels as text, and what host codes get.
#![forbid(unsafe_code)]

pub mod cpu;
pub mod cuda;
mod expression;
pub mod hip;
pub mod host;
