//! The typed [`code`](lower::code) of kernels as text, and what host codes get.
#![forbid(unsafe_code)]

pub mod base;
pub mod cpu;
pub mod cuda;
pub mod fortran;
pub mod hip;
pub mod host;
