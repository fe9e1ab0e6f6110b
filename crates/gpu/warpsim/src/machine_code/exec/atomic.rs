//! Atomics of one warp, lane by lane.

use super::Machine;
use super::memory::{put, traffic};
use crate::atomic;
use crate::cta::Core;
use crate::decode::Manner;
use crate::exec::Stop;
use crate::hazard::Access;
use crate::machine_code::op::{Atomic, Locked, Tells, ZERO};
use crate::machine_code::warp::Warp;
use crate::memory::Lanes;
use crate::shared::Accessor;
use ptx::inst::Space;

impl Machine<'_, '_> {
    /// Performs an atomic in the order of the lanes; the old values go to d.
    pub(super) fn atomic(&mut self, warp: &mut Warp, pc: u32, atomic: &Atomic, mask: u32) -> Result<(), Stop> {
        let Atomic { op, ty, space, d, tells, sources, ref address } = *atomic;
        let bytes = ty.bytes();
        let [a, b] = sources.map(|row| match bytes {
            8 => warp.pair(self.code, row),
            _ => warp.row(self.code, row).map(u64::from),
        });
        let mut old = [0; 32];
        for part in self.parts(warp, space, bytes, address, mask) {
            if let Some(trace) = &mut self.trace {
                trace.updates(&Lanes::new(&part.bases, 0, part.mask, bytes));
            }
            for lane in lanes(part.mask) {
                let new = |old| atomic::apply(op, ty, [old, a[lane], b[lane]]).unwrap_or(old);
                let one = Lanes::new(&part.bases, 0, 1 << lane, bytes);
                old[lane] = match part.space {
                    Space::Shared => self.updated(warp, pc, &one, lane, new)?,
                    Space::Local => {
                        warp.traffic.local_bytes += 2 * traffic(&one);
                        warp.local.update(&one, lane, new).map_err(|kind| self.fatal(warp, pc, kind))?
                    }
                    _ => {
                        warp.traffic.global_load_bytes += if d == ZERO { 0 } else { traffic(&one) };
                        warp.traffic.global_store_bytes += traffic(&one);
                        self.segments.update(&one, lane, new).map_err(|kind| self.fatal(warp, pc, kind))?
                    }
                };
            }
        }
        let replaced = |lane: usize| old[lane] == a[lane];
        match tells {
            Tells::Old => put(warp, d, bytes, 0, 0, &old, mask),
            Tells::Replaced => put(warp, d, 4, 0, 0, &std::array::from_fn(|lane| u64::from(replaced(lane))), mask),
            Tells::ReplacedAs(p) => {
                let all = (0..32).fold(0, |all, lane| all | u32::from(replaced(lane)) << lane);
                warp.set_pred(p, all, mask);
            }
        }
        Ok(())
    }

    /// Loads words of shared memory that nobody has locked, and locks them. Of lanes with the same address only the first gets
    /// its word; p holds for lanes that have theirs.
    pub(super) fn lock(&mut self, warp: &mut Warp, pc: u32, words: &Locked, mask: u32) -> Result<(), Stop> {
        let Locked { bytes, p, row: d, ref address } = *words;
        let (mut row, mut locked) = ([0; 32], 0);
        for part in self.parts(warp, Space::Shared, bytes, address, mask) {
            for lane in lanes(part.mask) {
                if self.locks.contains(&part.bases[lane]) {
                    continue;
                }
                let one = Lanes::new(&part.bases, 0, 1 << lane, bytes);
                row[lane] = self.updated(warp, pc, &one, lane, |old| old)?;
                self.locks.insert(part.bases[lane]);
                locked |= 1 << lane;
            }
        }
        put(warp, d, bytes, 0, 0, &row, locked);
        warp.set_pred(p, locked, mask);
        Ok(())
    }

    /// Stores words of shared memory that the lanes have locked, and sets them free; p holds if this was done.
    pub(super) fn unlock(&mut self, warp: &mut Warp, pc: u32, words: &Locked, mask: u32) -> Result<(), Stop> {
        let Locked { bytes, p, row: a, ref address } = *words;
        let values = match bytes {
            8 => warp.pair(self.code, a),
            _ => warp.row(self.code, a).map(u64::from),
        };
        for part in self.parts(warp, Space::Shared, bytes, address, mask) {
            for lane in lanes(part.mask) {
                if !self.locks.remove(&part.bases[lane]) {
                    return Err(self.unsupported(warp, pc, "a store that sets free what is not locked"));
                }
                let one = Lanes::new(&part.bases, 0, 1 << lane, bytes);
                self.updated(warp, pc, &one, lane, |_| values[lane])?;
            }
        }
        warp.set_pred(p, mask, mask);
        Ok(())
    }

    /// Updates one lane's word of shared memory; returns the old value.
    pub(super) fn updated(
        &mut self,
        warp: &Warp,
        pc: u32,
        one: &Lanes,
        lane: usize,
        new: impl FnOnce(u64) -> u64,
    ) -> Result<u64, Stop> {
        let by = Accessor { manner: Manner::Strong, ..Accessor::weak(warp.thread.index, &warp.thread.clock, pc) };
        let (old, found) = self.shared.update(one, lane, &by, new).map_err(|kind| self.fatal(warp, pc, kind))?;
        self.report(warp, pc, Space::Shared, Access::Write, found)?;
        Ok(old)
    }
}

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}
