//! Asynchronous operations under way in a CTA, as data.

use super::pool::Pool;
use super::products::Products;
use super::tensor_memory::{TensorMemory, Unit};
use crate::arrived::Arrived;
use crate::clock::VectorClock;
use crate::decode::Code;
use crate::exec::cluster::Cluster;
use crate::mbarrier::{Mbarrier, Sleeper};
use crate::place::Place;
use crate::rows::Row;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Asynchronous operations under way in a CTA.
pub(crate) struct Asynchronous {
    /// Barriers by their addresses in shared memory.
    pub(super) barriers: BTreeMap<u64, Mbarrier>,
    /// Phases that were completed in each slot of vector clocks.
    pub(super) epochs: Vec<u32>,
    pub(super) under_way: Vec<UnderWay>,
    pub(super) groups: Vec<[Groups; 2]>,
    /// Products of matrices of each warp.
    pub(crate) products: Vec<Products>,
    /// Lanes that wait for products, with the number of the last one.
    pub(super) product_waits: Vec<(Sleeper, u32)>,
    pub(super) tensor: TensorMemory,
    pub(in crate::exec) cluster: Cluster,
    /// Register pool of each CTA.
    pub(super) pools: Vec<Pool>,
    pub(super) woken: Vec<Wake>,
    /// Warnings about unlikely intentions.
    pub warnings: BTreeSet<String>,
    /// Warps that have ended.
    pub(in crate::exec) ended: u64,
}

/// Lanes that go on.
pub(super) struct Wake {
    pub(super) sleeper: Sleeper,
    pub(super) clock: VectorClock,
    /// Arrivals of the warp in the phase, which order its lanes.
    pub(super) arrived: Option<Arrived>,
}

impl Asynchronous {
    pub(crate) fn new(code: &Code, place: Place) -> Self {
        Self {
            barriers: BTreeMap::new(),
            epochs: Vec::new(),
            under_way: Vec::new(),
            groups: (0..code.warps()).map(|_| Default::default()).collect(),
            products: (0..code.warps()).map(|_| Products::default()).collect(),
            product_waits: Vec::new(),
            tensor: TensorMemory { units: (0..code.warps()).map(|_| Unit::default()).collect(), ..Default::default() },
            cluster: Cluster::default(),
            pools: (0..code.ranks).map(|_| Pool::new(code.thread_registers, place.warps() as u32)).collect(),
            woken: Vec::new(),
            warnings: BTreeSet::new(),
            ended: 0,
        }
    }
}

impl Asynchronous {
    /// Returns the place of the next barrier in memory behind this one.
    pub(crate) fn barrier_behind(&self, place: u64) -> Option<u64> {
        self.barriers.range(place + 1..).next().map(|(barrier, _)| *barrier)
    }

    /// Returns the addresses of the valid barriers in memory that the bytes overlap.
    pub(super) fn valid_barriers(&self, bytes: Range<u64>) -> impl Iterator<Item = u64> {
        let near = self.barriers.range((bytes.start + 1).saturating_sub(8)..bytes.end);
        near.filter(|(_, barrier)| !barrier.ended).map(|(address, _)| *address)
    }

    /// Whether there are barriers in memory.
    pub(in crate::exec) fn has_barriers(&self) -> bool {
        !self.barriers.is_empty()
    }

    /// Whether warps hand registers to each other.
    pub(crate) fn pool_is_used(&self) -> bool {
        self.pools.iter().any(|pool| pool.used)
    }

    /// Returns the registers of a thread at the launch.
    pub(crate) fn thread_registers(&self) -> u32 {
        self.pools.first().map_or(0, |pool| pool.first)
    }

    /// Lets lanes go on with the knowledge of the clock.
    pub(in crate::exec) fn wakes(&mut self, sleeper: Sleeper, clock: VectorClock, arrived: Option<Arrived>) {
        self.woken.push(Wake { sleeper, clock, arrived });
    }
}

/// A copy that has not ended.
pub(super) struct UnderWay {
    pub(super) warp: usize,
    pub(super) pc: u32,
    /// Number in the order of the warp's copies of its kind.
    pub(super) number: u32,
    pub(super) lanes: u32,
    pub(super) moves: Vec<Move>,
    pub(super) way: Way,
}

pub(super) enum Way {
    /// `cp.async`, whose lanes write at these addresses.
    Group { to: Box<Row>, bytes: u32 },
    /// A bulk copy out of shared memory.
    Bulk,
    /// A bulk copy whose bytes a barrier in memory counts.
    Barrier(u64),
    /// A product of matrices.
    Matrices,
}

/// Bytes that one lane moves.
pub(super) struct Move {
    pub(super) shared: u64,
    pub(super) global: u64,
    pub(super) bytes: u64,
    /// Bytes that are read; the rest is zero.
    pub(super) read: u64,
}

/// Copies of a warp that are counted in groups.
#[derive(Default)]
pub(super) struct Groups {
    /// Number of copies so far.
    pub(super) started: u32,
    /// Number of copies at the end of each group.
    pub(super) ends: Vec<u32>,
    /// The lanes that close groups, always the same.
    pub(super) lanes: Option<u32>,
}

impl Groups {
    /// Prepares for the next CTA; the numbers of copies go on.
    pub(super) fn restart(&mut self) {
        self.ends.clear();
        self.lanes = None;
    }
}

impl UnderWay {
    /// Whether it belongs to the groups of bulk copies, or of others; `None`: to neither.
    pub(super) fn is_bulk(&self) -> Option<bool> {
        match self.way {
            Way::Group { .. } => Some(false),
            Way::Bulk => Some(true),
            Way::Barrier(_) | Way::Matrices => None,
        }
    }
}
