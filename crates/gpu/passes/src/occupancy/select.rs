//! Choice of the level (Orion, section 3.3): the number of values that are alive at once tells the direction, a few levels are
//! realised, and the fastest is taken, at the lowest occupancy that does not take longer.

use super::realise::lower;
use super::{Demand, Level, Refusal, Settings, Version, estimate, levels, realise};
use crate::outcome::unproven;
use machine::target::Target;
use ptx::cost::Unfit;
use ptx::ir::Module;
use serde::{Deserialize, Serialize};

/// Versions with code of their own that are made of a kernel.
pub const MOST_VERSIONS: usize = 5;

/// Times that differ by less are equal.
pub const TOLERANCE: f64 = 0.01;

/// Where a lower level takes more than this beyond the best time, still lower ones are not tried.
const WORSE: f64 = 0.03;

/// A level is lowered by so many parts of itself at once, and by one CTA at least: of 32 CTAs every single one changes little.
const PARTS: u32 = 5;

/// Times that every place of an SM is filled with another CTA at the highest level when versions are timed.
const TURNS: u32 = 2;

/// Where better levels are expected from the one at which every value has a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

/// Versions that were tried, and the one that was taken.
#[derive(Debug, Clone)]
pub struct Selection {
    pub direction: Direction,
    pub clock: Clock,
    /// Why a model of time that was given could not time the versions.
    pub not_modelled: Option<String>,
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

/// CTAs that an SM is given when versions of the kernel are timed, the same for all of them.
pub fn ctas(target: &Target, demand: &Demand) -> u32 {
    TURNS * levels(target, demand).last().map_or(1, |level| level.blocks)
}

/// Realises the candidates, times them, and takes one. `None` where no level can be realised.
///
/// # Errors
/// An allocation is wrong.
pub fn select(
    module: &Module,
    index: usize,
    demand: &Demand,
    settings: &Settings,
) -> Result<Option<Selection>, Refusal> {
    let direction = direction(settings.target, demand.max_live);
    let (versions, mut refused) = candidates(module, index, demand, direction, settings)?;
    let Some(first) = versions.first() else { return Ok(None) };
    let watch = Stopwatch::new(first, index, demand, settings)?;
    let mut tried = Vec::new();
    for version in versions {
        let level = version.level;
        match watch.timed(version, false)? {
            Ok(timed) => tried.push(timed),
            Err(why) => refused.push((level, why)),
        }
    }
    let best = tried[lowest_of_the_best(&tried)].version.clone();
    let levels = levels(settings.target, demand);
    let mut blocks = best.level.blocks;
    while let Some(level) = levels.iter().rev().find(|level| level.blocks <= below(blocks)) {
        blocks = level.blocks;
        // no padding gives some of the levels
        let Ok(version) = lower(&best, index, demand, *level, settings) else { continue };
        let Ok(lowered) = watch.timed(version, true)? else { break };
        let worse = lowered.clocks > least(&tried) * (1.0 + WORSE);
        tried.push(lowered);
        if worse {
            break;
        }
    }
    let chosen = lowest_of_the_best(&tried);
    let Stopwatch { clock, not_modelled, .. } = watch;
    Ok(Some(Selection { direction, clock, not_modelled, tried, chosen, refused }))
}

/// Levels with the kernel at each and its time, or why a level cannot be.
pub type Rows = Vec<(Level, Result<Timed, String>)>;

/// Every level with the kernel at it and its time, the lowest first, and who told the times; or why a level cannot be.
///
/// # Errors
/// An allocation is wrong.
pub fn every(module: &Module, index: usize, demand: &Demand, settings: &Settings) -> Result<(Clock, Rows), Refusal> {
    let mut versions = Vec::new();
    for level in levels(settings.target, demand) {
        match realise(module, index, demand, level, settings) {
            Err(unproven @ Refusal::Unproven(_)) => return Err(unproven),
            version => versions.push((level, version.map_err(|refusal| refusal.to_string()))),
        }
    }
    let Some(first) = versions.iter().find_map(|(_, version)| version.as_ref().ok()) else {
        return Ok((
            Clock::Estimate,
            versions.into_iter().filter_map(|(level, row)| Some((level, Err(row.err()?)))).collect(),
        ));
    };
    let watch = Stopwatch::new(first, index, demand, settings)?;
    let mut rows = Vec::new();
    for (level, version) in versions {
        let row = match version {
            Ok(version) => watch.timed(version, false)?,
            Err(why) => Err(why),
        };
        rows.push((level, row));
    }
    Ok((watch.clock, rows))
}

/// Times the versions of one kernel, all by the same clock.
struct Stopwatch<'a> {
    clock: Clock,
    not_modelled: Option<String>,
    index: usize,
    /// CTAs that are timed.
    ctas: u32,
    demand: &'a Demand,
    settings: &'a Settings<'a>,
}

impl<'a> Stopwatch<'a> {
    /// By the model if it can time the first version.
    fn new(first: &Version, index: usize, demand: &'a Demand, settings: &'a Settings<'a>) -> Result<Self, Refusal> {
        let ctas = ctas(settings.target, demand);
        let watch = Self { clock: Clock::Model, not_modelled: None, index, ctas, demand, settings };
        Ok(match watch.clocks(first)? {
            Ok(_) => watch,
            Err(why) => Self { clock: Clock::Estimate, not_modelled: settings.model.map(|_| why), ..watch },
        })
    }

    /// The time, or why the model cannot tell it.
    fn clocks(&self, version: &Version) -> Result<Result<f64, String>, Refusal> {
        let Self { clock, index, ctas, demand, settings, .. } = *self;
        let Version { module, launch_shared, .. } = version;
        let kernel = &module.funcs[index].name;
        match (clock, settings.model) {
            (Clock::Estimate, _) => {
                Ok(Ok(estimate::clocks(&module.funcs[index], version.level.blocks, demand, settings.target)))
            }
            (Clock::Model, None) => Ok(Err("there is no model of time".to_owned())),
            (Clock::Model, Some(model)) => match model.cycles_of_ctas(module, kernel, ctas, *launch_shared) {
                Ok(cycles) => Ok(Ok(cycles as f64)),
                Err(Unfit::Refused(why)) => Ok(Err(why)),
                Err(Unfit::Wrong(why)) => Err(Refusal::Unproven(vec![unproven("occupancy", kernel, &why)])),
            },
        }
    }

    fn timed(&self, version: Version, padded: bool) -> Result<Result<Timed, String>, Refusal> {
        Ok(self.clocks(&version)?.map(|clocks| Timed { version, clocks, padded }))
    }
}

/// The CTAs of the level to try after one of so many.
fn below(blocks: u32) -> u32 {
    blocks - (blocks / PARTS).max(1).min(blocks)
}

fn least(tried: &[Timed]) -> f64 {
    tried.iter().map(|timed| timed.clocks).fold(f64::INFINITY, f64::min)
}

/// Returns the version with the lowest occupancy among those that take no longer than the best one.
fn lowest_of_the_best(tried: &[Timed]) -> usize {
    let best = least(tried);
    let fast = (0..tried.len()).filter(|at| tried[*at].clocks <= best * (1.0 + TOLERANCE));
    let rank = |at: &usize| (tried[*at].version.level.blocks, tried[*at].clocks);
    fast.min_by(|a, b| rank(a).0.cmp(&rank(b).0).then(rank(a).1.total_cmp(&rank(b).1)))
        .expect("the best is one of them")
}

type Candidates = (Vec<Version>, Vec<(Level, String)>);

/// Candidate versions. The first is the original, at the highest level where every value has a register. Above it are
/// those from the highest level with all values on the chip on, with the next ones below it. If nothing is expected
/// above, that level and the next one are the fail-safe.
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
            spread(above, room).into_iter().chain(candidates).collect()
        }
        Direction::Decreasing => candidates.into_iter().take(2).collect::<Vec<_>>(),
    };
    Ok((original.into_iter().chain(kept).collect(), refused))
}

/// At most so many of the list, the last and, of several, the first among them.
fn spread<T>(list: Vec<T>, most: usize) -> Vec<T> {
    let count = list.len();
    if count <= most {
        return list;
    }
    let at: Vec<usize> = match most {
        1 => vec![count - 1],
        _ => (0..most).map(|i| i * (count - 1) / (most - 1)).collect(),
    };
    list.into_iter().enumerate().filter(|(i, _)| at.contains(i)).map(|(_, version)| version).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_list_are_kept() {
        let spread = |count, most| spread((0..count).collect::<Vec<u32>>(), most);
        assert_eq!(spread(3, 4), [0, 1, 2]);
        assert_eq!(spread(4, 3), [0, 1, 3]);
        assert_eq!(spread(5, 1), [4]);
        assert!(spread(5, 0).is_empty());
    }

    #[test]
    fn few_steps_lead_down_to_one_cta() {
        let from = |blocks| std::iter::successors(Some(blocks), |blocks| Some(below(*blocks)).filter(|next| *next > 0));
        assert_eq!(from(32).collect::<Vec<u32>>(), [32, 26, 21, 17, 14, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1]);
    }
}
