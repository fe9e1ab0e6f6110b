//! Turns of a loop in the steady state: as many as it takes until their mean settles, with CTAs that begin together and with CTAs that
//! begin a part of a turn apart.

use super::{Timing, simulate, simulate_apart};
use crate::machine_code::trace::Trace;
use crate::machine_code::turns::FEWEST;
use machine::target::Target;
use sass::Kernel;
use serde::Serialize;

/// Turns that are run, until their mean settles.
const TURNS: [usize; 2] = [16, 32];
/// The mean has settled where the second half of the turns differs from the first by no more than this part.
const SETTLED: f64 = 0.02;

/// Clocks of a turn of all CTAs of an SM together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Turns {
    pub turns: usize,
    pub mean: f64,
    /// Least and largest mean of a third of the turns, without those at the begin and the end.
    pub least: f64,
    pub most: f64,
    pub has_settled: bool,
}

/// Clocks of a turn in the steady state.
#[derive(Debug, Clone, PartialEq)]
pub struct Steady {
    /// All CTAs begin together, on each target.
    pub together: Vec<Turns>,
    /// CTAs begin one after the other, evenly over a turn, on the first target. `None`: the SM holds only one.
    pub apart: Option<Turns>,
}

impl Turns {
    /// Returns the clocks of the turns that a run marked; `None` for too few.
    pub fn from_timing(timing: &Timing) -> Option<Self> {
        let turns = timing.turns.first()?.len();
        let clocks = |turn: usize| {
            let each = timing.turns.iter().map(|warp| (warp[turn + 1] - warp[turn]) as f64);
            each.sum::<f64>() / timing.turns.len() as f64
        };
        // without the first turns, which fill caches, and the last, in which some CTAs have ended
        let (first, last) = (turns / 4, turns.checked_sub(2)?);
        let clocks: Vec<f64> = (first..last).map(clocks).collect();
        let means: Vec<f64> = clocks.chunks(clocks.len().div_ceil(3).max(1)).map(mean).collect();
        let (before, behind) = clocks.split_at(clocks.len() / 2);
        let all = mean(&clocks);
        (!clocks.is_empty()).then(|| Self {
            turns,
            mean: all,
            least: means.iter().copied().fold(f64::INFINITY, f64::min),
            most: means.iter().copied().fold(0.0, f64::max),
            has_settled: !before.is_empty() && (mean(before) - mean(behind)).abs() <= SETTLED * all,
        })
    }
}

/// Runs the turns of a trace of three on each target. `None`: it has no loop that all warps turn three times, or a target does not
/// fit the machine code.
pub(crate) fn steady(
    kernel: &Kernel,
    shared_bytes: u64,
    trace: Trace,
    targets: &[Target],
    apart: bool,
) -> Option<Steady> {
    trace.turns().filter(|turns| *turns == FEWEST)?;
    let mut prolonged: [Option<Trace>; TURNS.len()] = Default::default();
    let mut settled = |target: &Target, apart: Option<f64>| {
        let mut found = None;
        for (turns, made) in TURNS.into_iter().zip(&mut prolonged) {
            if made.is_none() {
                *made = Some(trace.prolonged(turns)?);
            }
            let trace = made.as_ref()?;
            let timing = match apart {
                None => simulate(kernel, shared_bytes, trace, target)?,
                Some(clocks) => simulate_apart(kernel, shared_bytes, trace, target, clocks as u64)?,
            };
            let turns = Turns::from_timing(&timing)?;
            found = Some((turns, timing.resident_ctas));
            if turns.has_settled {
                break;
            }
        }
        found
    };
    let mut together = Vec::new();
    let mut resident = 1;
    for target in targets {
        let (turns, ctas) = settled(target, None)?;
        together.push(turns);
        resident = ctas;
    }
    let first = (targets.first()?, together.first()?.mean);
    let held = resident.min(trace.ctas.len() as u32);
    let apart = if held < 2 || !apart { None } else { Some(settled(first.0, Some(first.1 / f64::from(held)))?.0) };
    Some(Steady { together, apart })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
