//! The functions of temperature that species have, and the state of a point: how a kernel begins, whatever tells the state, and the
//! kernels that give properties or the temperature. Nothing here knows reactions or transport.

pub mod begin;
pub mod composition;
pub mod energy;
pub mod formation;
pub mod gibbs;
pub mod newton;
pub mod properties;
pub mod state;
pub mod temperature;
pub mod temperature_kernel;
