//! A compressible stack of on-chip slots between procedures (Orion, section 3.2).
//!
//! What a procedure called finds free begins behind the slots of its caller. Before a call the live slots at or behind a height move to
//! free ones below it, so that the procedure called gets all that is free in one piece, and move back behind the call. Where the
//! sets of values lie decides how many moves that takes: with the least, by Kuhn and Munkres, since what the place of one set costs does
//! not depend on where the others are (Theorem 1).

use pathfinding::prelude::{Matrix, kuhn_munkres_min};
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

/// The slots of one procedure: as many as there are sets of values that can share one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub slots: usize,
    pub calls: Vec<Call>,
}

/// A call in a procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Of each set, whether a value of it is needed behind the call.
    pub live: Vec<bool>,
    /// Slots that the caller keeps while the procedure called runs; at least those that are live.
    pub height: usize,
    /// How often it is executed, as an estimate.
    pub weight: u64,
}

impl Call {
    fn count(&self) -> usize {
        self.live.iter().filter(|live| **live).count()
    }
}

/// The slot of each set, and what moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    pub slot: Vec<usize>,
    /// For each call the slots that move before it, from and to; behind it they move back.
    pub moves: Vec<Vec<(usize, usize)>>,
    /// Of all moves before calls, each as often as its call is executed.
    pub cost: u64,
}

/// Why there is no stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// More slots are live across a call than it may keep.
    TooLow { call: usize },
    /// A procedure calls itself, by way of these.
    Recursion(Vec<String>),
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLow { call } => write!(f, "more slots are live across call {call} than it keeps"),
            Self::Recursion(way) => write!(f, "{} call each other", way.join(", ")),
        }
    }
}

/// What the place of a set costs: the calls before which it must move from there.
fn cost(frame: &Frame, set: usize, slot: usize) -> u64 {
    let moves = |call: &&Call| call.live[set] && slot >= call.height;
    frame.calls.iter().filter(moves).map(|call| call.weight).sum()
}

/// The placement with the least moves.
///
/// # Errors
/// A call that keeps fewer slots than are live.
pub fn place(frame: &Frame) -> Result<Placement, Refusal> {
    if let Some(call) = frame.calls.iter().position(|call| call.count() > call.height) {
        return Err(Refusal::TooLow { call });
    }
    let costs = (0..frame.slots).flat_map(|set| (0..frame.slots).map(move |slot| (set, slot)));
    let costs: Vec<i64> =
        costs.map(|(set, slot)| i64::try_from(cost(frame, set, slot)).unwrap_or(i64::MAX >> 16)).collect();
    let slot = match frame.slots {
        0 => Vec::new(),
        slots => kuhn_munkres_min(&Matrix::square_from_vec(costs).expect("a row and a column for each of the slots"))
            .1
            .into_iter()
            .inspect(|slot| debug_assert!(*slot < slots))
            .collect(),
    };
    let moves: Vec<_> = frame.calls.iter().map(|call| moves(call, &slot)).collect();
    let cost = (0..frame.slots).map(|set| cost(frame, set, slot[set])).sum();
    Ok(Placement { slot, moves, cost })
}

/// The live slots behind the height, each to a free one below it.
fn moves(call: &Call, slot: &[usize]) -> Vec<(usize, usize)> {
    let mut live: Vec<usize> = slot.iter().zip(&call.live).filter(|(_, live)| **live).map(|(slot, _)| *slot).collect();
    live.sort_unstable();
    let free = (0..call.height).filter(|slot| !live.contains(slot));
    live.iter().copied().filter(|slot| *slot >= call.height).zip(free).collect()
}

/// A procedure of a program: its slots, and its calls with the name of what they call and the number of slots live across them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Procedure {
    pub slots: usize,
    pub calls: Vec<(String, usize)>,
}

/// Where the slots of each procedure begin, counted from the bottom of the stack, and the slots that all of them take together: those of
/// a procedure begin behind what is live in every caller at the call.
///
/// # Errors
/// Procedures that call each other.
pub fn bases(
    procedures: &BTreeMap<String, Procedure>,
    kernel: &str,
) -> Result<(BTreeMap<String, usize>, usize), Refusal> {
    let mut order = Vec::new();
    visit(procedures, kernel, &mut Vec::new(), &mut order)?;
    order.reverse();
    let mut bases: BTreeMap<String, usize> = BTreeMap::new();
    let mut top = 0;
    for name in order {
        let Some(procedure) = procedures.get(&name) else { continue };
        let base = *bases.entry(name).or_default();
        top = top.max(base + procedure.slots);
        for (called, live) in &procedure.calls {
            let begins = bases.entry(called.clone()).or_default();
            *begins = (*begins).max(base + live);
        }
    }
    Ok((bases, top))
}

/// Callees first.
fn visit(
    procedures: &BTreeMap<String, Procedure>,
    name: &str,
    open: &mut Vec<String>,
    done: &mut Vec<String>,
) -> Result<(), Refusal> {
    if let Some(first) = open.iter().position(|other| other == name) {
        return Err(Refusal::Recursion(open.split_off(first)));
    }
    if done.iter().any(|other| other == name) {
        return Ok(());
    }
    open.push(name.to_owned());
    for (called, _) in procedures.get(name).into_iter().flat_map(|procedure| &procedure.calls) {
        visit(procedures, called, open, done)?;
    }
    open.pop();
    done.push(name.to_owned());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random (splitmix64).
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut x = self.0;
            x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (x ^ (x >> 31)) as usize % end
        }

        fn frame(&mut self) -> Frame {
            let slots = 1 + self.below(8);
            let count = self.below(6);
            let calls = (0..count).map(|_| {
                let live: Vec<bool> = (0..slots).map(|_| self.below(2) == 1).collect();
                let least = live.iter().filter(|live| **live).count();
                Call { height: least + self.below(slots - least + 1), weight: 1 + self.below(10) as u64, live }
            });
            Frame { slots, calls: calls.collect() }
        }
    }

    /// The moves before calls when the sets lie so, by moving them.
    fn moved(frame: &Frame, slot: &[usize]) -> u64 {
        let behind = |call: &Call| (0..frame.slots).filter(|set| call.live[*set] && slot[*set] >= call.height).count();
        frame.calls.iter().map(|call| behind(call) as u64 * call.weight).sum()
    }

    /// The least over all permutations.
    fn least(frame: &Frame, slot: &mut Vec<usize>, left: &mut Vec<usize>) -> u64 {
        if left.is_empty() {
            return moved(frame, slot);
        }
        let mut best = u64::MAX;
        for at in 0..left.len() {
            slot.push(left.remove(at));
            best = best.min(least(frame, slot, left));
            left.insert(at, slot.pop().unwrap());
        }
        best
    }

    #[test]
    fn no_placement_takes_fewer_moves() {
        let mut random = Random(18);
        let (mut moves, mut identity) = (0, 0);
        for case in 0..10_000 {
            let frame = random.frame();
            let placement = place(&frame).unwrap();
            let best = least(&frame, &mut Vec::new(), &mut (0..frame.slots).collect());
            assert_eq!((placement.cost, moved(&frame, &placement.slot)), (best, best), "{case}: {frame:?}");
            let mut slots = placement.slot.clone();
            slots.sort_unstable();
            assert!(slots.into_iter().eq(0..frame.slots), "{case}: {frame:?}");
            moves += best;
            identity += moved(&frame, &(0..frame.slots).collect::<Vec<_>>());
        }
        println!("10000 cases: {moves} moves, {identity} where slots keep their places");
        assert!(moves < identity);
    }

    /// Values are followed through the moves: behind them all live ones lie below the height, and back again where they were.
    #[test]
    fn moves_keep_every_live_value() {
        let mut random = Random(7);
        for _ in 0..2_000 {
            let frame = random.frame();
            let placement = place(&frame).unwrap();
            for (call, moves) in frame.calls.iter().zip(&placement.moves) {
                let mut held: Vec<Option<usize>> = vec![None; frame.slots];
                for (set, slot) in placement.slot.iter().enumerate().filter(|(set, _)| call.live[*set]) {
                    held[*slot] = Some(set);
                }
                let before = held.clone();
                for (from, to) in moves {
                    assert!(held[*to].is_none());
                    held[*to] = held[*from].take();
                }
                assert!(held[call.height..].iter().all(Option::is_none), "{frame:?}");
                for (from, to) in moves.iter().rev() {
                    held[*from] = held[*to].take();
                }
                assert_eq!(held, before);
            }
        }
    }

    /// The example of Figure 6: three calls, four slots; with the best placement one move is left.
    #[test]
    fn the_example_of_the_paper_takes_one_move() {
        let call = |live: [usize; 4], height| Call { live: live.map(|live| live == 1).to_vec(), height, weight: 1 };
        let frame =
            Frame { slots: 4, calls: vec![call([1, 0, 1, 1], 3), call([1, 1, 0, 1], 3), call([1, 0, 1, 0], 2)] };
        let identity = moved(&frame, &[0, 1, 2, 3]);
        assert_eq!((identity, place(&frame).unwrap().cost), (3, 1));
    }

    #[test]
    fn a_height_below_what_is_live_is_refused() {
        let call = Call { live: vec![true, true], height: 1, weight: 1 };
        assert_eq!(place(&Frame { slots: 2, calls: vec![call] }), Err(Refusal::TooLow { call: 0 }));
    }

    /// A name, slots, and calls with the slots that are live across them.
    type Listed<'a> = (&'a str, usize, &'a [(&'a str, usize)]);

    fn procedures(list: &[Listed]) -> BTreeMap<String, Procedure> {
        let calls = |calls: &[(&str, usize)]| calls.iter().map(|(name, live)| ((*name).to_owned(), *live)).collect();
        list.iter()
            .map(|(name, slots, own)| ((*name).to_owned(), Procedure { slots: *slots, calls: calls(own) }))
            .collect()
    }

    #[test]
    fn a_procedure_begins_behind_what_its_callers_keep() {
        let all = procedures(&[("k", 6, &[("f", 2), ("g", 5)]), ("f", 3, &[("g", 1)]), ("g", 4, &[])]);
        let (bases, top) = bases(&all, "k").unwrap();
        assert_eq!((bases["k"], bases["f"], bases["g"], top), (0, 2, 5, 9));
    }

    #[test]
    fn recursion_is_refused() {
        let all = procedures(&[("k", 1, &[("f", 1)]), ("f", 1, &[("g", 0)]), ("g", 1, &[("f", 1)])]);
        let way = ["f", "g"].map(str::to_owned).to_vec();
        assert_eq!(bases(&all, "k").unwrap_err(), Refusal::Recursion(way));
    }
}
