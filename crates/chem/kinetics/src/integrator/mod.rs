//! Stiff integration of reactors: methods as data, and a plain integrator that generated code is compared with.

pub mod advance;
mod explicit;
mod method;
pub mod options;
pub mod reference;

pub use method::{AUTO, Explicit, HEUN, METHODS, Method, RODAS3, RODAS4, RODAS5P, ROS4};
