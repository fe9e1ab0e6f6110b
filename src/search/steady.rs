//! Choice among the versions of a kernel by their times in the steady state, for which only those near the fastest are run.

use super::kernel_version::{KernelVersion, VersionMaker};
use super::layout::{LayoutTime, fastest_beside, finalists, sturdiest};
use crate::plan::{Effort, Request};
use command::Failure;

/// Returns the place of the version to take, `None` without one. The fastest by what is known, and the next ones behind it, are timed in
/// the steady state until they are the fastest by that, and under other assumptions. Then the sturdiest is taken.
pub fn steady_choice<M: VersionMaker>(
    request: &Request,
    rivals: &mut [M::Version],
    without: &[usize],
    maker: &mut M,
) -> Result<Option<usize>, Failure> {
    loop {
        let times: Vec<LayoutTime> = rivals.iter().map(KernelVersion::layout_time).collect();
        let Some(fastest) = fastest_beside(&times, without) else { return Ok(None) };
        let mut behind = if request.effort == Effort::Quick { Vec::new() } else { finalists(&times, fastest) };
        behind.retain(|at| !without.contains(at));
        let near: Vec<usize> = if behind.is_empty() { vec![fastest] } else { behind };
        if let Some(&at) = near.iter().find(|at| !rivals[**at].is_settled()) {
            maker.settle(&mut rivals[at])?;
        } else if let Some(&at) = near.iter().find(|at| near.len() > 1 && !rivals[**at].is_doubted()) {
            maker.doubt(&mut rivals[at])?;
        } else {
            return Ok(sturdiest(&times, &near));
        }
    }
}
