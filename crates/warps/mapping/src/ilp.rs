//! Mappings that are within a stated gap of the best: by integer linear programming where the graph is small enough, else by exchanges, beside a
//! lower bound of what any mapping costs.

use cranelift_entity::SecondaryMap;
use good_lp::{
    Expression, ProblemVariables, Solution, SolutionStatus, SolverModel, Variable, WithInitialSolution, WithMipGap,
    WithTimeLimit, constraint, microlp, variable,
};

use super::bound::{bound, gap};
use super::cost::{Mapping, Optimality, allowed, cost};
use super::exchange::exchange;
use super::greedy;
use graph::{Graph, Op};

/// In larger problems, in binary variables, the solver would come nowhere.
const LARGEST: usize = 160;

/// The share of the cost by which a mapping may miss the optimum. The last hundredth takes most of the time.
const GAP: f32 = 0.01;

/// Seconds after which the search for the optimum ends. Small graphs take less than one; where many operations are equal, the proof that nothing is
/// better may take hours.
const LONGEST: f64 = 60.0;

/// Minimises the [`cost`]: largest load, largest number of states, crossing edges. The search begins with the greedy mapping, which is the answer,
/// too, where it does not come within [`GAP`] of the optimum in [`LONGEST`].
///
/// Warps are interchangeable; operation i is kept to warps 0..=i, which removes most of the symmetry.
pub fn map(graph: &Graph, warps: u32) -> Mapping {
    let ops: Vec<Op> = graph.ops.keys().collect();
    if ops.len() * warps as usize > LARGEST {
        let mapping = exchange(graph, &greedy::map(graph, warps));
        let total = cost(graph, &mapping).total;
        return Mapping { optimality: Optimality::Within { gap: gap(total, bound(graph, warps)) }, ..mapping };
    }
    let edges = graph.petgraph();
    let mut problem = ProblemVariables::new();
    let at: Vec<Vec<Variable>> =
        ops.iter().map(|_| (0..warps).map(|_| problem.add(variable().binary())).collect()).collect();
    let largest_load = problem.add(variable().min(0.0));
    let largest_states = problem.add(variable().min(0.0));
    let crossing: Vec<Variable> = edges.edge_indices().map(|_| problem.add(variable().min(0.0).max(1.0))).collect();

    let total: f64 = ops.iter().map(|&op| graph.flops(op) as f64).sum::<f64>().max(1.0);
    let states: f64 = ops.iter().map(|&op| f64::from(graph.ops[op].states)).sum::<f64>().max(1.0);
    let all_edges = edges.edge_weights().map(|&w| f64::from(w)).sum::<f64>().max(1.0);
    let w = f64::from(warps);
    let mut objective: Expression = w / total * largest_load;
    objective += w / states * largest_states;
    for (e, &variable) in edges.edge_indices().zip(&crossing) {
        objective += f64::from(edges[e]) / all_edges * variable;
    }
    let mut model = problem.minimise(objective).using(microlp);
    for (i, row) in at.iter().enumerate() {
        model = model.with(constraint!(row.iter().sum::<Expression>() == 1));
        // The QSSA warps are not interchangeable with the others.
        let allowed = if graph.qssa_warps.is_some() { allowed(graph, ops[i], warps) as usize } else { i + 1 };
        for &later in row.iter().skip(allowed) {
            model = model.with(constraint!(later <= 0));
        }
    }
    for warp in 0..warps as usize {
        let load: Expression = ops.iter().zip(&at).map(|(&op, row)| graph.flops(op) as f64 * row[warp]).sum();
        let held: Expression = ops.iter().zip(&at).map(|(&op, row)| f64::from(graph.ops[op].states) * row[warp]).sum();
        model = model.with(constraint!(load <= largest_load)).with(constraint!(held <= largest_states));
        for (e, &cut) in edges.edge_indices().zip(&crossing) {
            let (a, b) = edges.edge_endpoints(e).expect("the index is the graph's own");
            let (a, b) = (at[a.index()][warp], at[b.index()][warp]);
            model = model.with(constraint!(a - b <= cut)).with(constraint!(b - a <= cut));
        }
    }
    let greedy = in_order_of_use(graph, greedy::map(graph, warps));
    let known = ops.iter().zip(&at).flat_map(|(&op, row)| {
        let own = greedy.warp_of[op] as usize;
        row.iter().enumerate().map(move |(warp, &v)| (v, if warp == own { 1.0 } else { 0.0 }))
    });
    let model = model.with_initial_solution(known.collect::<Vec<_>>()).with_time_limit(LONGEST);
    let model = model.with_mip_gap(GAP).expect("the gap is a positive number");
    // The greedy mapping satisfies every row: only rounding in the solver can make it give up.
    let Ok(solution) = model.solve() else {
        return Mapping { optimality: Optimality::TimedOut { gap: 1.0 }, ..greedy };
    };
    if matches!(solution.status(), SolutionStatus::TimeLimit) {
        // Without a bound nothing is known but that no cost is negative.
        let gap = solution.into_inner().gap().unwrap_or(1.0);
        return Mapping { optimality: Optimality::TimedOut { gap }, ..greedy };
    }
    let mut mapping = Mapping { warps, warp_of: SecondaryMap::new(), optimality: Optimality::Unknown };
    for (&op, row) in ops.iter().zip(&at) {
        let warp = row.iter().position(|&v| solution.value(v) > 0.5).expect("each row sums to one");
        mapping.warp_of[op] = warp as u32;
    }
    mapping.optimality = Optimality::Within { gap: solution.into_inner().gap().unwrap_or(1.0) };
    mapping
}

/// The same mapping with the warps numbered as the operations first use them, where warps are interchangeable.
fn in_order_of_use(graph: &Graph, mut mapping: Mapping) -> Mapping {
    if graph.qssa_warps.is_some() {
        return mapping;
    }
    let mut used: Vec<u32> = Vec::new();
    for op in graph.ops.keys() {
        let warp = mapping.warp_of[op];
        let place = used.iter().position(|&known| known == warp).unwrap_or_else(|| {
            used.push(warp);
            used.len() - 1
        });
        mapping.warp_of[op] = place as u32;
    }
    mapping
}
