//! Shared, local and global memory, and shuffles: from the queue of a sub-partition over the pipe that all share to the caches.

use super::cache::Cache;
use super::known::Known;
use super::slots::Slots;
use crate::machine_code::trace::Line;
use machine::target::{Memory, Target};
use sass::Class;
use std::collections::VecDeque;

/// Ways of the data caches. Assumed: not published.
const WAYS: usize = 16;
/// Bytes of a line, and of a sector.
const LINE: u64 = 128;
const SECTOR: u64 = 32;
/// Parts of a clock in which rates are kept, so that they add up exactly.
const PARTS: u64 = 256;

/// Queue of one sub-partition.
pub(super) struct Queue {
    /// Time at which each access that is held back leaves.
    leaves: VecDeque<u64>,
    last: u64,
}

/// Memories of the SM, with its share of the chip.
pub(super) struct Memories {
    /// Slots of the pipe where the sub-partitions come together, and of the banks behind it.
    accepts: Slots,
    banks: Slots,
    l1: Cache,
    l2: Cache,
    /// Ways to the L2 cache and to the device memory: the time at which each is free, in parts of a clock, and the time of a byte there.
    second: Way,
    device: Way,
    /// Time at which the SM takes accesses of global and local memory again, after stores that found the ways behind it full.
    open: u64,
}

struct Way {
    free: u64,
    per_byte: u64,
    /// Clocks of traffic that may wait in front of it before its sender must wait. Assumed, for nobody published the capacity: as
    /// much as it moves in the latency of the memory behind it.
    holds: u64,
}

/// Times at which an access is done with its source registers, and with its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Done {
    pub sources: u64,
    pub result: u64,
}

impl Done {
    /// Returns the times of an access of shared memory that has this latency instead, if the target has one.
    pub(super) fn with(self, latency: Option<u32>, memory: &Memory) -> Self {
        let own = u64::from(memory.shared_latency);
        Self { result: self.result - own + latency.map_or(own, u64::from), ..self }
    }
}

impl Queue {
    pub(super) fn new(memory: &Memory) -> Self {
        Self { leaves: VecDeque::with_capacity(memory.queue as usize + 1), last: 0 }
    }

    /// Returns the time at which the next access can be issued.
    pub(super) fn free(&self, memory: &Memory) -> u64 {
        if self.leaves.len() < memory.queue as usize {
            0
        } else {
            self.leaves[self.leaves.len() - memory.queue as usize]
        }
    }

    fn push(&mut self, leaves: u64, memory: &Memory) {
        if self.leaves.len() == memory.queue as usize {
            self.leaves.pop_front();
        }
        self.leaves.push_back(leaves);
        self.last = leaves;
    }
}

impl Way {
    /// Sends bytes over the way, from `now` on at the earliest; returns their waiting time.
    fn take(&mut self, now: u64, bytes: u64) -> u64 {
        let start = self.free.max(now * PARTS);
        self.free = start + bytes * self.per_byte;
        start.div_ceil(PARTS) - now
    }

    /// Returns the time from which the waiting traffic is no more than the way holds.
    fn open(&self) -> u64 {
        self.free.div_ceil(PARTS).saturating_sub(self.holds)
    }
}

impl Memories {
    /// Makes the memories. `l1_bytes`: the part of the L1 cache that shared memory leaves.
    pub(super) fn new(target: &Target, memory: &Memory, l1_bytes: u64) -> Self {
        let board = &target.board;
        // 10^9 bytes per second over 10^6 clocks per second
        let clocks = u64::from(board.megahertz) * u64::from(board.multiprocessors) * PARTS;
        let device = clocks.div_ceil(1000 * u64::from(board.delivered()));
        let second = PARTS.div_ceil(u64::from(memory.l2_bytes_per_clock_per_sm).max(1));
        let share = u64::from(memory.l2_bytes) / u64::from(board.multiprocessors.max(1));
        Self {
            accepts: Slots::new(memory.accept_interval),
            banks: Slots::new(memory.pass_interval),
            l1: Cache::new(l1_bytes / LINE, WAYS),
            l2: Cache::new(share / LINE, WAYS),
            second: Way { free: 0, per_byte: second, holds: memory.l2_latency.into() },
            device: Way { free: 0, per_byte: device, holds: memory.device_latency.into() },
            open: 0,
        }
    }

    pub(super) fn shuffle(&mut self, queue: &mut Queue, memory: &Memory, now: u64) -> Done {
        let earliest = (now + u64::from(memory.address_latency)).max(queue.last + 1);
        let (start, _) = self.banks.take(now, earliest, 1);
        queue.push(start, memory);
        Done { sources: start, result: start - u64::from(memory.address_latency) + u64::from(memory.shuffle_latency) }
    }

    pub(super) fn shared(&mut self, queue: &mut Queue, memory: &Memory, now: u64, passes: u32, known: &Known) -> Done {
        let accepted = self.accept(queue, memory, now, 0);
        let (_, end) = self.banks.take(now, accepted, passes.into());
        let waited = end - u64::from(memory.pass_interval) - accepted;
        let result = accepted - u64::from(memory.address_latency) + u64::from(memory.shared_latency) + waited;
        // the address is not computed before it leaves
        let early = if known.stores {
            0
        } else {
            memory.address_latency - memory.shared_operands_latency.min(memory.address_latency)
        };
        Done { sources: sources(known, accepted) - u64::from(early), result }
    }

    /// Times an access of global or local memory.
    pub(super) fn lines(
        &mut self,
        (queue, memory): (&mut Queue, &Memory),
        now: u64,
        known: &Known,
        lines: impl Iterator<Item = Line> + Clone,
    ) -> Done {
        let accepted = self.accept(queue, memory, now, self.open);
        // a line's tag takes a clock, and so does each word of all lanes on its way to the registers, whatever lanes are active
        let tags = lines.clone().count() as u64;
        let word = LINE.div_ceil(u64::from(memory.l1_bytes_per_clock).max(1));
        let clocks = (word * u64::from(known.words)).max(tags);
        let (_, end) = self.banks.take(now, accepted, clocks.div_ceil(memory.pass_interval.into()));
        let waited = end.saturating_sub(accepted + word);
        let issued = accepted - u64::from(memory.address_latency);
        let mut result = issued + u64::from(memory.l1_latency) + waited;
        for line in lines {
            let there = match (known.class, known.stores) {
                (Class::Local, stores) => self.through_first(memory, line, stores, issued),
                (_, true) => self.written(memory, line, issued),
                (_, false) if memory.l1_keeps_global => self.through_first(memory, line, false, issued),
                _ => self.behind_first(memory, line, issued),
            };
            result = result.max(there);
        }
        Done { sources: sources(known, accepted), result }
    }

    /// Returns the time at which the access leaves the sub-partition: not before its address is computed, nor before its destination takes it.
    fn accept(&mut self, queue: &mut Queue, memory: &Memory, now: u64, open: u64) -> u64 {
        let address = (now + u64::from(memory.address_latency)).max(queue.last + u64::from(memory.address_interval));
        let (accepted, _) = self.accepts.take(now, address.max(open), 1);
        queue.push(accepted, memory);
        accepted
    }

    /// Returns the time at which a line is there, for an access that was issued at a time.
    fn through_first(&mut self, memory: &Memory, line: Line, stores: bool, issued: u64) -> u64 {
        let found = self.l1.access(line.number, line.sectors, stores);
        if let Some((number, sectors)) = found.evicted {
            self.written(memory, Line { number, sectors }, issued);
        }
        // whole sectors are written, and need not be fetched before
        if found.missing == 0 || stores {
            return found.ready;
        }
        let there = self.behind_first(memory, Line { sectors: found.missing, ..line }, issued);
        self.l1.comes(line.number, there);
        there.max(found.ready)
    }

    fn behind_first(&mut self, memory: &Memory, line: Line, issued: u64) -> u64 {
        let bytes = u64::from(line.sectors.count_ones()) * SECTOR;
        let waited = self.second.take(issued, bytes);
        let found = self.l2.access(line.number, line.sectors, false);
        if let Some((_, sectors)) = found.evicted {
            self.device.take(issued, u64::from(sectors.count_ones()) * SECTOR);
        }
        let there = issued + u64::from(memory.l2_latency) + waited;
        if found.missing == 0 {
            return there.max(found.ready);
        }
        let waited = waited.max(self.device.take(issued, u64::from(found.missing.count_ones()) * SECTOR));
        let there = (issued + u64::from(memory.device_latency) + waited).max(found.ready);
        self.l2.comes(line.number, there);
        there
    }

    /// Sends a line to the L2 cache, and from there some time to the device memory. Nothing waits for its result, so later
    /// accesses must wait if too much is under way.
    fn written(&mut self, memory: &Memory, line: Line, issued: u64) -> u64 {
        let waited = self.second.take(issued, u64::from(line.sectors.count_ones()) * SECTOR);
        if let Some((_, sectors)) = self.l2.access(line.number, line.sectors, true).evicted {
            self.device.take(issued, u64::from(sectors.count_ones()) * SECTOR);
        }
        self.open = self.open.max(self.second.open()).max(self.device.open());
        issued + u64::from(memory.l2_latency) + waited
    }
}

/// Returns the time at which an access that leaves its sub-partition at a time is done with its sources: a store reads a word in two clocks.
fn sources(known: &Known, leaves: u64) -> u64 {
    leaves + if known.stores { 2 * u64::from(known.words) - 1 } else { 0 }
}
