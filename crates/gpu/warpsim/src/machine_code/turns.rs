//! Turns of the loop in which the warps of a launch spend their time: found in a trace of few, repeated for many.
//!
//! The loop's turns begin at an instruction that a warp executes once in each of them. Another turn is the second one again, with
//! the lines of every access as far behind as they moved from the second turn to the third. Where no turn comes back to what an earlier one
//! moved over, each repeated turn has memory of its own: the rows of a short launch lie so near that a later turn would meet the next row.
//! A lookup in a table moves nowhere: its lines follow from data, so that they do not move together.

use super::trace::{Event, Line, Trace, WarpTrace};
use std::collections::{BTreeMap, HashSet};

/// Fewest turns of a trace that can be prolonged.
pub(super) const FEWEST: usize = 3;
/// Turns of a launch that tell the steady state: the last one of a loop that copies its inputs ahead copies nothing.
pub const EXECUTED_TURNS: usize = 4;
/// Distance of the memory of two turns, in lines: beyond all addresses of a launch.
const APART: u64 = 1 << 50;

/// A place in a trace: its step, and the events and lines before it.
#[derive(Clone, Copy)]
struct Place {
    step: usize,
    event: usize,
    line: usize,
}

impl Trace {
    fn beginnings(&self, own: Option<usize>) -> Option<Vec<Vec<usize>>> {
        self.ctas.iter().flatten().map(|warp| beginnings(warp, own)).collect()
    }

    /// Repeats the second turn of each warp until there are this many, and marks where turns begin; the trace has `own` turns, if that is
    /// known. `None`: a warp has no such loop, the warps have different numbers of turns, or the third turn of a warp has other accesses
    /// of memory than its second.
    pub fn prolonged(&self, turns: usize, own: Option<usize>) -> Option<Self> {
        let of_warps = self.beginnings(own)?;
        let own = of_warps.first()?.len();
        if of_warps.iter().any(|marks| marks.len() != own) {
            return None;
        }
        let repeats = self.ctas.iter().flatten().zip(&of_warps).all(|(warp, marks)| {
            let end = marks.get(FEWEST).copied().unwrap_or(warp.len());
            let third = warp.accesses(marks[2]..end);
            warp.accesses(marks[1]..marks[2]).eq(third.take(warp.accesses(marks[1]..marks[2]).count()))
        });
        if !repeats {
            return None;
        }
        let more = turns.saturating_sub(own);
        let lookups = self.lookups(&of_warps);
        let (streamed, meets_again) = self.streamed(&of_warps, &lookups);
        let apart = if meets_again { 0 } else { APART };
        let mut marks = of_warps.iter();
        let mut longer = |warp: &WarpTrace| Some(prolong(warp, marks.next()?, more, &lookups, apart));
        let ctas = self.ctas.iter().map(|cta| cta.iter().map(&mut longer).collect()).collect::<Option<_>>()?;
        let mut made = Self::new(ctas, self.ranks);
        made.streamed = streamed;
        Some(made)
    }

    /// Returns the instructions whose lines do not move together from second turns to third ones.
    fn lookups(&self, of_warps: &[Vec<usize>]) -> HashSet<u32> {
        let mut found = HashSet::new();
        for (warp, marks) in self.ctas.iter().flatten().zip(of_warps) {
            let places = places(warp, &marks[..FEWEST]);
            let irregular = pairs(warp, places[1], places[2]).filter(|(_, lines, next)| {
                let by = lines.iter().zip(*next).map(|(line, next)| next.number.wrapping_sub(line.number) as i64);
                // rows that are no whole lines move by one line more or less
                by.clone().max().zip(by.min()).is_some_and(|(most, least)| most.saturating_sub(least) > 1)
            });
            found.extend(irregular.map(|(pc, ..)| pc));
        }
        found
    }

    /// Returns the sectors that third turns move on to, and whether they also meet lines of second turns again, as those do that look at
    /// their inputs ahead.
    fn streamed(&self, of_warps: &[Vec<usize>], lookups: &HashSet<u32>) -> (u64, bool) {
        let (mut second, mut third) = (HashSet::new(), BTreeMap::new());
        for (warp, marks) in self.ctas.iter().flatten().zip(of_warps) {
            let places = places(warp, &marks[..FEWEST]);
            let moves = moves(warp, places[1], places[2], lookups, 0).lines;
            for ((_, lines, _), by) in pairs(warp, places[1], places[2]).zip(moves).filter(|(_, by)| *by != 0) {
                for line in lines {
                    second.insert(line.number);
                    *third.entry(line.number.wrapping_add(by)).or_insert(0u8) |= line.sectors;
                }
            }
        }
        let own = third.len();
        third.retain(|line, _| !second.contains(line));
        let sectors = third.values().map(|sectors| u64::from(sectors.count_ones())).sum();
        (sectors, third.len() < own)
    }
}

/// Returns the steps at which turns begin: those of the instruction that is executed least often of all that a warp comes back to, over
/// at least half of its time; the first of equal ones. `own`: how often it is executed, if that is known.
fn beginnings(warp: &WarpTrace, own: Option<usize>) -> Option<Vec<usize>> {
    let mut steps: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for at in 0..warp.len() {
        steps.entry(warp.step(at).0).or_default().push(at);
    }
    let spans = |steps: &Vec<usize>| {
        let turns = steps.len().saturating_sub(1).max(1);
        // the last turn counts, too
        2 * (steps[steps.len() - 1] - steps[0]) * (turns + 1) / turns >= warp.len()
    };
    let often = steps
        .into_values()
        .filter(|steps| steps.len() >= FEWEST && spans(steps) && own.is_none_or(|own| own == steps.len()));
    often.min_by_key(|steps| (steps.len(), steps[0]))
}

fn prolong(warp: &WarpTrace, marks: &[usize], more: usize, lookups: &HashSet<u32>, apart: u64) -> WarpTrace {
    let places = places(warp, &marks[..FEWEST]);
    let (second, third) = (places[1], places[2]);
    let mut made = WarpTrace::default();
    made.copy(warp, 0..third.step);
    made.events.extend_from_slice(&warp.events[..third.event]);
    made.lines.extend_from_slice(&warp.lines[..third.line]);
    made.marks = marks[..2].to_vec();
    let moves = moves(warp, second, third, lookups, apart);
    for turn in 1..=more as u64 {
        made.marks.push(made.len());
        made.copy(warp, second.step..third.step);
        let by = |at: usize| (turn.wrapping_mul(moves.lines[at]), turn as u32 * moves.arrivals[at]);
        made.append(warp, [second, third], by);
    }
    // the rest is as much later as the repeated turns took
    let steps = made.len() - third.step;
    made.marks.extend(marks[2..].iter().map(|mark| mark + steps));
    made.copy(warp, third.step..warp.len());
    let more = more as u64;
    let turns = marks.len() - 2;
    let end = Place { step: warp.len(), event: warp.events.len(), line: warp.lines.len() };
    let by = |at: usize| {
        (more.wrapping_mul(in_turns(&moves.lines, at, turns)), more as u32 * in_turns(&moves.arrivals, at, turns))
    };
    made.append(warp, [third, end], by);
    made
}

impl WarpTrace {
    /// Appends the events of another trace between two places; `by` has how far the lines and the awaited arrivals of each are behind.
    fn append(&mut self, other: &Self, [from, to]: [Place; 2], by: impl Fn(usize) -> (u64, u32)) {
        let mut line = from.line;
        for (at, event) in other.events[from.event..to.event].iter().enumerate() {
            let (lines, arrivals) = by(at);
            let count = line_count(event);
            self.lines.extend(other.lines[line..line + count].iter().map(|line| moved(*line, lines)));
            self.events.push(later(*event, arrivals));
            line += count;
        }
    }
}

/// Returns the difference of an event that comes this late, in the rest of so many turns; behind them nothing differs.
fn in_turns<T: Copy + Default>(moves: &[T], at: usize, turns: usize) -> T {
    if at < turns * moves.len() { moves[at % moves.len()] } else { T::default() }
}

fn places(warp: &WarpTrace, marks: &[usize]) -> Vec<Place> {
    let mut place = Place { step: 0, event: 0, line: 0 };
    let mut places = Vec::new();
    for &mark in marks {
        for at in place.step..mark {
            if warp.step(at).1 {
                place.line += line_count(&warp.events[place.event]);
                place.event += 1;
            }
        }
        place.step = mark;
        places.push(place);
    }
    places
}

/// Returns the events of the second turn, each with its instruction, its lines, and the lines of the same event of the third turn.
fn pairs(warp: &WarpTrace, second: Place, third: Place) -> impl Iterator<Item = (u32, &[Line], &[Line])> {
    let (mut own, mut next) = (second.line, third.line);
    let events = warp.events[second.event..third.event].iter().zip(&warp.events[third.event..]);
    warp.accesses(second.step..third.step).zip(events).map(move |(pc, (event, later))| {
        let (from, behind) = (own, next);
        own += line_count(event);
        next += line_count(later);
        (pc, &warp.lines[from..own], &warp.lines[behind..next])
    })
}

fn line_count(event: &Event) -> usize {
    if let Event::Lines { count, .. } = event { *count as usize } else { 0 }
}

/// Differences from a turn to the next, event by event.
struct Moves {
    lines: Vec<u64>,
    arrivals: Vec<u32>,
}

/// `apart`: what the memory of a turn is farther behind than the executed turns tell.
fn moves(warp: &WarpTrace, second: Place, third: Place, lookups: &HashSet<u32>, apart: u64) -> Moves {
    let by = |(pc, lines, next): (u32, &[Line], &[Line])| match (lines.first(), next.first()) {
        (Some(line), Some(next)) if !lookups.contains(&pc) && next.number != line.number => {
            next.number.wrapping_sub(line.number).wrapping_add(apart)
        }
        _ => 0,
    };
    let lines = pairs(warp, second, third).map(by).collect();
    let events = warp.events[second.event..third.event].iter().enumerate();
    let arrivals = events.map(|(at, event)| match (event, warp.events.get(third.event + at)) {
        (Event::Awaits { arrivals, .. }, Some(Event::Awaits { arrivals: next, .. })) => next.saturating_sub(*arrivals),
        _ => 0,
    });
    Moves { lines, arrivals: arrivals.collect() }
}

fn moved(line: Line, by: u64) -> Line {
    Line { number: line.number.wrapping_add(by), ..line }
}

fn later(event: Event, by: u32) -> Event {
    match event {
        Event::Awaits { place, arrivals } => Event::Awaits { place, arrivals: arrivals + by },
        event => event,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A warp with a prologue of three equal steps, and turns with an inner loop; the second of three accesses moves by two lines.
    fn warp(turns: u64) -> WarpTrace {
        let mut warp = WarpTrace::default();
        let access = |warp: &mut WarpTrace, pc: u32, number: u64| {
            warp.push(pc, Some(Event::Lines { count: 1, passes: 1, updates: 0 }));
            warp.lines.push(Line { number, sectors: 1, words: u32::MAX });
        };
        (0..3).for_each(|_| warp.push(0, None));
        for turn in 0..turns {
            warp.push(1, None);
            access(&mut warp, 2, 7);
            for inner in 0..4 {
                access(&mut warp, 3, 100 + 2 * turn + 50 * inner);
            }
            let arrival = super::super::trace::Arrival::new(1, ptx::inst::BarKind::Sync, None);
            warp.push(4, Some(Event::Barrier(arrival)));
        }
        warp.push(5, None);
        warp
    }

    #[test]
    fn a_trace_of_three_turns_becomes_that_of_many() {
        let one = |turns| Trace::new(vec![vec![warp(turns)]], 1);
        for own in [3, 5] {
            let made = one(own).prolonged(9, None).unwrap();
            let (made, expected) = (&made.ctas[0][0], warp(9));
            assert_eq!((0..made.len()).map(|at| made.step(at)).collect::<Vec<_>>(), {
                (0..expected.len()).map(|at| expected.step(at)).collect::<Vec<_>>()
            });
            let inside = |line: &Line| Line { number: line.number % APART, ..*line };
            let lines: Vec<Line> = made.lines.iter().map(inside).collect();
            assert_eq!((&made.events, &lines), (&expected.events, &expected.lines));
            assert_eq!(made.marks, beginnings(&expected, None).unwrap());
            assert_eq!(made.marks.len(), 9);
        }
    }

    /// Rows that are three turns long: by what they move, the fourth turn of a row would be the first of the next.
    #[test]
    fn a_later_turn_meets_no_other_row() {
        let turning = |of: &dyn Fn(u64) -> Vec<u64>| {
            let mut warp = WarpTrace::default();
            for turn in 0..3 {
                warp.push(1, None);
                for number in of(turn) {
                    warp.push(2, Some(Event::Lines { count: 1, passes: 1, updates: 0 }));
                    warp.lines.push(Line { number, sectors: 1, words: u32::MAX });
                }
            }
            let made = Trace::new(vec![vec![warp]], 1).prolonged(12, None).unwrap();
            let lines: Vec<u64> = made.ctas[0][0].lines.iter().map(|line| line.number).collect();
            (lines.len(), lines.into_iter().collect::<HashSet<_>>().len())
        };
        assert_eq!(turning(&|turn| vec![9, 100 + turn, 103 + turn]), (36, 25), "one line stays");
        // a turn that comes back to the line before keeps it near
        assert_eq!(turning(&|turn| vec![100 + turn, 101 + turn]), (24, 13));
        let mut ahead = WarpTrace::default();
        for turn in 0..3 {
            ahead.push(1, Some(Event::Lines { count: 2, passes: 1, updates: 0 }));
            ahead.lines.extend([100 + turn, 101 + turn].map(|number| Line {
                number,
                sectors: 0b1111,
                words: u32::MAX,
            }));
        }
        assert_eq!(Trace::new(vec![vec![ahead]], 1).prolonged(12, None).unwrap().streamed, 4, "one new line");
    }

    /// A loop that copies its input ahead: its last turn has no copy, so that three turns do not tell by how much the input moves.
    #[test]
    fn inputs_that_are_copied_ahead_move_on() {
        let turning = |turns: u64| {
            let mut warp = WarpTrace::default();
            for turn in 0..turns {
                warp.push(1, None);
                let copied = (turn + 1 < turns).then_some((2, 500 + turn));
                for (pc, number) in copied.into_iter().chain([(3, 900 + turn)]) {
                    warp.push(pc, Some(Event::Lines { count: 1, passes: 1, updates: 0 }));
                    warp.lines.push(Line { number, sectors: 1, words: u32::MAX });
                }
            }
            Trace::new(vec![vec![warp]], 1).prolonged(12, Some(turns as usize))
        };
        assert!(turning(3).is_none());
        let made = turning(EXECUTED_TURNS as u64).unwrap();
        let lines: HashSet<u64> = made.ctas[0][0].lines.iter().map(|line| line.number).collect();
        assert_eq!(lines.len(), 11 + 12, "no turn comes back to what another one did");
    }

    /// Each turn reads a line of its own behind a lookup in a table, which touches another number of lines in each turn.
    #[test]
    fn a_table_is_no_stream() {
        let mut warp = WarpTrace::default();
        for turn in 0..EXECUTED_TURNS as u64 {
            warp.push(1, None);
            let table: &[u64] = [&[3, 4, 6][..], &[2, 3, 7], &[4, 5, 6, 7], &[4]][turn as usize];
            for (pc, numbers) in [(2, table), (3, &[100 + turn])] {
                warp.push(pc, Some(Event::Lines { count: numbers.len() as u32, passes: 1, updates: 0 }));
                warp.lines.extend(numbers.iter().map(|&number| Line { number, sectors: 0b1111, words: u32::MAX }));
            }
        }
        let made = Trace::new(vec![vec![warp]], 1).prolonged(12, Some(EXECUTED_TURNS)).unwrap();
        assert_eq!(made.streamed, 4, "one new line");
        let (table, stream): (HashSet<u64>, HashSet<u64>) =
            made.ctas[0][0].lines.iter().map(|line| line.number).partition(|number| *number < 100);
        assert_eq!((table.len(), stream.len()), (6, 12));
    }

    #[test]
    fn a_warp_without_a_loop_is_not_prolonged() {
        assert!(Trace::new(vec![vec![warp(1)]], 1).prolonged(9, None).is_none());
        let two = Trace::new(vec![vec![warp(3), warp(4)]], 1);
        assert!(two.prolonged(9, None).is_none(), "different numbers of turns");
    }
}
