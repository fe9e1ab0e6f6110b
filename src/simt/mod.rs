//! The shared GPU backend: a PTX-like IR whose text form is PTX, and the lowering of a kernel's program to it.

pub mod builder;
pub mod cfg;
pub mod inst;
pub mod ir;
pub mod lower;
pub(crate) mod print;

pub use ir::{Func, Module};
