//! What a warp is to its CTA, whatever instructions it executes.

use super::clock::VectorClock;

/// What a warp is to its CTA.
pub(super) struct Thread {
    /// Of the warp; those of the CTAs that run together are counted through.
    pub index: usize,
    pub state: State,
    pub clock: VectorClock,
    /// Lanes that know more than the others, and what.
    pub ahead: Option<Box<(u32, VectorClock)>>,
    /// Lanes that accessed shared memory since all lanes were ordered, and the warp's own time then.
    pub touched: u32,
    pub ordered: u32,
    /// How often the warp had to wait at a barrier.
    pub waits: u64,
}

impl Thread {
    pub(super) fn new(index: usize) -> Self {
        let clock = VectorClock::default();
        Self { index, state: State::Exited, clock, ahead: None, touched: 0, ordered: 0, waits: 0 }
    }

    /// What all of these lanes know.
    pub(super) fn clock_of(&self, lanes: u32) -> &VectorClock {
        match &self.ahead {
            Some(ahead) if lanes & !ahead.0 == 0 => &ahead.1,
            _ => &self.clock,
        }
    }

    /// The lanes, of those of `live`, learn something.
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

    /// What others learn of these lanes: of what other lanes of the warp did only up to where all lanes were ordered.
    pub(super) fn released(&self, lanes: u32) -> VectorClock {
        let mut clock = *self.clock_of(lanes);
        clock[self.index] = self.time_of(lanes);
        clock
    }

    /// Up to when all that the warp did is behind these lanes.
    pub(super) fn time_of(&self, lanes: u32) -> u32 {
        if self.touched & !lanes == 0 { self.clock[self.index] } else { self.ordered }
    }

    /// What the warp does from here on is not what it did before.
    pub(super) fn tick(&mut self) {
        self.clock[self.index] += 1;
        if let Some(ahead) = &mut self.ahead {
            ahead.1[self.index] += 1;
        }
    }

    /// All lanes are ordered.
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
