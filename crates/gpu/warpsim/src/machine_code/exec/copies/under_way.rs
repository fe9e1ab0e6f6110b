//! Copies of a warp that have not ended, as data.

use crate::rows::Row;
use std::collections::VecDeque;

/// Copies of a warp that have not ended. They write when their group is waited for, and not before: code that reads too early
/// gets the old contents.
#[derive(Default)]
pub(in crate::machine_code) struct Copies {
    /// Copies of the group that is not closed.
    pub(super) open: Vec<Copy>,
    pub(super) closed: VecDeque<Vec<Copy>>,
}

/// A copy of up to eight bytes for each lane.
pub(super) struct Copy {
    pub(super) to: Row,
    pub(super) offset: u64,
    pub(super) bytes: u32,
    pub(super) mask: u32,
    pub(super) values: Row,
}

impl Copies {
    pub(in crate::machine_code) fn clear(&mut self) {
        self.open.clear();
        self.closed.clear();
    }

    pub(in crate::machine_code) fn close(&mut self) {
        self.closed.push_back(std::mem::take(&mut self.open));
    }
}
