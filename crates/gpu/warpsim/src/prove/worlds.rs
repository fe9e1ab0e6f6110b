//! Truth values that threads agree on, one after the other. `bar.red` gives one to all threads of its phase, `vote` to the lanes that it names. A branch on a
//! value that all threads agree on leads them the same way. The kernel is executed for each sequence of such values, and is proven if it is for all.
//!
//! Every execution has one such sequence, and is one of those that the analysis with these values stands for.

use super::verdict::Verdict;

/// The values of one execution, in the order in which they are asked for.
#[derive(Debug, Default, Clone)]
pub(super) struct World {
    values: Vec<bool>,
    taken: usize,
}

/// Values of one execution, after which they are data.
pub(super) const MOST: usize = 12;

impl World {
    /// Chooses the next of at most `most` values.
    pub(super) fn choose(&mut self, most: usize) -> Option<bool> {
        if self.taken == self.values.len() && self.taken < most {
            self.values.push(false);
        }
        let value = self.values.get(self.taken).copied();
        self.taken += 1;
        value
    }

    /// Returns the world after this one; `None` behind the last.
    fn next(mut self) -> Option<Self> {
        while self.values.pop()? {}
        self.values.push(true);
        Some(Self { values: self.values, taken: 0 })
    }
}

/// Returns the verdict over all worlds, or the first that is not proven. `execute` gives that of one world, and its values.
pub(super) fn all(
    mut execute: impl FnMut(World) -> Result<(Verdict, World), String>,
) -> Result<Result<Verdict, Verdict>, String> {
    let (mut whole, mut next) = (None::<Verdict>, Some(World::default()));
    while let Some(world) = next {
        let (verdict, world) = execute(world)?;
        if !verdict.holds() {
            return Ok(Err(verdict));
        }
        whole = Some(match whole {
            None => verdict,
            Some(before) => join(before, verdict),
        });
        next = world.next();
    }
    Ok(Ok(whole.expect("there is a first world")))
}

/// Joins the verdicts of two proven worlds, with the assumptions of both.
fn join(mut a: Verdict, b: Verdict) -> Verdict {
    for what in b.assumed {
        if !a.assumed.contains(&what) {
            a.assumed.push(what);
        }
    }
    a.warnings.extend(b.warnings);
    a.warnings.sort();
    a.warnings.dedup();
    (a.instructions, a.arrivals) = (a.instructions + b.instructions, a.arrivals + b.arrivals);
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sequences_come_once() {
        let mut seen = Vec::new();
        let mut world = Some(World::default());
        while let Some(mut now) = world {
            // a second reduction only behind a true one
            let first = now.choose(MOST);
            let second = if first == Some(true) { now.choose(MOST) } else { None };
            seen.push((first, second));
            world = now.next();
        }
        assert_eq!(seen, [(Some(false), None), (Some(true), Some(false)), (Some(true), Some(true))]);
    }

    #[test]
    fn there_is_an_end_of_choices() {
        let mut world = World::default();
        let values: Vec<Option<bool>> = (0..=MOST).map(|_| world.choose(MOST)).collect();
        assert_eq!((values[MOST - 1], values[MOST]), (Some(false), None));
    }
}
