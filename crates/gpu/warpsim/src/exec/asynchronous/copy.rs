//! Copies: their start, the waits for them, and their end.

use super::under_way::{Move, UnderWay, Way};
use super::{Machine, Spot, Stop, accessed, alone, in_shared};
use crate::clock::VectorClock;
use crate::decode::{Delivery, Source};
use crate::domain::{Domain, TensorCopy, Touch, Undecided};
use crate::hazard::{Access, Kind};
use crate::memory::{Lanes, RANK_BITS};
use crate::shared::{Accessor, Flight, Issuer};
use crate::warp::Warp;
use ptx::inst::Space;
use std::ops::Range;

/// Bytes of a tensor map.
const MAP_BYTES: u64 = 128;

impl<D: Domain> Machine<'_, '_, D> {
    pub(super) fn copy(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        (to, from): (Spot, Spot),
        bytes: u32,
        size: Option<Source>,
        mask: u32,
    ) -> Result<(), Stop> {
        if !matches!(bytes, 4 | 8 | 16) {
            return Err(self.fatal(warp, pc, Kind::Copy(format!("a copy of {bytes} bytes"))));
        }
        let own = warp.thread.index;
        let groups = &mut self.asynchronous.groups[own][0];
        groups.started += 1;
        let number = groups.started;
        let flight = Flight { slot: VectorClock::copies(own), time: number, proxy: false, element: None, whole: true };
        let pool = &self.code.pool;
        let (row, source) = (*to.base.row(&warp.regs, pool), *from.base.row(&warp.regs, pool));
        let sizes = size.map(|size| *size.row(&warp.regs, pool));
        let mut row = row.map(|base| in_shared(base.wrapping_add(to.offset)));
        if !alone(self.code) {
            row = self.placed(warp, pc, &Lanes::new(&row, 0, mask, bytes), false)?;
        }
        let mut moves = Vec::new();
        for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
            let shared = row[lane];
            if !shared.is_multiple_of(u64::from(bytes)) {
                return Err(self.fatal(
                    warp,
                    pc,
                    Kind::Misaligned { space: Space::Shared, address: shared, lane: lane as u32 },
                ));
            }
            let range = shared..shared + u64::from(bytes);
            self.start(warp, pc, range, Touch::Write, mask, &flight)?;
            let read = sizes.map_or(bytes.into(), |sizes| (sizes[lane] & 0xffff_ffff).min(bytes.into()));
            moves.push(Move { shared, global: source[lane].wrapping_add(from.offset), bytes: bytes.into(), read });
        }
        D::accessed(self, warp, pc, &Lanes::new(&row, 0, mask, bytes), Touch::Write)?;
        let way = Way::Group { to: Box::new(row), bytes };
        self.asynchronous.under_way.push(UnderWay { warp: own, pc, number, lanes: mask, moves, way });
        Ok(())
    }

    /// Tells the detector of a copy that starts.
    pub(super) fn start(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        range: Range<u64>,
        touch: Touch,
        lanes: u32,
        flight: &Flight,
    ) -> Result<(), Stop> {
        warp.thread.touch(lanes);
        let rank = self.code.rank_of(range.start);
        let inside = range.end <= self.code.base(rank) + self.code.shared_bytes;
        if !inside || !self.shared.has(&range) {
            let lane = lanes.trailing_zeros();
            let kind = Kind::OutOfBounds { space: Space::Shared, address: self.code.named(range.start), lane };
            return Err(self.fatal(warp, pc, kind));
        }
        if touch != Touch::Read {
            D::changing(self, range.clone());
        }
        // a range that only covers what is read may cover barriers as well
        let met = self.asynchronous.valid_barriers(range.clone()).next().filter(|_| !self.domain.perhaps());
        if let Some(address) = met {
            self.record(warp, pc, accessed(self.code.named(address)))?;
        }
        let clock = warp.thread.released(lanes);
        let by = Accessor::weak(warp.thread.index, &clock, self.mark(pc));
        let issuer = Issuer { lanes, fenced: warp.thread.fenced(lanes) };
        let findings = self.shared.start(range, touch, &by, flight, issuer);
        if findings.crowded {
            let what = "two copies under way use one place, and different barriers count their bytes";
            return Err(D::exhausted(self, warp, pc, what));
        }
        let access = if touch == Touch::Read { Access::Read } else { Access::Write };
        self.report(warp, pc, Space::Shared, access, findings)
    }

    pub(super) fn commit(&mut self, warp: &mut Warp<D::Knowledge>, pc: u32, bulk: bool, mask: u32) -> Result<(), Stop> {
        let groups = &mut self.asynchronous.groups[warp.thread.index][usize::from(bulk)];
        if *groups.lanes.get_or_insert(mask) != mask {
            // the groups of its lanes would have different numbers
            return D::undecided(self, warp, pc, mask, Undecided::Mask);
        }
        groups.ends.push(groups.started);
        Ok(())
    }

    pub(super) fn drain(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        left: Option<u32>,
        bulk: bool,
        mask: u32,
    ) -> Result<(), Stop> {
        let own = warp.thread.index;
        let groups = &self.asynchronous.groups[own][usize::from(bulk)];
        let end = match left {
            None => Some(groups.started),
            Some(left) => groups.ends.len().checked_sub(left as usize + 1).map(|at| groups.ends[at]),
        };
        let Some(end) = end else { return Ok(()) };
        self.finish_copies(warp, pc, bulk, end, mask)
    }

    /// Lets the lanes know that their copies up to that number have ended.
    fn finish_copies(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        bulk: bool,
        end: u32,
        mask: u32,
    ) -> Result<(), Stop> {
        let own = warp.thread.index;
        let (mut done, mut rest, mut known) = (Vec::new(), Vec::new(), end);
        for under_way in std::mem::take(&mut self.asynchronous.under_way) {
            let counted = under_way.warp == own && under_way.is_bulk() == Some(bulk) && under_way.number <= end;
            if counted && under_way.lanes & !mask == 0 {
                done.push(under_way);
            } else {
                // a lane waits for its own copies only
                if counted {
                    known = known.min(under_way.number - 1);
                }
                rest.push(under_way);
            }
        }
        self.asynchronous.under_way = rest;
        for under_way in done.into_iter().rev() {
            if let Way::Group { to, bytes } = &under_way.way {
                D::accessed(self, warp, pc, &Lanes::new(to, 0, under_way.lanes, *bytes), Touch::Write)?;
            }
            self.land(under_way)?;
        }
        let slot = if bulk { VectorClock::bulk(own) } else { VectorClock::copies(own) };
        warp.thread.learn(mask, warp.live, |clock| clock[slot] = clock[slot].max(known));
        Ok(())
    }

    pub(super) fn copy_arrive(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        at: Spot,
        counted: bool,
        mask: u32,
    ) -> Result<(), Stop> {
        let own = warp.thread.index;
        let end = self.asynchronous.groups[own][0].started;
        // the arrival comes behind the copies: whoever waits for it is behind them, the lanes themselves are not
        let before = (*warp.thread.clock_of(mask), warp.thread.clock, warp.thread.ahead.clone());
        self.finish_copies(warp, pc, false, end, mask)?;
        let clock = warp.thread.released(mask);
        (warp.thread.clock, warp.thread.ahead) = (before.1, before.2);
        for (address, lanes) in self.places(warp, pc, at, false, mask)? {
            self.touch(warp, pc, address, lanes)?;
            let by = self.arrives(warp, pc, address, lanes)?;
            let n = if counted { lanes.count_ones() } else { 0 };
            let time = warp.thread.clock[own];
            self.barrier_at(warp, pc, address, |barrier| {
                barrier.defer();
                if !counted {
                    barrier.add(own, lanes, time);
                }
                barrier.arrive(n, 0, &clock, by)
            })?;
            warp.thread.tick();
            self.settle(warp, pc, address)?;
        }
        Ok(())
    }

    pub(super) fn bulk_load(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        (to, barrier): (Spot, Spot),
        from: Option<(Spot, Source)>,
        ranks: Option<Source>,
        mask: u32,
    ) -> Result<(), Stop> {
        if from.is_none() && D::MOVES {
            return D::undecided(self, warp, pc, mask, Undecided::Meaning);
        }
        for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
            let at = |spot: Spot, warp: &Warp<_>, machine: &Self| {
                spot.base.row(&warp.regs, &machine.code.pool)[lane].wrapping_add(spot.offset)
            };
            let [to, barrier] = [to, barrier].map(|spot| in_shared(at(spot, warp, self)));
            let given = match from {
                Some((from, bytes)) => {
                    let bytes = bytes.row(&warp.regs, &self.code.pool)[lane] & 0xffff_ffff;
                    Some((at(from, warp, self), bytes))
                }
                None => None,
            };
            let ranks = ranks.map(|ranks| ranks.row(&warp.regs, &self.code.pool)[lane] & 0xffff);
            for (shared, address) in self.targets(warp, pc, to, barrier, ranks, lane)? {
                let (global, bytes) = match given {
                    Some(given) => given,
                    None => {
                        let unclaimed = self.barrier_at(warp, pc, address, |barrier| Ok(barrier.unclaimed()))?;
                        let copy = TensorCopy { to: shared, barrier: address, unclaimed };
                        let Some(bytes) = D::measured(self, warp, pc, copy)? else { continue };
                        (0, bytes)
                    }
                };
                self.check_bulk(warp, pc, shared, bytes, lane)?;
                let clock = warp.thread.released(1 << lane);
                self.touch(warp, pc, address, 1 << lane)?;
                let (time, slot) =
                    self.barrier_at(warp, pc, address, |barrier| Ok((barrier.issue(bytes, &clock)?, barrier.slot)))?;
                let (own, rank) = (warp.thread.index, self.code.rank_of(shared));
                if rank != self.code.rank(own) {
                    // the bytes come with a release for the cluster
                    let heard = self.barrier_at(warp, pc, address, |barrier| Ok(barrier.hears(true, true)))?;
                    if !D::MOVES && !heard {
                        D::undecided(self, warp, pc, 1 << lane, Undecided::Scope)?;
                    }
                    self.visit(warp, pc, rank, slot, time, 1 << lane)?;
                }
                let flight = Flight { slot, time, proxy: true, element: None, whole: true };
                self.start(warp, pc, shared..shared + bytes, Touch::Write, 1 << lane, &flight)?;
                let moves = vec![Move { shared, global, bytes, read: bytes }];
                let way = Way::Barrier(address);
                self.asynchronous.under_way.push(UnderWay { warp: own, pc, number: 0, lanes: 1 << lane, moves, way });
                self.settle(warp, pc, address)?;
            }
        }
        Ok(())
    }

    /// Returns the target of a bulk copy and the barrier there, in each CTA of the mask, otherwise as the addresses say.
    fn targets(
        &mut self,
        warp: &Warp<D::Knowledge>,
        pc: u32,
        to: u64,
        barrier: u64,
        ranks: Option<u64>,
        lane: usize,
    ) -> Result<Vec<(u64, u64)>, Stop> {
        if alone(self.code) && ranks.is_none() {
            return Ok(vec![(to, barrier)]);
        }
        let [own_to, own_barrier] = [to, barrier].map(|address| address & ((1 << RANK_BITS) - 1));
        let pairs: Vec<(u64, u64)> = match ranks {
            None => vec![(to, barrier)],
            Some(0) => {
                return Err(self.fatal(warp, pc, Kind::Copy("a copy to no CTA of the cluster".to_owned())));
            }
            Some(mask) => {
                let base = |rank: u64| (rank + 1) << RANK_BITS;
                let chosen = (0..16).filter(|rank| mask >> rank & 1 == 1);
                chosen.map(|rank| (base(rank) | own_to, base(rank) | own_barrier)).collect()
            }
        };
        let mut targets = Vec::new();
        for (to, barrier) in pairs {
            let to = self.place_of(warp, pc, to, 1, true, 1 << lane)?;
            let barrier = self.place_of(warp, pc, barrier, 8, true, 1 << lane)?;
            if self.code.rank_of(to) != self.code.rank_of(barrier) {
                let what = "a copy to one CTA whose bytes the barrier of another one counts";
                return Err(self.fatal(warp, pc, Kind::Copy(what.to_owned())));
            }
            targets.push((to, barrier));
        }
        Ok(targets)
    }

    pub(super) fn bulk_store(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        from: Spot,
        (to, reduces): (Option<(Spot, Source)>, bool),
        mask: u32,
    ) -> Result<(), Stop> {
        if D::MOVES && (reduces || to.is_none()) {
            return D::undecided(self, warp, pc, mask, Undecided::Meaning);
        }
        let Some((to, bytes)) = to else { return self.tensor_store(warp, pc, from, mask) };
        D::stores_out(self, warp, pc, Some(to), mask)?;
        let own = warp.thread.index;
        for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
            let pool = &self.code.pool;
            let mut shared = in_shared(from.base.row(&warp.regs, pool)[lane].wrapping_add(from.offset));
            let bytes = bytes.row(&warp.regs, pool)[lane] & 0xffff_ffff;
            let global = to.base.row(&warp.regs, pool)[lane].wrapping_add(to.offset);
            if !alone(self.code) {
                shared = self.place_of(warp, pc, shared, 1, false, 1 << lane)?;
            }
            self.check_bulk(warp, pc, shared, bytes, lane)?;
            let groups = &mut self.asynchronous.groups[own][1];
            groups.started += 1;
            let number = groups.started;
            let flight = Flight { slot: VectorClock::bulk(own), time: number, proxy: true, element: None, whole: true };
            self.start(warp, pc, shared..shared + bytes, Touch::Read, 1 << lane, &flight)?;
            let moves = vec![Move { shared, global, bytes, read: bytes }];
            self.asynchronous.under_way.push(UnderWay {
                warp: own,
                pc,
                number,
                lanes: 1 << lane,
                moves,
                way: Way::Bulk,
            });
        }
        Ok(())
    }

    /// Starts a copy of a tensor out of shared memory. Its size is not known: it may read all that lies behind its place, or as much
    /// as a condition allows.
    fn tensor_store(&mut self, warp: &mut Warp<D::Knowledge>, pc: u32, from: Spot, mask: u32) -> Result<(), Stop> {
        D::stores_out(self, warp, pc, None, mask)?;
        let own = warp.thread.index;
        let end = self.code.base(self.code.rank(own)) + self.code.shared_bytes;
        for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
            let row = from.base.row(&warp.regs, &self.code.pool);
            let mut shared = in_shared(row[lane].wrapping_add(from.offset));
            if !alone(self.code) {
                shared = self.place_of(warp, pc, shared, 1, false, 1 << lane)?;
            }
            let groups = &mut self.asynchronous.groups[own][1];
            groups.started += 1;
            let number = groups.started;
            let flight =
                Flight { slot: VectorClock::bulk(own), time: number, proxy: true, element: None, whole: false };
            let end = D::most_out(self, warp, pc, shared).map_or(end, |most| end.min(shared + most));
            let outer = self.domain.rough(true);
            let started = self.start(warp, pc, shared..end.max(shared + 16), Touch::Read, 1 << lane, &flight);
            self.domain.rough(outer);
            started?;
            let (moves, way) = (Vec::new(), Way::Bulk);
            self.asynchronous.under_way.push(UnderWay { warp: own, pc, number, lanes: 1 << lane, moves, way });
        }
        Ok(())
    }

    /// Changes a tensor map in shared memory, or copies it to global memory.
    pub(super) fn map(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        at: Spot,
        to: Option<Spot>,
        mask: u32,
    ) -> Result<(), Stop> {
        if D::MOVES {
            return D::undecided(self, warp, pc, mask, Undecided::Meaning);
        }
        if let Some(to) = to {
            D::stores_out(self, warp, pc, Some(to), mask)?;
        }
        for (address, lanes) in self.places(warp, pc, at, false, mask)? {
            for word in 0..MAP_BYTES / 8 {
                let row = [address + 8 * word; 32];
                let lanes = Lanes::new(&row, 0, lanes, 8);
                if to.is_none() {
                    self.store_placed(warp, pc, &lanes, &[0; 32], 0)?;
                    continue;
                }
                // the lanes copy together, and PTX does not say which of them reads
                let outer = self.domain.rough(true);
                let loaded = self.load_placed(warp, pc, &lanes);
                self.domain.rough(outer);
                loaded?;
            }
        }
        Ok(())
    }

    /// Starts a store, copy or reduction to shared memory of the cluster, whose bytes the barrier there counts.
    pub(super) fn deliver(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        delivery: &Delivery,
        mask: u32,
    ) -> Result<(), Stop> {
        if D::MOVES {
            return D::undecided(self, warp, pc, mask, Undecided::Meaning);
        }
        let own = warp.thread.index;
        for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
            let pool = &self.code.pool;
            let at = |spot: Spot| in_shared(spot.base.row(&warp.regs, pool)[lane].wrapping_add(spot.offset));
            let (to, barrier, from) = (at(delivery.to), at(delivery.barrier), delivery.from.map(at));
            let bytes = delivery.bytes.row(&warp.regs, pool)[lane] & 0xffff_ffff;
            let targets = self.targets(warp, pc, to, barrier, None, lane)?;
            let &[(to, barrier)] = &targets[..] else { return Ok(()) };
            match from {
                Some(_) => self.check_bulk(warp, pc, to, bytes, lane)?,
                None if !to.is_multiple_of(bytes) => {
                    let kind = Kind::Misaligned { space: Space::Shared, address: to, lane: lane as u32 };
                    return Err(self.fatal(warp, pc, kind));
                }
                None => {}
            }
            let rank = self.code.rank_of(to);
            let remote = rank != self.code.rank(own);
            // the bytes come with a release for the cluster
            if !self.barrier_at(warp, pc, barrier, |barrier| Ok(barrier.hears(remote, true)))? {
                D::undecided(self, warp, pc, mask, Undecided::Scope)?;
            }
            let clock = warp.thread.released(1 << lane);
            self.touch(warp, pc, barrier, 1 << lane)?;
            let (time, slot) =
                self.barrier_at(warp, pc, barrier, |barrier| Ok((barrier.issue(bytes, &clock)?, barrier.slot)))?;
            if remote {
                self.visit(warp, pc, rank, slot, time, 1 << lane)?;
            }
            // st.async and red.async are of the generic proxy
            let flight = Flight { slot, time, proxy: from.is_some(), element: delivery.reduces, whole: true };
            if let Some(from) = from {
                let from = self.place_of(warp, pc, from, 1, false, 1 << lane)?;
                self.check_bulk(warp, pc, from, bytes, lane)?;
                self.start(warp, pc, from..from + bytes, Touch::Read, 1 << lane, &flight)?;
            }
            let touch = if delivery.reduces.is_some() { Touch::Atomic } else { Touch::Write };
            self.start(warp, pc, to..to + bytes, touch, 1 << lane, &flight)?;
            let moves = vec![Move { shared: to, global: 0, bytes, read: bytes }];
            let way = Way::Barrier(barrier);
            self.asynchronous.under_way.push(UnderWay { warp: own, pc, number: 0, lanes: 1 << lane, moves, way });
            self.settle(warp, pc, barrier)?;
        }
        Ok(())
    }

    /// Checks that addresses and sizes of bulk copies are multiples of 16.
    fn check_bulk(
        &mut self,
        warp: &Warp<D::Knowledge>,
        pc: u32,
        shared: u64,
        bytes: u64,
        lane: usize,
    ) -> Result<(), Stop> {
        if bytes == 0 || !bytes.is_multiple_of(16) {
            return Err(self.fatal(warp, pc, Kind::Copy(format!("a bulk copy of {bytes} bytes, no multiple of 16"))));
        }
        if !shared.is_multiple_of(16) {
            let kind = Kind::Misaligned { space: Space::Shared, address: shared, lane: lane as u32 };
            return Err(self.fatal(warp, pc, kind));
        }
        Ok(())
    }

    /// Ends a copy.
    pub(super) fn land(&mut self, under_way: UnderWay) -> Result<(), Stop> {
        let UnderWay { warp, pc, moves, way, .. } = under_way;
        let bytes = moves.iter().map(|one| one.bytes).sum();
        if D::MOVES {
            for one in &moves {
                let out = matches!(way, Way::Bulk);
                self.transfer(one, out).map_err(|kind| self.failed(warp, pc, kind))?;
            }
        }
        if let Way::Barrier(address) = way
            && let Some(barrier) = self.asynchronous.barriers.get_mut(&address)
        {
            barrier.land(bytes);
            let ended = barrier.settle().map_err(|misuse| self.failed(warp, pc, Kind::Mbarrier { address, misuse }))?;
            self.ended(address, ended);
        }
        Ok(())
    }

    fn transfer(&mut self, one: &Move, out: bool) -> Result<(), Kind> {
        let unit = [8u32, 4, 2, 1].into_iter().find(|unit| {
            let all = one.shared | one.global | one.bytes | one.read;
            all.is_multiple_of(u64::from(*unit))
        });
        let unit = unit.unwrap_or(1);
        for offset in (0..one.bytes).step_by(unit as usize) {
            let base = [one.global + offset; 32];
            let lanes = Lanes::new(&base, 0, 1, unit);
            if out {
                let value = self.shared.get(one.shared + offset, unit);
                self.segments.store(&lanes, &[value; 32])?;
            } else {
                let value = if offset < one.read { self.segments.load(Space::Global, &lanes)?[0] } else { 0 };
                self.shared.put(one.shared + offset, unit, value);
            }
        }
        Ok(())
    }
}
