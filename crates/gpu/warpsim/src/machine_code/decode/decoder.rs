//! The decoder's state: the launch's constants, and a pool of those that are written in instructions.

use crate::buffer::Buffer;
use crate::machine_code::op::{Bit, POOL, Source, TRUE, Word};
use sass::{Cubin, Kernel};
use std::collections::{BTreeMap, HashMap};

pub(super) struct Decoder<'c> {
    pub(super) cubin: &'c Cubin,
    pub(super) kernel: &'c Kernel,
    /// Number of buffers of the launch.
    pub(super) buffers: usize,
    pub(super) banks: BTreeMap<u8, Buffer>,
    pub(super) pool: Vec<Word>,
    /// Pairs of rows of the pool by their values.
    pub(super) known: HashMap<(u32, u32), u32>,
}

impl Decoder<'_> {
    /// Returns two rows of the pool with these values, as a source.
    pub(super) fn constant(&mut self, low: u32, high: u32) -> Source {
        let pool = &mut self.pool;
        let row = *self.known.entry((low, high)).or_insert_with(|| {
            pool.extend([[low; 32], [high; 32]]);
            pool.len() as u32 - 2
        });
        Source { row: row | POOL, negate: false, absolute: false, invert: false }
    }

    /// Returns bytes of constant memory; `None` if their contents are not known.
    pub(super) fn constant_at(&self, bank: u8, offset: i64, bytes: u32) -> Option<u64> {
        let buffer = self.banks.get(&bank)?;
        let offset = in_bank(offset).filter(|offset| offset.is_multiple_of(u64::from(bytes)))?;
        (offset.checked_add(u64::from(bytes))? <= buffer.bytes()).then(|| buffer.read(offset, bytes)).flatten()
    }
}

/// Returns the offset in a bank, which has 16 bits; the disassembler takes it for signed in loads.
fn in_bank(offset: i64) -> Option<u64> {
    let offset = if offset < 0 { offset + (1 << 16) } else { offset };
    u64::try_from(offset).ok()
}

/// The predicate that always holds, and the one that never does.
pub(super) const HOLDS: Bit = (TRUE, false);
pub(super) const FAILS: Bit = (TRUE, true);
