//! Loads and stores of one warp.

use super::Machine;
use crate::cta::Core;
use crate::exec::Stop;
use crate::hazard::{Access, Kind};
use crate::lanes::extended;
use crate::machine_code::op::{Address, Constant, Load, Store, ZERO};
use crate::machine_code::trace::{Event, constant_line};
use crate::machine_code::warp::Warp;
use crate::memory::{Lanes, aligned_inside};
use crate::rows::Row;
use crate::shared::{Accessor, Findings, passes};
use ptx::inst::Space;

/// The lanes of an access that go to one space, and their addresses there.
pub(super) struct Part {
    pub space: Space,
    pub mask: u32,
    pub bases: Row,
}

impl Machine<'_, '_> {
    pub(super) fn load(&mut self, warp: &mut Warp, pc: u32, load: &Load, mask: u32) -> Result<(), Stop> {
        let Load { space, bytes, extend, d, ref address } = *load;
        for part in self.parts(warp, space, bytes, address, mask) {
            for (step, lanes) in words(&part, bytes) {
                let row = self.loaded(warp, pc, part.space, next(d, 2 * step), &lanes, step == 1)?;
                put(warp, d, bytes, extend, step, &row, part.mask);
            }
        }
        Ok(())
    }

    /// Loads one or two words for the registers from `d` on; the second of them may be the fourth of an access.
    fn loaded(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        space: Space,
        d: u32,
        lanes: &Lanes,
        fourth: bool,
    ) -> Result<Row, Stop> {
        match space {
            Space::Shared => {
                let by = Accessor::weak(warp.thread.index, &warp.thread.clock, pc);
                let loaded = self.shared.load(lanes, &by);
                let (row, mut found) = loaded.map_err(|kind| self.fatal(warp, pc, kind))?;
                if let Some(address) = found.unwritten.filter(|_| fourth) {
                    let (low, high) = self.shared.unwritten(lanes);
                    // three words are valid, and ptxas loads four
                    if low == 0 {
                        warp.undefined.fill(next(d, 1), high, (space, address), None);
                        found.unwritten = None;
                    }
                }
                self.report(warp, pc, space, Access::Read, found)?;
                Ok(row)
            }
            Space::Local => {
                warp.traffic.local_bytes += traffic(lanes);
                let (row, unwritten) = warp.local.load(lanes).map_err(|kind| self.fatal(warp, pc, kind))?;
                if let Some(unwritten) = unwritten {
                    let word = common(lanes);
                    for (at, undefined) in (0..).zip(unwritten.lanes) {
                        let (origin, undefined) = ((Space::Local, unwritten.address), undefined & lanes.mask);
                        warp.undefined.fill(next(d, at), undefined, origin, word.map(|word| word + 4 * u64::from(at)));
                    }
                }
                Ok(row)
            }
            _ => {
                warp.traffic.global_load_bytes += traffic(lanes);
                self.segments.load(space, lanes).map_err(|kind| self.fatal(warp, pc, kind))
            }
        }
    }

    pub(super) fn store(&mut self, warp: &mut Warp, pc: u32, store: &Store, mask: u32) -> Result<(), Stop> {
        let Store { space, bytes, a, ref address } = *store;
        for part in self.parts(warp, space, bytes, address, mask) {
            for (step, lanes) in words(&part, bytes) {
                let values = warp.pair(self.code, next(a, 2 * step));
                self.stored(warp, pc, part.space, next(a, 2 * step), &lanes, &values)?;
            }
        }
        Ok(())
    }

    /// Stores one or two words of the registers from `a` on.
    fn stored(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        space: Space,
        a: u32,
        lanes: &Lanes,
        values: &Row,
    ) -> Result<(), Stop> {
        match space {
            Space::Shared => {
                let by = Accessor::weak(warp.thread.index, &warp.thread.clock, pc);
                let found = self.shared.store(lanes, values, &by);
                let found = found.map_err(|kind| self.fatal(warp, pc, kind))?;
                self.report(warp, pc, space, Access::Write, found)
            }
            Space::Local => {
                warp.traffic.local_bytes += traffic(lanes);
                warp.local.store(lanes, values).map_err(|kind| self.fatal(warp, pc, kind))?;
                if !warp.undefined.is_empty() {
                    warp.local.forget(lanes, [0, 1].map(|at| warp.undefined.lanes(next(a, at))));
                    spilled(warp, a, lanes);
                }
                Ok(())
            }
            _ => {
                warp.traffic.global_store_bytes += traffic(lanes);
                self.segments.store(lanes, values).map_err(|kind| self.fatal(warp, pc, kind))
            }
        }
    }

    /// Returns the lanes whose generic address lies in the space.
    pub(super) fn lanes_in(&self, warp: &Warp, space: Space, address: &Address) -> u32 {
        let bases = self.addresses(warp, address);
        (0..32).fold(0, |bits, lane| bits | u32::from(self.code.windows.place(bases[lane]).0 == space) << lane)
    }

    /// Loads from constant memory, each lane from its own place.
    pub(super) fn constant(&mut self, warp: &mut Warp, pc: u32, constant: &Constant, mask: u32) -> Result<(), Stop> {
        let Constant { bank, bytes, extend, d, index, offset } = *constant;
        let index = *warp.row(self.code, index);
        let place = |lane: usize, step: u32| {
            let address = index[lane].wrapping_add(offset as u32 + 8 * step);
            // a bank has 64 KiB: an offset in its upper half is a negative one
            u64::from(if address >> 16 == 0xffff { address & 0xffff } else { address })
        };
        if let Some(trace) = &mut self.trace {
            let first = mask.trailing_zeros() as usize & 31;
            let is_new = |lane: &usize| {
                mask >> lane & 1 == 1
                    && !(first..*lane).any(|other| mask >> other & 1 == 1 && index[other] == index[*lane])
            };
            let addresses = (0..32).filter(is_new).count() as u32;
            trace.happens(Event::Constant { line: constant_line(bank, place(first, 0)), addresses });
        }
        // two words at a time
        for step in 0..bytes.div_ceil(8) {
            let mut row = [0; 32];
            for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
                row[lane] = self
                    .read(bank, place(lane, step), bytes.min(8), lane)
                    .map_err(|kind| self.fatal(warp, pc, kind))?;
            }
            put(warp, d, bytes, extend, step, &row, mask);
        }
        Ok(())
    }

    fn read(&self, bank: u8, address: u64, bytes: u32, lane: usize) -> Result<u64, Kind> {
        let space = Space::Const;
        let missing = Kind::OutOfBounds { space, address, lane: lane as u32 };
        let buffer = self.code.banks.get(&bank).ok_or(missing)?;
        aligned_inside(space, buffer.bytes(), address, address, bytes, lane)?;
        buffer.read(address, bytes).ok_or(Kind::Unwritten { space, address })
    }

    /// Splits an access by the spaces that it goes to; counts its traffic there.
    pub(super) fn parts(
        &mut self,
        warp: &mut Warp,
        space: Space,
        bytes: u32,
        address: &Address,
        mask: u32,
    ) -> Vec<Part> {
        let bases = self.addresses(warp, address);
        let parts = match space {
            Space::Generic => self.by_space(&bases, bytes, mask),
            Space::Shared => vec![Part { space, mask, bases: self.in_own(warp, &bases, bytes) }],
            space => vec![Part { space, mask, bases }],
        };
        for part in &parts {
            self.occupy(warp, part.space, &Lanes::new(&part.bases, 0, part.mask, bytes));
        }
        parts
    }

    pub(super) fn shared_addresses(&self, warp: &Warp, address: &Address, bytes: u32) -> Row {
        self.in_own(warp, &self.addresses(warp, address), bytes)
    }

    /// Returns addresses of the shared memory of the warp's CTA among the memories of the cluster.
    fn in_own(&self, warp: &Warp, addresses: &Row, bytes: u32) -> Row {
        let own = self.rank(warp);
        addresses.map(|address| self.code.shared_place(address, bytes, Some(own)))
    }

    /// Returns the rank of the warp's CTA in its cluster.
    fn rank(&self, warp: &Warp) -> u32 {
        (warp.thread.index / warp.place.warps()) as u32
    }

    fn by_space(&self, bases: &Row, bytes: u32, mask: u32) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
            let (space, address) = self.code.windows.place(bases[lane]);
            let is_shared = space == Space::Shared;
            let address = if is_shared { self.code.shared_place(address, bytes, None) } else { address };
            let at = parts.iter().position(|part| part.space == space).unwrap_or_else(|| {
                parts.push(Part { space, mask: 0, bases: [0; 32] });
                parts.len() - 1
            });
            parts[at].mask |= 1 << lane;
            parts[at].bases[lane] = address;
        }
        parts
    }

    /// Records the traffic of an access, for the counts and the model of time.
    fn occupy(&mut self, warp: &mut Warp, space: Space, lanes: &Lanes) {
        if space == Space::Shared {
            let passes = passes(lanes, 4);
            warp.traffic.shared_wavefronts += passes;
            if let Some(trace) = &mut self.trace {
                let (passes, own) = (passes as u32, (warp.thread.index / warp.place.warps()) as u64);
                let is_own = |lane: usize| lanes.address(lane) / self.code.shared_bytes.max(1) == own;
                let remote = self.code.ranks() > 1 && !lanes.active().all(is_own);
                trace.happens(if remote { Event::Remote { passes } } else { Event::Shared { passes } });
            }
        } else if let Some(trace) = &mut self.trace {
            trace.access(warp.thread.index, space, lanes);
        }
    }

    fn addresses(&self, warp: &Warp, address: &Address) -> Row {
        let mut sum = [address.offset as u64; 32];
        for (row, by) in &address.words {
            let word = warp.row(self.code, *row);
            for lane in 0..32 {
                sum[lane] = sum[lane].wrapping_add(u64::from(word[lane]) << by);
            }
        }
        for row in &address.pairs {
            let pair = warp.pair(self.code, *row);
            for lane in 0..32 {
                sum[lane] = sum[lane].wrapping_add(pair[lane]);
            }
        }
        if address.wide { sum } else { sum.map(|x| x & u64::from(u32::MAX)) }
    }

    pub(super) fn report(
        &mut self,
        warp: &Warp,
        pc: u32,
        space: Space,
        access: Access,
        found: Findings,
    ) -> Result<(), Stop> {
        for kind in found.kinds(space, access, |warp, pc| self.code.site(warp, pc), |place| place) {
            self.record(warp, pc, kind)?;
        }
        Ok(())
    }
}

/// Splits an access into steps of two words.
fn words(part: &Part, bytes: u32) -> impl Iterator<Item = (u32, Lanes<'_>)> {
    let lanes = move |step| Lanes::new(&part.bases, u64::from(8 * step), part.mask, bytes.min(8));
    (0..bytes.div_ceil(8)).map(move |step| (step, lanes(step)))
}

/// Writes a step of a load; the sign of less than a word goes into the bits of `extend`.
pub(super) fn put(warp: &mut Warp, d: u32, bytes: u32, extend: u64, step: u32, row: &Row, mask: u32) {
    let extended = if extend == 0 { *row } else { extended(row, bytes, extend) };
    if bytes < 8 {
        warp.set(d, &extended.map(|x| x as u32), mask);
    } else {
        warp.set_pair(next(d, 2 * step), &extended, mask);
    }
}

/// Returns the register `by` behind another; `RZ` stays `RZ`.
fn next(row: u32, by: u32) -> u32 {
    if row == ZERO { row } else { row + by }
}

/// Returns the bytes that the active lanes move.
pub(super) fn traffic(lanes: &Lanes) -> u64 {
    u64::from(lanes.mask.count_ones() * lanes.bytes)
}

/// Returns the address, if all active lanes access the same.
fn common(lanes: &Lanes) -> Option<u64> {
    let mut addresses = lanes.active().map(|lane| lanes.address(lane));
    let first = addresses.next()?;
    addresses.all(|address| address == first).then_some(first)
}

/// Moves the known bits of undefined values to local memory with them.
fn spilled(warp: &mut Warp, a: u32, lanes: &Lanes) {
    let words = lanes.bytes.div_ceil(4);
    let mut spill = |first: u64, mask: u32| {
        (0..words).for_each(|at| warp.undefined.spill(next(a, at), first + 4 * u64::from(at), mask, lanes.bytes >= 4));
    };
    match lanes.uniform() {
        Some(address) => spill(address & !3, lanes.mask),
        None => lanes.active().for_each(|lane| spill(lanes.address(lane) & !3, 1 << lane)),
    }
}
