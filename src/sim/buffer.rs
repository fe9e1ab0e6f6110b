//! The global memory that a launch works on.

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
    /// A read-only array.
    pub fn input(values: &[f64]) -> Self {
        Self::filled(values.iter().map(|v| v.to_bits()).collect(), 8 * values.len() as u64, false)
    }

    /// A writable array with values.
    pub fn in_out(values: &[f64]) -> Self {
        Self { writable: true, ..Self::input(values) }
    }

    /// A writable array of `len` doubles, none of them written: reading them is a hazard.
    pub fn output(len: usize) -> Self {
        Self { words: vec![0; len], bytes: 8 * len as u64, writable: true, written: vec![0; len] }
    }

    /// A read-only array of 32-bit integers.
    pub fn integers(values: &[i32]) -> Self {
        let half = |value: &i32| u64::from(*value as u32);
        let words = values.chunks(2).map(|pair| half(&pair[0]) | pair.get(1).map_or(0, half) << 32).collect();
        Self::filled(words, 4 * values.len() as u64, false)
    }

    /// A read-only array of bytes.
    pub fn bytes_of(values: &[u8]) -> Self {
        let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        Self::filled(values.chunks(8).map(word).collect(), values.len() as u64, false)
    }

    fn filled(words: Vec<u64>, bytes: u64, writable: bool) -> Self {
        let written = vec![ALL; words.len()];
        Self { words, bytes, writable, written }
    }

    /// The contents as doubles; words never written are 0.
    pub fn reals(&self) -> Vec<f64> {
        self.words.iter().map(|w| f64::from_bits(*w)).collect()
    }

    /// Whether element `index` has a value.
    pub fn is_written(&self, index: usize) -> bool {
        self.written[index] == ALL
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn writable(&self) -> bool {
        self.writable
    }

    /// The access lies inside and is aligned.
    pub(super) fn read(&self, offset: u64, bytes: u32) -> Option<u64> {
        let word = (offset / 8) as usize;
        let mask = bytes_of_word(offset, bytes);
        (self.written[word] & mask == mask).then(|| extract(self.words[word], offset, bytes))
    }

    /// The access lies inside and is aligned.
    pub(super) fn write(&mut self, offset: u64, bytes: u32, value: u64) {
        let word = (offset / 8) as usize;
        self.words[word] = insert(self.words[word], offset, bytes, value);
        self.written[word] |= bytes_of_word(offset, bytes);
    }

    /// 32 words in a row, when all of them have values.
    pub(super) fn read_row(&self, word: usize) -> Option<&[u64]> {
        let written = &self.written[word..word + 32];
        written.iter().all(|w| *w == ALL).then(|| &self.words[word..word + 32])
    }

    pub(super) fn write_row(&mut self, word: usize, values: &[u64; 32]) {
        self.words[word..word + 32].copy_from_slice(values);
        self.written[word..word + 32].fill(ALL);
    }
}

/// All bytes of a word.
const ALL: u8 = 0xff;

fn bytes_of_word(offset: u64, bytes: u32) -> u8 {
    (ALL >> (8 - bytes.min(8))) << (offset % 8)
}

/// The low bits that `bytes` bytes hold.
pub(super) fn low(bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * bytes.clamp(1, 8))
}

/// The bytes of a word at an aligned address.
pub(super) fn extract(word: u64, address: u64, bytes: u32) -> u64 {
    word >> (8 * (address % 8)) & low(bytes)
}

/// Replaces bytes of a word at an aligned address.
pub(super) fn insert(word: u64, address: u64, bytes: u32, value: u64) -> u64 {
    let shift = 8 * (address % 8);
    word & !(low(bytes) << shift) | (value & low(bytes)) << shift
}
