//! When the model of time saw the steps of a schedule: its barriers tie the schedule's clock to the model's.

use std::collections::BTreeMap;

use crate::verify::Prediction;
use schedule::timeline::{Barrier, Timeline};
use warpsim::machine_code::Meeting;

/// From the slots of a schedule to the clocks of one turn of the streaming loop, for each warp: points that are joined by
/// straight lines, as if the slots between two barriers were equally long.
pub struct Clocks {
    points: Vec<Vec<(u64, f64)>>,
}

/// (slot, clock) of a warp where it met others.
type Met = Vec<(u64, f64)>;

impl Clocks {
    /// The middle turn of the first CTA. None where the barriers of the machine code are not those of the schedule.
    pub fn new(warps: usize, line: &Timeline, prediction: &Prediction) -> Option<Self> {
        let turns = turns(&line.barriers, &prediction.timeline.meetings)?;
        let met = |turn: &[&Meeting]| met(warps, &line.barriers, turn);
        let (before, during, after) = match turns.as_slice() {
            [] => return Self::without_barriers(warps, line, prediction),
            [before, during, after, ..] => (met(before)?, met(during)?, met(after)?),
            _ => return None,
        };
        let mut points = Vec::new();
        for warp in 0..warps {
            let end = line.blocks.iter().filter(|b| b.warp == warp).map(|b| b.end).max().unwrap_or(0);
            let mut all = during[warp].clone();
            let (&first, &last) = (all.first()?, all.last()?);
            let end = end.max(last.0);
            // The time between the last barrier of a turn and the first of the next is divided between the turns.
            let seam = |from: (u64, f64), to: (u64, f64)| {
                let (rest, start) = ((end - from.0) as f64, to.0 as f64);
                from.1 + (to.1 - from.1) * if rest + start > 0.0 { rest / (rest + start) } else { 0.0 }
            };
            all.insert(0, (0, seam(*before[warp].last()?, first)));
            all.push((end, seam(last, *after[warp].first()?)));
            points.push(all);
        }
        let zero = points.iter().filter_map(|p| p.first()).map(|p| p.1).fold(f64::INFINITY, f64::min);
        points.iter_mut().flatten().for_each(|point| point.1 -= zero);
        Some(Self { points })
    }

    fn without_barriers(warps: usize, line: &Timeline, prediction: &Prediction) -> Option<Self> {
        let clocks: f64 = prediction.warps.first()?.causes.iter().sum();
        Some(Self { points: vec![vec![(0, 0.0), (line.length(), clocks)]; warps] })
    }

    /// Returns the start and the end, in clocks, of an interval of slots between two neighbouring barriers of a warp.
    pub fn interval(&self, warp: usize, start: u64, end: u64) -> (f64, f64) {
        let points = &self.points[warp];
        let from = points.iter().rposition(|point| point.0 <= start).unwrap_or(0);
        let to = (from + 1..points.len()).find(|&at| points[at].0 >= end).unwrap_or(points.len() - 1);
        let ((s0, c0), (s1, c1)) = (points[from], points[to]);
        let at = |slot: u64| c0 + (c1 - c0) * slot.saturating_sub(s0) as f64 / s1.saturating_sub(s0).max(1) as f64;
        (at(start), at(end))
    }

    /// When a warp came to a place of the schedule.
    pub fn arrival(&self, warp: usize, slot: u64) -> f64 {
        let points = &self.points[warp];
        points.iter().find(|point| point.0 >= slot).or(points.last()).map_or(0.0, |point| point.1)
    }

    /// When it went on from there.
    pub fn release(&self, warp: usize, slot: u64) -> f64 {
        let points = &self.points[warp];
        points.iter().rfind(|point| point.0 <= slot).map_or(0.0, |point| point.1)
    }

    /// When the last warp is done.
    pub fn length(&self) -> f64 {
        self.points.iter().filter_map(|points| points.last()).map(|point| point.1).fold(0.0, f64::max)
    }
}

/// The meetings of the first CTA, turn by turn in the order of the schedule's barriers: uses of one barrier follow each other.
/// None where they are not the same ones, turn for turn.
fn turns<'a>(barriers: &[Barrier], meetings: &'a [Meeting]) -> Option<Vec<Vec<&'a Meeting>>> {
    let mut of_id: BTreeMap<u32, Vec<&Meeting>> = BTreeMap::new();
    for meeting in meetings.iter().filter(|meeting| meeting.cta == 0) {
        of_id.entry(meeting.barrier).or_default().push(meeting);
    }
    of_id.values_mut().for_each(|list| list.sort_by_key(|meeting| meeting.released));
    let uses = |id: u32| barriers.iter().filter(|b| b.id == id).count();
    let counts: Vec<(usize, usize)> = of_id.iter().map(|(id, list)| (list.len(), uses(*id))).collect();
    let known: usize = counts.iter().map(|(_, uses)| uses).sum();
    let turns = counts.first().map_or(0, |(met, uses)| met / (*uses).max(1));
    if known != barriers.len() || counts.iter().any(|(met, uses)| *uses == 0 || *met != turns * uses) {
        return None;
    }
    let mut next: BTreeMap<u32, usize> = BTreeMap::new();
    let mut turn = || {
        let of = |barrier: &Barrier| {
            let at = next.entry(barrier.id).or_default();
            *at += 1;
            of_id[&barrier.id][*at - 1]
        };
        barriers.iter().map(of).collect()
    };
    Some((0..turns).map(|_| turn()).collect())
}

/// Returns the places where each warp met others in a turn, in the order of time. None where others met.
fn met(warps: usize, barriers: &[Barrier], turn: &[&Meeting]) -> Option<Vec<Met>> {
    let mut met = vec![Vec::new(); warps];
    for (barrier, meeting) in barriers.iter().zip(turn) {
        if meeting.arrivals.len() != barrier.arrive.len() + barrier.wait.len() {
            return None;
        }
        let arrival = |warp: usize| meeting.arrivals.iter().find(|a| a.0 == warp).map(|a| a.1 as f64);
        for &(warp, slot) in barrier.arrive.iter().chain(&barrier.wait) {
            met[warp].push((slot, arrival(warp)?));
        }
        for &(warp, _) in &barrier.wait {
            met[warp].push((barrier.time, meeting.released as f64));
        }
    }
    Some(met)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meeting(barrier: u32, arrivals: &[(usize, u64)], released: u64) -> Meeting {
        Meeting { cta: 0, barrier, arrivals: arrivals.to_vec(), waiting: vec![1], released }
    }

    #[test]
    fn turns_are_told_apart_by_the_uses_of_a_barrier() {
        let barriers = [
            Barrier { id: 1, time: 20, arrive: vec![(0, 10)], wait: vec![(1, 20)] },
            Barrier { id: 1, time: 30, arrive: vec![(0, 30)], wait: vec![(1, 25)] },
        ];
        let all: Vec<Meeting> = (0..3)
            .flat_map(|turn| {
                let start = 1000 * turn;
                let first = meeting(1, &[(0, start + 100), (1, start + 200)], start + 200);
                [first, meeting(1, &[(0, start + 300), (1, start + 250)], start + 300)]
            })
            .collect();
        let turns = turns(&barriers, &all).unwrap();
        assert_eq!((turns.len(), turns[1][0].released, turns[1][1].released), (3, 1200, 1300));
        let met = met(2, &barriers, &turns[0]).unwrap();
        assert_eq!(met[0], [(10, 100.0), (30, 300.0)]);
        assert_eq!(met[1], [(20, 200.0), (20, 200.0), (25, 250.0), (30, 300.0)]);
        assert!(super::turns(&barriers, &all[1..]).is_none(), "a use is missing");
        assert!(super::turns(&barriers[..0], &all).is_none(), "barriers that the schedule does not have");
    }

    #[test]
    fn a_block_lies_between_its_barriers() {
        let clocks = Clocks { points: vec![vec![(0, 0.0), (10, 100.0), (20, 400.0), (30, 420.0)]] };
        assert_eq!(clocks.interval(0, 0, 5), (0.0, 50.0));
        assert_eq!(clocks.interval(0, 20, 30), (400.0, 420.0));
        assert_eq!((clocks.arrival(0, 10), clocks.release(0, 20), clocks.length()), (100.0, 400.0, 420.0));
    }
}
