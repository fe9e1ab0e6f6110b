//! Knowledge of a cluster's CTAs about each other, as data.

use crate::arrived::Arrived;
use crate::clock::VectorClock;
use crate::mbarrier::Sleeper;
use crate::thread::Thread;
use std::collections::BTreeMap;

/// Knowledge of a cluster's CTAs about each other.
#[derive(Default)]
pub(in crate::exec) struct Cluster {
    pub(super) barrier: Barrier,
    /// Start time of each warp, by its own clock.
    pub(super) births: BTreeMap<usize, u32>,
    /// Clock of each warp when it ended.
    pub(super) deaths: BTreeMap<usize, VectorClock>,
    /// Last access of these lanes, or of copies that they started, in the memory of each other CTA, by the slot of vector clocks.
    pub(super) visits: BTreeMap<(usize, usize, u32), Visit>,
    /// Clock that the fences of each warp ordered in front of its relaxed arrivals.
    pub(super) fenced: BTreeMap<usize, VectorClock>,
    /// Last such fence of each lane of a warp, but for those of initialisations.
    pub(super) fences: BTreeMap<usize, Arrived>,
    /// Barriers in memory that each warp has initialised.
    pub(super) initialised: BTreeMap<usize, Vec<Initialisation>>,
    /// Initialisations that the fences of each warp ordered in front of its relaxed arrivals.
    pub(super) fenced_initialisations: BTreeMap<usize, Vec<Initialisation>>,
}

/// The barrier of the cluster.
#[derive(Default)]
pub(super) struct Barrier {
    pub(super) arrived: u64,
    /// Last arrivals of each warp.
    pub(super) arrivals: BTreeMap<usize, Arrived>,
    /// Initialisations alone that each warp's relaxed arrival released.
    pub(super) initialisations: BTreeMap<usize, Vec<Initialisation>>,
    pub(super) phase: u32,
    /// Phases that each warp has waited for.
    pub(super) seen: BTreeMap<usize, u32>,
    pub(super) clock: VectorClock,
    pub(super) last: VectorClock,
    pub(super) sleepers: Vec<Sleeper>,
}

/// Initialisation of a barrier in memory by lanes of a warp, which its slot knows of from that time on.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Initialisation {
    pub(in crate::exec) lanes: u32,
    pub(in crate::exec) slot: usize,
    pub(in crate::exec) time: u32,
    pub(in crate::exec) address: u64,
    pub(in crate::exec) pc: u32,
}

/// An access of another CTA's memory.
pub(super) struct Visit {
    pub(super) time: u32,
    pub(super) warp: usize,
    pub(super) pc: u32,
}

impl Cluster {
    /// Returns the sleepers of the warp at the barrier.
    pub(in crate::exec) fn sleepers(&self, warp: usize) -> impl Iterator<Item = &Sleeper> {
        self.barrier.sleepers.iter().filter(move |sleeper| sleeper.warp == warp)
    }

    pub(in crate::exec) fn begins(&mut self, thread: &Thread) {
        self.births.insert(thread.index, thread.clock[thread.index]);
    }

    pub(in crate::exec) fn ends(&mut self, thread: &Thread) {
        // the CTA outlives what any of its lanes knows
        self.deaths.insert(thread.index, thread.known());
    }

    /// Notes that a warp initialises a barrier in memory.
    pub(in crate::exec) fn initialises(&mut self, warp: usize, init: Initialisation) {
        self.initialised.entry(warp).or_default().push(init);
    }

    /// Notes an access as the last one of its slot and lanes in the memory of that CTA.
    pub(in crate::exec) fn visits(&mut self, key: (usize, usize, u32), time: u32, (warp, pc): (usize, u32)) {
        self.visits.insert(key, Visit { time, warp, pc });
    }
}
