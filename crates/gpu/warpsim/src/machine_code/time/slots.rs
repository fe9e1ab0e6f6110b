//! Clock slots of a part that the sub-partitions share: a request for a later clock leaves the earlier ones to others.

use std::collections::VecDeque;

pub(super) struct Slots {
    /// Clocks that one slot takes.
    interval: u64,
    /// Number of the first slot that is kept.
    first: u64,
    taken: VecDeque<bool>,
}

impl Slots {
    pub(super) fn new(interval: u32) -> Self {
        Self { interval: u64::from(interval.max(1)), first: 0, taken: VecDeque::new() }
    }

    /// Takes the first `count` slots that are free from a time on; returns the begin of the first and the end of the last. Nobody
    /// asks for slots before `now` any more.
    pub(super) fn take(&mut self, now: u64, from: u64, count: u64) -> (u64, u64) {
        self.forget(now / self.interval);
        let mut slot = from.div_ceil(self.interval).max(self.first);
        let (mut begin, mut left) = (None, count.max(1));
        loop {
            let at = (slot - self.first) as usize;
            if at >= self.taken.len() {
                self.taken.resize(at + 1, false);
            }
            if !std::mem::replace(&mut self.taken[at], true) {
                begin = begin.or(Some(slot));
                left -= 1;
            }
            slot += 1;
            if left == 0 {
                return (begin.unwrap_or(slot) * self.interval, slot * self.interval);
            }
        }
    }

    fn forget(&mut self, until: u64) {
        while self.first < until && self.taken.pop_front().is_some() {
            self.first += 1;
        }
        self.first = self.first.max(until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_slots_stay_free_for_others() {
        let mut slots = Slots::new(2);
        assert_eq!(slots.take(0, 13, 1), (14, 16));
        assert_eq!(slots.take(0, 5, 2), (6, 10));
        assert_eq!(slots.take(0, 11, 3), (12, 20));
        assert_eq!(slots.take(10, 10, 1), (10, 12));
        assert_eq!(slots.take(100, 10, 1), (100, 102));
    }
}
