//! Orders that strong accesses and fences may make: flags and locks.
//!
//! A thread that acquires a value is behind the release of it (PTX ISA, "Release and Acquire Patterns"). The write that a read
//! takes depends on data and on the interleaving, so the analysis does not follow these orders. It looks for possible ones: a
//! race that one of them may order away is neither excluded nor called wrong. Without a release or without an acquire on one
//! place there is no such order, and the race is one.

use super::known::Known;
use crate::clock::{VectorClock, WARPS};
use crate::decode::{Code, Manner, MemoryAccess, Micro, makes_orders};
use crate::hazard::{Hazard, Kind};
use crate::thread::Thread;
use crate::warp::Warp;
use ptx::inst::Space;
use std::collections::{BTreeSet, HashSet};
use std::mem::{Discriminant, discriminant};

/// A cell of shared memory, `None` for any place.
type Spot = Option<u64>;

/// Release of a warp's actions up to this clock, at the place.
struct Release {
    warp: usize,
    spot: Spot,
    clock: VectorClock,
}

/// Acquire by a warp at the place: its actions from this time on are behind the release that it takes.
struct Acquire {
    warp: usize,
    spot: Spot,
    time: u32,
}

/// A hazard that shows unless an order of strong accesses is between.
struct Deferred {
    hazard: Hazard,
    warp: usize,
    clock: VectorClock,
    /// Warp and time of the access before; `None` if nobody wrote before.
    earlier: Option<(usize, u32)>,
}

/// The strong accesses and fences of the warps, and the hazards that wait for the end of the execution.
#[derive(Default)]
pub(super) struct Flags {
    /// Clock that the last fence of each warp released.
    fenced: Vec<Option<VectorClock>>,
    /// Places that each warp has read strongly.
    read: Vec<BTreeSet<Spot>>,
    /// Clocks of each warp, whenever its knowledge changed.
    history: Vec<Vec<VectorClock>>,
    releases: Vec<Release>,
    acquires: Vec<Acquire>,
    deferred: Vec<Deferred>,
    told: HashSet<(Discriminant<Kind>, u32)>,
}

/// Describes a hazard that an order may exclude.
pub(super) fn doubt(hazard: &Hazard) -> String {
    format!("unless flags or locks order it, {hazard}")
}

/// Records after which every order is taken for possible.
const MOST: usize = 1 << 12;

impl Flags {
    /// Makes the flags, if something may release and something may acquire.
    pub(super) fn new(code: &Code) -> Option<Self> {
        let warps = code.warps();
        let none = || (0..warps).map(|_| None).collect();
        makes_orders(&code.conducts).then(|| Self {
            fenced: none(),
            read: vec![BTreeSet::new(); warps],
            history: vec![Vec::new(); warps],
            ..Self::default()
        })
    }

    /// Notes the accesses of the warp in front of an instruction.
    pub(super) fn note(&mut self, code: &Code, warp: &mut Warp<Known>, pc: u32, mask: u32) {
        self.remember(&warp.thread);
        let conduct = code.conducts[pc as usize];
        let Some((spots, reads, writes)) = accessed(code, warp, pc, mask) else {
            if conduct.fence {
                self.fence(&mut warp.thread);
            }
            return;
        };
        let thread = &mut warp.thread;
        if self.releases.len().max(self.acquires.len()) >= MOST {
            return;
        }
        for spot in spots {
            let known = if conduct.releases { Some(thread.known()) } else { self.fenced[thread.index] };
            if let Some(clock) = known.filter(|_| writes) {
                self.releases.push(Release { warp: thread.index, spot, clock });
            }
            if reads {
                self.read[thread.index].insert(spot);
            }
            if reads && conduct.acquires {
                self.acquires.push(Acquire { warp: thread.index, spot, time: thread.clock[thread.index] + 1 });
            }
        }
        if conduct.releases || conduct.acquires {
            thread.tick();
        }
    }

    fn fence(&mut self, thread: &mut Thread) {
        let warp = thread.index;
        self.fenced[warp] = Some(thread.known());
        thread.tick();
        let time = thread.clock[warp];
        if self.acquires.len() < MOST {
            self.acquires.extend(self.read[warp].iter().map(|spot| Acquire { warp, spot: *spot, time }));
        }
    }

    fn remember(&mut self, thread: &Thread) {
        let (now, history) = (thread.known(), &mut self.history[thread.index]);
        if history.len() < MOST && history.last() != Some(&now) {
            history.push(now);
        }
    }

    /// Keeps a hazard until all strong accesses are known.
    pub(super) fn defer(
        &mut self,
        hazard: Hazard,
        pc: u32,
        (warp, clock): (usize, &VectorClock),
        earlier: Option<(usize, u32)>,
    ) {
        if self.told.insert((discriminant(&hazard.kind), pc)) {
            self.deferred.push(Deferred { hazard, warp, clock: *clock, earlier });
        }
    }

    /// Returns the hazards that no order excludes, and those that one may exclude.
    pub(super) fn resolve(mut self) -> (Vec<Hazard>, Vec<Hazard>) {
        let deferred = std::mem::take(&mut self.deferred);
        let (doubtful, certain): (Vec<_>, Vec<_>) = deferred.into_iter().partition(|one| self.may_be_ordered(one));
        let hazards = |list: Vec<Deferred>| list.into_iter().map(|one| one.hazard).collect();
        (hazards(certain), hazards(doubtful))
    }

    fn may_be_ordered(&self, Deferred { warp, clock, earlier, .. }: &Deferred) -> bool {
        if self.releases.len().max(self.acquires.len()).max(self.history[*warp].len()) >= MOST {
            return true;
        }
        let Some((other, time)) = *earlier else { return self.may_have_taken(*warp, clock) };
        if other == *warp {
            return self.lanes_may_be_ordered(*warp);
        }
        let then = self.history[other].iter().rev().find(|clock| clock[other] <= time);
        self.leads((other, time), clock) || then.is_some_and(|then| self.leads((*warp, clock[*warp]), then))
    }

    /// Whether the warp's action at that time may be in front of the clock, by a chain of releases and acquires.
    fn leads(&self, (warp, time): (usize, u32), to: &VectorClock) -> bool {
        let mut reached = [u32::MAX; WARPS];
        reached[warp] = time;
        loop {
            let before = reached;
            for release in &self.releases {
                if (0..WARPS).any(|warp| reached[warp] != u32::MAX && release.clock[warp] >= reached[warp]) {
                    let takes = |acquire: &&Acquire| meets(release, acquire);
                    for acquire in self.acquires.iter().filter(takes) {
                        reached[acquire.warp] = reached[acquire.warp].min(acquire.time);
                    }
                }
            }
            if reached == before {
                return (0..WARPS).any(|other| other != warp && reached[other] <= to[other]);
            }
        }
    }

    /// Whether an acquire that the clock covers may take a release of a warp other than `warp`.
    fn may_have_taken(&self, warp: usize, clock: &VectorClock) -> bool {
        let covered = |acquire: &Acquire| clock[acquire.warp] >= acquire.time;
        let given = |acquire: &Acquire| self.releases.iter().any(|r| r.warp != warp && meets(r, acquire));
        self.acquires.iter().any(|acquire| covered(acquire) && given(acquire))
    }

    fn lanes_may_be_ordered(&self, warp: usize) -> bool {
        let own = |acquire: &&Acquire| acquire.warp == warp;
        let given = |acquire: &Acquire| {
            self.releases.iter().any(|release| release.warp == warp && same(release.spot, acquire.spot))
        };
        self.acquires.iter().filter(own).any(given)
    }
}

/// Whether the acquire may take what was released: it must not be in front of it.
fn meets(release: &Release, acquire: &Acquire) -> bool {
    same(release.spot, acquire.spot) && release.clock[acquire.warp] < acquire.time
}

fn same(a: Spot, b: Spot) -> bool {
    a.is_none() || b.is_none() || a == b
}

/// Returns the places of a strong access, and whether it reads and writes them.
fn accessed(code: &Code, warp: &Warp<Known>, pc: u32, mask: u32) -> Option<(BTreeSet<Spot>, bool, bool)> {
    if code.conducts[pc as usize].manner == Manner::Weak {
        return None;
    }
    let (space, base, offset, reads, writes) = match &code.ops[pc as usize].micro {
        Micro::MemoryAccess(MemoryAccess::Load { space, base, offset, .. }) => (*space, *base, *offset, true, false),
        Micro::MemoryAccess(MemoryAccess::Store { space, base, offset, .. }) => (*space, *base, *offset, false, true),
        Micro::MemoryAccess(MemoryAccess::Atomic { space, base, offset, .. }) => (*space, *base, *offset, true, true),
        _ => return None,
    };
    let certain = space == Space::Shared && code.ranks == 1 && mask & !warp.knows(base) == 0;
    let spot = |lane: usize| certain.then(|| base.row(&warp.regs, &code.pool)[lane].wrapping_add(offset) & !7);
    let spots = (0..32).filter(|lane| mask >> lane & 1 == 1).map(spot).collect();
    Some((spots, reads, writes))
}
