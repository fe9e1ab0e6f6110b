//! The GPU backend for any kernel: an IR whose text form is PTX, the reader of that text, analyses and register allocation.
#![forbid(unsafe_code)]

pub mod allocate;
pub mod analysis;
pub mod builder;
mod canonical;
pub mod check;
pub mod inst;
pub mod ir;
pub mod lines;
mod modifier;
mod names;
mod opcode;
pub mod print;
pub mod read;
mod types;
pub mod visit;

pub use ir::{Func, Module};
