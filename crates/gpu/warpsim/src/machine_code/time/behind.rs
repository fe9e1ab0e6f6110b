//! Memory behind the first cache: an SM's share of the L2 cache and of the device memory, with the ways there.

use super::cache::Cache;
use super::ways::Way;
use crate::machine_code::trace::Line;
use machine::target::{Memory, Target, Translation};
use std::collections::HashMap;

/// Ways of the caches. Assumed: not published.
const WAYS: usize = 16;
/// Bytes of a line, and of a sector.
pub(super) const LINE: u64 = 128;
const SECTOR: u64 = 32;
/// Lines with stored parts of sectors that the L2 cache takes per clock of the SMs: calibrated on the plain transposition of gpuFLOPBench on an
/// RTX 3080, assumed elsewhere.
const PARTS_PER_CLOCK: u64 = 16;
/// Clocks in which the L2 cache updates all 32 words of a line.
const LINE_UPDATE: u32 = 22;
/// Updates of a line that may wait at the L2 cache before the SM must wait. Assumed.
const WAITING_UPDATES: u64 = 16;

pub(super) struct Behind {
    l2: Cache,
    /// Ways to the L2 cache and to the device memory.
    second: Way,
    device: Way,
    /// Way of lines with stored parts of sectors, which the L2 cache merges with the rest.
    parts: Way,
    pages: Option<Pages>,
    /// Lines that atomics update.
    updated: HashMap<u64, Updated>,
    multiprocessors: u64,
    /// Time at which the SM takes accesses of global and local memory again, after stores that found the ways full.
    pub open: u64,
}

/// Pages whose addresses the chip can translate at once.
struct Pages {
    cache: Cache,
    lines: u64,
    miss_latency: u64,
    /// Pages that may still be looked up for the first time, as they were known before the launch: those of its buffers.
    known: u64,
}

/// A line that atomics update, one after the other.
struct Updated {
    free: u64,
    cta: usize,
    /// Whether several CTAs update it; then those of the other multiprocessors are taken to do so, too.
    is_shared: bool,
}

/// An atomic of a warp on one line.
#[derive(Clone, Copy)]
pub(super) struct Update {
    pub line: Line,
    /// Most lanes that update the same word.
    pub lanes: u32,
    pub cta: usize,
}

impl Behind {
    pub(super) fn new(target: &Target, memory: &Memory) -> Self {
        let board = &target.board;
        let share = u64::from(memory.l2_bytes) / u64::from(board.multiprocessors.max(1));
        // 10^9 bytes per second over 10^6 clocks per second
        let clocks = u64::from(board.megahertz) * u64::from(board.multiprocessors);
        let device = Way::new(1000 * u64::from(board.delivered()), clocks, memory.device_latency);
        Self {
            l2: Cache::new(share / LINE, WAYS),
            second: Way::new(memory.l2_bytes_per_clock_per_sm.into(), 1, memory.l2_latency),
            device,
            parts: Way::new(PARTS_PER_CLOCK, board.multiprocessors.into(), memory.l2_latency),
            pages: memory.translation.as_ref().map(Pages::new),
            updated: HashMap::new(),
            multiprocessors: board.multiprocessors.into(),
            open: 0,
        }
    }

    /// Returns the time at which a line is there that is asked for at a time.
    pub(super) fn load(&mut self, memory: &Memory, line: Line, issued: u64) -> u64 {
        let waited = self.second.take(issued, bytes(line.sectors));
        self.found(memory, line, false, (issued, waited))
    }

    /// Sends a line to the L2 cache, and from there some time to the device memory. Nothing waits for its result, so later
    /// accesses must wait if too much is under way.
    pub(super) fn store(&mut self, memory: &Memory, line: Line, issued: u64) -> u64 {
        let mut waited = self.second.take(issued, bytes(line.sectors));
        if line.parts() != 0 {
            waited = waited.max(self.parts.take(issued, 1));
        }
        if let Some((_, sectors)) = self.l2.access(line.number, line.sectors, true).evicted {
            self.device.take(issued, bytes(sectors));
        }
        self.open = self.open.max(self.second.open()).max(self.device.open()).max(self.parts.open());
        issued + u64::from(memory.l2_latency) + waited
    }

    /// Returns the time of the old value of an atomic: the L2 cache updates a word once per clock, lane by lane, and a whole line in 22 clocks, as
    /// the histogram of test1 shows on three boards.
    pub(super) fn update(&mut self, memory: &Memory, update: Update, issued: u64) -> u64 {
        let Update { line, lanes, cta } = update;
        let waited = self.second.take(issued, bytes(line.sectors));
        let there = self.found(memory, line, true, (issued, waited));
        let updated = self.updated.entry(line.number).or_insert(Updated { free: 0, cta, is_shared: false });
        updated.is_shared |= updated.cta != cta;
        let each = if updated.is_shared { self.multiprocessors.max(1) } else { 1 };
        let clocks = lanes.max((line.words.count_ones() * LINE_UPDATE).div_ceil(32));
        updated.free = updated.free.max(issued) + u64::from(clocks) * each;
        let free = updated.free;
        let waiting = u64::from(memory.l2_latency) + WAITING_UPDATES * u64::from(clocks) * each;
        self.open = self.open.max(self.second.open()).max(free.saturating_sub(waiting));
        there.max(free + u64::from(memory.l2_latency))
    }

    /// Looks a line up in the L2 cache, and fetches what is missing there; `waited`: for the way to that cache.
    fn found(&mut self, memory: &Memory, line: Line, writes: bool, (issued, waited): (u64, u64)) -> u64 {
        let found = self.l2.access(line.number, line.sectors, writes);
        if let Some((_, sectors)) = found.evicted {
            self.device.take(issued, bytes(sectors));
        }
        let there = issued + u64::from(memory.l2_latency) + waited;
        if found.missing == 0 {
            return there.max(found.ready);
        }
        let waited = waited.max(self.device.take(issued, bytes(found.missing)));
        let translated = self.pages.as_mut().map_or(0, |pages| pages.translate(line.number));
        let there = (issued + u64::from(memory.device_latency) + translated + waited).max(found.ready);
        self.l2.comes(line.number, there);
        there
    }
}

impl Pages {
    fn new(translation: &Translation) -> Self {
        let Translation { megabytes, page_megabytes, miss_latency } = *translation;
        let page = u64::from(page_megabytes.max(1));
        let known = u64::from(megabytes) / page;
        Self { known, cache: Cache::new(known, WAYS), lines: (page << 20) / LINE, miss_latency: miss_latency.into() }
    }

    /// Returns the clocks by which an access of the device memory takes longer, as its page must be looked up.
    fn translate(&mut self, line: u64) -> u64 {
        if self.cache.access(line / self.lines, 1, false).missing == 0 {
            return 0;
        }
        let was_known = self.known > 0;
        self.known = self.known.saturating_sub(1);
        if was_known { 0 } else { self.miss_latency }
    }
}

fn bytes(sectors: u8) -> u64 {
    u64::from(sectors.count_ones()) * SECTOR
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Jia et al. (2018), section 3.3: 375 clocks for a load of a V100 that misses the L2 cache, 1029 if its page is not known either; the known pages
    /// are 8 GiB.
    #[test]
    fn loads_beyond_the_known_pages_take_longer() {
        let target = Target::by_name("volta").unwrap();
        let memory = &target.pipeline.as_ref().unwrap().memory;
        let mean = |gigabytes: u64| {
            let mut behind = Behind::new(target, memory);
            let pages = gigabytes << 5;
            let (mut now, mut fresh) = (0, 0);
            let mut walk = |rounds: u64| {
                let start = now;
                for page in (0..rounds).flat_map(|_| 0..pages) {
                    // a line of its own, which the L2 cache does not have
                    fresh += 1;
                    let number = page * ((32 << 20) / LINE) + fresh;
                    now = behind.load(memory, Line { number, sectors: 1, words: u32::MAX }, now);
                }
                (now - start) as f64 / (rounds * pages) as f64
            };
            walk(1);
            walk(4)
        };
        let (inside, outside) = (mean(4), mean(16));
        assert!((outside - inside - 654.0).abs() < 30.0, "{inside} and {outside}");
    }
}
