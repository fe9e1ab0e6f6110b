//! CTAs of a cluster that run together: the owner of the memory of an access, the CTA's presence, and the barrier of all.
//!
//! The shared memory of a CTA can be accessed by others from its start to its end (CUDA C++ Programming Guide, "Distributed
//! Shared Memory"). An access must know that some warp of that CTA has begun, and some warp must end behind it.

mod acquaintance;

pub(super) use acquaintance::{Cluster, Initialisation};

use super::{Machine, PERHAPS, Stop};
use crate::decode::Code;
use crate::domain::{Domain, Undecided};
use crate::hazard::{Hazard, Kind};
use crate::mbarrier::Sleeper;
use crate::memory::Lanes;
use crate::rows::Row;
use crate::shared::ADDRESS_MASK;
use crate::warp::Warp;
use acquaintance::Visit;

impl<D: Domain> Machine<'_, '_, D> {
    /// Returns the places of an access of shared memory; only with `remote` they may be in other CTAs.
    pub(super) fn placed(
        &mut self,
        warp: &Warp<D::Knowledge>,
        pc: u32,
        lanes: &Lanes,
        remote: bool,
    ) -> Result<Row, Stop> {
        let mut row = [0; 32];
        for lane in lanes.active() {
            let address = lanes.address(lane) & if remote { u64::MAX } else { ADDRESS_MASK };
            row[lane] = self.place_of(warp, pc, address, lanes.bytes, remote, 1 << lane)?;
        }
        Ok(row)
    }

    /// Returns the place of one address and size that these lanes access.
    pub(super) fn place_of(
        &mut self,
        warp: &Warp<D::Knowledge>,
        pc: u32,
        address: u64,
        bytes: u32,
        remote: bool,
        lanes: u32,
    ) -> Result<u64, Stop> {
        let (own, lane) = (warp.thread.index, lanes.trailing_zeros() as usize);
        let place = self.code.located(own, address, bytes, lane).map_err(|kind| self.fatal(warp, pc, kind))?;
        let rank = self.code.rank_of(place);
        if rank != self.code.rank(own) {
            if !remote {
                return Err(self.fatal(warp, pc, Kind::NotOwn { address }));
            }
            self.visit(warp, pc, rank, own, warp.thread.clock[own], lanes)?;
        }
        Ok(place)
    }

    /// Notes that these lanes, or a copy that they start, access the memory of another CTA; the slot of vector clocks knows of it
    /// from that time on.
    pub(super) fn visit(
        &mut self,
        warp: &Warp<D::Knowledge>,
        pc: u32,
        rank: usize,
        slot: usize,
        time: u32,
        lanes: u32,
    ) -> Result<(), Stop> {
        let own = warp.thread.index;
        let cluster = &mut self.asynchronous.cluster;
        let clock = warp.thread.clock_of(lanes);
        let met = cluster.barrier.seen.get(&own).is_some_and(|phases| *phases > 0);
        let begun = |other| cluster.births.get(&other).is_some_and(|birth| clock[other] >= *birth);
        let there = met || self.code.warps_of(rank).any(begun);
        let mark = self.mark(pc);
        self.asynchronous.cluster.visits((slot, rank, lanes), time, (own, mark));
        if there { Ok(()) } else { self.record(warp, pc, Kind::NotThere { rank: rank as u32, ended: false }) }
    }

    /// Ends the cluster: every access of the memory of another CTA must lie in front of the end of one of its warps.
    pub(super) fn end_of_cluster(&mut self) {
        let cluster = std::mem::take(&mut self.asynchronous.cluster);
        for ((slot, rank, lanes), Visit { time, warp, pc }) in cluster.visits {
            let behind = |other| cluster.deaths.get(&other).is_some_and(|clock| clock.covers(slot, lanes, time));
            if !self.code.warps_of(rank).any(behind) {
                let (perhaps, pc) = (pc & PERHAPS != 0, pc & !PERHAPS);
                let site = Some(self.code.site(warp as u32, pc));
                let hazard = Hazard { cta: self.cta, site, kind: Kind::NotThere { rank: rank as u32, ended: true } };
                // there is nothing left to stop
                let _ = if perhaps { D::uncertain(self, pc, hazard) } else { self.hazards.record(hazard, pc) };
            }
        }
    }

    /// Applies a fence: it orders these lanes' earlier accesses in front of relaxed arrivals; otherwise only the barriers that they have initialised.
    pub(super) fn release(&mut self, warp: &mut Warp<D::Knowledge>, all: bool, mask: u32) {
        let (index, clock) = (warp.thread.index, warp.thread.released(mask));
        let mark = D::mark(self, index);
        let Cluster { fenced, fences, initialised, fenced_initialisations, .. } = &mut self.asynchronous.cluster;
        let fenced = fenced.entry(index).or_default();
        if all {
            fenced.join(&clock);
            fences.entry(index).or_default().add(&warp.thread, mask, mark);
            warp.thread.tick();
        }
        let own = initialised.get(&index).into_iter().flatten().filter(|init| init.lanes & !mask == 0);
        for init in own {
            fenced[init.slot] = fenced[init.slot].max(init.time);
            fenced_initialisations.entry(index).or_default().push(*init);
        }
    }

    pub(super) fn cluster_arrive(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        relaxed: bool,
        mask: u32,
    ) -> Result<(), Stop> {
        if mask != warp.live {
            return D::undecided(self, warp, pc, mask, Undecided::Barrier);
        }
        // all lanes come, each with what it knows
        let (index, mut clock) = (warp.thread.index, warp.thread.known());
        clock[index] = warp.thread.time_of(mask);
        let mark = D::mark(self, index);
        let Cluster { barrier, fenced, fences, fenced_initialisations, .. } = &mut self.asynchronous.cluster;
        let behind = barrier.seen.get(&index).copied().unwrap_or(0) != barrier.phase;
        if barrier.arrived >> index & 1 == 1 || behind {
            return Err(self.fatal(
                warp,
                pc,
                Kind::Copy("the warp arrives twice at the barrier of the cluster".into()),
            ));
        }
        barrier.arrived |= 1 << index;
        if relaxed {
            // each lane releases what its last fence was behind
            barrier.arrivals.insert(index, fences.get(&index).copied().unwrap_or_default());
            fenced.get(&index).into_iter().for_each(|fenced| barrier.clock.join(fenced));
            let known = fenced_initialisations.remove(&index);
            known.into_iter().for_each(|known| barrier.initialisations.entry(index).or_default().extend(known));
        } else {
            barrier.arrivals.entry(index).or_default().add(&warp.thread, mask, mark);
            barrier.clock.join(&clock);
        }
        warp.thread.tick();
        self.settle_cluster();
        Ok(())
    }

    /// Ends the phase of the cluster's barrier if all warps that have not ended have come.
    pub(super) fn settle_cluster(&mut self) {
        let all = (1u64 << self.code.warps()) - 1;
        let barrier = &mut self.asynchronous.cluster.barrier;
        if barrier.arrived | self.asynchronous.ended != all || barrier.arrived == 0 {
            return;
        }
        barrier.arrived = 0;
        barrier.phase += 1;
        barrier.last = std::mem::take(&mut barrier.clock);
        let (clock, phase) = (barrier.last, barrier.phase);
        for sleeper in std::mem::take(&mut barrier.sleepers) {
            self.asynchronous.cluster.barrier.seen.insert(sleeper.warp, phase);
            let arrived = self.asynchronous.cluster.barrier.arrivals.get(&sleeper.warp).copied();
            self.meet_initialisations(sleeper.warp);
            self.asynchronous.wakes(sleeper, clock, arrived);
        }
    }

    /// Orders the lanes of a warp, which has waited, behind the initialisations that its arrival released.
    fn meet_initialisations(&mut self, warp: usize) {
        for init in self.asynchronous.cluster.barrier.initialisations.remove(&warp).into_iter().flatten() {
            D::ordered_behind_initialisation(self, warp, init.address, init.pc);
        }
    }

    pub(super) fn cluster_wait(&mut self, warp: &mut Warp<D::Knowledge>, pc: u32, mask: u32) -> Result<(), Stop> {
        if mask != warp.live {
            return D::undecided(self, warp, pc, mask, Undecided::Barrier);
        }
        let index = warp.thread.index;
        let barrier = &mut self.asynchronous.cluster.barrier;
        let seen = barrier.seen.entry(index).or_default();
        if *seen < barrier.phase {
            *seen = barrier.phase;
            let (clock, arrived) = (barrier.last, barrier.arrivals.get(&index).copied());
            D::told(self, index, mask, &clock);
            warp.thread.learn(mask, warp.live, |own| own.join(&clock));
            self.meet_initialisations(index);
            self.met(warp, mask, arrived);
            return Ok(());
        }
        if barrier.arrived >> index & 1 == 0 {
            return Err(self.fatal(warp, pc, Kind::Copy("the warp waits for the cluster and has not arrived".into())));
        }
        barrier.sleepers.push(Sleeper { warp: index, pc, lanes: mask, time: 0 });
        warp.fall_asleep();
        Ok(())
    }
}

/// Whether every access of shared memory is one of the own CTA, at the place that its address says.
pub(super) fn alone(code: &Code) -> bool {
    code.ranks == 1 && !code.mapped
}
