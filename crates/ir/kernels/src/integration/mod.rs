//! Integration: one step of a reactor in time, of rates, their Jacobian and the solutions of linear systems.

pub mod step;
mod system;
