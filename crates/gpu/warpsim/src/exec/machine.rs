//! The machine that executes: memories, copies that are under way, and findings.

use super::asynchronous::Asynchronous;
use crate::decode::Code;
use crate::hazard::{Hazard, Kind};
use crate::memory::Segments;
use crate::shared::Shared;
use ptx::inst::BarKind;
use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};

/// State of the execution, except for the warps of the running CTA.
pub(crate) struct Machine<'m, 'b, D> {
    pub code: &'m Code<'m>,
    pub shared: Shared,
    pub segments: Segments<'b>,
    pub bank_bytes: u32,
    /// Remaining budget: a warp instruction costs its [`weight`](crate::domain::Domain::weight).
    pub budget: u64,
    /// Number of warp instructions executed.
    pub executed: u64,
    pub cta: u32,
    /// Number of arrivals of warps at barriers.
    pub arrivals: u64,
    pub asynchronous: Asynchronous,
    pub hazards: Collector,
    pub domain: D,
}

/// Reason why a warp stopped.
pub(crate) enum Event {
    /// The warp has executed its share.
    Pause,
    Barrier {
        pc: u32,
        kind: BarKind,
        id: u32,
        threads: Option<u32>,
    },
    /// All lanes that have not ended wait for something other than a barrier of the CTA, such as a barrier in memory.
    Asleep,
    Exit,
}

/// The run cannot go on; the hazards, or the domain's notes, say why.
pub(crate) struct Stop;

/// Flag in the mark of an access: it happens for some data only.
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
