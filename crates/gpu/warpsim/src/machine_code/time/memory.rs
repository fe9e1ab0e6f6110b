//! Shared, local and global memory, and shuffles: from the queue of a sub-partition over the pipe that all share to the caches.

use super::behind::{Behind, LINE, Update};
use super::cache::Cache;
use super::known::Known;
use super::slots::Slots;
use crate::machine_code::trace::Line;
use machine::target::{Memory, Target};
use sass::Class;
use std::collections::VecDeque;

/// Ways of the L1 cache. Assumed: not published.
const WAYS: usize = 16;

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
    behind: Behind,
}

/// An access of global or local memory.
#[derive(Clone, Copy)]
pub(super) struct Access<'t> {
    pub known: &'t Known,
    /// Passes over the banks of the L1 cache.
    pub passes: u32,
    /// Most lanes of an atomic on the same word; 0: it is none.
    pub updates: u32,
    pub cta: usize,
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

impl Memories {
    /// Makes the memories. `l1_bytes`: the part of the L1 cache that shared memory leaves.
    pub(super) fn new(target: &Target, memory: &Memory, l1_bytes: u64) -> Self {
        Self {
            accepts: Slots::new(memory.accept_interval),
            banks: Slots::new(memory.pass_interval),
            l1: Cache::new(l1_bytes / LINE, WAYS),
            behind: Behind::new(target, memory),
        }
    }

    /// Empties the L1 cache, as the start of a launch does.
    pub(super) fn forget(&mut self, l1_bytes: u64) {
        self.l1 = Cache::new(l1_bytes / LINE, WAYS);
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
        access: Access<'_>,
        lines: impl Iterator<Item = Line> + Clone,
    ) -> Done {
        let Access { known, passes, updates, cta } = access;
        let accepted = self.accept(queue, memory, now, self.behind.open);
        // the tags of a few lines are looked up per clock; a word of all lanes takes its share of the rate, and where banks conflict a pass takes as long as
        // one in shared memory (RRZE-HPC gpu-benches, gpu-strides, A40: floats 1, 2, 4, 8, 16 and 32 apart take 2, 2, 4, 8, 16 and 32 clocks)
        let tags = (lines.clone().count() as u64).div_ceil(u64::from(memory.l1_tags_per_clock).max(1));
        let word = LINE.div_ceil(u64::from(memory.l1_bytes_per_clock).max(1));
        let clocks = (word * u64::from(known.words))
            .max(u64::from(memory.l1_pass_interval.unwrap_or(memory.pass_interval) * passes))
            .max(tags);
        let (_, end) = self.banks.take(now, accepted, clocks.div_ceil(memory.pass_interval.into()));
        let waited = end.saturating_sub(accepted + word);
        let issued = accepted - u64::from(memory.address_latency);
        let mut result = issued + u64::from(memory.l1_latency) + waited;
        for line in lines {
            let there = match (known.class, known.stores) {
                (Class::Local, stores) => self.through_first(memory, line, stores, issued),
                _ if updates > 0 => self.behind.update(memory, Update { line, lanes: updates, cta }, issued),
                (_, true) => self.behind.store(memory, line, issued),
                (_, false) if memory.l1_keeps_global && !known.bypasses_l1 => {
                    self.through_first(memory, line, false, issued)
                }
                _ => self.behind.load(memory, line, issued),
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
            self.behind.store(memory, Line { number, sectors, words: u32::MAX }, issued);
        }
        // whole sectors are written, and need not be fetched before
        if found.missing == 0 || stores {
            return found.ready;
        }
        let there = self.behind.load(memory, Line { sectors: found.missing, ..line }, issued);
        self.l1.comes(line.number, there);
        there.max(found.ready)
    }
}

/// Returns the time at which an access that leaves its sub-partition at a time is done with its sources: a store reads a word in two clocks.
fn sources(known: &Known, leaves: u64) -> u64 {
    leaves + if known.stores { 2 * u64::from(known.words) - 1 } else { 0 }
}
