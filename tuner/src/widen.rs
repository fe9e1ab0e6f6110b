//! Search beyond the edge of what was tried, if the best candidate lies there.

use serde::Serialize;

use crate::arguments::accepted;
use crate::measure::Trial;
use crate::space::Candidate;

/// A flag whose value in the best candidate is the least or the most that was tried with its other settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edge {
    pub flag: String,
    pub value: u32,
    /// The next value beyond.
    pub beyond: u32,
}

/// Returns all edges with values beyond them. Flags of which one value was tried are as the user wants them.
pub fn edges(best: &Candidate, trials: &[Trial]) -> Vec<Edge> {
    best.settings.iter().filter_map(|(flag, value)| edge(best, trials, flag, value.parse().ok()?)).collect()
}

fn edge(best: &Candidate, trials: &[Trial], flag: &str, value: u32) -> Option<Edge> {
    let on_line = trials
        .iter()
        .filter(|trial| trial.candidate.value(flag).is_some_and(|other| best.with(flag, other) == trial.candidate));
    let mut tried: Vec<u32> = on_line.filter_map(|trial| trial.candidate.value(flag)?.parse().ok()).collect();
    tried.sort();
    tried.dedup();
    let [least, second, ..] = tried[..] else { return None };
    let [.., before, most] = tried[..] else { return None };
    let beyond = if value == most {
        // Points per lane are powers of two.
        if flag == "points-per-lane" { 2 * most } else { most + (most - before) }
    } else if value == least {
        // Halves come to the end soon.
        (least / 2).max(least.saturating_sub(second - least))
    } else {
        return None;
    };
    accepted(flag, &beyond.to_string()).ok()?;
    (beyond != value).then(|| Edge { flag: flag.to_owned(), value, beyond })
}

impl std::fmt::Display for Edge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let which = if self.beyond > self.value { "most" } else { "least" };
        write!(f, "the best has {}={}, the {which} that was tried", self.flag, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;
    use crate::measure::Outcome;

    fn candidate(warps: u32, points: u32) -> Candidate {
        let settings = [("warps", warps), ("points-per-lane", points), ("ctas-per-sm", 1)];
        Candidate { settings: settings.map(|(flag, value)| (flag.to_owned(), value.to_string())).to_vec() }
    }

    /// Returns the edges beyond the values that were tried.
    fn beyond(best: (u32, u32), tried: &[(u32, u32)]) -> Vec<(String, u32)> {
        let trial = |&(warps, points): &(u32, u32)| Trial {
            kernel: "viscosity".into(),
            candidate: candidate(warps, points),
            level: Level::Compiled,
            outcome: Outcome::Refused { id: String::new(), message: String::new() },
        };
        let trials: Vec<Trial> = tried.iter().map(trial).collect();
        edges(&candidate(best.0, best.1), &trials).into_iter().map(|edge| (edge.flag, edge.beyond)).collect()
    }

    #[test]
    fn the_most_grows_by_a_step_and_the_least_shrinks() {
        let tried = [(4, 1), (8, 1), (12, 1)];
        assert_eq!(beyond((12, 1), &tried), [("warps".into(), 16)]);
        assert_eq!(beyond((4, 1), &tried), [("warps".into(), 2)]);
        assert_eq!(beyond((8, 1), &tried), []);
        assert_eq!(beyond((4, 1), &[(4, 1), (5, 1)]), [("warps".into(), 3)]);
    }

    #[test]
    fn nothing_lies_beyond_the_last_value() {
        assert_eq!(beyond((32, 1), &[(31, 1), (32, 1)]), []);
        assert_eq!(beyond((1, 1), &[(1, 1), (2, 1)]), []);
        assert_eq!(beyond((4, 4), &[(4, 2), (4, 4)]), []);
        assert_eq!(beyond((4, 2), &[(4, 1), (4, 2)]), [("points-per-lane".into(), 4)]);
    }

    #[test]
    fn a_flag_with_one_value_stays_and_other_lines_do_not_count() {
        assert_eq!(beyond((8, 1), &[(8, 1)]), []);
        assert_eq!(beyond((8, 1), &[(8, 1), (4, 1), (12, 2)]), [("warps".into(), 12)]);
    }
}
