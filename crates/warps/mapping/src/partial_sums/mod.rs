//! Sums that are split among the warps which make their terms.
//!
//! Where values are read by nothing but sums, the warp that makes them adds them up at once, in registers: they take no slots, are stored by
//! nobody and loaded by nobody. What the sums add up then are these parts, one for each warp and sum instead of one for each term, and the
//! terms of their own warp.

mod assign;
mod inlined;
mod split;
mod terms;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Mapping;
use graph::{Graph, Op, Role, StepRef};
pub use inlined::{inlined, is_crowded};
use terms::{Maker, Terms};

/// Assignment of terms to the warps that make them, and of sums to the warps that add them up.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Warps of all operations but those of QSSA warps that neither make terms nor add them up.
    warp_of: BTreeMap<Op, u32>,
}

impl Plan {
    /// The same with other warps for some operations.
    pub fn with(&self, moves: &[(Op, u32)]) -> Self {
        let mut warp_of = self.warp_of.clone();
        warp_of.extend(moves.iter().copied());
        Self { warp_of }
    }
}

/// The warps of makers and sums, so that few parts and few values pass between warps, and that warps have equal work of each class: of operations
/// that run at the same time.
pub fn plan(graph: &Graph, mapping: &Mapping, class: &dyn Fn(Op) -> u32) -> Plan {
    let terms = terms::find(graph);
    let makers = terms::makers(graph, &terms);
    let first: Vec<usize> = makers.keys().map(|&op| mapping.warp_of[op] as usize).collect();
    let numbered = numbered(&makers, class);
    let assigned = assign::assign(&numbered, mapping.warps as usize, &first);
    let mut warp_of: BTreeMap<Op, u32> = makers.keys().copied().zip(assigned.into_iter().map(|w| w as u32)).collect();
    let sums = sums(graph, mapping, &terms, &warp_of);
    warp_of.extend(sums);
    let others = others(graph, mapping, &warp_of);
    warp_of.extend(others);
    Plan { warp_of }
}

/// The warps of all that neither makes terms nor adds them up: at each depth of the graph the longest operation first, to the warp with the least
/// work. Those of QSSA warps stay.
fn others(graph: &Graph, mapping: &Mapping, placed: &BTreeMap<Op, u32>) -> BTreeMap<Op, u32> {
    let depth = graph.depths();
    let is_bound = |op: Op| graph.qssa_warps.as_ref().is_some_and(|group| group.roles[op] != Role::Other);
    let work =
        |op: Op| -> u64 { graph.ops[op].parts().map(|part| graph.body(StepRef { op, part }).slots().max(1)).sum() };
    let mut left: Vec<Op> = graph.ops.keys().filter(|op| !placed.contains_key(op) && !is_bound(*op)).collect();
    left.sort_by_key(|&op| (depth[op], Reverse(work(op)), op));
    let mut warp_of = BTreeMap::new();
    for ops in left.chunk_by(|&a, &b| depth[a] == depth[b]) {
        let mut loads = vec![0; mapping.warps as usize];
        for &op in ops {
            let warp = (0..loads.len()).min_by_key(|&w| (loads[w], w)).unwrap_or(0);
            loads[warp] += work(op);
            warp_of.insert(op, warp as u32);
        }
    }
    warp_of
}

/// The graph with split sums, and its mapping.
pub fn apply(graph: &Graph, mapping: &Mapping, plan: &Plan) -> (Graph, Mapping) {
    split::split(graph, mapping, &plan.warp_of)
}

/// Makers as the assignment sees them.
fn numbered(makers: &BTreeMap<Op, Maker>, class: &dyn Fn(Op) -> u32) -> Vec<assign::Maker> {
    let (mut sums, mut inputs, mut classes) =
        (assign::Numbers::default(), assign::Numbers::default(), assign::Numbers::default());
    let maker = |(&op, maker): (&Op, &Maker)| assign::Maker {
        work: maker.slots as f64,
        class: classes.number(class(op)),
        sums: maker.sums.iter().map(|&sum| sums.number(sum)).collect(),
        inputs: maker.inputs.iter().map(|&value| inputs.number(value)).collect(),
    };
    makers.iter().map(maker).collect()
}

/// The warp of each sum: the one that makes most of its terms, as long as each warp has equally many sums of a kind. Those of QSSA warps stay.
fn sums(graph: &Graph, mapping: &Mapping, terms: &Terms, maker_of: &BTreeMap<Op, u32>) -> BTreeMap<Op, u32> {
    let mut counts: BTreeMap<Op, Vec<usize>> = BTreeMap::new();
    for (at, maker) in terms {
        let counts = counts.entry(at.op).or_insert_with(|| vec![0; mapping.warps as usize]);
        counts[maker_of[&maker.op] as usize] += 1;
    }
    let is_bound = |op: Op| graph.qssa_warps.as_ref().is_some_and(|group| group.roles[op] == Role::Member);
    let kind = |op: Op| graph.ops[op].epilogue.shape;
    let mut order: Vec<Op> = counts.keys().copied().filter(|&op| !is_bound(op)).collect();
    let of_kind = |op: Op| order.iter().filter(|&&other| kind(other) == kind(op)).count();
    let room: BTreeMap<Op, usize> =
        order.iter().map(|&op| (op, of_kind(op).div_ceil(mapping.warps as usize))).collect();
    order.sort_by_key(|op| (Reverse(counts[op].iter().sum::<usize>()), *op));
    let mut taken = BTreeMap::new();
    let mut warp_of: BTreeMap<Op, u32> =
        counts.keys().filter(|&&op| is_bound(op)).map(|&op| (op, mapping.warp_of[op])).collect();
    for op in order {
        let free = |w: &usize| taken.get(&(kind(op), *w)).is_none_or(|&n: &usize| n < room[&op]);
        let best = (0..mapping.warps as usize).filter(free).max_by_key(|&w| (counts[&op][w], Reverse(w)));
        let best = best.expect("there is room for all sums of a kind");
        *taken.entry((kind(op), best)).or_insert(0) += 1;
        warp_of.insert(op, best as u32);
    }
    warp_of
}

/// By step that adds a term to a sum, the step that makes it.
pub fn followers(graph: &Graph, mapping: &Mapping) -> BTreeMap<StepRef, Vec<StepRef>> {
    let mut found: BTreeMap<StepRef, Vec<StepRef>> = BTreeMap::new();
    for (at, maker) in terms::find(graph) {
        if mapping.warp_of[at.op] == mapping.warp_of[maker.op] {
            found.entry(maker).or_default().push(at);
        }
    }
    found
}
