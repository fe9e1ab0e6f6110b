//! Known values that threads leave in shared memory: such as a table that they copy there from one of the module.
//!
//! A kernel without races reads the last write before, in any interleaving, so one execution decides. With strong accesses and in
//! clusters nothing is kept: there a thread may wait for a write that the execution comes to later.

use crate::decode::Code;
use crate::memory::Lanes;
use crate::shared::ADDRESS_MASK;
use std::ops::Range;

/// Bytes whose values are known; empty where nothing is kept.
pub(super) struct Kept {
    known: Vec<bool>,
}

impl Kept {
    pub(super) fn new(code: &Code, strong: bool) -> Self {
        let keeps = !strong && code.ranks == 1;
        Self { known: vec![false; if keeps { code.all_shared() as usize } else { 0 }] }
    }

    /// Forgets all values: a CTA begins, or anything may have been written.
    pub(super) fn forget_all(&mut self) {
        self.known.fill(false);
    }

    pub(super) fn forget(&mut self, range: Range<u64>) {
        let end = self.known.len();
        self.known[(range.start as usize).min(end)..(range.end as usize).min(end)].fill(false);
    }

    /// Keeps values that the lanes of `known` stored; if another lane wrote to the same place, either value may stay.
    pub(super) fn keep(&mut self, lanes: &Lanes, known: u32) {
        if self.known.is_empty() {
            return;
        }
        let (sure, open): (Vec<_>, Vec<_>) = lanes.active().partition(|lane| known >> lane & 1 == 1);
        sure.into_iter().for_each(|lane| self.known[range_of(bytes_of(lanes, lane))].fill(true));
        open.into_iter().for_each(|lane| self.forget(bytes_of(lanes, lane)));
    }

    /// Whether all lanes load values that are known.
    pub(super) fn knows(&self, lanes: &Lanes) -> bool {
        let is_kept =
            |lane| self.known.get(range_of(bytes_of(lanes, lane))).is_some_and(|known| !known.contains(&false));
        !self.known.is_empty() && lanes.active().all(is_kept)
    }
}

/// Returns the bytes that a lane accesses.
pub(super) fn bytes_of(lanes: &Lanes, lane: usize) -> Range<u64> {
    let start = lanes.address(lane) & ADDRESS_MASK;
    start..start + u64::from(lanes.bytes)
}

fn range_of(range: Range<u64>) -> Range<usize> {
    range.start as usize..range.end as usize
}
