//! What executes: memories, copies that are under way, and what was found.

use super::asynchronous::Asynchronous;
use crate::decode::Code;
use crate::hazard::{Hazard, Kind};
use crate::memory::Segments;
use crate::shared::Shared;
use ptx::inst::BarKind;
use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};

/// All but the warps of the CTA that is running.
pub(crate) struct Machine<'m, 'b, D> {
    pub code: &'m Code<'m>,
    pub shared: Shared,
    pub segments: Segments<'b>,
    pub bank_bytes: u32,
    /// What may still be spent: a warp instruction costs its [`weight`](crate::domain::Domain::weight).
    pub budget: u64,
    /// Warp instructions executed.
    pub executed: u64,
    pub cta: u32,
    /// Arrivals of warps at barriers.
    pub arrivals: u64,
    pub asynchronous: Asynchronous,
    pub hazards: Collector,
    pub domain: D,
}

/// Why a warp stopped.
pub(crate) enum Event {
    /// It has executed its share.
    Pause,
    Barrier {
        pc: u32,
        kind: BarKind,
        id: u32,
        threads: Option<u32>,
    },
    /// All lanes that have not ended wait for a barrier in memory, or for what else is no barrier of the CTA.
    Asleep,
    Exit,
}

/// The run cannot go on; the hazards, or what the domain wrote down, tell why.
pub(crate) struct Stop;

/// In the place of an access that is remembered: it happens for some data only.
pub(crate) const PERHAPS: u32 = 1 << 31;

/// Hazards, each kind once per instruction.
pub(crate) struct Collector {
    pub list: Vec<Hazard>,
    pub limit: usize,
    seen: HashSet<(Discriminant<Kind>, u32)>,
}

impl Collector {
    pub(crate) fn new(limit: usize) -> Self {
        Self { list: Vec::new(), limit, seen: HashSet::new() }
    }

    /// Takes a hazard after which the run goes on, unless there are too many.
    pub(crate) fn record(&mut self, hazard: Hazard, pc: u32) -> Result<(), Stop> {
        if self.seen.insert((discriminant(&hazard.kind), pc)) {
            self.list.push(hazard);
        }
        if self.list.len() < self.limit { Ok(()) } else { Err(Stop) }
    }
}
