//! From a proven schedule to code: the overlaid [`program`] tree, and CUDA text made from it.

pub mod cuda;
pub mod host;
