//! An optimal mapper by integer linear programming, for graphs small enough: it shows how far greedy is from the best.

use cranelift_entity::SecondaryMap;
use good_lp::{Expression, ProblemVariables, Solution, SolverModel, Variable, constraint, microlp, variable};

use super::{Mapping, Weights, greedy};
use crate::graph::{Graph, Op};
use diagnostics::Diagnostic;

/// Beyond this many binary variables the solver takes minutes.
const LARGEST: usize = 160;

/// Minimises the [`super::cost`]: largest load, largest number of states, crossing edges.
///
/// Warps are interchangeable; operation i is kept to warps 0..=i, which removes most of the symmetry.
pub fn map(graph: &Graph, warps: u32, weights: &Weights) -> Result<Mapping, Diagnostic> {
    let ops: Vec<Op> = graph.ops.keys().collect();
    let size = ops.len() * warps as usize;
    if size > LARGEST {
        return Err(Diagnostic::error(
            "mapping::too-large",
            format!("the ILP mapper takes graphs up to {LARGEST} operations x warps; {} has {size}", graph.kernel),
        )
        .help("use --mapper greedy, or fewer warps"));
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
    let mut objective: Expression = weights.flops * w / total * largest_load;
    objective += weights.registers * w / states * largest_states;
    for (e, &variable) in edges.edge_indices().zip(&crossing) {
        objective += weights.locality * f64::from(edges[e]) / all_edges * variable;
    }
    let mut model = problem.minimise(objective).using(microlp);
    for (i, row) in at.iter().enumerate() {
        model = model.with(constraint!(row.iter().sum::<Expression>() == 1));
        // The QSSA warps are not interchangeable with the others.
        let allowed = if graph.qssa_warps.is_some() { super::allowed(graph, ops[i], warps) as usize } else { i + 1 };
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
    // The greedy mapping satisfies every row: only rounding in the solver can make it give up.
    let Ok(solution) = model.solve() else { return Ok(greedy::map(graph, warps, weights)) };
    let mut mapping = Mapping { warps, warp_of: SecondaryMap::new() };
    for (&op, row) in ops.iter().zip(&at) {
        let warp = row.iter().position(|&v| solution.value(v) > 0.5).expect("each row sums to one");
        mapping.warp_of[op] = warp as u32;
    }
    Ok(mapping)
}
