//! A cache: lines of four sectors each, the least recently used of a set goes first.

#[derive(Clone, Copy)]
struct Entry {
    line: u64,
    /// Sectors that are there, or on their way.
    present: u8,
    /// Sectors that differ from the memory behind.
    dirty: u8,
    /// Time at which the last of them comes.
    ready: u64,
    used: u64,
}

pub(super) struct Cache {
    ways: usize,
    entries: Vec<Entry>,
    clock: u64,
}

/// Result of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// Sectors that must be fetched.
    pub missing: u8,
    /// Time at which the sectors that are on their way are there.
    pub ready: u64,
    /// Sectors that had to be written back to make room, and their line.
    pub evicted: Option<(u64, u8)>,
}

const EMPTY: Entry = Entry { line: u64::MAX, present: 0, dirty: 0, ready: 0, used: 0 };

impl Cache {
    /// Makes a cache for this many lines; a cache without lines keeps nothing.
    pub(super) fn new(lines: u64, ways: usize) -> Self {
        let ways = ways.min(lines as usize);
        let sets = (lines as usize).checked_div(ways).unwrap_or(0);
        Self { ways, entries: vec![EMPTY; sets * ways], clock: 0 }
    }

    /// Accesses sectors of a line; missing ones are then regarded as being fetched.
    pub(super) fn access(&mut self, line: u64, sectors: u8, writes: bool) -> Found {
        self.clock += 1;
        if self.entries.is_empty() {
            return Found { missing: sectors, ready: 0, evicted: None };
        }
        let clock = self.clock;
        let set = self.set(line);
        let dirty = if writes { sectors } else { 0 };
        if let Some(entry) = set.iter_mut().find(|entry| entry.line == line) {
            let found = Found { missing: sectors & !entry.present, ready: entry.ready, evicted: None };
            entry.present |= sectors;
            entry.dirty |= dirty;
            entry.used = clock;
            return found;
        }
        let oldest = set.iter_mut().min_by_key(|entry| entry.used).expect("a set has ways");
        let evicted = (oldest.dirty != 0).then_some((oldest.line, oldest.dirty));
        *oldest = Entry { line, present: sectors, dirty, ready: 0, used: clock };
        Found { missing: sectors, ready: 0, evicted }
    }

    /// Sets the time at which the missing sectors of a line come.
    pub(super) fn comes(&mut self, line: u64, time: u64) {
        if !self.entries.is_empty()
            && let Some(entry) = self.set(line).iter_mut().find(|entry| entry.line == line)
        {
            entry.ready = entry.ready.max(time);
        }
    }

    /// Returns the set of a line. Neighbouring lines lie in different sets, and the upper bits spread distant ones.
    fn set(&mut self, line: u64) -> &mut [Entry] {
        let sets = (self.entries.len() / self.ways) as u64;
        let far = (line >> 20).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let set = (line.wrapping_add(far) % sets) as usize;
        &mut self.entries[set * self.ways..][..self.ways]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_fit_stay_and_the_least_recently_used_goes() {
        let mut cache = Cache::new(8, 2);
        for line in 0..8 {
            assert_eq!(cache.access(line, 0b1111, false).missing, 0b1111);
        }
        for line in 0..8 {
            assert_eq!(cache.access(line, 0b0110, false).missing, 0);
        }
        // lines 0, 4 and 8 share a set of two
        cache.access(0, 1, false);
        cache.access(8, 1, false);
        assert_eq!(cache.access(0, 1, false).missing, 0);
        assert_eq!(cache.access(4, 1, false).missing, 1);
    }

    #[test]
    fn what_was_written_is_written_back() {
        let mut cache = Cache::new(1, 1);
        cache.access(3, 0b0011, true);
        assert_eq!(cache.access(5, 1, false).evicted, Some((3, 0b0011)));
        assert_eq!(cache.access(3, 1, false).evicted, None);
    }

    #[test]
    fn a_cache_without_lines_misses() {
        let mut cache = Cache::new(0, 4);
        cache.access(1, 1, true);
        assert_eq!(cache.access(1, 1, false), Found { missing: 1, ready: 0, evicted: None });
    }
}
