//! A reaction whose directions are scaled one by one: its two rates stay in the registers of one operation, which hands
//! them out where a sum reads them and takes in the factors that other operations make of these sums.

use super::fused_stages;
use super::separate_stages;
use super::stages::{Late, Rates, numbered, stages};
use crate::build::{self, Operands};
use crate::options::Options;
use crate::rates::plan::{DIRECTIONS, Plan};
use crate::rates::reaction;
use crate::rates::sources::Sources;
use cranelift_entity::packed_option::ReservedValue;
use graph::dataflow::{Graph, Value};
use mechanism::Reaction;

/// Adds what computes one reaction; `None` where no direction is left.
///
/// One warp alone would hold the rates of all reactions: there, every stage is an operation of its own, which reads them
/// from their slots.
pub fn add(
    graph: &mut Graph,
    i: usize,
    r: &Reaction,
    plan: &Plan,
    options: &Options,
    sources: &Sources<'_>,
    late: &mut Late,
) -> Option<Rates> {
    if plan.live == [false; 2] {
        return None;
    }
    let stages = stages(r, plan, options.stiffness);
    let rates = if options.warps == 1 {
        separate_stages::add(graph, i, r, plan, stages, sources, late)
    } else {
        fused_stages::add(graph, i, r, plan, stages, sources, late)
    };
    Some(rates)
}

/// Adds what computes the rates that the quasi-steady system reads of one reaction, and nothing else; `None` where it reads none.
pub fn unscaled(graph: &mut Graph, i: usize, r: &Reaction, plan: &Plan, sources: &Sources<'_>) -> Option<Rates> {
    if plan.solved == [false; 2] {
        return None;
    }
    let mut o = Operands::default();
    let rates = reaction::directions(&mut o, i, r, plan.live, sources);
    o.body.values = DIRECTIONS.into_iter().filter(|&d| plan.solved[d]).filter_map(|d| rates[d]).collect();
    let step = o.into_step(graph);
    let op = graph
        .add(build::single(format!("reaction {} {}", i + 1, r.equation), step), |_, n| format!("rate {} {n}", i + 1));
    let unscaled = numbered(plan.solved, |n| graph.ops[op].epilogue.outputs[n as usize]);
    Some(Rates { unscaled, staged: Vec::new(), progress: Value::reserved_value() })
}
