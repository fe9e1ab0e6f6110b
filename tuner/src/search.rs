//! Order of a search: the level that each candidate reaches, and the best one.

use std::cmp::Ordering;

use diagnostics::Diagnostic;
use kernels::Kernel;

use crate::level::Level;
use crate::measure::{Cost, Trial};
use crate::method::Method;
use crate::session::Session;
use crate::space::Candidate;

/// One of so many goes on to the next level, and at least so many do.
const GO_ON: usize = 4;

/// Looks at all candidates of some kernels; the trials are in their order, each on the last level that it came to.
///
/// Errors: the record cannot be written.
pub fn all(session: &Session, method: Method, jobs: &[(Kernel, Candidate)]) -> Result<Vec<Trial>, Diagnostic> {
    let (&last, before) = session.levels.split_last().expect("there is a level");
    if method == Method::Exhaustive {
        return session.all(jobs, last);
    }
    let mut trials: Vec<Trial> = Vec::new();
    let mut open = jobs.to_vec();
    for &level in before.iter().chain([&last]) {
        let results = session.all(&open, level)?;
        if trials.is_empty() {
            trials = results;
        } else {
            for result in results {
                let is_it = |trial: &Trial| trial.kernel == result.kernel && trial.candidate == result.candidate;
                let place = trials.iter().position(is_it).expect("it was tried on the level before");
                trials[place] = result;
            }
        }
        let mut kernels: Vec<Kernel> = open.iter().map(|(kernel, _)| *kernel).collect();
        kernels.dedup();
        open = kernels.iter().flat_map(|&kernel| going_on(kernel, &trials, level)).collect();
    }
    Ok(trials)
}

/// Returns the default of `singe`, and the candidates of a kernel that are best by this level. The best of each layout and
/// way to multiply come first, with and without spills: a level orders candidates that work alike better than others.
fn going_on(kernel: Kernel, trials: &[Trial], level: Level) -> Vec<(Kernel, Candidate)> {
    let own: Vec<Trial> = trials.iter().filter(|trial| trial.kernel == kernel.name()).cloned().collect();
    let (auto, ranked): (Vec<_>, Vec<_>) =
        ranked(&own, level).into_iter().partition(|(trial, _)| trial.candidate.is_auto());
    let mut seen = std::collections::HashSet::new();
    let (firsts, others): (Vec<_>, Vec<_>) =
        ranked.iter().partition(|(_, cost)| seen.insert((&cost.layout, cost.matrix(), cost.spilled_bytes > 0)));
    let many = ranked.len().div_ceil(GO_ON).max(GO_ON).max(firsts.len()).min(ranked.len());
    let chosen = auto.iter().chain(firsts.into_iter().chain(others).take(many));
    chosen.map(|(trial, _)| (kernel, trial.candidate.clone())).collect()
}

/// The trials of a kernel on a level that gave code, best first. Among equals the one that was tried first is first, which is what `singe`
/// takes by itself.
pub fn ranked(trials: &[Trial], level: Level) -> Vec<(&Trial, &Cost)> {
    let on_level = trials.iter().filter(|trial| trial.level == level);
    let mut ranked: Vec<(&Trial, &Cost)> = on_level.filter_map(|trial| Some((trial, trial.cost()?))).collect();
    let auto = ranked.iter().find(|(trial, _)| trial.candidate.is_auto());
    let most_spilled = auto.map_or(0, |(_, cost)| cost.spilled_bytes);
    ranked.sort_by(|(_, a), (_, b)| better(a, b, most_spilled));
    ranked
}

/// Measured times come first, then predicted ones, then estimated ones. An estimate knows little of spills: a kernel of which only that is
/// known, and that spills more than `most_spilled` bytes per thread, comes last. Of equal times waits at barriers decide, then occupancy.
fn better(a: &Cost, b: &Cost, most_spilled: u32) -> Ordering {
    let standing = |cost: &Cost| match (cost.measured_ns, cost.predicted_ns) {
        (Some(_), _) => 0,
        (None, Some(_)) => 1,
        (None, None) if cost.spilled_bytes <= most_spilled => 2,
        (None, None) => 3,
    };
    let time = a.time().0.total_cmp(&b.time().0);
    let waits = a.barrier_waits_per_group.total_cmp(&b.barrier_waits_per_group);
    standing(a).cmp(&standing(b)).then(time).then(waits).then(b.occupancy.total_cmp(&a.occupancy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Outcome;

    fn trial(form: &str, estimated_ns: f64, predicted_ns: Option<f64>, spilled: u32, measured: Option<f64>) -> Trial {
        let cost = Cost { estimated_ns, predicted_ns, measured_ns: measured, ..example(form, spilled) };
        let candidate = Candidate { settings: vec![("form".into(), form.into())] };
        let outcome = Outcome::Cost(Box::new(cost));
        Trial { kernel: "viscosity".into(), candidate, level: Level::Compiled, outcome }
    }

    fn example(form: &str, spilled_bytes: u32) -> Cost {
        Cost {
            form: form.into(),
            layout: "overlay".into(),
            constants: "striped".into(),
            estimated_ns: 0.0,
            predicted_ns: None,
            measured_ns: None,
            measured_spread: None,
            slots: 0.0,
            shuffles: 0.0,
            shared_passes: 0.0,
            barrier_waits_per_group: 0.0,
            registers: 0,
            spilled_bytes,
            ctas_per_sm: 1,
            occupancy: 0.0,
            tuning: singe::driver::Tuning::default(),
            waits_for: None,
        }
    }

    fn order(trials: &[Trial]) -> Vec<String> {
        ranked(trials, Level::Compiled).into_iter().map(|(_, cost)| cost.form.clone()).collect()
    }

    #[test]
    fn spills_weigh_more_than_estimates() {
        let estimated = |form, time, spilled| trial(form, time, None, spilled, None);
        let trials = [estimated("spills", 1.0, 8), estimated("slow", 3.0, 0), estimated("fast", 2.0, 0)];
        assert_eq!(order(&trials), ["fast", "slow", "spills"]);
    }

    #[test]
    fn what_singe_takes_by_itself_may_spill_and_nothing_may_spill_more() {
        let named = |form, time, spilled, warps: &str| {
            let candidate = Candidate { settings: vec![("warps".into(), warps.into())] };
            Trial { candidate, ..trial(form, time, None, spilled, None) }
        };
        let data_parallel = |trial: Trial| match trial.outcome {
            Outcome::Cost(cost) => {
                Trial { outcome: Outcome::Cost(Box::new(Cost { layout: "data-parallel".into(), ..*cost })), ..trial }
            }
            refused => Trial { outcome: refused, ..trial },
        };
        let trials = [
            Trial { candidate: Candidate::auto(), ..trial("auto", 2.0, None, 16, None) },
            data_parallel(named("spills more", 1.0, 608, "16")),
            named("as much", 1.5, 16, "8"),
        ];
        assert_eq!(order(&trials), ["as much", "auto", "spills more"]);
        assert_eq!(order(&trials[..2]), ["auto", "spills more"]);
        // A quarter of all others goes on, and the best of those that spill besides.
        let many: Vec<Trial> = (0..20).map(|n| named("clean", f64::from(n), 0, &n.to_string())).collect();
        let sent = going_on(Kernel::Viscosity, &[&trials[..1], &many, &trials[2..]].concat(), Level::Compiled);
        let sent: Vec<String> = sent.into_iter().map(|(_, candidate)| candidate.to_string()).collect();
        assert_eq!(sent[..3], ["auto", "warps=0", "warps=8"]);
        assert_eq!(sent.len(), 7);
    }

    #[test]
    fn predictions_know_of_spills() {
        let trials = [trial("clean", 1.0, Some(3.0), 0, None), trial("spills", 2.0, Some(2.0), 8, None)];
        assert_eq!(order(&trials), ["spills", "clean"]);
    }

    #[test]
    fn measurements_weigh_more_than_predictions() {
        let trials = [trial("first", 1.0, Some(1.0), 0, Some(5.0)), trial("second", 2.0, Some(2.0), 8, Some(4.0))];
        assert_eq!(order(&trials), ["second", "first"]);
    }

    #[test]
    fn what_is_known_of_some_alone_gives_an_order_too() {
        // Each of these three would be before the next one by what both have.
        let trials =
            [trial("b", 2.0, Some(3.0), 0, None), trial("a", 3.0, Some(2.0), 0, None), trial("c", 2.5, None, 0, None)];
        assert_eq!(order(&trials), ["a", "b", "c"]);
    }

    #[test]
    fn refused_candidates_and_those_of_other_levels_are_no_winners() {
        let outcome = Outcome::Refused { id: "x".into(), message: String::new() };
        let refused = Trial { outcome, ..trial("", 1.0, None, 0, None) };
        let counted = Trial { level: Level::Counted, ..trial("counted", 1.0, None, 0, None) };
        assert_eq!(order(&[refused, counted, trial("best", 9.0, None, 0, None)]), ["best"]);
    }

    #[test]
    fn a_quarter_goes_on_and_at_least_four() {
        let many = |n: u32| {
            let one = |warps: u32| Trial {
                candidate: Candidate { settings: vec![("warps".into(), warps.to_string())] },
                ..trial("", f64::from(warps), None, 0, None)
            };
            let trials: Vec<Trial> = (0..n).rev().map(one).collect();
            going_on(Kernel::Viscosity, &trials, Level::Compiled)
        };
        assert_eq!((many(40).len(), many(41).len(), many(6).len(), many(2).len(), many(0).len()), (10, 11, 4, 2, 0));
        assert_eq!(many(40)[0].1.to_string(), "warps=0");
    }

    #[test]
    fn the_best_of_each_layout_and_way_to_multiply_goes_on() {
        let one = |(n, form, layout): (u32, &str, &str)| {
            let candidate = Candidate { settings: vec![("warps".into(), n.to_string())] };
            let cost = Cost { estimated_ns: f64::from(n), layout: layout.into(), ..example(form, 0) };
            Trial { candidate, outcome: Outcome::Cost(Box::new(cost)), ..trial("", 0.0, None, 0, None) }
        };
        let alike = (0..5).map(|n| (n, "low-rank, dmma", "overlay"));
        let others = [(5, "low-rank", "overlay"), (6, "low-rank", "overlay"), (7, "low-rank", "data-parallel")];
        let trials: Vec<Trial> = alike.chain(others).map(one).collect();
        let sent = going_on(Kernel::Viscosity, &trials, Level::Compiled);
        let sent: Vec<&str> = sent.iter().filter_map(|(_, candidate)| candidate.value("warps")).collect();
        assert_eq!(sent, ["0", "5", "7", "1"]);
    }
}
