//! Mappings as data, and what one costs.

use cranelift_entity::SecondaryMap;
use serde::Serialize;

use graph::{Graph, Op, Role};

#[derive(Debug, Clone)]
pub struct Mapping {
    pub warps: u32,
    pub warp_of: SecondaryMap<Op, u32>,
}

/// Cost of a mapping, each metric relative to a perfect balance (1) or to the number of edges.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// Largest load of a warp in floating-point operations, over the mean load.
    pub flops: f64,
    /// Largest number of running states of a warp, over the mean.
    pub registers: f64,
    /// Edges of the graph that cross warps, over all edges (each value counted once per reading operation).
    pub locality: f64,
    /// The sum of the three.
    pub total: f64,
    /// Edges that cross warps.
    pub crossing: u32,
}

/// An operation may be mapped to warps below this.
pub(super) fn allowed(graph: &Graph, op: Op, warps: u32) -> u32 {
    let group = graph.qssa_warps.as_ref().filter(|group| group.roles[op] == Role::Member);
    group.map_or(warps, |group| group.warps.clamp(1, warps))
}

/// The cost of a mapping.
pub fn cost(graph: &Graph, mapping: &Mapping) -> Cost {
    let mut loads = vec![0u64; mapping.warps as usize];
    let mut states = vec![0u64; mapping.warps as usize];
    for (op, operation) in &graph.ops {
        let w = mapping.warp_of[op] as usize;
        loads[w] += graph.flops(op);
        states[w] += u64::from(operation.states);
    }
    let (mut all, mut crossing) = (0u32, 0u32);
    let edges = graph.petgraph();
    for e in edges.edge_indices() {
        let (a, b) = edges.edge_endpoints(e).expect("the index is the graph's own");
        all += edges[e];
        if mapping.warp_of[edges[a]] != mapping.warp_of[edges[b]] {
            crossing += edges[e];
        }
    }
    let (flops, registers) = (imbalance(&loads), imbalance(&states));
    let locality = if all == 0 { 0.0 } else { f64::from(crossing) / f64::from(all) };
    Cost { flops, registers, locality, total: flops + registers + locality, crossing }
}

fn imbalance(loads: &[u64]) -> f64 {
    let sum: u64 = loads.iter().sum();
    if sum == 0 {
        return 1.0;
    }
    let largest = loads.iter().copied().max().unwrap_or(0);
    largest as f64 * loads.len() as f64 / sum as f64
}
