//! Options of an allocation.

use super::spill_location::Rewriting;

/// Limits and methods of an allocation.
#[derive(Debug, Clone)]
pub struct Options {
    /// 32-bit registers per thread, at most 256.
    pub registers: u32,
    /// Predicate registers per thread.
    pub predicates: u32,
    pub algorithm: Algorithm,
    pub rewriting: Rewriting,
    pub rules: Rules,
    /// Shared memory for spilling.
    pub shared: Budget,
    /// Whether values on which lanes disagree may be spilled there too, to slots of each thread; without, they go to local memory.
    pub own_slots: bool,
    /// The shape of the CTA, where the kernel does not demand one.
    pub block: Option<[u32; 3]>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            registers: 32,
            predicates: 7,
            algorithm: Algorithm::default(),
            rewriting: Rewriting::AffRA,
            rules: Rules::Sound,
            shared: Budget { bytes: 0, warps: 32 },
            own_slots: false,
            block: None,
        }
    }
}

/// Algorithm of the allocator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    LinearScan,
    #[default]
    ChaitinBriggs,
}

/// Trust in the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rules {
    /// With the conditions that make sharing between lanes sound.
    #[default]
    Sound,
    /// As published: what leaves a loop through a divergent exit counts as uniform, and threads on different sides of a
    /// divergent branch may share a slot. For demonstrations; the checker rejects what comes of it.
    Published,
}

/// How the sides of a divergent branch run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// One to its end, then the other: before sm_70.
    OneByOne,
    /// In any interleaving.
    Interleaved,
}

/// Shared memory that spilling may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Bytes per CTA.
    pub bytes: u32,
    /// Warps per CTA.
    pub warps: u32,
}

impl Budget {
    /// Bytes per warp.
    pub fn per_warp(self) -> u32 {
        (self.bytes / self.warps.max(1)) & !7
    }
}
