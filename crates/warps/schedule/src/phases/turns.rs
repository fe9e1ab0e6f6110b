//! The order of steps that make terms, within a phase and warp: few sums should be alive at once.

use std::collections::{BTreeMap, BTreeSet};

use super::Follows;
use graph::{Op, Part, StepRef};

/// A step with what follows it.
type Turn = Vec<StepRef>;

/// Orders each piece of a warp's run that consists of such steps and those that follow them. The pieces need nothing from themselves: what makes terms
/// reads no sums.
pub fn ordered(follows: &Follows, run: Vec<StepRef>, is_early: impl Fn(StepRef) -> bool) -> Vec<StepRef> {
    let mut left: BTreeMap<Op, usize> = BTreeMap::new();
    for at in follows.values().flatten() {
        *left.entry(at.op).or_default() += 1;
    }
    let mut out = Vec::with_capacity(run.len());
    let mut turns: Vec<Turn> = Vec::new();
    let mut open = BTreeSet::new();
    let mut rest = run.into_iter().peekable();
    while let Some(at) = rest.next() {
        if follows.contains_key(&at) && is_early(at) {
            let following: BTreeSet<Op> = follows[&at].iter().map(|next| next.op).collect();
            let mut turn = vec![at];
            while let Some(next) = rest.next_if(|next| next.part != Part::Epilogue && following.contains(&next.op)) {
                turn.push(next);
            }
            turns.push(turn);
        } else {
            out.extend(piece(std::mem::take(&mut turns), &mut open, &mut left));
            out.push(at);
        }
    }
    out.extend(piece(turns, &mut open, &mut left));
    out
}

/// The turns of one piece, the next always the one that leaves the fewest sums alive.
fn piece(mut turns: Vec<Turn>, open: &mut BTreeSet<Op>, left: &mut BTreeMap<Op, usize>) -> Vec<StepRef> {
    let prologues: BTreeMap<Op, StepRef> =
        turns.iter().flatten().filter(|at| at.part == Part::Prologue).map(|&at| (at.op, at)).collect();
    let mut begun = BTreeSet::new();
    let mut out = Vec::new();
    while !turns.is_empty() {
        let alive = |turn: &Turn| -> i64 {
            let mut adds: BTreeMap<Op, usize> = BTreeMap::new();
            turn[1..].iter().filter(|at| at.part != Part::Prologue).for_each(|at| *adds.entry(at.op).or_default() += 1);
            let change = |(op, n): (Op, usize)| i64::from(!open.contains(&op)) - i64::from(left[&op] == n);
            adds.into_iter().map(change).sum()
        };
        let next = (0..turns.len()).min_by_key(|&n| (alive(&turns[n]), n));
        let turn = turns.remove(next.expect("there is a turn"));
        out.push(turn[0]);
        for &at in turn[1..].iter().filter(|at| at.part != Part::Prologue) {
            if let Some(&prologue) = prologues.get(&at.op)
                && begun.insert(at.op)
            {
                out.push(prologue);
            }
            open.insert(at.op);
            *left.get_mut(&at.op).expect("it follows") -= 1;
            out.push(at);
        }
    }
    out
}
