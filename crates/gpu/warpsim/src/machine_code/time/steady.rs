//! Turns of a loop in the steady state: as many as it takes until their mean settles, with CTAs that begin together and with CTAs that
//! begin a part of a turn apart.

use super::{Timing, simulate, simulate_apart};
use crate::machine_code::trace::Trace;
use crate::machine_code::turns::{EXECUTED_TURNS, FEWEST};
use machine::target::Target;
use sass::Kernel;
use serde::Serialize;

/// Turns that are run, until their mean settles.
const TURNS: [usize; 2] = [16, 32];
/// The same for times that are only compared with each other.
const FEW_TURNS: [usize; 2] = [8, 16];
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
    /// Returns the clocks of the turns that a run marked; `None` for too few. A warp that is ahead of others has the SM more for itself
    /// than in the steady state, so turns are counted over the time in which all warps have some left.
    pub fn from_timing(timing: &Timing) -> Option<Self> {
        let turns = timing.turns.first()?.len();
        let (end, least) = (timing.turns.iter().map(|warp| warp.last().copied()).min()??, timing.least_turn? as f64);
        // without the first turns, which fill caches
        let begin = end / 4;
        if turns < FEWEST || begin == end {
            return None;
        }
        let mean = |from: u64, to: u64| {
            let done = |warp: &Vec<u64>| progress(warp, to) - progress(warp, from);
            let all: Vec<f64> = timing.turns.iter().map(done).filter(|done| *done > 0.0).collect();
            let each = all.iter().sum::<f64>() / all.len() as f64;
            ((to - from) as f64 / each).max(least)
        };
        let at = |part: u64, parts: u64| begin + (end - begin) * part / parts;
        let thirds = [0, 1, 2].map(|third| mean(at(third, 3), at(third + 1, 3)));
        let (before, behind, all) = (mean(begin, at(1, 2)), mean(at(1, 2), end), mean(begin, end));
        Some(Self {
            turns,
            mean: all,
            least: thirds.into_iter().fold(all, f64::min),
            most: thirds.into_iter().fold(all, f64::max),
            has_settled: (before - behind).abs() <= SETTLED * all,
        })
    }
}

/// Returns how many turns a warp has done at a time, with the part of the one that it is in.
fn progress(begins: &[u64], time: u64) -> f64 {
    let done = begins.partition_point(|begin| *begin <= time);
    match (done.checked_sub(1).map(|last| begins[last]), begins.get(done)) {
        (Some(last), Some(next)) => (done - 1) as f64 + (time - last) as f64 / (next - last) as f64,
        _ => done.saturating_sub(1) as f64,
    }
}

/// Runs the turns of a trace of [`EXECUTED_TURNS`] on each target, on the first also with CTAs `apart`; without that, fewer turns. `None`: it has no
/// loop that all warps turn as often, or a target does not fit the machine code.
pub(crate) fn steady(
    kernel: &Kernel,
    shared_bytes: u64,
    trace: Trace,
    targets: &[Target],
    apart: bool,
) -> Option<Steady> {
    let turns = if apart { TURNS } else { FEW_TURNS };
    let mut prolonged: [Option<Trace>; TURNS.len()] = Default::default();
    let mut settled = |target: &Target, apart: Option<f64>| {
        let mut found = None;
        for (turns, made) in turns.into_iter().zip(&mut prolonged) {
            if made.is_none() {
                *made = Some(trace.prolonged(turns, Some(EXECUTED_TURNS))?);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(turns: Vec<Vec<u64>>, least: u64) -> Timing {
        let timeline = super::super::Timeline::new(0);
        Timing { cycles: 0, issued: 0, resident_ctas: 1, warps: Vec::new(), turns, least_turn: Some(least), timeline }
    }

    /// The first warp takes the SM for itself, and the second one gets it afterwards: each turn of its own takes 10 clocks, one of both 20.
    #[test]
    fn a_warp_that_runs_ahead_makes_no_turn_shorter() {
        let run = |from: u64, clocks: u64| (0..32).map(|turn| from + clocks * turn).collect::<Vec<u64>>();
        let beside = Turns::from_timing(&timing(vec![run(0, 20), run(5, 20)], 1)).unwrap();
        assert!((beside.mean - 20.0).abs() < 0.5 && beside.has_settled, "{beside:?}");
        let half = Turns::from_timing(&timing(vec![run(0, 15), run(0, 30)], 1)).unwrap();
        assert!((half.mean - 20.0).abs() < 0.5, "{half:?}");
        let ahead = Turns::from_timing(&timing(vec![run(0, 10), run(320, 10)], 20)).unwrap();
        assert_eq!([ahead.mean, ahead.least, ahead.most], [20.0; 3]);
    }

    #[test]
    fn turns_that_become_longer_have_not_settled() {
        let longer = (0..32).map(|turn| 100 * turn + 2 * turn * turn).collect();
        let drifts = Turns::from_timing(&timing(vec![longer], 1)).unwrap();
        assert!(!drifts.has_settled && drifts.least < drifts.mean && drifts.mean < drifts.most, "{drifts:?}");
        assert_eq!(Turns::from_timing(&timing(vec![vec![0, 5]], 1)), None);
    }
}
