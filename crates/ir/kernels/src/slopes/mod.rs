//! Derivatives: code is differentiated, then the rates of one reaction, then production rates and what is made of them.

pub mod jacobian;
pub mod jacobian_vector;
pub mod known;
pub mod matrix;
pub mod places;
pub mod qssa_slopes;
pub mod reaction_slopes;
pub mod reactor_slopes;
pub mod slope;
pub mod terms;
