//! State of a warp in its CTA, for any instruction set.

use super::clock::VectorClock;

/// State of a warp in its CTA.
pub(super) struct Thread {
    /// Index of the warp, consecutive over the CTAs that run together.
    pub index: usize,
    pub state: State,
    pub clock: VectorClock,
    /// Lanes that know more than the others, and their clock.
    pub ahead: Option<Box<(u32, VectorClock)>>,
    /// Lanes that accessed shared memory since all lanes were ordered, and the warp's own time then.
    pub touched: u32,
    pub ordered: u32,
    /// Number of waits of the warp at a barrier.
    pub waits: u64,
}

impl Thread {
    pub(super) fn new(index: usize) -> Self {
        let clock = VectorClock::default();
        Self { index, state: State::Exited, clock, ahead: None, touched: 0, ordered: 0, waits: 0 }
    }

    /// Returns the clock that all of these lanes know.
    pub(super) fn clock_of(&self, lanes: u32) -> &VectorClock {
        match &self.ahead {
            Some(ahead) if lanes & !ahead.0 == 0 => &ahead.1,
            _ => &self.clock,
        }
    }

    /// Updates the knowledge of the lanes, of those of `live`.
    pub(super) fn learn(&mut self, lanes: u32, live: u32, update: impl Fn(&mut VectorClock)) {
        if live & !lanes == 0 {
            update(&mut self.clock);
            if let Some(ahead) = &mut self.ahead {
                update(&mut ahead.1);
            }
        } else {
            let mut clock = *self.clock_of(lanes);
            update(&mut clock);
            self.ahead = Some(Box::new((lanes, clock)));
        }
    }

    /// Returns the clock that others acquire from these lanes: of other lanes of the warp only up to where all lanes were ordered.
    pub(super) fn released(&self, lanes: u32) -> VectorClock {
        let mut clock = *self.clock_of(lanes);
        clock[self.index] = self.time_of(lanes);
        clock
    }

    /// Returns the time up to which all actions of the warp are ordered before these lanes.
    pub(super) fn time_of(&self, lanes: u32) -> u32 {
        if self.touched & !lanes == 0 { self.clock[self.index] } else { self.ordered }
    }

    /// Advances the warp's own time, which separates later actions from earlier ones.
    pub(super) fn tick(&mut self) {
        self.clock[self.index] += 1;
        if let Some(ahead) = &mut self.ahead {
            ahead.1[self.index] += 1;
        }
    }

    /// Orders all lanes.
    pub(super) fn meet(&mut self) {
        if let Some(ahead) = self.ahead.take() {
            self.clock.join(&ahead.1);
        }
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
