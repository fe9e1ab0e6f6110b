//! Stiff integration of reactors: methods as data, and a plain integrator that generated code is compared with.

pub mod advance;
mod method;
pub mod options;
pub mod reference;

pub use method::{METHODS, Method, RODAS3, RODAS4, RODAS5P, ROS4};
