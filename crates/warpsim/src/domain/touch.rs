//! How lanes access shared memory.

/// How lanes access shared memory. Atomics do not race with each other; whether strong accesses do is left open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    Write,
    Atomic,
    StrongRead,
    StrongWrite,
}

impl Touch {
    pub(crate) fn is_strong(self) -> bool {
        matches!(self, Self::Atomic | Self::StrongRead | Self::StrongWrite)
    }
}
