//! The rounds in which versions of kernels are compiled, and further ones made: more CTAs per SM, rivals of the same shape, other
//! shapes; at last the fastest is kept.

use super::kernel_version::{KernelVersion, VersionMaker, attempted, left_out, time};
use super::layout::{LayoutTime, alternative, fastest, mark_undecided};
use super::level::levels;
use super::neighbor::{Version, neighbor};
use super::promising::{FAR_BEHIND, is_promising};
use super::rival::{Rival, rivals};
use super::steady::steady_choice;
use crate::plan::{Effort, Request, Resolved};
use command::{Failure, FailureKind};
use diagnostics::Diagnostic;
use passes::occupancy::Direction;
use passes::occupancy::settle::settle;

/// The versions of each kernel that are kept, of those that are made and of those that are tried beside them.
pub fn best<M: VersionMaker>(
    request: &Request,
    mut made: Vec<M::Version>,
    maker: &mut M,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<M::Version>, Failure> {
    compile_first(request, &mut made, maker)?;
    let mut made = at_best_levels(request, made, maker)?;
    if request.effort != Effort::Quick {
        made = with_rivals(request, made, maker, warnings)?;
        made = with_neighbors(request, made, maker, warnings)?;
    }
    fastest_of_each(request, made, maker, warnings)
}

/// Has the versions compiled that were made as the request says. Among layouts of which one is kept, the one with the
/// least estimate comes first, and the others follow only where they may be faster.
fn compile_first<M: VersionMaker>(request: &Request, made: &mut [M::Version], maker: &mut M) -> Result<(), Failure> {
    let mut first: Vec<usize> = Vec::new();
    for &kernel in &request.kernels {
        let of_kernel = (0..made.len()).filter(|&at| made[at].kernel() == kernel);
        let estimated = |at: &usize| made[*at].estimated_ns().unwrap_or(f64::INFINITY);
        if request.of_kernel(kernel).keep_fastest && request.effort != Effort::Thorough {
            first.extend(of_kernel.min_by(|a, b| estimated(a).total_cmp(&estimated(b))));
        } else {
            first.extend(of_kernel);
        }
    }
    compile(request, made, &first, maker)?;
    let rest = (0..made.len()).filter(|at| !first.contains(at));
    let target = request.common.target;
    let is_worth = |at: &usize| request.effort != Effort::Quick && is_promising(&made[*at], made, target);
    let (near, far): (Vec<usize>, Vec<usize>) = rest.partition(is_worth);
    far.into_iter().for_each(|at| made[at].leave_out());
    compile(request, made, &near, maker)
}

/// Has those at some places compiled, all at once.
fn compile<M: VersionMaker>(
    request: &Request,
    made: &mut [M::Version],
    places: &[usize],
    maker: &mut M,
) -> Result<(), Failure> {
    let chosen = made.iter_mut().enumerate().filter(|(at, _)| places.contains(at)).map(|(_, version)| version);
    let mut chosen: Vec<&mut M::Version> = chosen.collect();
    maker.compile(&mut chosen)?;
    if request.effort == Effort::Thorough {
        chosen.into_iter().try_for_each(|version| maker.verify(version))?;
    }
    Ok(())
}

/// A version that is compiled.
fn compiled<M: VersionMaker>(request: &Request, mut version: M::Version, maker: &mut M) -> Result<M::Version, Failure> {
    compile(request, std::slice::from_mut(&mut version), &[0], maker)?;
    Ok(version)
}

/// Kernels whose occupancy is not fixed, each with the number of CTAs per SM with which it takes least time. The search goes up from the
/// first version as long as more CTAs do not take longer, as an application does while it runs.
fn at_best_levels<M: VersionMaker>(
    request: &Request,
    made: Vec<M::Version>,
    maker: &mut M,
) -> Result<Vec<M::Version>, Failure> {
    let settled = made.into_iter().map(|first| {
        let own = request.of_kernel(first.kernel()).in_layout(first.version().codegen);
        match own.tuning.ctas_per_sm.tries_more && !first.is_left_out() {
            true => at_best_level(&own, first, maker),
            false => Ok(first),
        }
    });
    settled.collect()
}

/// One kernel of [`at_best_levels`].
fn at_best_level<M: VersionMaker>(own: &Resolved<'_>, first: M::Version, maker: &mut M) -> Result<M::Version, Failure> {
    let resident = first.ctas_per_sm().max(own.tuning.ctas_per_sm.count);
    let levels = match first.level_time().nanoseconds {
        Some(_) => levels(own, first.registers_held(), resident),
        None => Vec::new(),
    };
    let data_parallel_ns = first.data_parallel_ns();
    let mut made = vec![Some(first)];
    let mut refused = None;
    let settled = settle(1 + levels.len(), 0, Direction::Increasing, |at| {
        if at > 0 {
            let tuning = own.tuning.with_ctas(levels[at - 1]);
            let version = maker.make(&own.tuned(tuning)).and_then(|version| compiled(own.asked, version, maker));
            made.push(version.map_err(|failure| refused = refused.take().or(Some(failure))).ok());
        }
        made[at].as_ref().and_then(|version| version.level_time().nanoseconds).unwrap_or(f64::INFINITY)
    });
    if let Some(failure) = refused.filter(|failure| failure.kind == FailureKind::Verification) {
        return Err(failure);
    }
    let times = made.iter().flatten().map(KernelVersion::level_time).collect();
    let mut chosen = made.swap_remove(settled.chosen).expect("a version that takes a time was made");
    chosen.chosen_of_levels(times, data_parallel_ns);
    Ok(chosen)
}

/// Behind each kernel whose machine code was timed the same kernel made differently, where that shows what another one may save. Where
/// the request names the layouts itself they are as they are.
fn with_rivals<M: VersionMaker>(
    request: &Request,
    made: Vec<M::Version>,
    maker: &mut M,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<M::Version>, Failure> {
    let mut all: Vec<M::Version> = Vec::new();
    let mut rest = made.into_iter().peekable();
    while let Some(first) = rest.next() {
        // all of the kernel's own layouts are there before rivals of any are weighed
        let kernel = first.kernel();
        let mut of_kernel = vec![first];
        while let Some(next) = rest.next_if(|next| next.kernel() == kernel) {
            of_kernel.push(next);
        }
        let fastest = least_time(&of_kernel);
        let own = of_kernel.len();
        // Warp-specialized code, which stands behind, comes first: it differs most, and spares others where it is fast.
        for first in (0..own).rev() {
            // the rivals of the first one, and of that one of them whose inputs are not copied ahead
            let mut tried = vec![first];
            let mut next = 0;
            while let Some(&at) = tried.get(next) {
                let ahead = of_kernel[at].copies_ahead();
                let is_new = tried[..next].iter().all(|&earlier| of_kernel[earlier].copies_ahead() != ahead);
                next += 1;
                if is_new {
                    let more = rivals_of(request, at, fastest, &mut of_kernel, maker, warnings)?;
                    tried.extend(more);
                }
            }
        }
        all.append(&mut of_kernel);
    }
    Ok(all)
}

/// Puts the rivals of a version that could be made behind all versions of its kernel, and tells their places; `fastest` is the least time of the
/// kernel.
fn rivals_of<M: VersionMaker>(
    request: &Request,
    at: usize,
    fastest: f64,
    of_kernel: &mut Vec<M::Version>,
    maker: &mut M,
    warnings: &mut Vec<Diagnostic>,
) -> Result<std::ops::Range<usize>, Failure> {
    let before = of_kernel.len();
    let Version { codegen, tuning } = of_kernel[at].version();
    let own = request.of_kernel(of_kernel[at].kernel()).in_layout(codegen).tuned(tuning);
    let found = if own.keep_fastest { rivals(&own, of_kernel[at].timed(fastest)) } else { Vec::new() };
    for rival in found {
        let asked = match rival {
            Rival::InOrder => None,
            Rival::Tuned(tuning) => Some(Version { codegen, tuning }),
            Rival::Layout(codegen) => Some(Version { codegen, tuning }),
            Rival::Version(version) => Some(version),
        };
        // Some neighbors of another shape were made already.
        if asked.is_some_and(|asked| of_kernel.iter().any(|known| known.version() == asked)) {
            continue;
        }
        let made = match asked {
            None => maker.in_order(&of_kernel[at], &own),
            Some(Version { codegen, tuning }) => maker.make(&own.in_layout(codegen).tuned(tuning)).map(Some),
        };
        of_kernel.extend(tried(request, made, of_kernel, maker, warnings)?);
    }
    Ok(before..of_kernel.len())
}

/// A version that is tried beside others of its kernel: compiled where it may be faster than they are.
fn tried<M: VersionMaker>(
    request: &Request,
    made: Result<Option<M::Version>, Failure>,
    others: &[M::Version],
    maker: &mut M,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Option<M::Version>, Failure> {
    let Some(mut version) = attempted(made, warnings)? else { return Ok(None) };
    version.tried_beside();
    if request.effort != Effort::Thorough && !is_promising(&version, others, request.common.target) {
        version.leave_out();
        return Ok(Some(version));
    }
    attempted(compiled(request, version, maker).map(Some), warnings)
}

/// Behind the versions of each kernel those with other numbers of warps, and on tensor cores, as long as the fastest straight-line and the
/// fastest warp-specialized one show that these may save time.
fn with_neighbors<M: VersionMaker>(
    request: &Request,
    mut made: Vec<M::Version>,
    maker: &mut M,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<M::Version>, Failure> {
    let mut all: Vec<M::Version> = Vec::new();
    for &kernel in &request.kernels {
        let (mut of_kernel, rest) = made.into_iter().partition::<Vec<_>, _>(|version| version.kernel() == kernel);
        made = rest;
        let own = request.of_kernel(kernel);
        for straight in [true, false].into_iter().filter(|_| own.keep_fastest) {
            let mut known: Vec<Version> = of_kernel.iter().map(KernelVersion::version).collect();
            while let Some(next) = next_neighbor(&own, &of_kernel, straight, &known) {
                known.push(next);
                let made = maker.make(&own.in_layout(next.codegen).tuned(next.tuning)).map(Some);
                let Some(version) = tried(request, made, &of_kernel, maker, warnings)? else { continue };
                let is_timed = version.predicted_ns().is_some();
                // one that was not timed cannot be compared
                if !is_timed && !version.is_left_out() {
                    continue;
                }
                let behind = time(&version) / least_time(&of_kernel);
                of_kernel.push(version);
                let is_worth = request.effort == Effort::Thorough || behind <= if straight { FAR_BEHIND } else { 1.0 };
                if is_timed && is_worth {
                    let at = of_kernel.len() - 1;
                    let own_time = time(&of_kernel[at]);
                    rivals_of(request, at, own_time, &mut of_kernel, maker, warnings)?;
                }
            }
        }
        all.append(&mut of_kernel);
    }
    Ok(all)
}

/// Beside the fastest of all versions whose code is straight-line, or is not. One that was left out is it where none was timed; of straight-line code
/// also where there is nothing beside a timed one, and the estimate is less than what that takes: with more warps it may be worth compiling.
fn next_neighbor<V: KernelVersion>(
    own: &Resolved<'_>,
    versions: &[V],
    straight: bool,
    tried: &[Version],
) -> Option<Version> {
    let alike = || versions.iter().filter(|version| version.is_straight_line() == straight);
    let by_time = |a: &&V, b: &&V| time(*a).total_cmp(&time(*b));
    let beside = |version: &V| neighbor(own, &version.timed(least_time(versions))?, version.version(), tried);
    let Some(timed) = alike().filter(|version| !version.is_left_out()).min_by(by_time) else {
        return beside(alike().min_by(by_time)?);
    };
    let promising = || alike().filter(|version| straight && version.is_left_out() && time(*version) < time(timed));
    beside(timed).or_else(|| beside(promising().min_by(by_time)?))
}

/// Returns the least predicted time of all versions, in nanoseconds per point.
fn least_time(versions: &[impl KernelVersion]) -> f64 {
    versions.iter().filter_map(KernelVersion::predicted_ns).fold(f64::INFINITY, f64::min)
}

/// The version of each kernel that takes least time, verified; it has the times of all. Behind it one that may be faster, where a project has
/// a driver that tells. Where the request names the layouts itself all of them are kept.
fn fastest_of_each<M: VersionMaker>(
    request: &Request,
    mut all: Vec<M::Version>,
    maker: &mut M,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<M::Version>, Failure> {
    let mut kept = Vec::new();
    while let Some(first) = all.first() {
        let kernel = first.kernel();
        let rest = all.iter().position(|version| version.kernel() != kernel).unwrap_or(all.len());
        let mut rivals: Vec<M::Version> = all.drain(..rest).collect();
        if !request.of_kernel(kernel).keep_fastest {
            rivals.iter_mut().try_for_each(|version| maker.settle(version).and_then(|()| maker.verify(version)))?;
            kept.append(&mut rivals);
            continue;
        }
        let (mut times, chosen) = verified_fastest(request, &mut rivals, maker, warnings)?;
        mark_undecided(&mut times, chosen);
        let second = alternative(&times).filter(|_| request.has_alternatives());
        let beside = second.map(|at| {
            let Version { codegen, tuning } = rivals[at].version();
            maker.alternative(&rivals[at], &request.of_kernel(kernel).in_layout(codegen).tuned(tuning))
        });
        let mut beside = beside.transpose()?;
        if let Some(beside) = &mut beside {
            maker.compile(&mut [&mut *beside])?;
            maker.settle(beside)?;
            maker.verify(beside)?;
        }
        let mut version = rivals.swap_remove(chosen);
        version.chosen_of_layouts(times);
        kept.push(version);
        kept.extend(beside);
    }
    Ok(kept)
}

/// The times of all versions and the place of the fastest, which passed its checks: one that was tried beside others and fails is gone, with
/// a warning. One whose machine code cannot be run here is taken only where that holds for all.
fn verified_fastest<M: VersionMaker>(
    request: &Request,
    rivals: &mut Vec<M::Version>,
    maker: &mut M,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(Vec<LayoutTime>, usize), Failure> {
    let mut unknown = Vec::new();
    loop {
        let chosen = steady_choice(request, rivals, &unknown, maker)?;
        let times: Vec<LayoutTime> = rivals.iter().map(KernelVersion::layout_time).collect();
        let Some(chosen) = chosen else {
            let left = rivals.iter_mut().filter(|version| version.is_left_out());
            let estimated = |version: &M::Version| version.estimated_ns().unwrap_or(f64::INFINITY);
            let Some(next) = left.min_by(|a, b| estimated(a).total_cmp(&estimated(b))) else {
                let chosen = fastest(&times);
                return Ok((times, chosen));
            };
            next.take_in();
            maker.compile(&mut [next])?;
            continue;
        };
        match maker.verify(&mut rivals[chosen]) {
            Ok(()) if rivals[chosen].has_unknown_code() => unknown.push(chosen),
            Ok(()) => return Ok((times, chosen)),
            Err(failure) if failure.kind == FailureKind::Verification && rivals[chosen].was_tried_beside() => {
                warnings.extend(left_out(&failure));
                rivals.remove(chosen);
                unknown.iter_mut().filter(|at| **at > chosen).for_each(|at| *at -= 1);
            }
            Err(failure) => return Err(failure),
        }
    }
}
