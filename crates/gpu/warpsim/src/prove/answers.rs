//! Values that depend on the answers to peeks, and states of registers beside them.

use super::common::Slot;
use crate::domain::{Peek, Written};
use crate::rows::Row;
use std::collections::BTreeMap;

/// Values of a warp that depend on the answer to a peek.
#[derive(Default)]
pub(super) struct Answers {
    /// The values for no and for yes, the same in all lanes that asked.
    pub(super) values: BTreeMap<Slot, (Peek, [u64; 2])>,
    /// Result of the instruction that is being executed.
    pub(super) pending: Option<(u32, Peek, Slot, [u64; 2])>,
    pub(super) owed: Option<Owed>,
}

/// A wait that a peek may spare.
pub(super) struct Owed {
    pub(super) peek: Peek,
    pub(super) wait: u32,
    pub(super) until: u32,
    pub(super) written: Written,
    pub(super) before: State,
}

impl Answers {
    /// Notes that the slot has another value.
    pub(super) fn forget(&mut self, slot: Slot) {
        self.values.remove(&slot);
    }
}

/// State that a side leaves in the registers that it may write.
#[derive(Clone)]
pub(super) struct State {
    pub(super) rows: Vec<(Row, u32)>,
    pub(super) preds: Vec<(u32, u32)>,
    /// Lanes that hold one value together.
    pub(super) one: (Vec<u32>, Vec<u32>),
}
