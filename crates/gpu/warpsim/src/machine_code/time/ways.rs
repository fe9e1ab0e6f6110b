//! A way to a memory that several accesses share.

/// Parts of a clock in which rates are kept, so that they add up exactly.
const PARTS: u64 = 1 << 16;

pub(super) struct Way {
    /// Time at which it is free, and the time of a byte, in parts of a clock.
    free: u64,
    per_byte: u64,
    /// Clocks of traffic that may wait in front of it before its sender must wait. Assumed, for nobody published the capacity: as
    /// much as it moves in the latency of the memory behind it.
    holds: u64,
    /// Time that turning from one direction to the other takes, in parts of a clock, and the last direction.
    turn: u64,
    last: Direction,
}

/// Direction of a transfer: of stores, or of loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    There,
    Back,
}

impl Way {
    /// Makes a way that moves so many bytes in so many clocks to a memory of this latency.
    pub(super) fn new(bytes: u64, clocks: u64, latency: u32) -> Self {
        let per_byte = (clocks * PARTS).div_ceil(bytes.max(1));
        Self { free: 0, per_byte, holds: latency.into(), turn: 0, last: Direction::Back }
    }

    /// Makes it turn so slowly that it moves so many bytes in so many clocks where transfers of `each` bytes change their direction every time.
    pub(super) fn turning(self, (bytes, clocks): (u64, u64), each: u64) -> Self {
        let per_byte = (clocks * PARTS).div_ceil(bytes.max(1));
        Self { turn: per_byte.saturating_sub(self.per_byte) * each, ..self }
    }

    /// Sends bytes over the way, from `now` on at the earliest; returns their waiting time.
    pub(super) fn take(&mut self, now: u64, bytes: u64, direction: Direction) -> u64 {
        let turn = if self.last == direction { 0 } else { self.turn };
        self.last = direction;
        let start = self.free.max(now * PARTS) + turn;
        self.free = start + bytes * self.per_byte;
        start.div_ceil(PARTS) - now
    }

    /// Returns the time from which the waiting traffic is no more than the way holds.
    pub(super) fn open(&self) -> u64 {
        self.free.div_ceil(PARTS).saturating_sub(self.holds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_that_is_no_divisor_of_a_clock_adds_up() {
        for rate in [21, 36, 38, 47] {
            let mut way = Way::new(rate, 1, 0);
            let last = (0..10_000).map(|_| way.take(0, 32, Direction::Back)).last().unwrap();
            let rate_reached = 32.0 * 9_999.0 / last as f64;
            assert!((rate_reached / rate as f64 - 1.0).abs() < 1e-3, "{rate_reached} for {rate}");
        }
    }

    #[test]
    fn turning_costs_what_copies_lack() {
        let rate = |directions: [Direction; 2]| {
            let mut way = Way::new(10, 1, 0).turning((8, 1), LINE);
            let last = (0..10_000).map(|at| way.take(0, LINE, directions[at % 2])).last().unwrap();
            LINE as f64 * 9_999.0 / last as f64
        };
        let rates = [[Direction::There; 2], [Direction::Back; 2], [Direction::There, Direction::Back]].map(rate);
        let expected = [10.0, 10.0, 8.0];
        assert!(rates.iter().zip(expected).all(|(rate, expected)| (rate / expected - 1.0).abs() < 1e-3), "{rates:?}");
    }

    const LINE: u64 = 128;
}
