//! The ways to use shared memory: which schedules are made of a mapped graph, and which of them is the shortest.

use super::{Limits, Placement, Schedule, Way, all_warps};
use super::{barriers, nearest, phases, straight_line, sync};
use diagnostics::Diagnostic;
use graph::Graph;
use mapping::Mapping;

/// Schedules a mapped graph: the shortest of the [`ways`] to use shared memory.
///
/// Errors: as [`ways`].
pub fn schedule(
    graph: &Graph,
    mapping: &Mapping,
    placement: Placement,
    limits: &Limits,
) -> Result<Schedule, Diagnostic> {
    Ok(ways(graph, mapping, placement, limits)?.swap_remove(0).schedule)
}

/// Schedules of a mapped graph by several ways to use shared memory, at least one, the shortest first.
///
/// Errors: shared memory or named barriers do not suffice; the diagnostic names the resource.
pub fn ways(graph: &Graph, mapping: &Mapping, placement: Placement, limits: &Limits) -> Result<Vec<Way>, Diagnostic> {
    if mapping.warps > 1 && limits.slots.is_some() && limits.barriers == 0 {
        return Err(Diagnostic::error(
            "schedule::no-barriers",
            format!("{}: several warps need a named barrier, and this many CTAs per SM leave none", graph.kernel),
        )
        .help("use at most 16 CTAs per SM (--ctas-per-sm), or one warp"));
    }
    if limits.slots.is_none() && straight_line::is_short(graph, limits.target) {
        let schedule = straight_line::schedule(graph);
        let clocks = schedule.iteration(graph, limits).clocks(limits.target);
        return Ok(vec![Way { slots_per_phase: schedule.slots, schedule, clocks }]);
    }
    let mut ways = phases::place(graph, mapping, placement, limits)?;
    ways.iter_mut().for_each(|way| synchronise(graph, mapping, limits, way));
    ways.sort_by(|a, b| a.clocks.total_cmp(&b.clocks));
    Ok(ways)
}

/// A schedule of a mapped graph in the way of an earlier one, where shared memory suffices.
pub fn like(graph: &Graph, mapping: &Mapping, limits: &Limits, earlier: &Way) -> Option<Way> {
    let mut way = phases::place_like(graph, mapping, limits, earlier)?;
    synchronise(graph, mapping, limits, &mut way);
    Some(way)
}

/// Barriers, which slots are nearest, and the clocks that come of all.
fn synchronise(graph: &Graph, mapping: &Mapping, limits: &Limits, Way { schedule, clocks, .. }: &mut Way) {
    if limits.in_shared.is_some_and(|room| room > 0) {
        nearest::first(graph, schedule);
    }
    let boundaries = sync::boundaries(graph, mapping, schedule);
    barriers::allocate(schedule, &boundaries, limits.barriers);
    if graph.steps().any(|at| graph.crosses_lanes(at)) {
        for phase in &mut schedule.phases {
            phase.warp_syncs = phase.syncs.iter().fold(all_warps(mapping.warps), |warps, sync| warps & !sync.wait);
        }
    }
    *clocks = schedule.iteration(graph, limits).clocks(limits.target);
}
