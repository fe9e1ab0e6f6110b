//! Shared memory with its race detector.
//!
//! The detector follows FastTrack (Flanagan and Freund, PLDI 2009) with warps as threads: every cell, as large as the
//! smallest access of the kernel, knows the epoch of its last write and, per warp, the clock of its last read. An access
//! conflicts with an earlier one that the vector clock of its warp does not cover.

use super::buffer::{extract, insert};
use super::clock::{SLOT_BITS, VectorClock};
use super::decode::Manner;
use super::domain::Touch;
use super::hazard::{Access, Kind, Site};
use super::memory::{Lanes, aligned_inside};
use super::rows::Row;
use ptx::inst::Space;
use std::collections::BTreeMap;
use std::ops::Range;

/// An earlier access that no barrier orders before this one.
pub(super) struct Conflict {
    pub address: u64,
    pub earlier: Access,
    pub warp: u32,
    /// Time of the warp; `None` if it was a copy.
    pub time: Option<u32>,
    pub pc: u32,
}

/// Findings of an access: hazards that leave the simulation meaningful.
#[derive(Default)]
pub(super) struct Findings {
    pub conflict: Option<Conflict>,
    pub unwritten: Option<u64>,
    /// Address to which lanes of the warp wrote different values.
    pub lanes: Option<u64>,
    /// Whether lanes of the warp wrote the same value to one address.
    pub same: bool,
    /// A write that no proxy fence made known to the copy.
    pub unfenced: Option<Conflict>,
    /// Whether a copy that ends at another time uses the place in the same way, so that only one of them can be noted.
    pub crowded: bool,
}

impl Findings {
    /// Returns the hazards of the findings, for an access to the space; `site` returns the place of an earlier one, `named` the
    /// address of a place.
    pub(super) fn kinds(
        self,
        space: Space,
        access: Access,
        site: impl Fn(u32, u32) -> Site,
        named: impl Fn(u64) -> u64,
    ) -> Vec<Kind> {
        let race = self.conflict.map(|Conflict { address, earlier, warp, pc, .. }| Kind::Race {
            address: named(address),
            access,
            earlier,
            earlier_site: site(warp, pc),
        });
        let unwritten = self.unwritten.map(|address| Kind::Unwritten { space, address: named(address) });
        let lanes = self.lanes.map(|address| Kind::LaneConflict { address: named(address) });
        let unfenced = self.unfenced.map(|Conflict { address, warp, pc, .. }| Kind::Unfenced {
            address: named(address),
            access,
            earlier_site: site(warp, pc),
        });
        race.into_iter().chain(unfenced).chain(unwritten).chain(lanes).collect()
    }
}

/// The author and the kind of an access.
pub(super) struct Accessor<'a> {
    pub warp: usize,
    pub clock: &'a VectorClock,
    /// Time, by the warp's own clock, up to which its lanes are ordered.
    pub settled: u32,
    pub pc: u32,
    pub manner: Manner,
    pub strength: Strength,
}

/// Strength of strong accesses. Alike ones do not race: they overlap completely, and the scope of each includes the other (PTX
/// ISA, "Morally strong operations").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Strength {
    pub bytes: u32,
    /// Whether the scope reaches other CTAs.
    pub wide: bool,
}

/// Strong accesses of one strength: writes with atomics, and reads; of warp w on cell i at `w * cells + i`. Empty before the first one.
struct Strong {
    strength: Strength,
    writes: Vec<Last>,
    reads: Vec<Last>,
}

impl<'a> Accessor<'a> {
    /// Makes the accessor of an access that is not strong.
    pub(super) fn weak(warp: usize, clock: &'a VectorClock, pc: u32) -> Self {
        let strength = Strength { bytes: 0, wide: true };
        Self { warp, clock, settled: u32::MAX, pc, manner: Manner::Weak, strength }
    }
}

pub(super) struct Shared {
    words: Vec<u64>,
    bytes: u64,
    /// Bytes of a cell, the unit of the detector.
    cell: u32,
    writes: Vec<Last>,
    /// Last reads, of warp w and cell i at `w * cells + i`.
    reads: Vec<Last>,
    /// The latest clock in each row of 32 cells of `reads`.
    latest: Vec<u32>,
    strong: Vec<Strong>,
    /// Strong writes of cells that nobody wrote before, with their lanes: the first one of each warp.
    firsts: BTreeMap<usize, Vec<(Last, u32)>>,
    /// The last read of a bulk copy of warp w on cell i at `w * cells + i`; empty before the first one.
    copied: Vec<Last>,
    /// The warp that last started a copy in a slot of vector clocks.
    issuers: BTreeMap<usize, u32>,
    /// Proxy fences behind writes of the generic proxy that a barrier in memory counts, by its slot and time.
    delivered: BTreeMap<(usize, u32), Vec<Fence>>,
    warps: usize,
    /// Number of CTAs that the warps belong to.
    ranks: usize,
}

/// A copy that is under way, as the detector knows it.
pub(super) struct Flight {
    /// Slot in vector clocks, and the time there at which the copy is known to be done.
    pub slot: usize,
    pub time: u32,
    /// Whether it sees writes behind a proxy fence only.
    pub proxy: bool,
    /// Bytes of an element of a reduction, such as do not race with each other.
    pub element: Option<u32>,
    /// Whether it accesses all of the bytes.
    pub whole: bool,
}

/// A proxy fence: its warp, lanes, and time.
pub(super) type Fence = (usize, u32, u32);

/// The lanes that start a copy, and the time up to which they have fenced their own writes.
#[derive(Clone, Copy)]
pub(super) struct Issuer {
    pub lanes: u32,
    pub fenced: u32,
}

/// Marks the size of an element of a reduction by a copy, which is of another proxy than atomics.
const OF_COPIES: u32 = 1 << 16;

/// A last access: its epoch (clock and warp; 0 for none), its program counter, and the lanes that may have done it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Last {
    epoch: u32,
    pc: u32,
    lanes: u32,
}

impl Last {
    const NONE: Self = Self { epoch: 0, pc: 0, lanes: 0 };

    fn new(by: &Accessor) -> Self {
        Self::at(by.warp, by.clock[by.warp], by.pc)
    }

    /// Makes an access by the owner of the slot of vector clocks.
    fn at(slot: usize, time: u32, pc: u32) -> Self {
        Self { epoch: time << SLOT_BITS | slot as u32, pc, lanes: u32::MAX }
    }

    /// Makes an access by these lanes, and by those of the warp that did the one before since all lanes were ordered.
    fn after(self, by: &Accessor, lanes: u32) -> Self {
        let recent = self.slot() == by.warp && self.epoch >> SLOT_BITS > by.settled;
        let lanes = if by.settled == u32::MAX { u32::MAX } else { lanes };
        Self { lanes: if recent { self.lanes | lanes } else { lanes }, ..Self::new(by) }
    }

    fn slot(self) -> usize {
        (self.epoch & ((1 << SLOT_BITS) - 1)) as usize
    }

    fn ordered_before(self, clock: &VectorClock) -> bool {
        clock.covers(self.slot(), self.lanes, self.epoch >> SLOT_BITS)
    }

    /// Whether a proxy fence made it known to copies.
    fn fenced_before(self, clock: &VectorClock) -> bool {
        clock.fenced(self.slot()).is_none_or(|time| self.epoch >> SLOT_BITS <= time)
    }
}

impl Shared {
    pub(super) fn new(bytes: u64, cell: u32, warps: usize, ranks: usize) -> Self {
        let words = bytes.div_ceil(8).next_multiple_of(32) as usize;
        let cells = words * 8 / cell as usize;
        Self {
            words: vec![0; words],
            bytes,
            cell,
            writes: vec![Last::NONE; cells],
            reads: vec![Last::NONE; warps * cells],
            latest: vec![0; warps * cells / 32],
            strong: Vec::new(),
            firsts: BTreeMap::new(),
            copied: Vec::new(),
            issuers: BTreeMap::new(),
            delivered: BTreeMap::new(),
            warps,
            ranks,
        }
    }

    /// Returns the first cell of an access, and the number of cells that it covers.
    fn cells(&self, address: u64, bytes: u32) -> (usize, usize) {
        ((address / u64::from(self.cell)) as usize, (bytes / self.cell).max(1) as usize)
    }

    /// Forgets earlier writes, for the next CTA. Reads need not be forgotten: all clocks go on.
    pub(super) fn reset(&mut self) {
        self.writes.fill(Last::NONE);
        self.firsts.clear();
        self.copied.clear();
        self.strong.retain(|strong| strong.strength.bytes & OF_COPIES == 0);
    }

    /// Starts a copy that writes the bytes, reads them, or reduces them.
    pub(super) fn start(
        &mut self,
        range: Range<u64>,
        touch: Touch,
        by: &Accessor,
        flight: &Flight,
        issuer: Issuer,
    ) -> Findings {
        let mut findings = Findings::default();
        let reduces = flight.element.filter(|_| touch == Touch::Atomic);
        let strength = reduces.map(|bytes| Strength { bytes: bytes | OF_COPIES, wide: true });
        let manner = if reduces.is_some() { Manner::Strong } else { Manner::Weak };
        let by = &Accessor { manner, strength: strength.unwrap_or(by.strength), ..*by };
        let cell = u64::from(self.cell);
        let first = (range.start / cell) as usize;
        let count = (range.end.min(self.bytes).div_ceil(cell) as usize).saturating_sub(first);
        if count == 0 {
            return findings;
        }
        self.issuers.insert(flight.slot, by.warp as u32);
        if !flight.proxy && VectorClock::is_barrier(flight.slot) {
            self.delivered.entry((flight.slot, flight.time)).or_default();
        }
        self.check_atomics(first, count, by, &mut findings);
        for at in first..first + count {
            let last = self.writes[at];
            if last == Last::NONE {
                if touch != Touch::Write && flight.whole && !self.is_begun(at, by, 0) {
                    findings.unwritten = findings.unwritten.or(Some(cell * at as u64));
                }
            } else if !last.ordered_before(by.clock) {
                findings.conflict = findings.conflict.take().or_else(|| Some(self.conflict(at, Access::Write, last)));
            } else if flight.proxy && !self.is_fenced(last, by, issuer) {
                findings.unfenced = findings.unfenced.take().or_else(|| Some(self.conflict(at, Access::Write, last)));
            }
        }
        let (cells, mark) = (self.writes.len(), Last::at(flight.slot, flight.time, by.pc));
        if touch == Touch::Read {
            let of_products = || VectorClock::warp_of_matrices(flight.slot).map(|warp| self.warps + warp);
            let of = VectorClock::warp_of_bulk(flight.slot).or_else(of_products).unwrap_or(2 * self.warps + by.warp);
            self.copied.resize(3 * self.warps * cells, Last::NONE);
            findings.crowded = marked(&mut self.copied[of * cells + first..][..count], mark, by.clock);
        } else {
            self.check_reads(first, count, by, &mut findings);
            let own = by.warp * cells + first;
            match strength {
                Some(strength) => {
                    let writes = &mut self.strong(strength).writes[own..][..count];
                    findings.crowded = marked(writes, mark, by.clock);
                }
                None => self.writes[first..first + count].fill(mark),
            }
        }
        findings
    }

    /// Notes a proxy fence of these lanes at a time, which knows of what the clock covers.
    pub(super) fn fence(&mut self, by: Fence, clock: &VectorClock) {
        let known = self.delivered.iter_mut().filter(|((slot, time), _)| clock[*slot] >= *time);
        known.for_each(|(_, fences)| fences.push(by));
    }

    /// Whether a proxy fence made a write known to a copy.
    fn is_fenced(&self, last: Last, by: &Accessor, Issuer { lanes, fenced }: Issuer) -> bool {
        let (slot, time) = (last.slot(), last.epoch >> SLOT_BITS);
        match self.delivered.get(&(slot, time)) {
            Some(fences) => {
                let own = |warp: usize, fencers: u32| warp == by.warp && lanes & !fencers == 0;
                let known =
                    |(warp, fencers, time): &Fence| own(*warp, *fencers) || by.clock.covers(*warp, *fencers, *time);
                fences.iter().any(known)
            }
            None => last.fenced_before(by.clock) || slot == by.warp && last.lanes & !lanes == 0 && time <= fenced,
        }
    }

    /// Records the initialisation of a barrier in memory: whoever knows of the slot's time is behind it.
    pub(super) fn initialise(&mut self, address: u64, slot: usize, time: u32, pc: u32, warp: u32) {
        let (first, count) = self.cells(address, 8);
        self.issuers.insert(slot, warp);
        self.writes[first..first + count].fill(Last::at(slot, time, pc));
    }

    /// Writes the bytes of a row of words, for copies that have come.
    pub(super) fn put(&mut self, address: u64, bytes: u32, value: u64) {
        if let Some(word) = self.words.get_mut((address / 8) as usize) {
            *word = insert(*word, address, bytes, value);
        }
    }

    /// Reads the bytes, as [`put`](Self::put) writes them.
    pub(super) fn get(&self, address: u64, bytes: u32) -> u64 {
        self.words.get((address / 8) as usize).map_or(0, |word| extract(*word, address, bytes))
    }

    /// Whether the bytes lie inside.
    pub(super) fn has(&self, range: &Range<u64>) -> bool {
        range.start <= range.end && range.end <= self.bytes
    }

    pub(super) fn load(&mut self, lanes: &Lanes, by: &Accessor) -> Result<(Row, Findings), Kind> {
        let mut findings = Findings::default();
        if let Some(word) = self.aligned_row(lanes) {
            let (first, count) = self.cells(8 * word as u64, 256);
            self.read(first, count, by, u32::MAX, &mut findings);
            let row = self.words[word..word + 32].try_into().expect("a row has 32 words");
            return Ok((row, findings));
        }
        if lanes.uniform().is_some() {
            let address = self.check(lanes, 0)?;
            let (first, count) = self.cells(address, lanes.bytes);
            self.read(first, count, by, lanes.mask, &mut findings);
            return Ok(([extract(self.words[(address / 8) as usize], address, lanes.bytes); 32], findings));
        }
        let mut row = [0; 32];
        for lane in lanes.active() {
            let address = self.check(lanes, lane)?;
            let (first, count) = self.cells(address, lanes.bytes);
            self.read(first, count, by, 1 << lane, &mut findings);
            row[lane] = extract(self.words[(address / 8) as usize], address, lanes.bytes);
        }
        Ok((row, findings))
    }

    /// Records reads of the cells by lanes of the warp.
    fn read(&mut self, first: usize, count: usize, by: &Accessor, lanes: u32, findings: &mut Findings) {
        self.check_atomics(first, count, by, findings);
        self.check_writes(first, count, by, findings, Some(lanes));
        if by.manner == Manner::Weak {
            self.note_read(first, count, by, lanes);
        } else {
            let at = by.warp * self.writes.len() + first;
            self.strong(by.strength).reads[at..][..count].fill(Last::new(by));
        }
    }

    /// Returns the strong accesses of that strength.
    fn strong(&mut self, strength: Strength) -> &mut Strong {
        let all = self.warps * self.writes.len();
        let at = self.strong.iter().position(|strong| strong.strength == strength).unwrap_or_else(|| {
            self.strong.push(Strong { strength, writes: vec![Last::NONE; all], reads: vec![Last::NONE; all] });
            self.strong.len() - 1
        });
        &mut self.strong[at]
    }

    /// Records a write of a lane to the cells by an atomic or strongly; `reads`: the old contents matter.
    fn write_strongly(
        &mut self,
        (first, count): (usize, usize),
        by: &Accessor,
        lane: usize,
        reads: bool,
        findings: &mut Findings,
    ) {
        self.check_atomics(first, count, by, findings);
        self.check_writes(first, count, by, findings, reads.then_some(1 << lane));
        self.check_reads(first, count, by, findings);
        let at = by.warp * self.writes.len() + first;
        self.strong(by.strength).writes[at..][..count].fill(Last::new(by));
        let new = (first..first + count).filter(|cell| !reads && self.writes[*cell] == Last::NONE);
        for cell in new {
            let firsts = self.firsts.entry(cell).or_default();
            let own = |last: &Last| last.slot() == by.warp;
            if firsts.iter().any(|(last, lanes)| own(last) && lanes >> lane & 1 == 1) {
                continue;
            }
            match firsts.iter_mut().find(|(last, _)| *last == Last::new(by)) {
                Some((_, lanes)) => *lanes |= 1 << lane,
                None => firsts.push((Last::new(by), 1 << lane)),
            }
        }
    }

    /// Whether a strong write certainly gave the cell a value before these lanes of the warp access it.
    fn is_begun(&self, cell: usize, by: &Accessor, lanes: u32) -> bool {
        let own = |last: &Last, writers: u32| {
            let settled = last.epoch >> SLOT_BITS <= by.settled && *last != Last::new(by);
            last.slot() != by.warp || settled || lanes & !writers == 0
        };
        let firsts = self.firsts.get(&cell);
        firsts.is_some_and(|all| all.iter().any(|(last, writers)| last.ordered_before(by.clock) && own(last, *writers)))
    }

    /// Returns the lanes whose low and whose high word of eight bytes nobody has written.
    pub(super) fn unwritten(&self, lanes: &Lanes) -> (u32, u32) {
        let word = |lane: usize, offset: u64| {
            let (first, count) = self.cells((lanes.address(lane) & ADDRESS_MASK) + offset, 4);
            let missing = self.writes[first..first + count].contains(&Last::NONE);
            u32::from(missing) << lane
        };
        lanes.active().fold((0, 0), |(low, high), lane| (low | word(lane, 0), high | word(lane, 4)))
    }

    pub(super) fn store(&mut self, lanes: &Lanes, values: &Row, by: &Accessor) -> Result<Findings, Kind> {
        let mut findings = Findings::default();
        if by.manner != Manner::Weak {
            for lane in lanes.active() {
                let address = self.check(lanes, lane)?;
                self.write_strongly(self.cells(address, lanes.bytes), by, lane, false, &mut findings);
                let word = (address / 8) as usize;
                self.words[word] = insert(self.words[word], address, lanes.bytes, values[lane]);
            }
            return Ok(findings);
        }
        if let Some(word) = self.aligned_row(lanes) {
            let (first, count) = self.cells(8 * word as u64, 256);
            self.check_atomics(first, count, by, &mut findings);
            self.check_writes(first, count, by, &mut findings, None);
            self.check_reads(first, count, by, &mut findings);
            self.writes[first..first + count].fill(Last::new(by));
            self.words[word..word + 32].copy_from_slice(values);
            return Ok(findings);
        }
        for lane in lanes.active() {
            let address = self.check(lanes, lane)?;
            let (first, count) = self.cells(address, lanes.bytes);
            self.check_atomics(first, count, by, &mut findings);
            self.check_writes(first, count, by, &mut findings, None);
            self.check_reads(first, count, by, &mut findings);
        }
        for lane in lanes.active() {
            let (address, value) = (lanes.address(lane) & ADDRESS_MASK, values[lane]);
            let same = |other: &usize| lanes.address(*other) & ADDRESS_MASK == address;
            for other in lanes.active().take_while(|other| *other < lane).filter(same) {
                if extract(values[other], 0, lanes.bytes) == extract(value, 0, lanes.bytes) {
                    findings.same = true;
                } else {
                    findings.lanes = findings.lanes.or(Some(address));
                }
            }
            let (first, count) = self.cells(address, lanes.bytes);
            self.writes[first..first + count].iter_mut().for_each(|last| *last = last.after(by, 1 << lane));
            let word = (address / 8) as usize;
            self.words[word] = insert(self.words[word], address, lanes.bytes, value);
        }
        Ok(findings)
    }

    /// Records an access of some places in a range of bytes.
    pub(super) fn somewhere(&mut self, range: Range<u64>, touch: Touch, by: &Accessor) -> Findings {
        let mut findings = Findings::default();
        let cell = u64::from(self.cell);
        let first = (range.start / cell) as usize;
        let count = (range.end.min(self.bytes).div_ceil(cell) as usize).saturating_sub(first);
        if count == 0 {
            return findings;
        }
        self.check_atomics(first, count, by, &mut findings);
        let unordered = |last: &Last| *last != Last::NONE && !last.ordered_before(by.clock);
        if let Some(at) = self.writes[first..first + count].iter().position(unordered)
            && findings.conflict.is_none()
        {
            findings.conflict = Some(self.conflict(first + at, Access::Write, self.writes[first + at]));
        }
        let at = by.warp * self.writes.len() + first;
        if !matches!(touch, Touch::Read | Touch::StrongRead) {
            self.check_reads(first, count, by, &mut findings);
        }
        match touch {
            Touch::Read => self.note_read(first, count, by, u32::MAX),
            Touch::StrongRead => self.strong(by.strength).reads[at..][..count].fill(Last::new(by)),
            Touch::Write => self.writes[first..first + count].fill(Last::new(by)),
            Touch::StrongWrite | Touch::Atomic => self.strong(by.strength).writes[at..][..count].fill(Last::new(by)),
        }
        findings
    }

    /// Returns the first word, if the lanes access consecutive doubles inside the memory.
    fn aligned_row(&self, lanes: &Lanes) -> Option<usize> {
        let address = lanes.consecutive? & ADDRESS_MASK;
        (address + 256 <= self.bytes).then_some(address as usize / 8)
    }

    fn check(&self, lanes: &Lanes, lane: usize) -> Result<u64, Kind> {
        let address = lanes.address(lane) & ADDRESS_MASK;
        aligned_inside(Space::Shared, self.bytes, address, address, lanes.bytes, lane)?;
        Ok(address)
    }

    /// Updates one lane's word, for an atomic; `write` gives the new value.
    pub(super) fn update(
        &mut self,
        lanes: &Lanes,
        lane: usize,
        by: &Accessor,
        write: impl FnOnce(u64) -> u64,
    ) -> Result<(u64, Findings), Kind> {
        let mut findings = Findings::default();
        let address = self.check(lanes, lane)?;
        let reads = by.manner != Manner::Overwriting;
        self.write_strongly(self.cells(address, lanes.bytes), by, lane, reads, &mut findings);
        let word = (address / 8) as usize;
        let old = extract(self.words[word], address, lanes.bytes);
        self.words[word] = insert(self.words[word], address, lanes.bytes, write(old));
        Ok((old, findings))
    }

    /// Finds atomics and strong writes of other warps that nothing orders before this access, and that are not alike.
    fn check_atomics(&self, first: usize, count: usize, by: &Accessor, findings: &mut Findings) {
        let of = |strong: &Strong| self.unordered(strong.strength, &strong.writes, first, count, by);
        let found = || self.strong.iter().find_map(of).map(|(cell, last)| self.conflict(cell, Access::Write, last));
        findings.conflict = findings.conflict.take().or_else(found);
    }

    /// Finds such strong reads.
    fn unordered_strong_read(&self, first: usize, count: usize, by: &Accessor) -> Option<Conflict> {
        let of = |strong: &Strong| self.unordered(strong.strength, &strong.reads, first, count, by);
        self.strong.iter().find_map(of).map(|(cell, last)| self.conflict(cell, Access::Read, last))
    }

    /// Returns the first strong access of all warps, in lists by warp, that nothing orders before this one, and that is not alike.
    fn unordered(
        &self,
        strength: Strength,
        lists: &[Last],
        first: usize,
        count: usize,
        by: &Accessor,
    ) -> Option<(usize, Last)> {
        let own = self.rank(by.warp);
        let alike = by.manner != Manner::Weak && strength.bytes == by.strength.bytes;
        let wide = strength.wide && by.strength.wide;
        let warps = (0..self.warps).filter(move |warp| !alike || !wide && self.rank(*warp) != own);
        let last = |cell: usize| warps.clone().map(move |warp| (cell, lists[warp * self.writes.len() + cell]));
        (first..first + count).flat_map(last).find(|(_, last)| !last.ordered_before(by.clock))
    }

    /// Returns the number of the CTA that the warp belongs to.
    fn rank(&self, warp: usize) -> usize {
        warp * self.ranks / self.warps.max(1)
    }

    fn conflict(&self, cell: usize, earlier: Access, last: Last) -> Conflict {
        let slot = last.slot();
        let warp = self.issuers.get(&slot).copied().unwrap_or(slot as u32 & 31);
        let time = VectorClock::is_warp(slot).then_some(last.epoch >> SLOT_BITS);
        Conflict { address: u64::from(self.cell) * cell as u64, earlier, warp, time, pc: last.pc }
    }

    /// Finds weak writes that nothing orders before this access, and cells that lanes of `readers` find without a value.
    fn check_writes(&self, first: usize, count: usize, by: &Accessor, findings: &mut Findings, readers: Option<u32>) {
        let writes = &self.writes[first..first + count];
        // one write of a whole row left the same mark on all its cells
        let alike = self.firsts.is_empty() && writes.iter().all(|write| *write == writes[0]);
        let count = if alike { 1 } else { count };
        for (i, last) in writes[..count].iter().enumerate() {
            if *last == Last::NONE {
                if readers.is_some_and(|lanes| !self.is_begun(first + i, by, lanes)) {
                    findings.unwritten = findings.unwritten.or(Some(u64::from(self.cell) * (first + i) as u64));
                }
            } else if !last.ordered_before(by.clock) && findings.conflict.is_none() {
                findings.conflict = Some(self.conflict(first + i, Access::Write, *last));
            }
        }
    }

    fn check_reads(&self, first: usize, count: usize, by: &Accessor, findings: &mut Findings) {
        let (cells, rows) = (self.writes.len(), self.writes.len() / 32);
        for copies in self.copied.chunks(cells.max(1)) {
            let late = copies[first..first + count].iter().position(|last| !last.ordered_before(by.clock));
            if let Some(i) = late.filter(|_| findings.conflict.is_none()) {
                findings.conflict = Some(self.conflict(first + i, Access::Read, copies[first + i]));
            }
        }
        if findings.conflict.is_none() {
            findings.conflict = self.unordered_strong_read(first, count, by);
        }
        for warp in 0..self.warps {
            let latest = &self.latest[warp * rows + first / 32..=warp * rows + (first + count - 1) / 32];
            if latest.iter().all(|clock| *clock <= by.clock[warp]) {
                continue;
            }
            let reads = &self.reads[warp * cells + first..][..count];
            if let Some(i) = reads.iter().position(|last| !last.ordered_before(by.clock))
                && findings.conflict.is_none()
            {
                findings.conflict = Some(self.conflict(first + i, Access::Read, reads[i]));
            }
        }
    }

    fn note_read(&mut self, first: usize, count: usize, by: &Accessor, lanes: u32) {
        let (cells, rows) = (self.writes.len(), self.writes.len() / 32);
        let reads = &mut self.reads[by.warp * cells + first..][..count];
        reads.iter_mut().for_each(|last| *last = last.after(by, lanes));
        self.latest[by.warp * rows + first / 32..=by.warp * rows + (first + count - 1) / 32].fill(by.clock[by.warp]);
    }
}

/// Marks cells; returns whether one had a mark of another slot that the clock does not cover.
fn marked(cells: &mut [Last], mark: Last, clock: &VectorClock) -> bool {
    let crowded = cells.iter().any(|old| *old != Last::NONE && old.slot() != mark.slot() && !old.ordered_before(clock));
    cells.fill(mark);
    crowded
}

/// Mask of shared addresses, which have 32 bits.
pub(super) const ADDRESS_MASK: u64 = 0xffff_ffff;

/// Counts the passes of an access over 32 banks of `bank_bytes`: the most different units that fall into one bank.
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
