//! Causes of the clocks of a warp.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// Cause of one clock of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    Issued,
    /// The stall count of the instruction before.
    FixedLatency,
    /// A scoreboard that shared memory set.
    Shared,
    /// A scoreboard that a shuffle set.
    Shuffles,
    /// A scoreboard that local memory set.
    Local,
    /// A scoreboard that global memory set, or a fence.
    Global,
    /// A scoreboard that a load of a constant set, or an operand in constant memory that was not there.
    Constants,
    /// A scoreboard that an approximation, a conversion, or the rest set.
    Special,
    /// The pipe, the queue of the memory or a port of the registers was not free.
    Pipe,
    /// A barrier, and its latency.
    Barrier,
    /// The instruction had not been fetched.
    Fetch,
    /// The warp could have issued, and another one did.
    NotSelected,
}

impl Cause {
    pub const ALL: [Self; 12] = [
        Self::Issued,
        Self::FixedLatency,
        Self::Shared,
        Self::Shuffles,
        Self::Local,
        Self::Global,
        Self::Constants,
        Self::Special,
        Self::Pipe,
        Self::Barrier,
        Self::Fetch,
        Self::NotSelected,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Issued => "issued",
            Self::FixedLatency => "fixed latency",
            Self::Shared => "shared",
            Self::Shuffles => "shuffles",
            Self::Local => "local",
            Self::Global => "global",
            Self::Constants => "constants",
            Self::Special => "special",
            Self::Pipe => "pipe",
            Self::Barrier => "barrier",
            Self::Fetch => "fetch",
            Self::NotSelected => "not selected",
        }
    }
}

/// Cycles of a warp by cause, from the start of its CTA to its end. If two instructions are issued together, one takes the cycle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WarpTime([u64; Cause::ALL.len()]);

impl WarpTime {
    /// Returns the clocks from the start to the warp's end.
    pub fn cycles(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the clocks of a cause.
    pub fn clocks(&self, cause: Cause) -> u64 {
        self.0[cause as usize]
    }

    pub(super) fn spend(&mut self, cause: Cause, clocks: u64) {
        self.0[cause as usize] += clocks;
    }
}

impl Serialize for WarpTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1 + Cause::ALL.len()))?;
        map.serialize_entry("cycles", &self.cycles())?;
        for cause in Cause::ALL {
            map.serialize_entry(&cause.name().replace(' ', "_"), &self.clocks(cause))?;
        }
        map.end()
    }
}
