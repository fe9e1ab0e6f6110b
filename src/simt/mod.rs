//! The shared GPU backend: a PTX-like IR whose text form is PTX, the reader of
//! that text, and the lowering of a kernel's program to it.

pub mod allocate;
pub mod analysis;
pub mod builder;
mod canonical;
pub mod check;
pub mod inst;
pub mod ir;
pub mod lines;
pub mod lower;
mod modifier;
mod names;
mod opcode;
pub(crate) mod print;
pub mod read;
mod types;
pub mod visit;

pub use ir::{Func, Module};
