//! Better mappings by moving one operation, or by exchanging two (after Kernighan and Lin, Bell Syst. Tech. J. 49, 1970, who exchange
//! to cut fewest edges).

use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use super::cost::{Mapping, allowed, imbalance};
use graph::{Graph, Op};

/// Turns over all operations: each takes what saves at once, and few are needed until nothing does.
const TURNS: usize = 40;
/// Pairs that are tried in all turns at most: some seconds. Thousands of operations have fewer turns.
const PAIRS: usize = 20_000_000;
/// Less than this is no gain, but rounding.
const LEAST_GAIN: f64 = 1e-12;

/// The mapping from which no single move and no exchange saves anything, from this one on. Ties go to the first.
pub fn exchange(graph: &Graph, mapping: &Mapping) -> Mapping {
    let mut state = State::new(graph, mapping);
    let ops: Vec<Op> = graph.ops.keys().collect();
    let turns = TURNS.min(2 * PAIRS / (ops.len() * ops.len() + 1)).max(1);
    for _ in 0..turns {
        let mut changed = false;
        for (at, &op) in ops.iter().enumerate() {
            let other = (0..allowed(graph, op, mapping.warps)).find(|&warp| state.gains(&[(op, warp)]));
            if let Some(warp) = other {
                state.set(op, warp);
                changed = true;
            }
            for &other in &ops[at + 1..] {
                let (own, its) = (state.mapping.warp_of[op], state.mapping.warp_of[other]);
                let may = |op: Op, warp: u32| warp < allowed(graph, op, mapping.warps);
                if own != its && may(op, its) && may(other, own) && state.gains(&[(op, its), (other, own)]) {
                    state.set(op, its);
                    state.set(other, own);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    state.mapping
}

/// A mapping, and what its cost is made of.
struct State<'a> {
    graph: &'a Graph,
    edges: DiGraph<Op, u32>,
    /// Sum of the weights of all edges.
    values: f64,
    mapping: Mapping,
    loads: Vec<u64>,
    states: Vec<u64>,
}

impl<'a> State<'a> {
    fn new(graph: &'a Graph, mapping: &Mapping) -> Self {
        let edges = graph.petgraph();
        let values = edges.edge_weights().map(|&weight| f64::from(weight)).sum();
        let none = vec![0; mapping.warps as usize];
        let mut state = Self { graph, edges, values, mapping: mapping.clone(), loads: none.clone(), states: none };
        for op in graph.ops.keys() {
            let warp = mapping.warp_of[op] as usize;
            state.loads[warp] += graph.flops(op);
            state.states[warp] += u64::from(graph.ops[op].states);
        }
        state
    }

    /// Whether the cost is less where operations have these warps; where it is the same, whether loads are more even.
    fn gains(&mut self, moves: &[(Op, u32)]) -> bool {
        let before: Vec<u32> = moves.iter().map(|&(op, _)| self.mapping.warp_of[op]).collect();
        if moves.iter().zip(&before).all(|(&(_, warp), &before)| warp == before) {
            return false;
        }
        let (balance, evenness) = (self.balance(), self.evenness());
        // Crossing edges of those that move; an edge between both is counted twice, before and after.
        let crossing = |state: &Self| moves.iter().map(|&(op, _)| state.crossing(op)).sum::<f64>();
        let old = crossing(self);
        moves.iter().for_each(|&(op, warp)| self.set(op, warp));
        let share = if self.values == 0.0 { 0.0 } else { 1.0 / self.values };
        let change = self.balance() - balance + share * (crossing(self) - old);
        let gains = change < -LEAST_GAIN || change <= LEAST_GAIN && self.evenness() < evenness;
        moves.iter().zip(&before).for_each(|(&(op, _), &before)| self.set(op, before));
        gains
    }

    fn set(&mut self, op: Op, warp: u32) {
        let before = std::mem::replace(&mut self.mapping.warp_of[op], warp) as usize;
        let (load, states) = (self.graph.flops(op), u64::from(self.graph.ops[op].states));
        self.loads[before] -= load;
        self.states[before] -= states;
        self.loads[warp as usize] += load;
        self.states[warp as usize] += states;
    }

    /// Returns the part of the cost from loads and states.
    fn balance(&self) -> f64 {
        imbalance(&self.loads) + imbalance(&self.states)
    }

    fn evenness(&self) -> f64 {
        self.loads.iter().map(|&load| (load as f64).powi(2)).sum()
    }

    /// Values that pass between an operation and others on other warps.
    fn crossing(&self, op: Op) -> f64 {
        let node = NodeIndex::new(op.as_u32() as usize);
        let own = self.mapping.warp_of[op];
        let both = [Direction::Incoming, Direction::Outgoing].into_iter();
        let edges =
            both.flat_map(|direction| self.edges.edges_directed(node, direction).map(move |edge| (direction, edge)));
        edges
            .map(|(direction, edge)| {
                let other = if direction == Direction::Incoming { edge.source() } else { edge.target() };
                if self.mapping.warp_of[self.edges[other]] == own { 0.0 } else { f64::from(*edge.weight()) }
            })
            .sum()
    }
}
