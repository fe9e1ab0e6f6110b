//! The rounds in which further versions of kernels are made that have passed already: more CTAs per SM, rivals of the same shape, other
//! shapes; at last the fastest is kept.

use super::layout::{LayoutTime, alternative, fastest, finalists, mark_undecided};
use super::level::levels;
use super::made::{Made, Maker, attempted};
use super::neighbor::{Version, neighbor};
use super::rival::{Rival, rivals};
use crate::failure::{Failure, FailureKind};
use crate::kernels::Kernel;
use crate::plan::{Occupancy, Request, Resolved, Tuning};
use diagnostics::Diagnostic;
use ptx::occupancy::Direction;
use ptx::occupancy::settle::settle;

/// The versions of each kernel that are kept, of those that are made and of those that are tried beside them.
pub fn best<M: Maker>(
    request: &Request,
    made: Vec<M::Made>,
    maker: &mut M,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<M::Made>, Failure> {
    let made = at_best_levels(request, made, maker)?;
    let made = with_rivals(request, made, maker, warnings)?;
    let made = with_neighbors(request, made, maker, warnings)?;
    fastest_of_each(request, made, maker)
}

/// Each kernel whose occupancy is not fixed with the number of CTAs per SM with which it takes least time: from the first version on more
/// of them as long as that does not take longer, as an application finds it out while it runs.
fn at_best_levels<M: Maker>(request: &Request, made: Vec<M::Made>, maker: &mut M) -> Result<Vec<M::Made>, Failure> {
    let settled = made.into_iter().map(|first| {
        let own = request.of_kernel(first.kernel()).in_layout(first.version().codegen);
        match own.tuning.occupancy {
            Occupancy::Fixed => Ok(first),
            Occupancy::Auto => at_best_level(&own, first, maker),
        }
    });
    settled.collect()
}

/// One kernel of [`at_best_levels`].
fn at_best_level<M: Maker>(own: &Resolved<'_>, first: M::Made, maker: &mut M) -> Result<M::Made, Failure> {
    let resident = first.ctas_per_sm().max(own.tuning.ctas_per_sm);
    let levels = match first.level_time().nanoseconds {
        Some(_) => levels(own, first.registers_held(), resident),
        None => Vec::new(),
    };
    let data_parallel_ns = first.data_parallel_ns();
    let mut made = vec![Some(first)];
    let mut refused = None;
    let settled = settle(1 + levels.len(), 0, Direction::Increasing, |at| {
        if at > 0 {
            let tuning = Tuning { ctas_per_sm: levels[at - 1], ..own.tuning };
            let version = maker.make(&own.tuned(tuning));
            made.push(version.map_err(|failure| refused = refused.take().or(Some(failure))).ok());
        }
        made[at].as_ref().and_then(|version| version.level_time().nanoseconds).unwrap_or(f64::INFINITY)
    });
    if let Some(failure) = refused.filter(|failure| failure.kind == FailureKind::Verification) {
        return Err(failure);
    }
    let times = made.iter().flatten().map(Made::level_time).collect();
    let mut chosen = made.swap_remove(settled.chosen).expect("a version that takes a time was made");
    chosen.chosen_of_levels(times, data_parallel_ns);
    Ok(chosen)
}

/// Behind each kernel whose machine code was timed the same kernel made differently, where that shows what another one may save. Where
/// the request names the layouts itself they are as they are.
fn with_rivals<M: Maker>(
    request: &Request,
    made: Vec<M::Made>,
    maker: &mut M,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<M::Made>, Failure> {
    let mut all = Vec::new();
    let fastest: Vec<f64> = made.iter().map(|version| least_time(&made, version.kernel())).collect();
    for (first, fastest) in made.into_iter().zip(fastest) {
        let mut own = vec![first];
        // the rivals of the first one, and of that one of them whose inputs are not copied ahead
        for at in 0.. {
            let Some(version) = own.get(at) else { break };
            if own[..at].iter().any(|earlier| earlier.copies_ahead() == version.copies_ahead()) {
                continue;
            }
            let more = rivals_of(request, (version, fastest), maker, warnings)?;
            own.extend(more);
        }
        all.append(&mut own);
    }
    Ok(all)
}

/// The rivals of a version that could be made; `fastest` is the least time of the kernel.
fn rivals_of<M: Maker>(
    request: &Request,
    (version, fastest): (&M::Made, f64),
    maker: &mut M,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<M::Made>, Failure> {
    let Version { codegen, tuning } = version.version();
    let own = request.of_kernel(version.kernel()).in_layout(codegen).tuned(tuning);
    if !own.keep_fastest {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for rival in rivals(&own, version.told(fastest)) {
        let made = match rival {
            Rival::InOrder => maker.in_order(version, &own),
            Rival::Tuned(tuning) => maker.make(&own.tuned(tuning)).map(Some),
            Rival::Layout(codegen) => maker.make(&own.in_layout(codegen)).map(Some),
            Rival::Version(Version { codegen, tuning }) => maker.make(&own.in_layout(codegen).tuned(tuning)).map(Some),
        };
        found.extend(attempted(made, warnings)?);
    }
    Ok(found)
}

/// Behind the versions of each kernel those with other numbers of warps, and on tensor cores, as long as the fastest straight-line and the
/// fastest warp-specialized one show that these may save time.
fn with_neighbors<M: Maker>(
    request: &Request,
    mut made: Vec<M::Made>,
    maker: &mut M,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<M::Made>, Failure> {
    let mut all: Vec<M::Made> = Vec::new();
    for &kernel in &request.kernels {
        let (mut of_kernel, rest) = made.into_iter().partition::<Vec<_>, _>(|version| version.kernel() == kernel);
        made = rest;
        let own = request.of_kernel(kernel);
        for straight in [true, false].into_iter().filter(|_| own.keep_fastest) {
            let mut tried: Vec<Version> = of_kernel.iter().map(Made::version).collect();
            while let Some(next) = next_neighbor(&own, &of_kernel, straight, &tried) {
                tried.push(next);
                let made = maker.make(&own.in_layout(next.codegen).tuned(next.tuning)).map(Some);
                let Some(version) = attempted(made, warnings)? else { continue };
                // one that was not timed cannot be compared
                let Some(time) = version.predicted_ns() else { continue };
                if straight {
                    of_kernel.extend(rivals_of(request, (&version, time), maker, warnings)?);
                }
                of_kernel.push(version);
            }
        }
        all.append(&mut of_kernel);
    }
    Ok(all)
}

/// Beside the fastest of all versions whose code is straight-line, or is not.
fn next_neighbor(own: &Resolved<'_>, versions: &[impl Made], straight: bool, tried: &[Version]) -> Option<Version> {
    let time = |version: &_| Made::predicted_ns(version).unwrap_or(f64::INFINITY);
    let alike = versions.iter().filter(|version| version.is_straight_line() == straight);
    let fastest = alike.min_by(|a, b| time(*a).total_cmp(&time(*b)))?;
    let least = versions.iter().map(time).fold(f64::INFINITY, f64::min);
    neighbor(own, &fastest.told(least)?, fastest.version(), tried)
}

/// Of all versions of a kernel that were timed, in nanoseconds per point.
fn least_time(versions: &[impl Made], kernel: Kernel) -> f64 {
    let own = versions.iter().filter(|version| version.kernel() == kernel);
    own.filter_map(Made::predicted_ns).fold(f64::INFINITY, f64::min)
}

/// The version of each kernel that takes least time; it has the times of all. Behind it one that may be faster, where a project has a driver
/// that tells. Where the request names the layouts itself all of them are kept.
fn fastest_of_each<M: Maker>(request: &Request, mut all: Vec<M::Made>, maker: &mut M) -> Result<Vec<M::Made>, Failure> {
    let mut kept = Vec::new();
    while let Some(first) = all.first() {
        let kernel = first.kernel();
        let rest = all.iter().position(|version| version.kernel() != kernel).unwrap_or(all.len());
        let mut rivals: Vec<M::Made> = all.drain(..rest).collect();
        if !request.of_kernel(kernel).keep_fastest {
            kept.append(&mut rivals);
            continue;
        }
        let mut times: Vec<LayoutTime> = rivals.iter().map(Made::layout_time).collect();
        let chosen = fastest(&times);
        for at in finalists(&times, chosen) {
            times[at].sensitivity = maker.sensitivity(&rivals[at])?;
        }
        mark_undecided(&mut times, chosen);
        let second = alternative(&times).filter(|_| request.has_alternatives());
        let beside = second.map(|at| {
            let Version { codegen, tuning } = rivals[at].version();
            maker.alternative(&rivals[at], &request.of_kernel(kernel).in_layout(codegen).tuned(tuning))
        });
        let beside = beside.transpose()?;
        let mut version = rivals.swap_remove(chosen);
        version.chosen_of_layouts(times);
        kept.push(version);
        kept.extend(beside);
    }
    Ok(kept)
}
