//! Operations and values: what a kernel computes, before anyone decides where and when.
//!
//! A [`graph::Graph`] is built by one builder per kernel ([`crate::kernels`]), printed by [`text`], and run by [`interpret`].

pub mod body;

pub mod elementary;
pub mod exp2;
pub mod graph;
pub mod interpret;
pub mod log2;
pub mod steps;
pub mod text;
pub mod units;

pub use graph::{Array, Crew, Duty, Graph, Op, Operation, Part, Shape, Step, StepRef, Value};
pub use units::Units;
