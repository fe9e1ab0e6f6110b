//! Ways to schedule a mapped graph, of which the first is taken.

use crate::observer::Observer;
use crate::plan::{Effort, Resolved};
use command::Failure;
use overlay::Codegen;
use schedule::{balance, refine};

/// A mapped graph, and the ways to schedule it.
pub type Scheduled = (graph::Graph, mapping::Mapping, Vec<schedule::Way>);

/// Schedules straight code with sums split among warps, and other code as it is mapped.
pub fn ways(
    own: &Resolved<'_>,
    limits: &schedule::Limits,
    graph: graph::Graph,
    mapping: mapping::Mapping,
    observer: &mut Observer,
) -> Result<Scheduled, Failure> {
    match own.codegen {
        Codegen::Straight => with_partial_sums(own, limits, &graph, &mapping, observer),
        _ => scheduled(own, limits, graph, mapping, observer),
    }
}

fn scheduled(
    own: &Resolved<'_>,
    limits: &schedule::Limits,
    graph: graph::Graph,
    mapping: mapping::Mapping,
    observer: &mut Observer,
) -> Result<Scheduled, Failure> {
    let ways = || schedule::ways(&graph, &mapping, own.tuning.placement, limits);
    let ways = observer.pass("schedule", Some(own.kernel), ways).map_err(|d| Failure::input([d]))?;
    Ok((graph, mapping, ways))
}

/// Sums split among the warps that make their terms, balanced by what runs at the same time: by depth at first, then by the phases that this gave. The
/// shorter of both is taken.
fn with_partial_sums(
    own: &Resolved<'_>,
    limits: &schedule::Limits,
    graph: &graph::Graph,
    mapping: &mapping::Mapping,
    observer: &mut Observer,
) -> Result<Scheduled, Failure> {
    let k = Some(own.kernel);
    let split = |class: &dyn Fn(graph::Op) -> u32| {
        let plan = mapping::partial_sums::plan(graph, mapping, class);
        let made = mapping::partial_sums::apply(graph, mapping, &plan);
        (plan, made)
    };
    let depth = graph.depths();
    let (first_plan, by_depth) = observer.pass("partial sums", k, || split(&|op| depth[op]));
    let first = scheduled(own, limits, by_depth.0, by_depth.1, observer)?;
    let phases = balance::phases(&first.0, &first.2[0].schedule);
    let class = |op: graph::Op| phases.get(graph.ops[op].name.as_str()).copied().unwrap_or(0);
    let (second_plan, by_phase) = observer.pass("partial sums by phase", k, || split(&class));
    let second = scheduled(own, limits, by_phase.0, by_phase.1, observer)?;
    let is_shorter = balance::is_shorter((&second.0, &second.2[0].schedule), (&first.0, &first.2[0].schedule));
    let (plan, found) = if is_shorter { (second_plan, second) } else { (first_plan, first) };
    if own.asked.effort == Effort::Quick {
        return Ok(found);
    }
    let refine = || refine::refined(graph, mapping, plan, limits, found);
    Ok(observer.pass("refine", k, refine))
}
