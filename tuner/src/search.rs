//! Which candidate is best.

use std::cmp::Ordering;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering as Memory};

use crate::measure::{Cost, Outcome, Trial};

/// Runs all jobs on all cores; the results are in the order of the jobs.
pub fn all<T: Sync, R: Send>(jobs: &[T], threads: usize, run: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<R>>> = Mutex::new(jobs.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            scope.spawn(|| {
                while let Some((at, job)) =
                    Some(next.fetch_add(1, Memory::Relaxed)).and_then(|at| Some((at, jobs.get(at)?)))
                {
                    let result = run(job);
                    results.lock().expect("no job panics")[at] = Some(result);
                }
            });
        }
    });
    let results = results.into_inner().expect("no job panics");
    results.into_iter().map(|result| result.expect("every job ran")).collect()
}

/// The trials that gave a kernel, best first. Among equals the one that was tried first is first.
pub fn ranked(trials: &[Trial]) -> Vec<(&Trial, &Cost)> {
    let mut ranked: Vec<(&Trial, &Cost)> = trials
        .iter()
        .filter_map(|trial| match &trial.outcome {
            Outcome::Cost(cost) => Some((trial, &**cost)),
            Outcome::Refused { .. } => None,
        })
        .collect();
    ranked.sort_by(|(_, a), (_, b)| better(a, b));
    ranked
}

/// Measured times decide alone. Predicted ones know nothing of spills and latency: kernels that do not spill come first,
/// then the predicted time, then waits at barriers, then occupancy.
fn better(a: &Cost, b: &Cost) -> Ordering {
    if let (Some(a), Some(b)) = (a.measured_ns, b.measured_ns) {
        return a.total_cmp(&b);
    }
    let spills = (a.spilled_bytes > 0).cmp(&(b.spilled_bytes > 0));
    let time = a.predicted_ns.total_cmp(&b.predicted_ns);
    let waits = a.barrier_waits_per_group.total_cmp(&b.barrier_waits_per_group);
    spills.then(time).then(waits).then(b.occupancy.total_cmp(&a.occupancy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Candidate;

    fn trial(name: &str, predicted_ns: f64, spilled_bytes: u32, measured_ns: Option<f64>) -> Trial {
        let form = name.to_owned();
        let (slots, shuffles, shared_passes, barrier_waits_per_group) = (0.0, 0.0, 0.0, 0.0);
        let (registers, ctas_per_sm, occupancy) = (32, 1, 0.5);
        #[rustfmt::skip]
        let cost = Cost {
            form, predicted_ns, measured_ns, slots, shuffles, shared_passes, barrier_waits_per_group, registers, spilled_bytes,
            ctas_per_sm, occupancy,
        };
        let candidate = Candidate { settings: Vec::new() };
        Trial { kernel: "viscosity".into(), candidate, outcome: Outcome::Cost(Box::new(cost)) }
    }

    fn order(trials: &[Trial]) -> Vec<String> {
        ranked(trials).into_iter().map(|(_, cost)| cost.form.clone()).collect()
    }

    #[test]
    fn spills_weigh_more_than_predictions() {
        let trials = [trial("spills", 1.0, 8, None), trial("slow", 3.0, 0, None), trial("fast", 2.0, 0, None)];
        assert_eq!(order(&trials), ["fast", "slow", "spills"]);
    }

    #[test]
    fn measurements_weigh_more_than_spills() {
        let trials = [trial("clean", 1.0, 0, Some(5.0)), trial("spills", 2.0, 8, Some(4.0))];
        assert_eq!(order(&trials), ["spills", "clean"]);
    }

    #[test]
    fn refused_candidates_are_no_winners() {
        let outcome = Outcome::Refused { id: "x".into(), message: String::new() };
        let candidate = Candidate { settings: Vec::new() };
        assert!(ranked(&[Trial { kernel: "viscosity".into(), candidate, outcome }]).is_empty());
    }

    #[test]
    fn results_keep_the_order_of_the_jobs() {
        let jobs: Vec<u32> = (0..100).collect();
        assert_eq!(all(&jobs, 4, |job| job * 2), jobs.iter().map(|job| job * 2).collect::<Vec<_>>());
    }
}
