//! Operations to warps (paper section 4.1). A mapping is data; [`cost`] judges any mapping, whoever made it.
#![forbid(unsafe_code)]

mod bound;
mod cost;
mod exchange;
mod greedy;
mod ilp;
pub mod partial_sums;

use graph::Graph;

pub use cost::{Cost, Mapping, Optimality, cost};

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mapper {
    /// The paper's: from the most expensive operation to the least, each to the warp where it costs least.
    Greedy,
    /// Within a stated gap of the optimum. Small graphs: a hundredth, or the greedy mapping where a minute is not enough to prove it. Others: a local search
    /// from the greedy mapping, beside a lower bound.
    Ilp,
}

/// Maps every operation to one of `warps` warps.
pub fn map(graph: &Graph, warps: u32, mapper: Mapper) -> Mapping {
    match mapper {
        Mapper::Greedy => greedy::map(graph, warps),
        Mapper::Ilp => ilp::map(graph, warps),
    }
}

/// The cost of a mapping, and that of the greedy one for comparison.
pub fn costs(graph: &Graph, mapping: &Mapping) -> (Cost, Cost) {
    let greedy = greedy::map(graph, mapping.warps);
    (cost(graph, mapping), cost(graph, &greedy))
}
