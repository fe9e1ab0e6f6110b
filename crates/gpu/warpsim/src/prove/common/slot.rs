//! What instructions write.

/// A register or a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Slot {
    Row(u32),
    Pred(u32),
}
