//! Viscosity, conductivity, diffusion, and what is made of them. Nothing here knows reactions.

pub mod blocked;
pub mod coefficients;
pub mod conductivity;
pub mod diffusion;
pub mod factored;
pub mod flux;
pub mod lewis;
pub mod means;
pub mod pairs;
pub mod part;
pub mod pure_limit;
pub mod resistances;
pub mod rows;
pub mod symmetric;
pub mod together;
pub mod viscosity;
