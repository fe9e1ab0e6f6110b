//! State of a warp in its CTA, for any instruction set.

use super::arrived::Arrived;
use super::clock::VectorClock;

/// State of a warp in its CTA.
pub(super) struct Thread {
    /// Index of the warp, consecutive over the CTAs that run together.
    pub index: usize,
    pub state: State,
    pub clock: VectorClock,
    /// Groups of lanes that know more than all lanes do, and what they know.
    pub ahead: Vec<(u32, VectorClock)>,
    /// Lanes that accessed shared memory since all lanes were ordered, and the warp's own time then.
    pub touched: u32,
    pub ordered: u32,
    /// Time of the last access of each lane, and of its last arrival or wait at a barrier in memory.
    accessed: [u32; 32],
    asked: [u32; 32],
    /// Time of the last proxy fence of each lane.
    fenced: [u32; 32],
    /// Number of waits of the warp at a barrier.
    pub waits: u64,
}

impl Thread {
    pub(super) fn new(index: usize) -> Self {
        let clock = VectorClock::default();
        Self {
            index,
            state: State::Exited,
            clock,
            ahead: Vec::new(),
            touched: 0,
            ordered: 0,
            accessed: [0; 32],
            asked: [0; 32],
            fenced: [0; 32],
            waits: 0,
        }
    }

    /// Returns the clock that all of these lanes know.
    pub(super) fn clock_of(&self, lanes: u32) -> &VectorClock {
        let groups = self.ahead.iter().filter(|(group, _)| lanes & !group == 0);
        // the smallest group knows what the larger ones around it know
        groups.min_by_key(|(group, _)| group.count_ones()).map_or(&self.clock, |(_, clock)| clock)
    }

    /// Returns those of the lanes that know more than the others of them.
    pub(super) fn part(&self, lanes: u32) -> Option<u32> {
        let parts = self.ahead.iter().map(|(group, _)| lanes & group);
        parts.filter(|part| *part != 0).max_by_key(|part| part.count_ones()).filter(|part| *part != lanes)
    }

    /// Returns what the lanes know together.
    pub(super) fn known(&self) -> VectorClock {
        let mut all = self.clock;
        self.ahead.iter().for_each(|(_, clock)| all.join(clock));
        all
    }

    /// Updates the knowledge of the lanes, of those of `live`.
    pub(super) fn learn(&mut self, lanes: u32, live: u32, update: impl Fn(&mut VectorClock)) {
        let mut clock = *self.clock_of(lanes);
        let within = self.ahead.iter_mut().filter(|(group, _)| live & group & !lanes == 0);
        within.for_each(|(_, known)| update(known));
        if live & !lanes == 0 {
            update(&mut self.clock);
        } else if self.ahead.iter().all(|(group, _)| *group != lanes) {
            update(&mut clock);
            self.ahead.push((lanes, clock));
        }
    }

    /// Notes that these lanes access shared memory.
    pub(super) fn touch(&mut self, lanes: u32) {
        self.touched |= lanes;
        lanes_of(lanes).for_each(|lane| self.accessed[lane] = self.clock[self.index]);
    }

    /// Notes that these lanes arrive or wait at a barrier in memory.
    pub(super) fn ask(&mut self, lanes: u32) {
        self.touched |= lanes;
        lanes_of(lanes).for_each(|lane| self.asked[lane] = self.clock[self.index]);
    }

    /// Notes a proxy fence of these lanes.
    pub(super) fn fence(&mut self, lanes: u32) {
        lanes_of(lanes).for_each(|lane| self.fenced[lane] = self.clock[self.index]);
    }

    /// Returns the time up to which all of these lanes have fenced their own writes.
    pub(super) fn fenced(&self, lanes: u32) -> u32 {
        lanes_of(lanes).map(|lane| self.fenced[lane]).min().unwrap_or(0)
    }

    /// Returns the clock that others acquire from these lanes: of other lanes of the warp only up to where all lanes were ordered.
    pub(super) fn released(&self, lanes: u32) -> VectorClock {
        self.release(lanes, self.time_of(lanes))
    }

    fn release(&self, lanes: u32, time: u32) -> VectorClock {
        let mut clock = *self.clock_of(lanes);
        clock.set_part(self.index, (lanes, clock[self.index]));
        clock[self.index] = time;
        clock
    }

    /// As [`released`](Self::released), where others acquire the earlier arrivals of a phase as well.
    pub(super) fn released_with(&self, lanes: u32, arrived: &Arrived) -> VectorClock {
        let now = self.clock[self.index];
        let until = |lane: usize| match arrived.time(lane) {
            Some(time) if self.accessed[lane].max(self.asked[lane]) <= time => now,
            time => time.unwrap_or(0).max(self.ordered),
        };
        self.release(lanes, lanes_of(self.touched).map(until).min().unwrap_or(now))
    }

    /// Returns the time up to which all actions of the warp are ordered before these lanes.
    pub(super) fn time_of(&self, lanes: u32) -> u32 {
        if self.touched & !lanes == 0 { self.clock[self.index] } else { self.ordered }
    }

    /// Advances the warp's own time, which separates later actions from earlier ones.
    pub(super) fn tick(&mut self) {
        self.clock[self.index] += 1;
        self.ahead.iter_mut().for_each(|(_, clock)| clock[self.index] += 1);
    }

    /// Returns the live lanes that accessed shared memory behind their arrival.
    pub(super) fn accessed_behind(&self, arrived: &Arrived, live: u32) -> u32 {
        let late = |lane: &usize| arrived.time(*lane).is_none_or(|time| self.accessed[*lane] > time);
        lanes_of(live & self.touched).filter(late).fold(0, |late, lane| late | 1 << lane)
    }

    /// Orders all lanes behind their arrivals; `late` have accessed shared memory since.
    pub(super) fn meet_behind(&mut self, arrived: &Arrived, late: u32) {
        let first = lanes_of(arrived.lanes).filter_map(|lane| arrived.time(lane)).min();
        (self.touched, self.ordered) = (late, self.ordered.max(first.unwrap_or(0)));
        self.tick();
    }

    /// Orders all lanes.
    pub(super) fn meet(&mut self) {
        self.ahead.drain(..).for_each(|(_, clock)| self.clock.join(&clock));
        (self.touched, self.ordered) = (0, self.clock[self.index]);
        self.tick();
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    Waiting,
    Exited,
}

/// A warp of any instruction set.
pub(super) trait Member {
    fn thread(&self) -> &Thread;
    fn thread_mut(&mut self) -> &mut Thread;
}

fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}
