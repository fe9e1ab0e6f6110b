//! Models of mechanisms for tests and benchmarks, and reference values.
#![forbid(unsafe_code)]

pub mod hydrogen;
pub mod made_up;
mod model;
pub mod reference;

pub use model::{detailed, model, uneven_state};
pub use testkit::*;
