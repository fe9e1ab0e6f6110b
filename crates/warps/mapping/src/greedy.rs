//! The paper's greedy algorithm.

use cranelift_entity::SecondaryMap;
use petgraph::Direction;
use petgraph::graph::NodeIndex;

use super::cost::{Mapping, allowed};
use graph::{Graph, Op, Role};

/// Weight of the running state of a sum beside that of a rate, where the QSSA warps solve for quasi-steady species.
const SUM: f64 = 0.3;
/// Factor on the weight of an even distribution of these rates: they fill the registers of every warp at the same time.
const RATES: f64 = 2.0;

/// Maps every operation to one of `warps` warps: from the most expensive to the least, those that feed the QSSA warps and the QSSA warps' own before the rest; ties go by number, so that equal shapes spread evenly.
pub fn map(graph: &Graph, warps: u32) -> Mapping {
    let edges = graph.petgraph();
    let mut order: Vec<Op> = graph.ops.keys().collect();
    let role = |op: Op| graph.qssa_warps.as_ref().map_or(Role::Other, |group| group.roles[op]);
    order.sort_by_key(|&op| (role(op), std::cmp::Reverse(graph.flops(op)), op));
    let total: u64 = order.iter().map(|&op| graph.flops(op)).sum();
    // Beside the QSSA warps, rates are held until the whole solution is there, and sums only while they are summed.
    let weight = |op: Op| {
        let brief = graph.qssa_warps.is_some() && !graph.ops[op].ordered;
        f64::from(graph.ops[op].states) * if brief { SUM } else { 1.0 }
    };
    let evenness = if graph.qssa_warps.is_some() { RATES } else { 1.0 };
    let states: f64 = graph.ops.keys().map(weight).sum();
    let mean = |sum: f64| (sum / f64::from(warps)).max(1.0);
    let (mean_load, mean_states) = (mean(total as f64), mean(states));

    let mut warp_of: SecondaryMap<Op, Option<u32>> = SecondaryMap::new();
    let depth = graph.depths();
    let levels = graph.ops.keys().map(|op| depth[op] + 1).max().unwrap_or(0);
    let mut load = vec![0.0; warps as usize];
    // Warps meet at barriers between the levels of the graph, so each level should be balanced too.
    let mut level_load = vec![vec![0.0; warps as usize]; levels as usize];
    let mut held = vec![0.0; warps as usize];
    for op in order {
        let flops = graph.flops(op) as f64 / mean_load;
        let registers = weight(op) / mean_states;
        let (shared, degree) = edges_by_warp(&edges, op, &warp_of, warps);
        let cost = |w: usize| {
            // An edge is worth at most the operation itself: locality decides between warps of like load.
            let remote = if degree == 0 { 0.0 } else { 1.0 - f64::from(shared[w]) / f64::from(degree) };
            // The mean of two loads, the warp's own and that on the operation's level, both with the operation.
            (load[w] + level_load[depth[op] as usize][w] + 2.0 * flops) / 2.0
                + evenness * (held[w] + registers)
                + remote * (flops + registers)
        };
        let best = (0..allowed(graph, op, warps) as usize)
            .min_by(|&a, &b| cost(a).total_cmp(&cost(b)).then(a.cmp(&b)))
            .expect("there is at least one warp");
        load[best] += flops;
        level_load[depth[op] as usize][best] += flops;
        held[best] += registers;
        warp_of[op] = Some(best as u32);
    }
    let mut mapping = Mapping { warps, warp_of: SecondaryMap::new() };
    for op in graph.ops.keys() {
        mapping.warp_of[op] = warp_of[op].expect("every operation was assigned");
    }
    mapping
}

/// Returns the number of an operation's edges to each warp so far, and the number of all its edges.
fn edges_by_warp(
    edges: &petgraph::graph::DiGraph<Op, u32>,
    op: Op,
    warp_of: &SecondaryMap<Op, Option<u32>>,
    warps: u32,
) -> (Vec<u32>, u32) {
    let node = NodeIndex::new(op.as_u32() as usize);
    let mut shared = vec![0; warps as usize];
    let mut degree = 0;
    for direction in [Direction::Incoming, Direction::Outgoing] {
        for neighbour in edges.neighbors_directed(node, direction) {
            degree += 1;
            if let Some(w) = warp_of[edges[neighbour]] {
                shared[w as usize] += 1;
            }
        }
    }
    (shared, degree)
}
