//! Analyses over the IR: each is `compute(&Func, …) -> T`, plain data about an unchanged function.

pub mod access;
pub mod calls;
pub mod cfg;
pub mod control;
pub mod dependents;
pub mod divergence;
pub mod dominators;
pub mod gated;
mod joins;
pub mod kind;
pub mod linear;
pub mod lists;
pub mod liveness;
pub mod local_pointers;
pub mod loops;
pub mod pressure;
pub mod sites;
pub mod ssa;
pub mod steps;
mod waiting;
