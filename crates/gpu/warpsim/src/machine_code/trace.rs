//! Executed instructions of the warps, for the model of time.

use crate::memory::Lanes;
use crate::shared::passes;
use ptx::inst::{BarKind, Space};
use std::ops::Range;

/// Mark of a step that has an event.
const EVENT: u32 = 1 << 31;

/// Executed instructions of one warp: their numbers, and the events at some of them.
#[derive(Debug, Clone, Default)]
pub(super) struct WarpTrace {
    steps: Vec<u32>,
    pub events: Vec<Event>,
    /// The lines that accesses of memory touch, in the order of the events.
    pub lines: Vec<Line>,
    /// Steps at which turns of a loop begin, where these are known.
    pub marks: Vec<usize>,
}

/// Event that the number of an instruction does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Barrier(Arrival),
    /// Passes over the banks of shared memory.
    Shared {
        passes: u32,
    },
    /// Passes in another CTA of the cluster.
    Remote {
        passes: u32,
    },
    /// Lanes arrive at a barrier in shared memory.
    Arrives {
        place: u32,
        lanes: u32,
    },
    /// Arrivals there, since the CTA began, when the wait is over.
    Awaits {
        place: u32,
        arrivals: u32,
    },
    /// A warp comes to the barrier of its cluster, or waits for the phase that it came to.
    Cluster {
        waits: bool,
    },
    /// Number of lines that are accessed, and passes over the banks of the first cache.
    Lines {
        count: u32,
        passes: u32,
        /// Most lanes that update the same word; 0: the access is no atomic.
        updates: u32,
    },
    /// A load from constant memory: the first line, and the number of different addresses.
    Constant {
        line: u64,
        addresses: u32,
    },
}

/// 128 bytes of global memory, or of the local memory of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    pub number: u64,
    /// Accessed sectors, out of its four of 32 bytes.
    pub sectors: u8,
    /// Accessed words of four bytes.
    pub words: u32,
}

impl Line {
    /// Returns those of the accessed sectors of which only a part is accessed.
    pub fn parts(self) -> u8 {
        let is_part = |sector: &u8| self.words >> (8 * sector) & 0xff != 0xff;
        (0..4).filter(is_part).fold(0, |parts, sector| parts | 1 << sector) & self.sectors
    }
}

/// A warp comes to a barrier of its CTA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrival {
    pub id: u32,
    pub waits: bool,
    /// Threads that complete the phase; `None` for all.
    pub threads: Option<u32>,
}

/// The warps of each CTA; all CTAs of a cluster together.
#[derive(Debug, Default)]
pub(super) struct Trace {
    pub ctas: Vec<Vec<WarpTrace>>,
    /// CTAs per cluster.
    pub ranks: usize,
    /// Sectors of memory that each turn of all CTAs moves on to.
    pub streamed: u64,
    /// Event of the instruction that is being executed.
    event: Option<Event>,
}

/// Bytes of a line of a cache for constants.
pub(super) const CONSTANT_LINE: u64 = 64;

/// Returns a line of constant memory, whatever its bank.
pub(super) fn constant_line(bank: u8, address: u64) -> u64 {
    (u64::from(bank) << 32) + address / CONSTANT_LINE
}

impl WarpTrace {
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn push(&mut self, pc: u32, event: Option<Event>) {
        self.steps.push(if event.is_some() { pc | EVENT } else { pc });
        self.events.extend(event);
    }

    /// Appends steps of another trace without their events.
    pub(super) fn copy(&mut self, other: &Self, steps: Range<usize>) {
        self.steps.extend_from_slice(&other.steps[steps]);
    }

    /// Returns the instructions with an event of some steps.
    pub(super) fn accesses(&self, steps: Range<usize>) -> impl Iterator<Item = u32> {
        self.steps[steps].iter().filter(|step| *step & EVENT != 0).map(|step| step & !EVENT)
    }

    /// Returns the instruction of a step, and whether it has an event.
    pub(super) fn step(&self, index: usize) -> (u32, bool) {
        let step = self.steps[index];
        (step & !EVENT, step & EVENT != 0)
    }
}

impl Trace {
    pub(super) fn new(ctas: Vec<Vec<WarpTrace>>, ranks: usize) -> Self {
        Self { ctas, ranks, streamed: 0, event: None }
    }

    /// Repeats the CTAs until there are this many.
    pub fn repeated(mut self, ctas: usize) -> Self {
        let own = self.ctas.len();
        while own > 0 && self.ctas.len() < ctas {
            self.ctas.push(self.ctas[self.ctas.len() - own].clone());
        }
        self
    }

    /// Returns the share of the first of several multiprocessors that take the CTAs in turns, at most one per CTA, and the number that have work.
    pub fn of_first(mut self, multiprocessors: u32) -> (Self, u32) {
        // a cluster counts as its CTAs
        let places = (multiprocessors as usize / self.ranks.max(1)).max(1);
        let busy = (places.min(self.ctas.len()).max(1) * self.ranks.max(1)).min(multiprocessors.max(1) as usize);
        self.ctas = self.ctas.into_iter().step_by(places).collect();
        (self, busy as u32)
    }

    pub(super) fn begin(&mut self) {
        self.ctas.push(Vec::new());
    }

    /// Records an instruction executed by a warp.
    pub(super) fn record(&mut self, warp: usize, pc: u32) {
        let event = self.event.take();
        self.warp(warp).push(pc, event);
    }

    pub(super) fn happens(&mut self, event: Event) {
        self.event = Some(event);
    }

    /// Records an access of the lanes to global or local memory.
    pub(super) fn access(&mut self, warp: usize, space: Space, lanes: &Lanes) {
        let trace = self.warp(warp);
        let from = trace.lines.len();
        for lane in lanes.active() {
            let address = lanes.address(lane);
            if space == Space::Local {
                // words of neighbouring lanes lie side by side: a line has one word of all lanes
                for word in address / 4..(address + u64::from(lanes.bytes)).div_ceil(4) {
                    add(&mut trace.lines, from, word, lane as u64);
                }
            } else {
                for word in address / 4..(address + u64::from(lanes.bytes)).div_ceil(4) {
                    add(&mut trace.lines, from, word / 32, word % 32);
                }
            }
        }
        let count = (trace.lines.len() - from) as u32;
        // the words of a line of local memory lie in different banks
        let passes = if space == Space::Local { lanes.bytes.div_ceil(4) } else { passes(lanes, 4) as u32 };
        self.event = Some(Event::Lines { count, passes, updates: 0 });
    }

    /// Marks the recorded access as an atomic.
    pub(super) fn updates(&mut self, lanes: &Lanes) {
        let same = |lane: usize| lanes.active().filter(|other| lanes.address(*other) == lanes.address(lane)).count();
        let most = lanes.active().map(same).max().unwrap_or(0) as u32;
        if let Some(Event::Lines { updates, .. }) = &mut self.event {
            *updates = most;
        }
    }

    fn warp(&mut self, warp: usize) -> &mut WarpTrace {
        if self.ctas.is_empty() {
            self.begin();
        }
        let cta = self.ctas.last_mut().expect("a CTA has begun");
        if cta.len() <= warp {
            cta.resize_with(warp + 1, WarpTrace::default);
        }
        &mut cta[warp]
    }
}

/// Adds a word of four bytes to the lines from `from` on.
fn add(lines: &mut Vec<Line>, from: usize, number: u64, word: u64) {
    let (sector, word) = (1 << (word / 8), 1 << word);
    // neighbours mostly share a line
    match lines[from..].iter_mut().rev().find(|line| line.number == number) {
        Some(line) => {
            line.sectors |= sector;
            line.words |= word;
        }
        None => lines.push(Line { number, sectors: sector, words: word }),
    }
}

impl Arrival {
    pub(super) fn new(id: u32, kind: BarKind, threads: Option<u32>) -> Self {
        Self { id, waits: kind == BarKind::Sync, threads }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_some_multiprocessors_gets_most_ctas() {
        let of = |ctas: usize, ranks: usize, multiprocessors: u32| {
            let trace = Trace::new(vec![Vec::new(); ctas], ranks);
            let (first, busy) = trace.of_first(multiprocessors);
            (first.ctas.len(), busy)
        };
        assert_eq!(of(5, 1, 2), (3, 2));
        assert_eq!(of(4, 1, 2), (2, 2));
        assert_eq!(of(5, 1, 132), (1, 5));
        // clusters of four CTAs: two of them at once on eight multiprocessors
        assert_eq!(of(5, 4, 8), (3, 8));
        assert_eq!(of(1, 4, 132), (1, 4));
        assert_eq!(of(1, 4, 2), (1, 2));
    }
}
