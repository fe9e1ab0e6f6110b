//! Memory that all waves see, and the local data share (CDNA3 ISA).

use crate::barriers::Clock;
use crate::listing::DATA;

/// An array that a kernel gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    bytes: Vec<u8>,
    /// One per byte.
    written: Vec<bool>,
    writable: bool,
}

impl Array {
    /// Doubles that the kernel only reads.
    pub fn input(values: &[f64]) -> Self {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_bits().to_le_bytes()).collect();
        Self { written: vec![true; bytes.len()], bytes, writable: false }
    }

    /// Doubles that the kernel writes; reading them before is a hazard.
    pub fn output(len: usize) -> Self {
        Self { bytes: vec![0; 8 * len], written: vec![false; 8 * len], writable: true }
    }

    /// Words of four bytes, of which some have no value yet.
    pub fn words(words: &[Option<u32>], writable: bool) -> Self {
        let bytes = words.iter().flat_map(|word| word.unwrap_or(0).to_le_bytes()).collect();
        let written = words.iter().flat_map(|word| [word.is_some(); 4]).collect();
        Self { bytes, written, writable }
    }

    pub fn len(&self) -> usize {
        self.bytes.len() / 8
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// A double, where it was written.
    pub fn real(&self, index: usize) -> Option<f64> {
        self.at(8 * index).map(|bytes| f64::from_bits(u64::from_le_bytes(bytes)))
    }

    /// A word of four bytes, where it was written.
    pub fn word(&self, index: usize) -> Option<u32> {
        self.at(4 * index).map(u32::from_le_bytes)
    }

    fn at<const BYTES: usize>(&self, first: usize) -> Option<[u8; BYTES]> {
        let range = first..first + BYTES;
        let bytes = self.bytes.get(range.clone())?.try_into().ok()?;
        self.written[range].iter().all(|written| *written).then_some(bytes)
    }
}

/// Where arguments and the dispatch packet lie.
pub const ARGUMENTS: u64 = 0x7c00_0000_0000;
pub const PACKET: u64 = 0x7c10_0000_0000;

/// Where private memory lies, such that the sum with a wave's offset carries into the upper half of the address.
const PRIVATE: u64 = 0x7a00_ffff_ff00;

/// Returns the offset that a wave adds to the address in the descriptor that it gets.
pub fn private_offset(wave: u16) -> u32 {
    0x1000 * (u32::from(wave) + 1)
}

/// The descriptor of a workgroup's private memory, as its waves get it.
pub fn shared_descriptor() -> [u32; 4] {
    [PRIVATE as u32, (PRIVATE >> 32) as u32, u32::MAX, 0x00e0_0000]
}

/// The same with the wave's own address.
pub fn descriptor(wave: u16) -> [u32; 4] {
    let [_, _, size, flags] = shared_descriptor();
    let own = PRIVATE + u64::from(private_offset(wave));
    [own as u32, (own >> 32) as u32, size, flags]
}

/// Where an array lies: such that sums carry into the upper half of an address.
pub fn address_of(array: usize) -> u64 {
    0x4000_ffff_fe00 + ((array as u64) << 36)
}

/// Memory that a kernel can reach.
pub struct Memory<'a> {
    pub arrays: &'a mut [Array],
    pub data: &'a [u8],
    pub arguments: Vec<u8>,
    pub packet: Vec<u8>,
}

impl Memory<'_> {
    /// Four bytes.
    ///
    /// # Errors
    /// Nothing lies there, or nothing was written.
    pub fn read(&self, address: u64, bytes: u8) -> Result<u32, String> {
        let bytes = usize::from(bytes);
        let within = |base: u64, from: &[u8]| {
            let offset = usize::try_from(address.checked_sub(base)?).ok()?;
            from.get(offset..offset + bytes).map(assembled)
        };
        for (base, from) in [(DATA, self.data), (ARGUMENTS, &self.arguments), (PACKET, &self.packet)] {
            if let Some(value) = within(base, from) {
                return Ok(value);
            }
        }
        let (array, offset) = self.find(address, bytes)?;
        let found = &self.arrays[array];
        match found.written[offset..offset + bytes].iter().all(|written| *written) {
            true => Ok(assembled(&found.bytes[offset..offset + bytes])),
            false => Err(format!("it reads byte {offset} of array {array}, which was never written")),
        }
    }

    /// Whether a word ends behind the program's data or the arguments but within a block of 16 bytes that has some: Clang loads such blocks as a whole.
    pub fn is_beside_data(&self, address: u64) -> bool {
        let lies = |base: u64, of: &[u8]| {
            let (length, offset) = (of.len() as u64, address.wrapping_sub(base));
            offset < length.next_multiple_of(16) && offset + 4 > length
        };
        lies(DATA, self.data) || lies(ARGUMENTS, &self.arguments)
    }

    /// Writes the low bytes.
    ///
    /// # Errors
    /// Nothing can be written there.
    pub fn write(&mut self, address: u64, bytes: u8, value: u32) -> Result<(), String> {
        let bytes = usize::from(bytes);
        let (array, offset) = self.find(address, bytes)?;
        let found = &mut self.arrays[array];
        if !found.writable {
            return Err(format!("it writes array {array}, which is an input"));
        }
        found.bytes[offset..offset + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        found.written[offset..offset + bytes].fill(true);
        Ok(())
    }

    fn find(&self, address: u64, bytes: usize) -> Result<(usize, usize), String> {
        let inside = |(index, array): (usize, &Array)| {
            let offset = usize::try_from(address.checked_sub(address_of(index))?).ok()?;
            (offset + bytes <= array.bytes.len()).then_some((index, offset))
        };
        let found = self.arrays.iter().enumerate().find_map(inside);
        found.ok_or_else(|| format!("nothing lies at the address {address:#x}"))
    }
}

fn assembled(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// Who used a word of the local data share, and when: a wave, and a time that its clock had.
#[derive(Debug, Clone, Default)]
struct Cell {
    value: u32,
    written: bool,
    writer: Option<(u16, u32)>,
    /// Since it was written.
    readers: Vec<(u16, u32)>,
}

/// The local data share of a workgroup.
pub struct Lds {
    cells: Vec<Cell>,
}

impl Lds {
    pub fn new(bytes: u64) -> Self {
        Self { cells: vec![Cell::default(); bytes.div_ceil(4) as usize] }
    }

    fn cell(&mut self, address: u64) -> Result<&mut Cell, String> {
        if !address.is_multiple_of(4) {
            return Err(format!("the address {address:#x} of the LDS is not aligned"));
        }
        let bytes = 4 * self.cells.len();
        let found = self.cells.get_mut((address / 4) as usize);
        found.ok_or_else(|| format!("the address {address:#x} is beyond the {bytes} bytes of the LDS"))
    }

    /// A word.
    ///
    /// # Errors
    /// It was never written, or no barrier orders the read behind the write of another wave.
    pub fn read(&mut self, address: u64, wave: u16, clock: &Clock) -> Result<u32, String> {
        let cell = self.cell(address)?;
        if !cell.written {
            return Err(format!("it reads the LDS at {address:#x}, which was never written"));
        }
        if unordered(cell.writer, wave, clock) {
            return Err(format!("it reads the LDS at {address:#x}, which another wave wrote since the last barrier"));
        }
        let now = clock.time(wave);
        match cell.readers.iter_mut().find(|(reader, _)| *reader == wave) {
            Some((_, time)) => *time = now,
            None => cell.readers.push((wave, now)),
        }
        Ok(cell.value)
    }

    /// Writes a word.
    ///
    /// # Errors
    /// No barrier orders it behind what another wave read or wrote there.
    pub fn write(&mut self, address: u64, value: u32, wave: u16, clock: &Clock) -> Result<(), String> {
        let cell = self.cell(address)?;
        let mut users = cell.readers.iter().copied().chain(cell.writer);
        if users.any(|user| unordered(Some(user), wave, clock)) {
            return Err(format!("it writes the LDS at {address:#x}, which another wave used since the last barrier"));
        }
        cell.readers.clear();
        (cell.value, cell.written, cell.writer) = (value, true, Some((wave, clock.time(wave))));
        Ok(())
    }
}

/// Whether what another wave did at a time is unknown to this one.
fn unordered(user: Option<(u16, u32)>, wave: u16, clock: &Clock) -> bool {
    user.is_some_and(|(other, time)| other != wave && !clock.knows(other, time))
}
