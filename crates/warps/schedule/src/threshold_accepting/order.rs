//! An order of the drivers, and what a move of some of them changes.
//!
//! Neighbours that move pass over others: the two change places, and nothing else does. So an operation or a life may only begin or end with another
//! driver if one of those that move was, or becomes, the first or the last that it waits for. These alone are looked at.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::Rotation;
use super::model::Model;

/// An order of the drivers, with what follows from it.
pub struct Order<'m> {
    model: &'m Model,
    pub drivers: Vec<u32>,
    /// When each driver runs; one more stands for those that never come, behind all others.
    times: Vec<u32>,
    /// The driver in whose turn each place runs: drivers in their own, then operations that others wait for in that of the first that waits.
    leaders: Vec<u32>,
    /// The last place that reads each life, if any does, and its leader.
    ends: Vec<Option<[u32; 2]>>,
    /// Doubles that come to life in each driver's turn less those that die.
    changes: Vec<i64>,
    /// Doubles that die before the first turn, as nothing reads them.
    unread: i64,
    /// Doubles that are alive at each time, and the cost of that.
    alive: Vec<(i64, u64)>,
    /// The sum over all instructions of the cube of what is alive: its peaks count most.
    pub cost: u64,
    trial: Trial,
}

/// A move that is tried.
#[derive(Default)]
struct Trial {
    /// Drivers that move.
    moves: Vec<bool>,
    /// Places whose leader moves, and operations among them that are still to be looked at.
    places: Vec<u32>,
    queue: BinaryHeap<Reverse<u32>>,
    is_queued: Vec<bool>,
    /// Earlier entries of `leaders` and of `ends`.
    leaders: Vec<(u32, u32)>,
    ends: Vec<(u32, Option<[u32; 2]>)>,
    /// What is alive in the window.
    alive: Vec<(i64, u64)>,
}

impl<'m> Order<'m> {
    pub fn new(model: &'m Model, drivers: Vec<u32>) -> Self {
        let (count, places) = (drivers.len(), drivers.len() + model.begun.len());
        let trial = Trial { moves: vec![false; count + 1], is_queued: vec![false; places], ..Trial::default() };
        let mut order = Self {
            model,
            drivers,
            times: vec![count as u32; count + 1],
            leaders: (0..count as u32).collect(),
            ends: Vec::new(),
            changes: vec![0; count + 1],
            unread: 0,
            alive: vec![(0, 0); count],
            cost: 0,
            trial,
        };
        order.time(&(0..count));
        for (at, begun) in model.begun.iter().enumerate() {
            let leader = order.first(at);
            order.leaders.push(leader);
            order.changes[leader as usize] += begun;
        }
        for (at, doubles) in model.lives.iter().enumerate() {
            let end = order.last(at);
            order.ends.push(end);
            match end {
                Some([_, leader]) => order.changes[leader as usize] -= doubles,
                None => order.unread -= doubles,
            }
        }
        order.cost = order.price(&(0..count), u64::MAX).expect("no number is larger");
        std::mem::swap(&mut order.alive, &mut order.trial.alive);
        order
    }

    /// When each place runs: drivers, and then operations that others wait for.
    pub fn times(&self) -> Vec<u32> {
        self.leaders.iter().map(|&leader| self.times[leader as usize]).collect()
    }

    /// Makes a move, unless the cost would be more than that; returns whether it did.
    pub fn turn(&mut self, Rotation { window, left }: &Rotation, most: u64) -> bool {
        let before: u64 = self.alive[window.clone()].iter().map(|(_, cost)| cost).sum();
        let elsewhere = self.cost - before;
        self.drivers[window.clone()].rotate_left(*left);
        self.time(window);
        self.follow(window, *left);
        let Some(cost) = most.checked_sub(elsewhere).and_then(|most| self.price(window, most)) else {
            self.drivers[window.clone()].rotate_right(*left);
            self.time(window);
            self.undo();
            return false;
        };
        self.alive[window.clone()].copy_from_slice(&self.trial.alive);
        self.cost = elsewhere + cost;
        true
    }

    /// Notes the times of the drivers in the window.
    fn time(&mut self, window: &Range<usize>) {
        for (time, driver) in window.clone().zip(&self.drivers[window.clone()]) {
            self.times[*driver as usize] = time as u32;
        }
    }

    /// The first driver that an operation waits for.
    fn first(&self, at: usize) -> u32 {
        let leaders = self.model.waited.row(at).iter().map(|&reader| self.leaders[reader as usize]);
        leaders.min_by_key(|&leader| self.times[leader as usize]).unwrap_or(self.drivers.len() as u32)
    }

    /// The last place that reads a life, with its leader.
    fn last(&self, life: usize) -> Option<[u32; 2]> {
        let readers = self.model.readers.row(life).iter().map(|&place| [place, self.leaders[place as usize]]);
        readers.max_by_key(|&[_, leader]| self.times[leader as usize])
    }

    /// Brings up to date what begins or ends with other drivers now that the window is rotated.
    fn follow(&mut self, window: &Range<usize>, left: usize) {
        self.trial.leaders.clear();
        self.trial.ends.clear();
        self.trial.places.clear();
        // The smaller of the two pieces is what moves, earlier or later than the other.
        let is_later = 2 * left <= window.len();
        let moved = if is_later { window.end - left..window.end } else { window.start..window.end - left };
        moved.clone().for_each(|time| self.trial.moves[self.drivers[time] as usize] = true);
        moved.clone().for_each(|time| self.lead(self.drivers[time], is_later));
        while let Some(Reverse(place)) = self.trial.queue.pop() {
            self.trial.is_queued[place as usize] = false;
            if is_later {
                self.give(place, self.first(place as usize - self.drivers.len()));
            }
            self.lead(place, is_later);
        }
        for at in 0..self.trial.places.len() {
            self.end(self.trial.places[at], is_later);
        }
        moved.for_each(|time| self.trial.moves[self.drivers[time] as usize] = false);
    }

    /// Takes in a place whose leader moves: operations that it waits for may have another one.
    fn lead(&mut self, place: u32, is_later: bool) {
        self.trial.places.push(place);
        let model = self.model;
        for &at in model.read_by[0].row(place as usize) {
            let operation = (self.drivers.len() + at as usize) as u32;
            let [own, new] = [operation, place].map(|place| self.leaders[place as usize]);
            if !is_later && self.times[new as usize] < self.times[own as usize] {
                self.give(operation, new);
            }
            let moves = self.trial.moves[self.leaders[operation as usize] as usize];
            if moves && !std::mem::replace(&mut self.trial.is_queued[operation as usize], true) {
                self.trial.queue.push(Reverse(operation));
            }
        }
    }

    /// Gives an operation a leader.
    fn give(&mut self, operation: u32, leader: u32) {
        let earlier = std::mem::replace(&mut self.leaders[operation as usize], leader);
        let begun = self.model.begun[operation as usize - self.drivers.len()];
        self.trial.leaders.push((operation, earlier));
        self.changes[earlier as usize] -= begun;
        self.changes[leader as usize] += begun;
    }

    /// Brings up to date the ends of what a place reads whose leader moves, or did.
    fn end(&mut self, place: u32, is_later: bool) {
        let model = self.model;
        for &life in model.read_by[1].row(place as usize) {
            let Some([last, _]) = self.ends[life as usize] else { continue };
            let leader_of = |place: u32| self.leaders[place as usize];
            let time = |place: u32| self.times[leader_of(place) as usize];
            let end = match is_later {
                true if time(place) > time(last) => Some([place, leader_of(place)]),
                false if last == place => self.last(life as usize),
                _ => Some([last, leader_of(last)]),
            };
            if end != self.ends[life as usize] {
                self.trial.ends.push((life, self.ends[life as usize]));
                self.set_end(life, end);
            }
        }
    }

    fn set_end(&mut self, life: u32, end: Option<[u32; 2]>) {
        let earlier = std::mem::replace(&mut self.ends[life as usize], end);
        for (end, doubles) in [(earlier, 1), (end, -1)] {
            let [_, leader] = end.expect("only what is read is moved");
            self.changes[leader as usize] += doubles * self.model.lives[life as usize];
        }
    }

    /// Takes back what [`Order::follow`] did.
    fn undo(&mut self) {
        while let Some((life, end)) = self.trial.ends.pop() {
            self.set_end(life, end);
        }
        while let Some((operation, leader)) = self.trial.leaders.pop() {
            self.give(operation, leader);
            self.trial.leaders.pop();
        }
    }

    /// Counts what is alive in the window; returns its cost, unless that is more than the most.
    fn price(&mut self, window: &Range<usize>, most: u64) -> Option<u64> {
        let mut now = if window.start == 0 { self.unread } else { self.alive[window.start - 1].0 };
        let mut sum = 0;
        self.trial.alive.clear();
        for &driver in &self.drivers[window.clone()] {
            now += self.changes[driver as usize];
            let cost = self.model.weights[driver as usize] * (now.max(0) as u64).pow(3);
            self.trial.alive.push((now, cost));
            sum += cost;
            if sum > most {
                return None;
            }
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinetics::random::SplitMix64;

    #[test]
    fn what_a_move_leaves_is_what_its_order_gives() {
        let mut random = SplitMix64::new(7);
        for _ in 0..50 {
            let model = Model::made_up(&mut random);
            let mut current = Order::new(&model, (0..20).collect());
            let mut taken = 0;
            for _ in 0..100 {
                let most = current.cost + current.cost / 50;
                taken += usize::from(current.turn(&Rotation::new(20, &mut random), most));
                let anew = Order::new(&model, current.drivers.clone());
                assert_eq!((current.cost, &current.alive), (anew.cost, &anew.alive));
                assert_eq!((current.times(), &current.changes), (anew.times(), &anew.changes));
                let ends =
                    |order: &Order| order.ends.iter().map(|end| end.map(|[_, leader]| leader)).collect::<Vec<_>>();
                assert_eq!(ends(&current), ends(&anew));
            }
            assert!((1..100).contains(&taken), "{taken}");
        }
    }
}
