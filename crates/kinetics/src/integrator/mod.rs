//! Stiff integration of reactors: methods as data, and a plain integrator that generated code is compared with.

mod method;
pub mod options;

pub use method::{METHODS, Method, RODAS3, RODAS4, ROS4};
