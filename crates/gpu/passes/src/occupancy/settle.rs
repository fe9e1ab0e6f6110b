//! The choice while the application runs (Orion, section 3.4): the first iterations run one version after the other, and the rest
//! the one that was found. The generated header does the same.

use super::Direction;
use super::select::TOLERANCE;

/// Version that was found, and those that were timed for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    pub chosen: usize,
    /// The versions that were timed, one in each iteration.
    pub tried: Vec<usize>,
}

/// Walks the versions, which are ordered by occupancy, from `original` into the predicted direction while the time does not grow;
/// into the other one if the first step was worse. Of the versions that take no longer than the best one the lowest is taken.
pub fn settle(count: usize, original: usize, direction: Direction, mut time: impl FnMut(usize) -> f64) -> Settled {
    let mut times = vec![None; count];
    let mut tried = vec![original];
    let mut best = time(original);
    times[original] = Some(best);
    let up = direction == Direction::Increasing;
    for up in [up, !up] {
        let mut at = original;
        while let Some(next) = step(at, up, count) {
            let taken = time(next);
            tried.push(next);
            times[next] = Some(taken);
            if taken > best * (1.0 + TOLERANCE) {
                break;
            }
            best = best.min(taken);
            at = next;
        }
        if at != original {
            break;
        }
    }
    let fast = |time: &Option<f64>| time.is_some_and(|time| time <= best * (1.0 + TOLERANCE));
    Settled { chosen: times.iter().position(fast).unwrap_or(original), tried }
}

fn step(at: usize, up: bool, count: usize) -> Option<usize> {
    if up { Some(at + 1).filter(|next| *next < count) } else { at.checked_sub(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(times: &[f64], original: usize, direction: Direction) -> Settled {
        settle(times.len(), original, direction, |version| times[version])
    }

    #[test]
    fn it_stops_behind_the_dip() {
        let found = settled(&[9.0, 7.0, 5.0, 6.0, 8.0], 0, Direction::Increasing);
        assert_eq!(found, Settled { chosen: 2, tried: vec![0, 1, 2, 3] });
    }

    #[test]
    fn it_turns_where_the_first_step_is_worse() {
        let found = settled(&[4.0, 5.0, 9.0], 1, Direction::Increasing);
        assert_eq!(found, Settled { chosen: 0, tried: vec![1, 2, 0] });
    }

    #[test]
    fn on_a_plateau_the_lowest_is_taken() {
        let found = settled(&[9.0, 5.0, 5.02, 5.01], 3, Direction::Decreasing);
        assert_eq!(found, Settled { chosen: 1, tried: vec![3, 2, 1, 0] });
    }

    #[test]
    fn one_version_is_taken_as_it_is() {
        assert_eq!(settled(&[3.0], 0, Direction::Decreasing), Settled { chosen: 0, tried: vec![0] });
    }
}
