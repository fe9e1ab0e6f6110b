//! Lower bound on the cost of every mapping of a graph.

use petgraph::visit::EdgeRef;

use graph::Graph;

/// A lower bound of [`super::cost::cost`]'s total.
///
/// Where the busiest warp has λ times the mean load, the readers of an operation that are on its own warp do no more than what it leaves there: most edges stay if
/// the readers with the fewest operations for each edge do, the last of them in part (the relaxed knapsack problem, Dantzig, Oper. Res. 5, 1957). So the
/// edges that stay are a concave function of λ, and the cost a convex one; it is least at one of its corners.
pub fn bound(graph: &Graph, warps: u32) -> f64 {
    let loads = graph.ops.keys().map(|op| graph.flops(op));
    let states = graph.ops.values().map(|op| u64::from(op.states));
    let (least_load, least_states) = (least(loads, warps), least(states, warps));
    let total: u64 = graph.ops.keys().map(|op| graph.flops(op)).sum();
    let mean = total as f64 / f64::from(warps);
    let edges = graph.petgraph();
    let all: f64 = edges.edge_weights().map(|&weight| f64::from(weight)).sum();
    let readers: Vec<Readers> = edges
        .node_indices()
        .map(|node| {
            let list =
                edges.edges(node).map(|edge| (graph.flops(edges[edge.target()]) as f64, f64::from(*edge.weight())));
            Readers::new(graph.flops(edges[node]) as f64, list.collect())
        })
        .collect();
    let cost = |largest: f64| {
        let stay: f64 = readers.iter().map(|readers| readers.staying(largest * mean)).sum();
        let crossing = if all == 0.0 { 0.0 } else { 1.0 - stay / all };
        largest + least_states + crossing
    };
    let mut corners = vec![least_load];
    if mean > 0.0 {
        corners.extend(readers.iter().flat_map(Readers::corners).map(|load| load / mean).filter(|&x| x > least_load));
    }
    corners.sort_by(f64::total_cmp);
    // The first corner behind which the cost does not fall.
    let falls = |at: usize| at + 1 < corners.len() && cost(corners[at + 1]) < cost(corners[at]);
    let (mut first, mut behind) = (0, corners.len() - 1);
    while first < behind {
        let middle = (first + behind) / 2;
        if falls(middle) { first = middle + 1 } else { behind = middle }
    }
    cost(corners[first])
}

/// The least that the largest share of a warp can be, in means: whole numbers cannot be less than the mean rounded up.
fn least(parts: impl Iterator<Item = u64>, warps: u32) -> f64 {
    let (sum, largest) = parts.fold((0, 0), |(sum, largest), part| (sum + part, part.max(largest)));
    if sum == 0 {
        return 1.0;
    }
    largest.max(sum.div_ceil(u64::from(warps))) as f64 * f64::from(warps) / sum as f64
}

/// The operations that read what one makes, those first that do least for each value that they read.
struct Readers {
    /// The operations of the one that makes it.
    own: f64,
    /// Operations, values.
    list: Vec<(f64, f64)>,
}

impl Readers {
    fn new(own: f64, mut list: Vec<(f64, f64)>) -> Self {
        list.sort_by(|a, b| (a.0 * b.1).total_cmp(&(b.0 * a.1)));
        Self { own, list }
    }

    /// Most values that are read on a warp of this load.
    fn staying(&self, load: f64) -> f64 {
        let mut left = (load - self.own).max(0.0);
        let mut staying = 0.0;
        for &(operations, values) in &self.list {
            if operations > left {
                return staying + values * left / operations;
            }
            left -= operations;
            staying += values;
        }
        staying
    }

    /// The loads at which one more reader fits.
    fn corners(&self) -> impl Iterator<Item = f64> + '_ {
        let sums = self.list.iter().scan(self.own, |sum, &(operations, _)| {
            *sum += operations;
            Some(*sum)
        });
        std::iter::once(self.own).chain(sums)
    }
}

/// Returns the share of its cost by which a mapping could cost less.
pub fn gap(cost: f64, bound: f64) -> f64 {
    if cost > 0.0 { ((cost - bound) / cost).max(0.0) } else { 0.0 }
}
