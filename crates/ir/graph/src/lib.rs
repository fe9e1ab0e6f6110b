//! Operations and values: what a kernel computes, before anyone decides where and when.
//!
//! A [`Graph`] is built by one builder per kernel (crate `kernels`), printed by [`text`], and run by [`interpret`].
#![forbid(unsafe_code)]

pub mod body;
pub mod critical;
pub mod dataflow;
pub mod elementary;
pub mod exp2;
pub mod fission;
pub mod function_tables;
pub mod interpret;
mod intervals;
pub mod log2;
pub mod operands;
pub mod single;
pub mod splice;
pub mod steps;
pub mod text;
pub mod unguarded;
pub mod units;

pub use body::{Body, Id, Inst};
pub use dataflow::{Array, Graph, Op, Operation, Part, QssaWarps, Role, Shape, Step, StepRef, Value};
pub use units::Units;
