//! Operations to warps (paper section 4.1). A mapping is data; [`cost()`] judges any mapping, whoever made it.
#![forbid(unsafe_code)]

mod cost;
mod greedy;
pub mod partial_sums;

pub use cost::{Cost, Mapping, cost};
pub use greedy::map;
