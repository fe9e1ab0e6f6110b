//! The small caches for constants of a sub-partition: one for operands, one for loads.

use super::cache::Cache;
use super::fetch::SharedCache;
use crate::machine_code::trace::CONSTANT_LINE;
use machine::target::Constants;

pub(super) struct Small {
    operands: Cache,
    loads: Cache,
    /// Last requested line, which is present.
    last: Option<u64>,
}

impl Small {
    pub(super) fn new(constants: &Constants) -> Self {
        let lines = u64::from(constants.bytes) / CONSTANT_LINE;
        // fully associative. Assumed: not published
        let cache = || Cache::new(lines, lines as usize);
        Self { operands: cache(), loads: cache(), last: None }
    }

    /// Returns the time at which the operand is there.
    pub(super) fn operand(&mut self, line: u64, now: u64, constants: &Constants, far: &mut SharedCache) -> u64 {
        if self.last == Some(line) {
            return now;
        }
        let found = self.operands.access(line, 1, false);
        if found.missing == 0 && found.ready <= now {
            self.last = Some(line);
            return now;
        }
        if found.missing == 0 {
            return found.ready;
        }
        let there = far.constant(line, now, constants.miss_latency.into());
        self.operands.comes(line, there);
        there
    }

    /// Returns the time at which a load has its result.
    pub(super) fn load(
        &mut self,
        line: u64,
        addresses: u32,
        now: u64,
        constants: &Constants,
        far: &mut SharedCache,
    ) -> u64 {
        let hit = u64::from(constants.load_latency);
        let found = self.loads.access(line, 1, false);
        let there = match found.missing {
            0 => found.ready.max(now + hit),
            _ => far.constant(line, now, hit + u64::from(constants.miss_latency)),
        };
        self.loads.comes(line, there);
        // different addresses are read one after the other
        there + u64::from(addresses.saturating_sub(1))
    }
}
