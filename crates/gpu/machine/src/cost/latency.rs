//! Latencies of results, for ratios only: cycles until a dependent instruction can go on, of one warp on Volta after Jia,
//! Maggioni, Staiger and Scarpazza ("Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018), for memory those of
//! a hit. Passes over PTX compare what they could do by these, before anything is assembled.

/// A move, a selection, a comparison, an addition.
pub const SIMPLE: u64 = 4;

/// A branch: its own issue and the fetch behind it.
pub const BRANCH: u64 = 8;

/// Arithmetic on doubles.
pub const DOUBLE: u64 = 8;

/// A parameter or a constant.
pub const CONSTANT: u64 = 8;

pub const SHARED: u64 = 23;

/// Global or local memory.
pub const MEMORY: u64 = 30;

/// Warp instructions that were executed, by what their results take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Executed {
    pub simple: u64,
    pub branches: u64,
    pub constants: u64,
    /// Issue slots; a division has [several](super::DIVISION_SLOTS).
    pub doubles: u64,
    pub shared: u64,
    pub memory: u64,
}

impl Executed {
    /// The time of all, one after the other.
    pub fn cycles(&self) -> u64 {
        SIMPLE * self.simple
            + BRANCH * self.branches
            + CONSTANT * self.constants
            + DOUBLE * self.doubles
            + SHARED * self.shared
            + MEMORY * self.memory
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_latency() {
        let executed = Executed { simple: 4, branches: 1, constants: 1, doubles: 2, shared: 1, memory: 1 };
        assert_eq!(executed.cycles(), 4 * 4 + 8 + 8 + 2 * 8 + 23 + 30);
    }
}
