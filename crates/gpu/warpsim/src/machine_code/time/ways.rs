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
}

impl Way {
    /// Makes a way that moves so many bytes in so many clocks to a memory of this latency.
    pub(super) fn new(bytes: u64, clocks: u64, latency: u32) -> Self {
        let per_byte = (clocks * PARTS).div_ceil(bytes.max(1));
        Self { free: 0, per_byte, holds: latency.into() }
    }

    /// Sends bytes over the way, from `now` on at the earliest; returns their waiting time.
    pub(super) fn take(&mut self, now: u64, bytes: u64) -> u64 {
        let start = self.free.max(now * PARTS);
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
            let last = (0..10_000).map(|_| way.take(0, 32)).last().unwrap();
            let rate_reached = 32.0 * 9_999.0 / last as f64;
            assert!((rate_reached / rate as f64 - 1.0).abs() < 1e-3, "{rate_reached} for {rate}");
        }
    }
}
