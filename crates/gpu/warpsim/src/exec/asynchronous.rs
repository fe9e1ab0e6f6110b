//! Asynchronous copies, barriers in memory, and registers that warps hand to each other.
//!
//! A copy is under way from its instruction on and ends as late as it can: when somebody waits for it, or when no warp can run
//! without. For the detector of races it is a thread of its own; nobody is ordered behind it before waiting for it.

mod copy;
mod matrices;
mod pool;
mod products;
mod tensor;
mod tensor_memory;
mod under_way;
mod wait;

pub(crate) use under_way::Asynchronous;

use super::cluster::{Initialisation, alone};
use super::{Event, Machine, Stop};
use crate::arrived::Arrived;
use crate::clock::{MOST_BARRIERS, VectorClock};
use crate::decode::Manner;
use crate::decode::{Copying, Delivery, Matrices, Micro, Place as Spot, Source, TensorOp, TensorProduct};
use crate::domain::{ALL, Domain, Touch, Undecided};
use crate::hazard::{Access, At, Hazard, Kind, MbarrierMisuse};
use crate::mbarrier::{Mbarrier, Sleeper};
use crate::memory::{Lanes, SHARED_WINDOW};
use crate::shared::{ADDRESS_MASK, Accessor, Strength};
use crate::warp::Warp;
use ptx::asynchronous::Reach;
use ptx::inst::Space;
use under_way::{Groups, Wake};

impl<D: Domain> Machine<'_, '_, D> {
    /// Performs the operation; some lane must be active. Returns an event if the warp cannot go on.
    pub(super) fn copying(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        op: &Copying,
        mask: u32,
    ) -> Result<(), Stop> {
        if self.domain.perhaps() || mask & !known(warp, op) != 0 {
            return D::undecided(self, warp, pc, mask, Undecided::Barrier);
        }
        match op {
            Copying::Init { at, count } => self.init(warp, pc, *at, *count, mask),
            Copying::Invalidate { at } => self.invalidate(warp, pc, *at, mask),
            Copying::Arrive { at, count, bytes, drops, state, reach } => {
                self.arrive_in_memory(warp, pc, (*at, *count, *bytes), *drops, *state, (*reach, mask))
            }
            Copying::Expect { at, bytes, reach } => {
                for (address, lanes) in self.places(warp, pc, *at, reach.remote, mask)? {
                    let bytes = self.sum(warp, *bytes, lanes);
                    let clock = warp.thread.released(lanes);
                    self.touch(warp, pc, address, lanes)?;
                    let (own, time) = (warp.thread.index, warp.thread.clock[warp.thread.index]);
                    self.barrier_at(warp, pc, address, |barrier| {
                        barrier.add(own, lanes, time);
                        barrier.expect(bytes, &clock)
                    })?;
                    self.settle(warp, pc, address)?;
                }
                Ok(())
            }
            Copying::Wait { at, phase, parity, pred, wide } => {
                self.wait_in_memory(warp, pc, *at, (*phase, *parity, *wide), *pred, mask)
            }
            Copying::Copy { to, from, bytes, size } => self.copy(warp, pc, (*to, *from), *bytes, *size, mask),
            Copying::Commit { bulk } => self.commit(warp, pc, *bulk, mask),
            Copying::Drain { groups, bulk } => self.drain(warp, pc, *groups, *bulk, mask),
            Copying::CopyArrive { at, counted } => self.copy_arrive(warp, pc, *at, *counted, mask),
            Copying::BulkLoad { to, from, barrier, ranks } => {
                self.bulk_load(warp, pc, (*to, *barrier), *from, *ranks, mask)
            }
            Copying::BulkStore { from, to, reduces } => self.bulk_store(warp, pc, *from, (*to, *reduces), mask),
            Copying::Map { at, to } => self.map(warp, pc, *at, *to, mask),
            Copying::Deliver(delivery) => self.deliver(warp, pc, delivery, mask),
            Copying::ClusterArrive { relaxed } => self.cluster_arrive(warp, pc, *relaxed, mask),
            Copying::ClusterWait => self.cluster_wait(warp, pc, mask),
            Copying::Release { all } => {
                self.release(warp, *all, mask);
                Ok(())
            }
            Copying::Matrices(op) => self.matrices(warp, pc, op, mask),
            Copying::Tensor(op) => self.tensor(warp, pc, op, mask),
            Copying::Registers { count, more } => self.registers(warp, pc, *count, *more, mask),
            Copying::Fence => {
                let (own, time) = (warp.thread.index, warp.thread.time_of(mask));
                let by = (own, mask, warp.thread.clock[own]);
                self.shared.fence(by, warp.thread.clock_of(mask));
                warp.thread.fence(mask);
                warp.thread.learn(mask, warp.live, |clock| clock.fence(own, time));
                warp.thread.tick();
                Ok(())
            }
        }
    }

    fn init(&mut self, warp: &mut Warp<D::Knowledge>, pc: u32, at: Spot, count: Source, mask: u32) -> Result<(), Stop> {
        for (address, lanes) in self.places(warp, pc, at, false, mask)? {
            let row = [address; 32];
            self.store_placed(warp, pc, &Lanes::new(&row, 0, lanes, 8), &[0; 32], ALL)?;
            let count = count.row(&warp.regs, &self.code.pool)[lanes.trailing_zeros() as usize] as u32;
            let used = self.asynchronous.barriers.get(&address);
            if lanes.count_ones() > 1 || used.is_some_and(|old| !old.ended) {
                return Err(self.misused(warp, pc, address, MbarrierMisuse::Valid));
            }
            let index = self.asynchronous.barriers.len();
            let (slot, epoch) = match used {
                Some(old) => (old.slot, old.epoch + 1),
                None if index < MOST_BARRIERS => {
                    let epochs = &mut self.asynchronous.epochs;
                    epochs.resize(epochs.len().max(index + 1), 0);
                    (VectorClock::barrier(index), epochs[index] + 1)
                }
                None => return Err(D::exhausted(self, warp, pc, "more barriers in memory than are followed")),
            };
            match Mbarrier::new(count, slot, epoch) {
                Ok(barrier) => {
                    // others learn of it as of the end of a phase
                    let (own, time) = (warp.thread.index, barrier.epoch);
                    self.shared.initialise(address, slot, time, pc, own as u32);
                    let init = Initialisation { lanes, slot, time, address, pc };
                    self.asynchronous.cluster.initialises(own, init);
                    warp.thread.learn(lanes, warp.live, |clock| clock[slot] = clock[slot].max(time));
                    self.asynchronous.barriers.insert(address, barrier);
                }
                Err(misuse) => return Err(self.misused(warp, pc, address, misuse)),
            }
        }
        Ok(())
    }

    fn invalidate(&mut self, warp: &mut Warp<D::Knowledge>, pc: u32, at: Spot, mask: u32) -> Result<(), Stop> {
        for (address, lanes) in self.places(warp, pc, at, false, mask)? {
            let row = [address; 32];
            self.store_placed(warp, pc, &Lanes::new(&row, 0, lanes, 8), &[0; 32], ALL)?;
            self.barrier_at(warp, pc, address, |barrier| {
                barrier.ended = true;
                if barrier.is_in_use() { Err(MbarrierMisuse::InUse) } else { Ok(()) }
            })?;
        }
        Ok(())
    }

    fn arrive_in_memory(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        (at, count, bytes): (Spot, Option<Source>, Option<Source>),
        drops: bool,
        state: Option<u32>,
        (reach, mask): (Reach, u32),
    ) -> Result<(), Stop> {
        for (address, lanes) in self.places(warp, pc, at, reach.remote, mask)? {
            let own = self.code.rank_of(address) == self.code.rank(warp.thread.index);
            let heard = self.barrier_at(warp, pc, address, |barrier| Ok(barrier.hears(!own, reach.wide)))?;
            if !D::MOVES && !heard {
                D::undecided(self, warp, pc, mask, Undecided::Scope)?;
            }
            self.touch(warp, pc, address, lanes)?;
            let n = count.map_or(lanes.count_ones().into(), |count| self.sum(warp, count, lanes));
            let n = u32::try_from(n).unwrap_or(u32::MAX);
            let bytes = bytes.map_or(0, |bytes| self.sum(warp, bytes, lanes));
            let by = self.arrives(warp, pc, address, lanes)?;
            let clock = warp.thread.released_with(lanes, &by.1);
            let own = by.0;
            let (phase, alone, slot) = self.barrier_at(warp, pc, address, |barrier| {
                barrier.arrive(n, bytes, &clock, by)?;
                if drops {
                    barrier.drop(n);
                }
                Ok((barrier.phase, barrier.ends_with(own, lanes), barrier.slot))
            })?;
            warp.thread.tick();
            if let Some(state) = state {
                warp.write(state, &[phase.into(); 32], ALL, lanes);
            }
            self.settle(warp, pc, address)?;
            if alone {
                // nobody else could end the phase
                let epoch = self.barrier_at(warp, pc, address, |barrier| Ok(barrier.epoch))?;
                warp.thread.learn(lanes, warp.live, |clock| clock[slot] = clock[slot].max(epoch));
            }
        }
        Ok(())
    }

    /// Returns the warp with its arrivals in the phase of a barrier, those of these lanes now among them.
    fn arrives(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        address: u64,
        lanes: u32,
    ) -> Result<(usize, Arrived), Stop> {
        let own = warp.thread.index;
        let mut arrived = self.barrier_at(warp, pc, address, |barrier| Ok(barrier.arrived(own)))?;
        arrived.add(&warp.thread, lanes, D::mark(self, own));
        Ok((own, arrived))
    }

    /// Orders the lanes behind the end of a phase in which lanes of their warp have arrived.
    pub(super) fn met(&mut self, warp: &mut Warp<D::Knowledge>, lanes: u32, arrived: Option<Arrived>) {
        let Some(arrived) = arrived else { return };
        let all = warp.live & !(lanes & arrived.lanes) == 0;
        let late = warp.thread.accessed_behind(&arrived, warp.live);
        if all && late == 0 {
            warp.thread.meet();
            return D::ordered(self, warp, ALL);
        }
        D::ordered_behind(self, warp.thread.index, lanes, &arrived);
        if all {
            warp.thread.meet_behind(&arrived, late);
        }
    }

    /// Ends the phase of a barrier if it is complete.
    fn settle(&mut self, warp: &Warp<D::Knowledge>, pc: u32, address: u64) -> Result<(), Stop> {
        let ended = self.barrier_at(warp, pc, address, Mbarrier::settle)?;
        self.ended(address, ended);
        Ok(())
    }

    /// Lets those who waited for the phase go on.
    fn ended(&mut self, address: u64, sleepers: Option<Vec<Sleeper>>) {
        let Some(barrier) = self.asynchronous.barriers.get(&address) else { return };
        let wake =
            |sleeper: Sleeper| Wake { sleeper, clock: barrier.last, arrived: barrier.arrived_last(sleeper.warp) };
        self.asynchronous.woken.extend(sleepers.into_iter().flatten().map(wake));
    }

    /// Returns the addresses in shared memory that the lanes name, each with its lanes.
    fn places(
        &mut self,
        warp: &Warp<D::Knowledge>,
        pc: u32,
        at: Spot,
        remote: bool,
        mask: u32,
    ) -> Result<Vec<(u64, u32)>, Stop> {
        let row = at.base.row(&warp.regs, &self.code.pool);
        let mut places: Vec<(u64, u32)> = Vec::new();
        for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
            let address = in_shared(row[lane].wrapping_add(at.offset));
            match places.iter_mut().find(|(known, _)| *known == address) {
                Some((_, lanes)) => *lanes |= 1 << lane,
                None => places.push((address, 1 << lane)),
            }
        }
        if !alone(self.code) {
            for (address, lanes) in &mut places {
                *address = self.place_of(warp, pc, *address, 8, remote, *lanes)?;
            }
        }
        Ok(places)
    }

    /// Sums 32-bit numbers over lanes.
    fn sum(&self, warp: &Warp<D::Knowledge>, source: Source, lanes: u32) -> u64 {
        let row = source.row(&warp.regs, &self.code.pool);
        (0..32).filter(|lane| lanes >> lane & 1 == 1).map(|lane| row[lane] & 0xffff_ffff).sum()
    }

    /// Records the lanes' access to a barrier, which is no race with others that do.
    fn touch(&mut self, warp: &mut Warp<D::Knowledge>, pc: u32, address: u64, lanes: u32) -> Result<(), Stop> {
        warp.thread.ask(lanes);
        let row = [address; 32];
        let first = lanes.trailing_zeros() as usize;
        let one = Lanes::new(&row, 0, 1 << first, 8);
        let by = Accessor {
            manner: Manner::Strong,
            strength: Strength { bytes: 8, wide: true },
            ..self.accessor(warp, pc, lanes, 8)
        };
        let found = self.shared.update(&one, first, &by, |old| old);
        let (_, found) = found.map_err(|kind| self.fatal(warp, pc, kind))?;
        self.report(warp, pc, Space::Shared, Access::Write, found)?;
        D::accessed(self, warp, pc, &Lanes::new(&row, 0, lanes, 8), Touch::Atomic)
    }

    /// Checks that an access for other data meets no barrier in memory that is valid.
    pub(super) fn spares_barriers(&mut self, warp: &Warp<D::Knowledge>, pc: u32, lanes: &Lanes) -> Result<(), Stop> {
        if self.asynchronous.barriers.is_empty() {
            return Ok(());
        }
        let place = |lane| lanes.address(lane) & ADDRESS_MASK;
        let (first, last) =
            lanes.active().map(place).fold((u64::MAX, 0), |(first, last), at| (at.min(first), at.max(last)));
        let near = self.asynchronous.valid_barriers(first..last + u64::from(lanes.bytes)).next().is_some();
        let met = |place: u64| self.asynchronous.valid_barriers(place..place + u64::from(lanes.bytes)).next();
        match lanes.active().filter(|_| near).find_map(|lane| met(place(lane))) {
            Some(address) => self.record(warp, pc, accessed(self.code.named(address))),
            None => Ok(()),
        }
    }

    /// Applies the function to the barrier at the address; its misuse ends the run.
    fn barrier_at<T>(
        &mut self,
        warp: &Warp<D::Knowledge>,
        pc: u32,
        address: u64,
        f: impl FnOnce(&mut Mbarrier) -> Result<T, MbarrierMisuse>,
    ) -> Result<T, Stop> {
        let barrier = self.asynchronous.barriers.get_mut(&address).filter(|barrier| !barrier.ended);
        let result = barrier.map_or(Err(MbarrierMisuse::Uninitialised), f);
        result.map_err(|misuse| self.misused(warp, pc, address, misuse))
    }

    fn misused(&mut self, warp: &Warp<D::Knowledge>, pc: u32, address: u64, misuse: MbarrierMisuse) -> Stop {
        self.fatal(warp, pc, Kind::Mbarrier { address: self.code.named(address), misuse })
    }

    /// Ends the CTA: copies that nobody waited for end, and barriers are forgotten.
    pub(super) fn end_of_cta(&mut self) {
        while let Some(under_way) = self.asynchronous.under_way.pop() {
            // nobody is left to whom it could matter but global memory
            let _ = self.land(under_way);
        }
        let asynchronous = &mut self.asynchronous;
        asynchronous.ended = 0;
        for (address, barrier) in std::mem::take(&mut asynchronous.barriers) {
            if !barrier.observed && (barrier.phase > 0 || barrier.is_in_use()) {
                asynchronous
                    .warnings
                    .insert(format!("mbarrier at {}: nobody waits for its phases", At(self.code.named(address))));
            }
            let index = barrier.slot - VectorClock::barrier(0);
            asynchronous.epochs[index] = barrier.epoch;
        }
        for groups in &mut asynchronous.groups {
            groups.iter_mut().for_each(Groups::restart);
        }
        for rank in 0..self.asynchronous.pools.len() {
            let pool = &mut self.asynchronous.pools[rank];
            let (alone, contested) = (pool.alone(), pool.contested());
            pool.restart();
            if let Some((warp, pc)) = contested {
                D::contested(self, self.code.warps_of(rank).start + warp, pc);
            }
            if let Some((warp, pc, other)) = alone {
                let what = format!("warp {other} of the CTA, of the same warp group, does not execute it");
                self.failed(self.code.warps_of(rank).start + warp, pc, Kind::Copy(what));
            }
        }
        self.asynchronous.woken.clear();
        self.end_of_products();
        self.end_of_tensor_memory();
        self.end_of_cluster();
    }

    /// Records a hazard of a copy, which no warp executes.
    fn failed(&mut self, warp: usize, pc: u32, kind: Kind) -> Stop {
        let site = Some(self.code.site(warp as u32, pc));
        self.hazards.list.push(Hazard { cta: self.cta, site, kind });
        Stop
    }

    fn registers(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        count: u32,
        more: bool,
        mask: u32,
    ) -> Result<(), Stop> {
        if mask != warp.live {
            let what = "only some lanes of the warp execute it".to_owned();
            return Err(self.fatal(warp, pc, Kind::Copy(what)));
        }
        let sleeper = Sleeper { warp: warp.thread.index, pc, lanes: mask, time: 0 };
        let rank = self.code.rank(warp.thread.index);
        let (place, pool) = (warp.thread.index - self.code.warps_of(rank).start, &mut self.asynchronous.pools[rank]);
        warp.thread.tick();
        let (own, clock) = (warp.thread.index, warp.thread.clock);
        let unmet = pool.turn(place, (pc, clock[own]), |other, time| clock[own - place + other] >= time);
        if let Some(what) = unmet {
            return Err(self.fatal(warp, pc, Kind::Copy(what)));
        }
        let first = own - place;
        let knows = |other: usize, time: u32| clock[first + other] >= time || clock.has_executed(first + other, time);
        let behind = pool.is_behind_request(knows);
        match pool.set(place, count, more, behind, sleeper) {
            Err(what) => Err(self.fatal(warp, pc, Kind::Copy(what))),
            Ok(true) => {
                let clock = VectorClock::default();
                let served = pool.serve();
                let wakes = served.into_iter().map(|sleeper| Wake { sleeper, clock, arrived: None });
                self.asynchronous.woken.extend(wakes);
                Ok(())
            }
            Ok(false) => {
                warp.fall_asleep();
                Ok(())
            }
        }
    }
}

/// Returns the lanes that know all values on which the operation depends.
fn known<K: crate::domain::Knowledge>(warp: &Warp<K>, op: &Copying) -> u32 {
    let all = |places: &[Spot], sources: &[Option<Source>]| {
        let places = places.iter().fold(ALL, |known, place| known & warp.knows(place.base));
        sources.iter().flatten().fold(places, |known, source| known & warp.knows(*source))
    };
    match op {
        Copying::Init { at, count } => all(&[*at], &[Some(*count)]),
        Copying::Invalidate { at } | Copying::CopyArrive { at, .. } | Copying::Map { at, .. } => all(&[*at], &[]),
        Copying::Arrive { at, count, bytes, .. } => all(&[*at], &[*count, *bytes]),
        Copying::Expect { at, bytes, .. } => all(&[*at], &[Some(*bytes)]),
        Copying::Wait { at, phase, .. } => all(&[*at], &[Some(*phase)]),
        Copying::Copy { to, .. } => all(&[*to], &[]),
        Copying::BulkLoad { to, from, barrier, ranks } => {
            all(&[*to, *barrier], &[from.map(|(_, bytes)| bytes), *ranks])
        }
        Copying::BulkStore { from, to, .. } => all(&[*from], &[to.map(|(_, bytes)| bytes)]),
        Copying::Deliver(Delivery { to, barrier, bytes, from, .. }) => {
            all(&[*to, *barrier, from.unwrap_or(*to)], &[Some(*bytes)])
        }
        Copying::Matrices(Matrices::Product(product)) => {
            product.factors.iter().fold(ALL, |known, factor| known & warp.knows(factor.descriptor))
        }
        Copying::Tensor(op) => match op {
            TensorOp::Allocate { at, columns } => all(&[*at], &[Some(*columns)]),
            TensorOp::Free { columns } => all(&[], &[Some(*columns)]),
            TensorOp::Product(TensorProduct { a, b, shape, .. }) => all(&[], &[*a, Some(*b), Some(*shape)]),
            TensorOp::Commit { at } => all(&[*at], &[]),
            _ => ALL,
        },
        Copying::Matrices(_)
        | Copying::Commit { .. }
        | Copying::Drain { .. }
        | Copying::ClusterArrive { .. }
        | Copying::ClusterWait
        | Copying::Registers { .. }
        | Copying::Release { .. }
        | Copying::Fence => ALL,
    }
}

/// Describes the access for other data of a barrier in memory (PTX ISA, "mbarrier": it is undefined).
fn accessed(address: u64) -> Kind {
    Kind::Mbarrier { address, misuse: MbarrierMisuse::Accessed }
}

/// Returns an address in shared memory; the given one may be generic.
fn in_shared(address: u64) -> u64 {
    if address >= SHARED_WINDOW { address - SHARED_WINDOW } else { address & 0xffff_ffff }
}

/// Actions of the machine when no warp can run, for [`Core`](crate::cta::Core).
impl<D: Domain> Machine<'_, '_, D> {
    pub(super) fn woken_warps(&self) -> Vec<usize> {
        let mut warps: Vec<usize> = self.asynchronous.woken.iter().map(|wake| wake.sleeper.warp).collect();
        warps.dedup();
        warps
    }

    pub(super) fn wake_lanes(&mut self, warp: &mut Warp<D::Knowledge>) {
        let all = std::mem::take(&mut self.asynchronous.woken);
        let (own, others): (Vec<Wake>, Vec<Wake>) =
            all.into_iter().partition(|wake| wake.sleeper.warp == warp.thread.index);
        self.asynchronous.woken = others;
        for Wake { sleeper: Sleeper { pc, lanes, .. }, clock, arrived } in own {
            D::told(self, warp.thread.index, lanes, &clock);
            warp.thread.learn(lanes, warp.live, |own| own.join(&clock));
            self.met(warp, lanes, arrived);
            if let Micro::Copying(op) = &self.code.ops[pc as usize].micro
                && let Copying::Wait { pred: Some(pred), .. } = **op
            {
                warp.write_pred(pred, ALL, ALL, lanes);
            }
            warp.wake_up(pc, lanes);
        }
    }

    /// Ends the copy that was started last, or with a random `choice` any.
    pub(super) fn advance_copies(&mut self, choice: u64) -> Result<bool, Stop> {
        let count = self.asynchronous.under_way.len();
        if count == 0 {
            return Ok(false);
        }
        let at = if choice == u64::MAX { count - 1 } else { choice as usize % count };
        let under_way = self.asynchronous.under_way.remove(at);
        self.land(under_way)?;
        Ok(true)
    }

    /// Lists what the lanes of the warp wait for.
    pub(super) fn missing(&self, warp: usize) -> Vec<(u32, String)> {
        let asynchronous = &self.asynchronous;
        let mut list = Vec::new();
        for (address, barrier) in &asynchronous.barriers {
            let own = barrier.sleepers.iter().filter(|sleeper| sleeper.warp == warp);
            list.extend(own.map(|sleeper| {
                (sleeper.pc, format!("mbarrier at {}: {}", At(self.code.named(*address)), barrier.missing()))
            }));
        }
        list.extend(
            asynchronous
                .cluster
                .sleepers(warp)
                .map(|sleeper| (sleeper.pc, "warps of the cluster have not arrived".to_owned())),
        );
        let own = asynchronous.product_waits.iter().filter(|(sleeper, _)| sleeper.warp == warp);
        list.extend(
            own.map(|(sleeper, _)| {
                (sleeper.pc, "the warps of the warp group do not execute the same wgmma".to_owned())
            }),
        );
        list.extend(asynchronous.pools.iter().find_map(|pool| pool.missing(warp)));
        list
    }

    /// Returns [`Event::Asleep`] if lanes of the warp are asleep; an instruction of this kind has no other event.
    pub(super) fn asleep_event(&self, warp: &Warp<D::Knowledge>) -> Option<Event> {
        (!warp.asleep.is_empty()).then_some(Event::Asleep)
    }
}
