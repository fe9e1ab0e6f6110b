//! The rates of one reaction, as code in the step of whoever needs them: rate constants, falloff, equilibria, activities, and the
//! values that reactions share. Which operations a kernel is made of is decided above.

pub mod activity;
pub mod arrhenius;
pub mod burke;
pub mod center;
pub mod equilibrium;
pub mod falloff;
pub mod log_space;
pub mod plan;
pub mod pressure;
pub mod reaction;
pub mod sources;
pub mod third_body;
pub mod troe;
