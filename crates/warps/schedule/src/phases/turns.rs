//! The order of steps that make terms, within a phase and warp: few sums should be alive at once.

use std::collections::{BTreeMap, BTreeSet};

use cranelift_entity::SecondaryMap;

use super::Follows;
use graph::{Op, Part, StepRef};

/// A step with what follows it.
struct Turn {
    steps: Vec<StepRef>,
    /// Sums that it adds to, and the number of its steps that do.
    adds: Vec<(Op, usize)>,
}

impl Turn {
    fn new(steps: Vec<StepRef>) -> Self {
        let mut adds: BTreeMap<Op, usize> = BTreeMap::new();
        let iterations = steps[1..].iter().filter(|at| at.part != Part::Prologue);
        iterations.for_each(|at| *adds.entry(at.op).or_default() += 1);
        Self { steps, adds: adds.into_iter().collect() }
    }
}

/// Steps that add to each sum right behind what they add.
pub fn adders(follows: &Follows) -> SecondaryMap<Op, usize> {
    let mut adders = SecondaryMap::new();
    follows.values().flatten().for_each(|at| adders[at.op] += 1);
    adders
}

/// The steps of a run that have added to each sum.
struct Sums<'a> {
    adders: &'a SecondaryMap<Op, usize>,
    added: SecondaryMap<Op, usize>,
}

impl Sums<'_> {
    /// Sums that are alive behind a turn less those before it.
    fn change(&self, turn: &Turn) -> i64 {
        let begins = |op: Op| i64::from(self.added[op] == 0);
        let ends = |op: Op, n: usize| i64::from(self.adders[op] - self.added[op] == n);
        turn.adds.iter().map(|&(op, n)| begins(op) - ends(op, n)).sum()
    }
}

/// Orders each piece of a warp's run that consists of such steps and those that follow them. The pieces need nothing from themselves: what makes terms
/// reads no sums.
pub fn ordered(
    follows: &Follows,
    adders: &SecondaryMap<Op, usize>,
    run: Vec<StepRef>,
    is_early: impl Fn(StepRef) -> bool,
) -> Vec<StepRef> {
    let mut out = Vec::with_capacity(run.len());
    let mut turns: Vec<Turn> = Vec::new();
    let mut sums = Sums { adders, added: SecondaryMap::new() };
    let mut rest = run.into_iter().peekable();
    while let Some(at) = rest.next() {
        if follows.contains_key(&at) && is_early(at) {
            let following: BTreeSet<Op> = follows[&at].iter().map(|next| next.op).collect();
            let mut steps = vec![at];
            while let Some(next) = rest.next_if(|next| next.part != Part::Epilogue && following.contains(&next.op)) {
                steps.push(next);
            }
            turns.push(Turn::new(steps));
        } else {
            piece(std::mem::take(&mut turns), &mut sums, &mut out);
            out.push(at);
        }
    }
    piece(turns, &mut sums, &mut out);
    out
}

/// The turns of one piece, the next always the one that leaves the fewest sums alive.
fn piece(mut turns: Vec<Turn>, sums: &mut Sums, out: &mut Vec<StepRef>) {
    let steps = turns.iter().flat_map(|turn| &turn.steps);
    let prologues: BTreeMap<Op, StepRef> =
        steps.filter(|at| at.part == Part::Prologue).map(|&at| (at.op, at)).collect();
    let mut begun = BTreeSet::new();
    while !turns.is_empty() {
        let next = (0..turns.len()).min_by_key(|&n| (sums.change(&turns[n]), n));
        let turn = turns.remove(next.expect("there is a turn")).steps;
        out.push(turn[0]);
        for &at in turn[1..].iter().filter(|at| at.part != Part::Prologue) {
            if let Some(&prologue) = prologues.get(&at.op)
                && begun.insert(at.op)
            {
                out.push(prologue);
            }
            sums.added[at.op] += 1;
            out.push(at);
        }
    }
}
