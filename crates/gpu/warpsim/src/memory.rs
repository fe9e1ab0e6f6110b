//! Global, constant and local memory.

use super::buffer::{Buffer, extract, insert};
use super::hazard::Kind;
use super::rows::Row;
use ptx::inst::Space;
use std::ops::Range;

/// Bits of an offset in a segment. Each buffer and table is a segment of its own, so that an access past its end meets no neighbour.
const SEGMENT_BITS: u32 = 40;

/// Windows of shared, local and constant memory in the generic addresses: above all segments.
pub(super) const SHARED_WINDOW: u64 = 1 << 62;
pub(super) const LOCAL_WINDOW: u64 = 1 << 61;
pub(super) const CONST_WINDOW: u64 = 1 << 60;

/// Bits of an address in the shared memory of one CTA. Above them an address in a cluster has the rank of its CTA and one.
pub(super) const RANK_BITS: u32 = 24;

/// Returns the space of a generic address, and the address there.
pub(super) fn concrete(address: u64) -> (Space, u64) {
    if address >= SHARED_WINDOW {
        (Space::Shared, address - SHARED_WINDOW)
    } else if address >= LOCAL_WINDOW {
        (Space::Local, address - LOCAL_WINDOW)
    } else if address >= CONST_WINDOW {
        (Space::Const, address - CONST_WINDOW)
    } else {
        (Space::Global, address)
    }
}

/// Returns the start of a segment; address 0 belongs to none.
pub(super) fn segment_address(segment: usize) -> u64 {
    (segment as u64 + 1) << SEGMENT_BITS
}

/// Returns the segment and byte of an address.
pub(super) fn place(address: u64) -> (u64, u64) {
    ((address >> SEGMENT_BITS).wrapping_sub(1), address & ((1 << SEGMENT_BITS) - 1))
}

/// The segments of global and constant memory.
pub(super) struct Segments<'a> {
    pub buffers: &'a mut [Buffer],
    pub tables: Vec<(Space, Buffer)>,
}

/// The lanes of one access and their addresses.
pub(super) struct Lanes<'a> {
    base: &'a Row,
    offset: u64,
    pub mask: u32,
    pub bytes: u32,
    /// First address, if all 32 lanes access consecutive, aligned doubles.
    pub consecutive: Option<u64>,
}

impl<'a> Lanes<'a> {
    pub(super) fn new(base: &'a Row, offset: u64, mask: u32, bytes: u32) -> Self {
        let start = base[0].wrapping_add(offset);
        let plain = mask == u32::MAX && bytes == 8 && start.is_multiple_of(8);
        // without early exit the differences are computed several at a time
        let stray = || (0..32).fold(0, |stray, lane| stray | (base[lane].wrapping_sub(base[0]) ^ (8 * lane as u64)));
        let consecutive = (plain && stray() == 0).then_some(start);
        Self { base, offset, mask, bytes, consecutive }
    }

    pub(super) fn address(&self, lane: usize) -> u64 {
        self.base[lane].wrapping_add(self.offset)
    }

    /// Returns the active lanes.
    pub(super) fn active(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.mask;
        (0..32).filter(move |lane| mask >> lane & 1 == 1)
    }

    /// Returns the address, if all lanes access the same.
    pub(super) fn uniform(&self) -> Option<u64> {
        let stray = || self.base.iter().fold(0, |stray, address| stray | (address ^ self.base[0]));
        (self.mask == u32::MAX && stray() == 0).then(|| self.address(0))
    }
}

impl Segments<'_> {
    /// Whether there are tables that a store could reach.
    pub(super) fn changeable(&self) -> bool {
        self.tables.iter().any(|(space, _)| *space == Space::Global)
    }

    pub(super) fn load(&self, space: Space, lanes: &Lanes) -> Result<Row, Kind> {
        if let Some(address) = lanes.consecutive
            && let (Some(buffer), offset) = self.segment(space, address)
            && offset + 256 <= buffer.bytes()
            && let Some(row) = buffer.read_row(offset as usize / 8)
        {
            return Ok(row.try_into().expect("a row has 32 words"));
        }
        if lanes.uniform().is_some() {
            return Ok([self.word(space, lanes, 0)?; 32]);
        }
        let mut row = [0; 32];
        for lane in lanes.active() {
            row[lane] = self.word(space, lanes, lane)?;
        }
        Ok(row)
    }

    pub(super) fn store(&mut self, lanes: &Lanes, values: &Row) -> Result<(), Kind> {
        let space = Space::Global;
        if let Some(address) = lanes.consecutive
            && let (Some(buffer), offset) = self.segment_mut(address)
            && offset + 256 <= buffer.bytes()
            && buffer.writable()
        {
            buffer.write_row(offset as usize / 8, values);
            return Ok(());
        }
        for lane in lanes.active() {
            let address = lanes.address(lane);
            let (buffer, offset) = self.segment_mut(address);
            let buffer = check(space, buffer, lanes, lane, offset)?;
            if !buffer.writable() {
                return Err(Kind::ReadOnly { address });
            }
            buffer.write(offset, lanes.bytes, values[lane]);
        }
        Ok(())
    }

    fn word(&self, space: Space, lanes: &Lanes, lane: usize) -> Result<u64, Kind> {
        let address = lanes.address(lane);
        let (buffer, offset) = self.segment(space, address);
        let buffer = check(space, buffer, lanes, lane, offset)?;
        buffer.read(offset, lanes.bytes).ok_or(Kind::Unwritten { space, address })
    }

    fn segment(&self, space: Space, address: u64) -> (Option<&Buffer>, u64) {
        let (segment, offset) = place(address);
        let buffer = match usize::try_from(segment).ok().and_then(|s| s.checked_sub(self.buffers.len())) {
            Some(table) => self.tables.get(table).filter(|(of, _)| *of == space).map(|(_, buffer)| buffer),
            None if space == Space::Global => self.buffers.get(segment as usize),
            None => None,
        };
        (buffer, offset)
    }

    fn segment_mut(&mut self, address: u64) -> (Option<&mut Buffer>, u64) {
        let (segment, offset) = place(address);
        let buffer = match usize::try_from(segment).ok().and_then(|s| s.checked_sub(self.buffers.len())) {
            Some(table) => self.tables.get_mut(table).filter(|(of, _)| *of == Space::Global).map(|(_, b)| b),
            None => self.buffers.get_mut(segment as usize),
        };
        (buffer, offset)
    }
}

impl Segments<'_> {
    /// Updates one lane's word, for an atomic; `write` gives the new value.
    pub(super) fn update(&mut self, lanes: &Lanes, lane: usize, write: impl FnOnce(u64) -> u64) -> Result<u64, Kind> {
        let old = self.word(Space::Global, lanes, lane)?;
        let address = lanes.address(lane);
        let (Some(buffer), offset) = self.segment_mut(address) else {
            return Err(Kind::OutOfBounds { space: Space::Global, address, lane: lane as u32 });
        };
        if !buffer.writable() {
            return Err(Kind::ReadOnly { address });
        }
        buffer.write(offset, lanes.bytes, write(old));
        Ok(old)
    }
}

/// A memory with a size in bytes.
trait Extent {
    fn extent(&self) -> u64;
}

impl Extent for &Buffer {
    fn extent(&self) -> u64 {
        self.bytes()
    }
}

impl Extent for &mut Buffer {
    fn extent(&self) -> u64 {
        self.bytes()
    }
}

fn check<B: Extent>(space: Space, buffer: Option<B>, lanes: &Lanes, lane: usize, offset: u64) -> Result<B, Kind> {
    let address = lanes.address(lane);
    match buffer {
        Some(buffer) => {
            aligned_inside(space, buffer.extent(), offset, address, lanes.bytes, lane)?;
            Ok(buffer)
        }
        None => Err(Kind::OutOfBounds { space, address, lane: lane as u32 }),
    }
}

/// Checks one lane's access to `offset` in a memory of `extent` bytes.
pub(super) fn aligned_inside(
    space: Space,
    extent: u64,
    offset: u64,
    address: u64,
    bytes: u32,
    lane: usize,
) -> Result<(), Kind> {
    let lane = lane as u32;
    if !offset.is_multiple_of(u64::from(bytes)) {
        return Err(Kind::Misaligned { space, address, lane });
    }
    if offset >= extent || extent - offset < u64::from(bytes) {
        return Err(Kind::OutOfBounds { space, address, lane });
    }
    Ok(())
}

/// The local memory of one warp: a row per 8 bytes, a column per lane.
pub(super) struct Local {
    rows: Vec<Row>,
    /// Lanes that have written the lower and the upper half of each row.
    written: Vec<[u32; 2]>,
}

/// Words that a load of local memory found without values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unwritten {
    /// The first such address.
    pub address: u64,
    /// The lanes, of the first and of the second word.
    pub lanes: [u32; 2],
}

/// Rows of 8 bytes per thread that the hardware has.
const MOST_ROWS: usize = 512 * 1024 / 8;

/// Returns the halves of a row that an access touches.
fn halves(address: u64, bytes: u32) -> Range<usize> {
    let first = (address / 4 % 2) as usize;
    first..first + bytes.div_ceil(4) as usize
}

impl Local {
    pub(super) fn new(bytes: u64) -> Self {
        let rows = bytes.div_ceil(8) as usize;
        Self { rows: vec![[0; 32]; rows], written: vec![[0; 2]; rows] }
    }

    /// Forgets what was written, for the next CTA.
    pub(super) fn reset(&mut self) {
        self.written.fill([0; 2]);
    }

    /// Makes room for `bytes` in all; false if there is not so much.
    pub(super) fn grow(&mut self, bytes: u64) -> bool {
        let rows = bytes.div_ceil(8) as usize;
        if rows > MOST_ROWS {
            return false;
        }
        if rows > self.rows.len() {
            self.rows.resize(rows, [0; 32]);
            self.written.resize(rows, [0; 2]);
        }
        true
    }

    /// Updates one lane's word, for an atomic.
    pub(super) fn update(&mut self, lanes: &Lanes, lane: usize, write: impl FnOnce(u64) -> u64) -> Result<u64, Kind> {
        let address = self.check(lanes, lane)?;
        let index = (address / 8) as usize;
        let old = extract(self.rows[index][lane], address, lanes.bytes);
        self.rows[index][lane] = insert(self.rows[index][lane], address, lanes.bytes, write(old));
        self.mark(address, lanes.bytes, lane);
        Ok(old)
    }

    /// Loads the values, and reports those that nobody wrote.
    pub(super) fn load(&self, lanes: &Lanes) -> Result<(Row, Option<Unwritten>), Kind> {
        let mut row = [0; 32];
        if let (Some(address), 8) = (lanes.uniform(), lanes.bytes) {
            self.check(lanes, 0)?;
            let index = (address / 8) as usize;
            let found = self.written[index].map(|written| !written);
            return Ok((self.rows[index], (found != [0; 2]).then_some(Unwritten { address, lanes: found })));
        }
        let mut found = [0; 2];
        let mut first = None;
        for lane in lanes.active() {
            let address = self.check(lanes, lane)?;
            let index = (address / 8) as usize;
            for (word, half) in halves(address, lanes.bytes).enumerate() {
                if self.written[index][half] >> lane & 1 == 0 {
                    first = first.or(Some(address));
                    found[word] |= 1 << lane;
                }
            }
            row[lane] = extract(self.rows[index][lane], address, lanes.bytes);
        }
        Ok((row, first.map(|address| Unwritten { address, lanes: found })))
    }

    pub(super) fn store(&mut self, lanes: &Lanes, values: &Row) -> Result<(), Kind> {
        if let (Some(address), 8) = (lanes.uniform(), lanes.bytes) {
            self.check(lanes, 0)?;
            let index = (address / 8) as usize;
            self.rows[index] = *values;
            self.written[index] = [u32::MAX; 2];
            return Ok(());
        }
        for lane in lanes.active() {
            let address = self.check(lanes, lane)?;
            let index = (address / 8) as usize;
            self.rows[index][lane] = insert(self.rows[index][lane], address, lanes.bytes, values[lane]);
            self.mark(address, lanes.bytes, lane);
        }
        Ok(())
    }

    /// Marks a stored value as unwritten, for these lanes of its words.
    pub(super) fn forget(&mut self, lanes: &Lanes, undefined: [u32; 2]) {
        for lane in lanes.active() {
            let address = lanes.address(lane);
            for (word, half) in halves(address, lanes.bytes).enumerate() {
                self.written[(address / 8) as usize][half] &= !(undefined[word] & 1 << lane);
            }
        }
    }

    fn mark(&mut self, address: u64, bytes: u32, lane: usize) {
        for half in halves(address, bytes) {
            self.written[(address / 8) as usize][half] |= 1 << lane;
        }
    }

    fn check(&self, lanes: &Lanes, lane: usize) -> Result<u64, Kind> {
        let address = lanes.address(lane);
        aligned_inside(Space::Local, 8 * self.rows.len() as u64, address, address, lanes.bytes, lane)?;
        Ok(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_word_of_local_memory_may_be_undefined() {
        let mut local = Local::new(16);
        let (low, high) = ([0; 32], [4; 32]);
        local.store(&Lanes::new(&low, 0, u32::MAX, 8), &[7; 32]).unwrap();
        let whole = |local: &Local| local.load(&Lanes::new(&low, 0, u32::MAX, 8)).unwrap().1.map(|found| found.lanes);
        assert_eq!(whole(&local), None);
        local.forget(&Lanes::new(&low, 0, u32::MAX, 8), [0, 0xf0]);
        assert_eq!(whole(&local), Some([0, 0xf0]));
        assert!(local.load(&Lanes::new(&low, 0, u32::MAX, 4)).unwrap().1.is_none());
        let upper = local.load(&Lanes::new(&high, 0, 0x1f, 4)).unwrap().1.unwrap();
        assert_eq!((upper.address, upper.lanes), (4, [0x10, 0]));
        local.store(&Lanes::new(&high, 0, u32::MAX, 4), &[1; 32]).unwrap();
        assert_eq!(whole(&local), None);
    }
}
