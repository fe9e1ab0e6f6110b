//! The front end: source and arrival time of the next instruction of a warp.
//!
//! Each sub-partition has a small cache and a stream buffer behind it, which runs ahead of the code by some lines after
//! a miss. The SM has a larger cache, which code shares with constants. Behind that is the L2 cache, which always has
//! the code.

use super::cache::Cache;
use super::known::CODE_LINE;
use machine::target::{Fetch, Pipeline};
use std::collections::VecDeque;

/// Ways of the caches. Assumed: not published.
const WAYS: usize = 8;
/// Sectors of a whole line.
const WHOLE: u8 = 0b1111;
/// Offset that keeps lines of constants beside those of code in the cache of the SM.
const CONSTANTS: u64 = 1 << 62;

/// Front end of one sub-partition.
pub(super) struct PartCache {
    cache: Cache,
    /// Consecutive lines, and the time at which each comes.
    stream: VecDeque<(u64, u64)>,
}

/// Front end of the SM.
pub(super) struct SharedCache {
    cache: Cache,
    free: u64,
    latency: u64,
    interval: u64,
    /// Additional latency of a miss.
    beyond: u64,
}

impl PartCache {
    pub(super) fn new(fetch: &Fetch) -> Self {
        let lines = u64::from(fetch.l0_bytes / CODE_LINE);
        Self { cache: Cache::new(lines, WAYS), stream: VecDeque::with_capacity(fetch.prefetched_lines as usize + 1) }
    }

    /// Returns the time at which a line of code that is requested now is there.
    pub(super) fn line(&mut self, line: u32, now: u64, fetch: &Fetch, far: &mut SharedCache) -> u64 {
        let line = u64::from(line);
        let found = self.cache.access(line, WHOLE, false);
        if found.missing == 0 {
            return found.ready.max(now) + u64::from(fetch.latency);
        }
        let ahead = u64::from(fetch.prefetched_lines);
        let there = match self.stream.iter().position(|(ahead, _)| *ahead == line) {
            Some(at) => {
                let (_, there) = self.stream[at];
                self.stream.drain(..=at);
                there
            }
            None => {
                self.stream.clear();
                far.line(line, now)
            }
        };
        let next = self.stream.back().map_or(line + 1, |(last, _)| last + 1);
        for prefetched in next..=line + ahead {
            self.stream.push_back((prefetched, far.line(prefetched, now)));
        }
        self.cache.comes(line, there);
        there.max(now) + u64::from(fetch.latency)
    }
}

impl SharedCache {
    pub(super) fn new(pipeline: &Pipeline) -> Self {
        let fetch = &pipeline.fetch;
        Self {
            cache: Cache::new(u64::from(fetch.l1_bytes / CODE_LINE), WAYS),
            free: 0,
            latency: fetch.l1_latency.into(),
            interval: fetch.l1_interval.into(),
            beyond: pipeline.memory.l2_latency.into(),
        }
    }

    fn line(&mut self, line: u64, now: u64) -> u64 {
        let start = self.free.max(now);
        self.free = start + self.interval;
        let found = self.cache.access(line, WHOLE, false);
        let there = found.ready.max(start + self.latency) + if found.missing == 0 { 0 } else { self.beyond };
        self.cache.comes(line, there);
        there
    }

    /// Returns the time at which a line of constants that the small caches miss is there: `after` that many clocks if it is in this cache.
    pub(super) fn constant(&mut self, line: u64, now: u64, after: u64) -> u64 {
        // half as long as a line of code
        let found = self.cache.access(CONSTANTS + line / 2, WHOLE, false);
        let there = found.ready.max(now + after) + if found.missing == 0 { 0 } else { self.beyond };
        self.cache.comes(CONSTANTS + line / 2, there);
        there
    }
}
