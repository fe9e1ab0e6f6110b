//! The global memory that a launch works on.

use ptx::inst::Type;

/// An array in global memory. Its words remember whether they were ever written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    words: Vec<u64>,
    bytes: u64,
    writable: bool,
    /// One bit per byte of a word.
    written: Vec<u8>,
}

impl Buffer {
    /// Makes a read-only array.
    pub fn input(values: &[f64]) -> Self {
        Self::filled(values.iter().map(|v| v.to_bits()).collect(), 8 * values.len() as u64, false)
    }

    /// Makes a writable array with values.
    pub fn in_out(values: &[f64]) -> Self {
        Self { writable: true, ..Self::input(values) }
    }

    /// Makes a writable array of `len` doubles, none of them written: reading them is a hazard.
    pub fn output(len: usize) -> Self {
        Self { words: vec![0; len], bytes: 8 * len as u64, writable: true, written: vec![0; len] }
    }

    /// Makes a writable array of elements of that type, each as its bits with zeros above.
    pub fn words(ty: Type, values: impl IntoIterator<Item = u64>) -> Self {
        let bytes = ty.bytes().clamp(1, 8);
        let per_word = (8 / bytes) as usize;
        let values: Vec<u64> = values.into_iter().collect();
        let word = |chunk: &[u64]| chunk.iter().rev().fold(0, |word, x| shifted(word, bytes) | x & low(bytes));
        let words = values.chunks(per_word).map(word).collect();
        Self::filled(words, u64::from(bytes) * values.len() as u64, true)
    }

    /// Makes a writable array of `len` elements, none of them written: reading them is a hazard.
    pub fn unwritten(ty: Type, len: usize) -> Self {
        let bytes = u64::from(ty.bytes().clamp(1, 8)) * len as u64;
        let words = bytes.div_ceil(8) as usize;
        Self { words: vec![0; words], bytes, writable: true, written: vec![0; words] }
    }

    /// Returns the same array, which the kernel must not write.
    pub fn read_only(self) -> Self {
        Self { writable: false, ..self }
    }

    /// Returns the bits of element `index`; `None` if it was never written.
    pub fn element(&self, ty: Type, index: usize) -> Option<u64> {
        let bytes = ty.bytes().clamp(1, 8);
        let offset = u64::from(bytes) * index as u64;
        if offset + u64::from(bytes) > self.bytes { None } else { self.read(offset, bytes) }
    }

    /// Returns the number of elements of that type.
    pub fn len_of(&self, ty: Type) -> usize {
        (self.bytes / u64::from(ty.bytes().clamp(1, 8))) as usize
    }

    fn filled(words: Vec<u64>, bytes: u64, writable: bool) -> Self {
        let written = vec![ALL; words.len()];
        Self { words, bytes, writable, written }
    }

    /// Returns the contents as doubles; words never written are 0.
    pub fn reals(&self) -> Vec<f64> {
        self.words.iter().map(|w| f64::from_bits(*w)).collect()
    }

    /// Whether element `index` has a value.
    pub fn is_written(&self, index: usize) -> bool {
        self.written[index] == ALL
    }

    /// Writes element `index`, if it exists.
    pub fn write_real(&mut self, index: usize, value: f64) {
        if let Some((word, written)) = self.words.get_mut(index).zip(self.written.get_mut(index)) {
            (*word, *written) = (value.to_bits(), ALL);
        }
    }

    /// Writes the bits of element `index`, if it exists.
    pub fn write_element(&mut self, ty: Type, index: usize, bits: u64) {
        let bytes = ty.bytes().clamp(1, 8);
        let offset = u64::from(bytes) * index as u64;
        if offset + u64::from(bytes) <= self.bytes {
            self.write(offset, bytes, bits);
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether a kernel may write the array.
    pub fn writable(&self) -> bool {
        self.writable
    }

    /// Reads bytes; the access must lie inside and be aligned.
    pub(super) fn read(&self, offset: u64, bytes: u32) -> Option<u64> {
        let word = (offset / 8) as usize;
        let mask = bytes_of_word(offset, bytes);
        (self.written[word] & mask == mask).then(|| extract(self.words[word], offset, bytes))
    }

    /// Writes bytes; the access must lie inside and be aligned.
    pub(super) fn write(&mut self, offset: u64, bytes: u32, value: u64) {
        let word = (offset / 8) as usize;
        self.words[word] = insert(self.words[word], offset, bytes, value);
        self.written[word] |= bytes_of_word(offset, bytes);
    }

    /// Returns 32 words in a row, if all of them have values.
    pub(super) fn read_row(&self, word: usize) -> Option<&[u64]> {
        let written = &self.written[word..word + 32];
        written.iter().all(|w| *w == ALL).then(|| &self.words[word..word + 32])
    }

    pub(super) fn write_row(&mut self, word: usize, values: &[u64; 32]) {
        self.words[word..word + 32].copy_from_slice(values);
        self.written[word..word + 32].fill(ALL);
    }
}

fn shifted(word: u64, bytes: u32) -> u64 {
    word.checked_shl(8 * bytes).unwrap_or(0)
}

/// All bytes of a word.
const ALL: u8 = 0xff;

fn bytes_of_word(offset: u64, bytes: u32) -> u8 {
    (ALL >> (8 - bytes.min(8))) << (offset % 8)
}

/// Returns a mask of the low bits that `bytes` bytes hold.
pub(super) fn low(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes.clamp(1, 8))
}

/// Returns the bytes of a word at an aligned address.
pub(super) fn extract(word: u64, address: u64, bytes: u32) -> u64 {
    word >> (8 * (address % 8)) & low(bytes)
}

/// Replaces bytes of a word at an aligned address.
pub(super) fn insert(word: u64, address: u64, bytes: u32, value: u64) -> u64 {
    let shift = 8 * (address % 8);
    word & !(low(bytes) << shift) | (value & low(bytes)) << shift
}
