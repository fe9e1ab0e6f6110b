//! Which level to take (Orion, section 3.3): the number of values that are alive at once tells the direction, a few levels are
//! realised, and what takes least time is taken, at the lowest occupancy that does not take longer.

use super::realise::lower;
use super::{Demand, Level, Refusal, Settings, Version, estimate, levels, realise};
use crate::ir::Module;
use machine::target::Target;
use serde::Serialize;

/// Versions with code of their own that are made of a kernel.
pub const MOST_VERSIONS: usize = 5;

/// Times that differ by less are equal.
pub const TOLERANCE: f64 = 0.01;

/// Where better levels are expected from the one at which every value has a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Increasing,
    Decreasing,
}

/// Who told the times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    Model,
    Estimate,
}

/// A version and its time, in clocks of one SM for the same work.
#[derive(Debug, Clone)]
pub struct Timed {
    pub version: Version,
    pub clocks: f64,
    /// Has the code of the original, and its padding alone makes the level.
    pub padded: bool,
}

/// What was tried, and what was taken.
#[derive(Debug, Clone)]
pub struct Selection {
    pub direction: Direction,
    pub clock: Clock,
    /// With the original first, then those with code of their own, then those that padding made of the best one.
    pub tried: Vec<Timed>,
    /// The position among them.
    pub chosen: usize,
    /// Levels that cannot be realised, and why.
    pub refused: Vec<(Level, String)>,
}

impl Selection {
    /// Versions with code of their own.
    pub fn versions(&self) -> usize {
        self.tried.iter().filter(|timed| !timed.padded).count()
    }

    pub fn version(&self) -> &Version {
        &self.tried[self.chosen].version
    }
}

/// Whether more occupancy than that of the original promises something: not where it is full already.
pub fn direction(target: &Target, max_live: u32) -> Direction {
    if max_live >= target.registers_per_sm / target.threads_per_sm.max(1) {
        Direction::Increasing
    } else {
        Direction::Decreasing
    }
}

/// Realises the candidates, times them, and takes one. `None` where no level can be realised.
pub fn select(
    module: &Module,
    index: usize,
    demand: &Demand,
    settings: &Settings,
) -> Result<Option<Selection>, Refusal> {
    let direction = direction(settings.target, demand.max_live);
    let (versions, refused) = candidates(module, index, demand, direction, settings)?;
    let Some(first) = versions.first() else { return Ok(None) };
    let watch = Stopwatch::new(first, index, demand, settings);
    let mut tried: Vec<Timed> = versions.into_iter().filter_map(|version| watch.timed(version, false)).collect();
    let mut chosen = lowest_of_the_best(&tried);
    let best = tried[chosen].version.clone();
    let below = levels(settings.target, demand).into_iter().rev().filter(|level| level.blocks < best.level.blocks);
    for level in below {
        let lowered = lower(&best, index, demand, level, settings).ok().and_then(|version| watch.timed(version, true));
        let Some(lowered) = lowered else { break };
        let worse = lowered.clocks > tried[chosen].clocks * (1.0 + TOLERANCE);
        tried.push(lowered);
        chosen = lowest_of_the_best(&tried);
        if worse {
            break;
        }
    }
    Ok(Some(Selection { direction, clock: watch.clock, tried, chosen, refused }))
}

/// Every level with the kernel at it and its time, the lowest first, and who told the times; or why a level cannot be.
///
/// # Errors
/// An allocation is wrong.
pub fn every(
    module: &Module,
    index: usize,
    demand: &Demand,
    settings: &Settings,
) -> Result<(Clock, Vec<(Level, Result<Timed, String>)>), Refusal> {
    let mut versions = Vec::new();
    for level in levels(settings.target, demand) {
        let version = realise(module, index, demand, level, settings);
        if let Err(Refusal::Unproven(diagnostics)) = version {
            return Err(Refusal::Unproven(diagnostics));
        }
        versions.push((level, version.map_err(|refusal| refusal.to_string())));
    }
    let first = versions.iter().find_map(|(_, version)| version.as_ref().ok());
    let watch = first.map(|first| Stopwatch::new(first, index, demand, settings));
    let time = |version| watch.as_ref().and_then(|watch: &Stopwatch| watch.timed(version, false));
    let timed = |version| time(version).ok_or_else(|| "the model of time cannot run it".to_owned());
    let rows = versions.iter().map(|(level, version)| (*level, version.clone().and_then(timed))).collect();
    Ok((watch.map_or(Clock::Estimate, |watch| watch.clock), rows))
}

/// Times the versions of one kernel, all by the same clock.
struct Stopwatch<'a> {
    clock: Clock,
    index: usize,
    demand: &'a Demand,
    settings: &'a Settings<'a>,
}

impl<'a> Stopwatch<'a> {
    /// The model if it can time the first version.
    fn new(first: &Version, index: usize, demand: &'a Demand, settings: &'a Settings<'a>) -> Self {
        let watch = Self { clock: Clock::Model, index, demand, settings };
        let clock = if watch.clocks(first).is_some() { Clock::Model } else { Clock::Estimate };
        Self { clock, ..watch }
    }

    fn clocks(&self, version: &Version) -> Option<f64> {
        let Self { clock, index, demand, settings } = *self;
        let kernel = &version.module.funcs[index].name;
        match clock {
            Clock::Model => {
                let cycles = settings.machine?.cycles(&version.module, kernel, version.launch_shared);
                cycles.map(|cycles| cycles as f64)
            }
            Clock::Estimate => Some(estimate::clocks(version, index, demand, settings.target)),
        }
    }

    fn timed(&self, version: Version, padded: bool) -> Option<Timed> {
        self.clocks(&version).map(|clocks| Timed { version, clocks, padded })
    }
}

/// Of those that take no longer than the best one the version with the lowest occupancy.
fn lowest_of_the_best(tried: &[Timed]) -> usize {
    let best = tried.iter().map(|timed| timed.clocks).fold(f64::INFINITY, f64::min);
    let fast = (0..tried.len()).filter(|at| tried[*at].clocks <= best * (1.0 + TOLERANCE));
    let rank = |at: &usize| (tried[*at].version.level.blocks, tried[*at].clocks);
    fast.min_by(|a, b| rank(a).0.cmp(&rank(b).0).then(rank(a).1.total_cmp(&rank(b).1)))
        .expect("the best is one of them")
}

type Candidates = (Vec<Version>, Vec<(Level, String)>);

/// The original, at the highest level where every value has a register; and above it those from the highest level with all
/// values on the chip on, with the next ones below it, or as a fail-safe that one and the next one where nothing is expected above.
fn candidates(
    module: &Module,
    index: usize,
    demand: &Demand,
    direction: Direction,
    settings: &Settings,
) -> Result<Candidates, Refusal> {
    let (mut above, mut refused) = (Vec::new(), Vec::new());
    let mut original = None;
    for level in levels(settings.target, demand).into_iter().rev() {
        match realise(module, index, demand, level, settings) {
            Ok(version) if version.spills.is_none() => {
                original = Some(version);
                break;
            }
            Ok(version) => above.push(version),
            Err(unproven @ Refusal::Unproven(_)) => return Err(unproven),
            Err(refusal) => refused.push((level, refusal.to_string())),
        }
    }
    // where values are spilled at every level, the lowest one has most registers
    let original = original.or_else(|| above.pop());
    above.reverse();
    let on_chip = |version: &Version| version.spilled_bytes().0 == 0;
    let conservative = above.iter().rposition(on_chip).unwrap_or(0);
    let candidates = above.split_off(conservative.min(above.len()));
    let kept = match direction {
        Direction::Increasing => {
            let candidates = spread(candidates, MOST_VERSIONS - 1);
            // where that leaves room, what lies below
            let room = MOST_VERSIONS - 1 - candidates.len();
            above.drain(..above.len().saturating_sub(room));
            above.into_iter().chain(candidates).collect()
        }
        Direction::Decreasing => candidates.into_iter().take(2).collect::<Vec<_>>(),
    };
    Ok((original.into_iter().chain(kept).collect(), refused))
}

/// At most so many of the list, the first and the last among them.
fn spread(list: Vec<Version>, most: usize) -> Vec<Version> {
    let count = list.len();
    if count <= most {
        return list;
    }
    let at: Vec<usize> = (0..most).map(|i| i * (count - 1) / (most - 1)).collect();
    list.into_iter().enumerate().filter(|(i, _)| at.contains(i)).map(|(_, version)| version).collect()
}
