//! Why a candidate lost.

use serde::Serialize;

use crate::level::Level;
use crate::measure::{Cost, Outcome, Trial};

/// A candidate with why it lost.
#[derive(Serialize)]
pub struct TrialOutcome<'a> {
    #[serde(flatten)]
    pub trial: &'a Trial,
    pub why: String,
}

/// Says why it lost, in words; empty for the best itself. `last` is the level on which the best was found.
pub fn why(best: &Trial, trial: &Trial, last: Level) -> String {
    if trial == best {
        return String::new();
    }
    let cost = match &trial.outcome {
        Outcome::Cost(cost) => cost,
        Outcome::Refused { id, message } => return format!("there is no such kernel: {message} [{id}]"),
    };
    let Some(best) = best.cost() else { return String::new() };
    if trial.level < last {
        let [own, other] = [cost, best].map(|cost| cost.estimated_ns);
        return format!(
            "not among those that went on: {own:.3} ns estimated, and the best {other:.3}{}",
            more_of(best, cost)
        );
    }
    let ((own, kind), (other, _)) = (cost.time(), best.time());
    let waits = match &cost.waits_for {
        Some((cause, share)) => format!("; its warps wait longest for {cause}: {:.0} % of their clocks", 100.0 * share),
        None => String::new(),
    };
    let by = 100.0 * (own / other - 1.0);
    let more = match (cost.measured_spread, best.measured_spread) {
        _ if by < 0.05 => "as long as the best, which comes first".to_owned(),
        (Some([least, _]), Some([_, most])) if least <= most => {
            format!("{by:.1} % more than the best, within the spread of their runs")
        }
        _ => format!("{by:.1} % more than the best"),
    };
    format!("{own:.3} ns {kind}, {more}{}{waits}", more_of(best, cost))
}

/// Describes its largest excess over the best.
fn more_of(best: &Cost, cost: &Cost) -> String {
    if cost.spilled_bytes > best.spilled_bytes {
        return format!("; it spills {} bytes per thread, and the best {}", cost.spilled_bytes, best.spilled_bytes);
    }
    let counts = [
        ("slots", cost.slots, best.slots),
        ("shuffles", cost.shuffles, best.shuffles),
        ("passes over shared memory", cost.shared_passes, best.shared_passes),
        ("waits at barriers", cost.barrier_waits_per_group, best.barrier_waits_per_group),
    ];
    let excess = |own: f64, other: f64| if own > 0.0 { own / other.max(f64::MIN_POSITIVE) } else { 0.0 };
    let most = counts.into_iter().max_by(|a, b| excess(a.1, a.2).total_cmp(&excess(b.1, b.2)));
    match most {
        Some((name, own, 0.0)) if own > 0.0 => format!("; it has {own:.0} {name}, and the best none"),
        Some((name, own, other)) if own > 1.05 * other => format!("; it has {:.2} times the {name}", own / other),
        _ if cost.occupancy < 0.95 * best.occupancy => {
            format!(
                "; it fills {:.0} % of the SM, and the best {:.0} %",
                100.0 * cost.occupancy,
                100.0 * best.occupancy
            )
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Candidate;

    fn trial(level: Level, change: impl FnOnce(&mut Cost)) -> Trial {
        let text = r#"{"form":"low-rank","layout":"overlay","constants":"striped","estimated_ns":2.0,"predicted_ns":4.0,
            "measured_ns":null,"slots":100.0,"shuffles":0.0,"shared_passes":10.0,"barrier_waits_per_group":4.0,"registers":40,
            "spilled_bytes":0,"ctas_per_sm":1,"occupancy":0.5}"#;
        let mut cost: Cost = serde_json::from_str(text).unwrap();
        change(&mut cost);
        let candidate = Candidate { settings: vec![("warps".into(), "8".into())] };
        Trial { kernel: "viscosity".into(), candidate, level, outcome: Outcome::Cost(Box::new(cost)) }
    }

    fn compiled(change: impl FnOnce(&mut Cost)) -> String {
        why(&trial(Level::Compiled, |_| {}), &trial(Level::Compiled, change), Level::Compiled)
    }

    #[test]
    fn the_difference_that_is_largest_is_told() {
        assert_eq!(compiled(|_| {}), "");
        let slower = |cost: &mut Cost| (cost.predicted_ns, cost.slots, cost.shared_passes) = (Some(5.0), 150.0, 30.0);
        assert_eq!(
            compiled(slower),
            "5.000 ns predicted, 25.0 % more than the best; it has 3.00 times the passes over shared memory"
        );
        let shuffles = |cost: &mut Cost| (cost.predicted_ns, cost.shuffles) = (Some(5.0), 7.0);
        assert!(compiled(shuffles).ends_with("; it has 7 shuffles, and the best none"));
        let spills = |cost: &mut Cost| (cost.spilled_bytes, cost.shuffles) = (64, 7.0);
        assert!(compiled(spills).contains("as long as the best, which comes first; it spills 64 bytes"));
        let measured = |cost: &mut Cost| (cost.measured_ns, cost.measured_spread) = (Some(5.0), Some([4.5, 6.0]));
        let best = |most| {
            trial(Level::Measured, |cost| (cost.measured_ns, cost.measured_spread) = (Some(4.0), Some([3.0, most])))
        };
        let told = |most| why(&best(most), &trial(Level::Measured, measured), Level::Measured);
        assert_eq!(told(4.6), "5.000 ns measured, 25.0 % more than the best, within the spread of their runs");
        assert_eq!(told(4.4), "5.000 ns measured, 25.0 % more than the best");
        let waits = |cost: &mut Cost| (cost.occupancy, cost.waits_for) = (0.25, Some(("barrier".into(), 0.4)));
        assert!(compiled(waits).ends_with(
            "fills 25 % of the SM, and the best 50 %; its warps wait longest for barrier: 40 % of their clocks"
        ));
    }

    #[test]
    fn what_did_not_go_on_is_compared_by_estimates() {
        let counted = trial(Level::Counted, |cost| (cost.estimated_ns, cost.predicted_ns) = (3.0, None));
        let text = why(&trial(Level::Compiled, |_| {}), &counted, Level::Compiled);
        assert!(text.starts_with("not among those that went on: 3.000 ns estimated, and the best 2.000"), "{text}");
    }
}
