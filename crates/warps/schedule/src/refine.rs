//! Better shares of the work, by the schedule itself: operations leave the warp that the others of its phase wait for.
//!
//! A mapping that is balanced over the whole graph, or at each depth of it, is not balanced within phases, which slots and chains of operations
//! decide. So the schedule is made again with an operation moved, or two exchanged, and kept where it is not longer (a local search, as Kernighan
//! and Lin's).

use super::{Limits, Way, balance, like};
use graph::{Graph, Op, Role};
use kinetics::random::SplitMix64;
use mapping::Mapping;
use mapping::partial_sums::{self, Plan};
use std::collections::BTreeMap;

/// Schedules that are made.
const TRIALS: usize = 300;
/// Steps that are placed in all of them at most: large graphs have fewer.
const MOST_STEPS: usize = 1_500_000;
/// Graphs with more steps than this are left as they are: one schedule of them takes ten seconds.
const LARGEST: usize = 20_000;
/// Where the longest warps of all phases take no more than this share above the lower bound, nothing is to be gained.
const LEAST_GAP: f64 = 0.05;

/// A graph with split sums, its mapping, and the ways to schedule it.
pub type Scheduled = (Graph, Mapping, Vec<Way>);

/// A schedule of the graph that takes no more clocks than the first, which the plan gave.
pub fn refined(graph: &Graph, mapping: &Mapping, mut plan: Plan, limits: &Limits, first: Scheduled) -> Scheduled {
    let gap = balance::balance(&first.0, &first.2[0].schedule).map_or(0.0, |balance| balance.gap);
    let steps = graph.steps().count();
    if gap < LEAST_GAP || steps > LARGEST {
        return first;
    }
    let by_name: BTreeMap<&str, Op> = graph.ops.iter().map(|(op, operation)| (operation.name.as_str(), op)).collect();
    let may_move = |op: Op| graph.qssa_warps.as_ref().is_none_or(|group| group.roles[op] == Role::Other);
    let (mut best, mut random) = (first, SplitMix64::new(1));
    for _ in 0..TRIALS.min(MOST_STEPS / steps.max(1)) {
        let Some(moves) = moves(&best, &by_name, &may_move, &mut random) else { continue };
        let tried = plan.with(&moves);
        let (split, mapped) = partial_sums::apply(graph, mapping, &tried);
        let Some(found) = like(&split, &mapped, limits, &best.2[0]) else { continue };
        if found.clocks <= best.2[0].clocks {
            best.2[0] = found;
            (plan, best.0, best.1) = (tried, split, mapped);
        }
    }
    best
}

/// An operation of the warp that others wait for in some phase, for another warp, and maybe one of that warp's in its place. Phases with more waiting
/// are taken more often.
fn moves(
    (graph, _, ways): &Scheduled,
    by_name: &BTreeMap<&str, Op>,
    may_move: &dyn Fn(Op) -> bool,
    random: &mut SplitMix64,
) -> Option<Vec<(Op, u32)>> {
    let schedule = &ways[0].schedule;
    let load = |run: &Vec<_>| run.iter().map(|&at| graph.body(at).slots().max(1)).sum::<u64>();
    let loads: Vec<Vec<u64>> = schedule.phases.iter().map(|phase| phase.runs.iter().map(load).collect()).collect();
    let excess =
        |loads: &Vec<u64>| loads.iter().max().copied().unwrap_or(0) * loads.len() as u64 - loads.iter().sum::<u64>();
    let total: u64 = loads.iter().map(excess).sum();
    let mut left = random.below(usize::try_from(total).ok()?.max(1)) as u64;
    let phase = loads.iter().position(|loads| {
        let own = excess(loads);
        let is_it = left < own;
        left = left.saturating_sub(own);
        is_it
    })?;
    let from = (0..loads[phase].len()).max_by_key(|&warp| loads[phase][warp])?;
    let others = loads[phase].len().checked_sub(1).filter(|&others| others > 0)?;
    let to = (from + 1 + random.below(others)) % loads[phase].len();
    let mut pick = |warp: usize| {
        let names = schedule.phases[phase].runs[warp].iter().map(|at| graph.ops[at.op].name.as_str());
        let mut ops: Vec<Op> = names.filter_map(|name| by_name.get(name).copied()).filter(|&op| may_move(op)).collect();
        ops.dedup();
        (!ops.is_empty()).then(|| ops[random.below(ops.len())])
    };
    let moved = (pick(from)?, to as u32);
    let back = pick(to).map(|op| (op, from as u32));
    let exchanges = random.below(2) == 0;
    Some([Some(moved), back.filter(|_| exchanges)].into_iter().flatten().collect())
}
