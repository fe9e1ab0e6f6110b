//! Operations and values: what a kernel computes, before anyone decides where and when.
//!
//! A [`graph::Graph`] is built by one builder per kernel ([`build`]), printed by [`text`], and run by [`interpret`].

pub mod body;
pub mod build;
pub mod elementary;
pub mod exp2;
pub mod graph;
pub mod interpret;
pub mod log2;
pub mod text;
pub mod units;

pub use build::{Exponential, Form, Kernel, LOW_RANK_BOUND, Matrix, Options, build};
pub use graph::{Array, Crew, Duty, Graph, Op, Operation, Part, Shape, Step, StepRef, Value};
pub use units::Units;
