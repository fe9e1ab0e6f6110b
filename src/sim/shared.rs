//! Shared memory with its race detector.
//!
//! The detector follows FastTrack (Flanagan and Freund, PLDI 2009) with warps as threads: every word of 8 bytes knows the
//! epoch of its last write and, per warp, the clock of its last read. An access conflicts with an earlier one that
//! the vector clock of its warp does not cover.

use super::buffer::{extract, insert};
use super::hazard::{Access, Kind};
use super::memory::{Lanes, aligned_inside};
use super::rows::Row;
use crate::simt::inst::Space;

/// What each warp knows of each other's clock.
pub(super) type VectorClock = [u32; 32];

/// An earlier access that no barrier orders before this one.
pub(super) struct Conflict {
    pub address: u64,
    pub earlier: Access,
    pub warp: u32,
    pub pc: u32,
}

/// What an access found: hazards that leave the simulation meaningful.
#[derive(Default)]
pub(super) struct Findings {
    pub conflict: Option<Conflict>,
    pub unwritten: Option<u64>,
    /// Lanes of the warp wrote different values to this address.
    pub lanes: Option<u64>,
}

/// Who accesses.
pub(super) struct Accessor<'a> {
    pub warp: usize,
    pub clock: &'a VectorClock,
    pub pc: u32,
}

pub(super) struct Shared {
    words: Vec<u64>,
    bytes: u64,
    writes: Vec<Last>,
    /// Of warp w and word i at `w * words + i`.
    reads: Vec<Last>,
    /// The latest clock in each row of 32 words of `reads`.
    latest: Vec<u32>,
}

/// A last access: its epoch (clock and warp; 0 for none) and its program counter.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Last {
    epoch: u32,
    pc: u32,
}

const WARP_BITS: u32 = 5;

impl Last {
    const NONE: Self = Self { epoch: 0, pc: 0 };

    fn new(by: &Accessor) -> Self {
        Self { epoch: by.clock[by.warp] << WARP_BITS | by.warp as u32, pc: by.pc }
    }

    fn warp(self) -> usize {
        (self.epoch & 31) as usize
    }

    fn ordered_before(self, clock: &VectorClock) -> bool {
        self.epoch >> WARP_BITS <= clock[self.warp()]
    }
}

impl Shared {
    pub(super) fn new(bytes: u64, warps: usize) -> Self {
        let words = bytes.div_ceil(8).next_multiple_of(32) as usize;
        Self {
            words: vec![0; words],
            bytes,
            writes: vec![Last::NONE; words],
            reads: vec![Last::NONE; warps * words],
            latest: vec![0; warps * words / 32],
        }
    }

    /// Forgets what was written, for the next CTA. Reads need not be forgotten: all clocks go on.
    pub(super) fn reset(&mut self) {
        self.writes.fill(Last::NONE);
    }

    pub(super) fn load(&mut self, lanes: &Lanes, by: &Accessor) -> Result<(Row, Findings), Kind> {
        let mut findings = Findings::default();
        if let Some(word) = self.aligned_row(lanes) {
            self.check_writes(word, 32, by, &mut findings, Access::Read);
            let words = self.words.len();
            let last = Last::new(by);
            self.reads[by.warp * words + word..][..32].fill(last);
            self.note_read(word, by);
            self.note_read(word + 31, by);
            let row = self.words[word..word + 32].try_into().expect("a row has 32 words");
            return Ok((row, findings));
        }
        let mut row = [0; 32];
        for lane in lanes.active() {
            let address = self.check(lanes, lane)?;
            let word = (address / 8) as usize;
            self.check_writes(word, 1, by, &mut findings, Access::Read);
            let words = self.words.len();
            self.reads[by.warp * words + word] = Last::new(by);
            self.note_read(word, by);
            row[lane] = extract(self.words[word], address, lanes.bytes);
        }
        Ok((row, findings))
    }

    pub(super) fn store(&mut self, lanes: &Lanes, values: &Row, by: &Accessor) -> Result<Findings, Kind> {
        let mut findings = Findings::default();
        if let Some(word) = self.aligned_row(lanes) {
            self.check_writes(word, 32, by, &mut findings, Access::Write);
            self.check_reads(word, 32, by, &mut findings);
            self.writes[word..word + 32].fill(Last::new(by));
            self.words[word..word + 32].copy_from_slice(values);
            return Ok(findings);
        }
        for lane in lanes.active() {
            let address = self.check(lanes, lane)?;
            let word = (address / 8) as usize;
            self.check_writes(word, 1, by, &mut findings, Access::Write);
            self.check_reads(word, 1, by, &mut findings);
        }
        for lane in lanes.active() {
            let (address, value) = (lanes.address(lane) & ADDRESS_MASK, values[lane]);
            let same = |other: &usize| lanes.address(*other) & ADDRESS_MASK == address;
            if lanes.active().take_while(|other| *other < lane).filter(same).any(|other| values[other] != value) {
                findings.lanes = findings.lanes.or(Some(address));
            }
            let word = (address / 8) as usize;
            self.writes[word] = Last::new(by);
            self.words[word] = insert(self.words[word], address, lanes.bytes, value);
        }
        Ok(findings)
    }

    /// The first word, when the lanes access consecutive doubles inside the memory.
    fn aligned_row(&self, lanes: &Lanes) -> Option<usize> {
        let address = lanes.consecutive? & ADDRESS_MASK;
        (address + 256 <= self.bytes).then_some(address as usize / 8)
    }

    fn check(&self, lanes: &Lanes, lane: usize) -> Result<u64, Kind> {
        let address = lanes.address(lane) & ADDRESS_MASK;
        aligned_inside(Space::Shared, self.bytes, address, address, lanes.bytes, lane)?;
        Ok(address)
    }

    fn check_writes(&self, word: usize, count: usize, by: &Accessor, findings: &mut Findings, access: Access) {
        let writes = &self.writes[word..word + count];
        let first = writes[0];
        // one write of a whole row left the same mark on all its words
        let count = if writes.iter().all(|w| *w == first) { 1 } else { count };
        for (i, last) in writes[..count].iter().enumerate() {
            let address = 8 * (word + i) as u64;
            if *last == Last::NONE {
                if access == Access::Read {
                    findings.unwritten = findings.unwritten.or(Some(address));
                }
            } else if !last.ordered_before(by.clock) && findings.conflict.is_none() {
                let (warp, pc) = (last.warp() as u32, last.pc);
                findings.conflict = Some(Conflict { address, earlier: Access::Write, warp, pc });
            }
        }
    }

    fn check_reads(&self, word: usize, count: usize, by: &Accessor, findings: &mut Findings) {
        let (words, rows) = (self.words.len(), self.words.len() / 32);
        for warp in 0..self.reads.len() / words {
            let latest = self.latest[warp * rows + word / 32].max(self.latest[warp * rows + (word + count - 1) / 32]);
            if latest <= by.clock[warp] {
                continue;
            }
            let reads = &self.reads[warp * words + word..][..count];
            if let Some(i) = reads.iter().position(|last| !last.ordered_before(by.clock))
                && findings.conflict.is_none()
            {
                let (address, pc) = (8 * (word + i) as u64, reads[i].pc);
                findings.conflict = Some(Conflict { address, earlier: Access::Read, warp: warp as u32, pc });
            }
        }
    }

    fn note_read(&mut self, word: usize, by: &Accessor) {
        let rows = self.words.len() / 32;
        self.latest[by.warp * rows + word / 32] = by.clock[by.warp];
    }
}

/// Shared addresses have 32 bits.
const ADDRESS_MASK: u64 = 0xffff_ffff;

/// The passes that an access takes over 32 banks of `bank_bytes`: the most different units that fall into one bank.
pub(super) fn passes(lanes: &Lanes, bank_bytes: u32) -> u64 {
    let unit = u64::from(bank_bytes);
    if lanes.consecutive.is_some() {
        return 8 / unit;
    }
    let mut units: Vec<u64> = lanes
        .active()
        .flat_map(|lane| {
            let address = lanes.address(lane) & ADDRESS_MASK;
            address / unit..=(address + u64::from(lanes.bytes) - 1) / unit
        })
        .collect();
    units.sort_unstable();
    units.dedup();
    let mut banks = [0; 32];
    for unit in units {
        banks[(unit % 32) as usize] += 1;
    }
    banks.into_iter().max().unwrap_or(0)
}
