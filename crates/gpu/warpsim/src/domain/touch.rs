//! Accesses of lanes to shared memory.

/// Kind of an access to shared memory. Atomics and strong accesses of one size do not race with each other.
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
