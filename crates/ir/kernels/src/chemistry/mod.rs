//! The kernels of production rates: what reactions read, the operations of the reactions, the reduction's phases (quasi-steady and
//! stiff species), and what is made of production rates.

pub mod common_reactants;
pub mod fused_stages;
pub mod heat_release;
pub mod inputs;
pub mod logarithmic;
pub mod production;
pub mod progress;
pub mod qssa;
pub mod separate_stages;
pub mod split;
pub mod stages;
pub mod stiffness;
pub mod tendencies;
