//! Loads, stores and atomics of one warp at known addresses.

use super::cluster::alone;
use super::{Machine, Stop};
use crate::buffer::extract;
use crate::decode::{Manner, MemoryAccess};
use crate::domain::{ALL, Domain, Touch, Undecided};
use crate::hazard::Access;
use crate::lanes::extended;
use crate::memory::{Lanes, concrete};
use crate::rows::Row;
use crate::scalar::Each;
use crate::shared::{ADDRESS_MASK, Accessor, Findings, Strength, passes};
use crate::warp::Warp;
use ptx::inst::Space;

impl<D: Domain> Machine<'_, '_, D> {
    /// Performs a memory access; some lane must be active.
    pub(in super::super) fn memory_access(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        op: &MemoryAccess,
        mask: u32,
    ) -> Result<(), Stop> {
        let pool = &self.code.pool;
        match op {
            MemoryAccess::Atomic { f, space, bytes, d, base, offset, a, b } => {
                if mask & !warp.knows(*base) != 0 {
                    return D::undecided(self, warp, pc, mask, Undecided::Address(*space));
                }
                let (bases, first) = (*base.row(&warp.regs, pool), *a.row(&warp.regs, pool));
                let second = b.map_or(first, |b| *b.row(&warp.regs, pool));
                let lanes = Lanes::new(&bases, *offset, mask, *bytes);
                let row = self.atomic(warp, pc, f, *space, &lanes, [&first, &second])?;
                if let Some(d) = d {
                    warp.write(*d, &row, D::HANDED, mask);
                }
            }
            MemoryAccess::Load { space, bytes, extend, d, base, offset } => {
                if mask & !warp.knows(*base) != 0 {
                    return D::undecided(self, warp, pc, mask, Undecided::Address(*space));
                }
                if let (Space::Shared, Some(part)) = (*space, warp.thread.part(mask)) {
                    self.memory_access(warp, pc, op, part)?;
                    return self.memory_access(warp, pc, op, mask & !part);
                }
                let bases = *base.row(&warp.regs, pool);
                for (i, d) in d.iter().enumerate() {
                    let lanes = Lanes::new(&bases, offset.wrapping_add(u64::from(*bytes) * i as u64), mask, *bytes);
                    let (row, known) = self.load(warp, pc, *space, &lanes)?;
                    let row = if *extend == 0 { row } else { extended(&row, *bytes, *extend) };
                    warp.write(*d, &row, known, mask);
                }
            }
            MemoryAccess::Store { space, bytes, a, base, offset } => {
                if mask & !warp.knows(*base) != 0 {
                    return D::undecided(self, warp, pc, mask, Undecided::Address(*space));
                }
                let bases = *base.row(&warp.regs, pool);
                for (i, a) in a.iter().enumerate() {
                    let lanes = Lanes::new(&bases, offset.wrapping_add(u64::from(*bytes) * i as u64), mask, *bytes);
                    let (values, known) = (*a.row(&warp.regs, pool), warp.knows(*a));
                    self.store(warp, pc, *space, &lanes, &values, known)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the accessor for lanes of the mask, each of which accesses this many bytes of shared memory.
    pub(in super::super) fn accessor<'w>(
        &self,
        warp: &'w Warp<D::Knowledge>,
        pc: u32,
        mask: u32,
        bytes: u32,
    ) -> Accessor<'w> {
        let conduct = self.code.conducts[pc as usize];
        Accessor {
            warp: warp.thread.index,
            clock: warp.thread.clock_of(mask),
            settled: if self.code.independent_lanes() { warp.thread.ordered } else { u32::MAX },
            pc: self.mark(pc),
            manner: conduct.manner,
            strength: Strength { bytes, wide: conduct.wide },
        }
    }

    /// Performs an atomic in the order of the lanes; returns the old values.
    pub(super) fn atomic(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        f: &Each,
        space: Space,
        lanes: &Lanes,
        [a, b]: [&Row; 2],
    ) -> Result<Row, Stop> {
        let mut row = [0; 32];
        let mut found = Findings::default();
        for lane in lanes.active() {
            let new = |old| f([old, a[lane], b[lane]]);
            let generic = space == Space::Generic;
            let (space, mut address) = match space {
                Space::Generic => concrete(lanes.address(lane)),
                space => (space, lanes.address(lane)),
            };
            if space == Space::Shared && !alone(self.code) {
                let bits = if generic { u64::MAX } else { ADDRESS_MASK };
                address = self.place_of(warp, pc, address & bits, lanes.bytes, generic, 1 << lane)?;
            }
            let at = [address; 32];
            let one = Lanes::new(&at, 0, 1 << lane, lanes.bytes);
            row[lane] = if space == Space::Shared {
                self.spares_barriers(warp, pc, &one)?;
                warp.thread.touch(lanes.mask);
                let by = self.accessor(warp, pc, lanes.mask, lanes.bytes);
                let (old, findings) =
                    self.shared.update(&one, lane, &by, new).map_err(|kind| self.fatal(warp, pc, kind))?;
                found.conflict = found.conflict.take().or(findings.conflict);
                found.unwritten = found.unwritten.or(findings.unwritten);
                D::accessed(self, warp, pc, &one, Touch::Atomic)?;
                old
            } else {
                D::update(self, warp, pc, space, &one, lane, new)?
            };
        }
        self.report(warp, pc, Space::Shared, Access::Write, found)?;
        Ok(row)
    }

    /// Loads the values; also returns the lanes that know them.
    pub(super) fn load(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        space: Space,
        lanes: &Lanes,
    ) -> Result<(Row, u32), Stop> {
        match space {
            Space::Generic => {
                let (mut row, mut known) = ([0; 32], 0);
                for (space, mask, bases) in by_space(lanes) {
                    let part = Lanes::new(&bases, 0, mask, lanes.bytes);
                    let (part, part_known) = match space {
                        Space::Shared => self.load_shared(warp, pc, &part, true)?,
                        space => self.load(warp, pc, space, &part)?,
                    };
                    for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
                        row[lane] = part[lane];
                    }
                    known |= part_known & mask;
                }
                Ok((row, known))
            }
            Space::Shared => self.load_shared(warp, pc, lanes, false),
            _ => D::load(self, warp, pc, space, lanes),
        }
    }

    /// Loads from shared memory; with `remote` from that of any CTA of the cluster.
    fn load_shared(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        lanes: &Lanes,
        remote: bool,
    ) -> Result<(Row, u32), Stop> {
        if D::COUNTS {
            warp.counts.shared_passes += passes(lanes, self.bank_bytes);
        }
        let places;
        let lanes = if alone(self.code) {
            lanes
        } else {
            places = self.placed(warp, pc, lanes, remote)?;
            &Lanes::new(&places, 0, lanes.mask, lanes.bytes)
        };
        self.load_placed(warp, pc, lanes)
    }

    /// Loads from places in the shared memory of the CTAs that run together.
    pub(super) fn load_placed(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        lanes: &Lanes,
    ) -> Result<(Row, u32), Stop> {
        self.spares_barriers(warp, pc, lanes)?;
        warp.thread.touch(lanes.mask);
        let by = self.accessor(warp, pc, lanes.mask, lanes.bytes);
        let weak = by.manner == Manner::Weak;
        let (row, findings) = self.shared.load(lanes, &by).map_err(|kind| self.fatal(warp, pc, kind))?;
        let touch = if weak { Touch::Read } else { Touch::StrongRead };
        D::accessed(self, warp, pc, lanes, touch)?;
        self.report(warp, pc, Space::Shared, Access::Read, findings)?;
        Ok((row, D::handed(self, pc, lanes)))
    }

    /// Stores values, which are known in the lanes of `known`.
    pub(super) fn store(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        space: Space,
        lanes: &Lanes,
        values: &Row,
        known: u32,
    ) -> Result<(), Stop> {
        match space {
            Space::Generic => {
                for (space, mask, bases) in by_space(lanes) {
                    let part = Lanes::new(&bases, 0, mask, lanes.bytes);
                    match space {
                        Space::Shared => self.store_shared(warp, pc, &part, values, known, true)?,
                        space => self.store(warp, pc, space, &part, values, known)?,
                    }
                }
                Ok(())
            }
            Space::Shared => self.store_shared(warp, pc, lanes, values, known, false),
            _ => D::store(self, warp, pc, space, lanes, values),
        }
    }

    /// Stores to shared memory; with `remote` to that of any CTA of the cluster.
    fn store_shared(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        lanes: &Lanes,
        values: &Row,
        known: u32,
        remote: bool,
    ) -> Result<(), Stop> {
        if D::COUNTS {
            warp.counts.shared_passes += passes(lanes, self.bank_bytes);
        }
        if alone(self.code) {
            self.spares_barriers(warp, pc, lanes)?;
            return self.store_placed(warp, pc, lanes, values, known);
        }
        let places = self.placed(warp, pc, lanes, remote)?;
        let lanes = Lanes::new(&places, 0, lanes.mask, lanes.bytes);
        self.spares_barriers(warp, pc, &lanes)?;
        self.store_placed(warp, pc, &lanes, values, known)
    }

    /// Stores to places in the shared memory of the CTAs that run together.
    pub(super) fn store_placed(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        lanes: &Lanes,
        values: &Row,
        known: u32,
    ) -> Result<(), Stop> {
        warp.thread.touch(lanes.mask);
        let by = self.accessor(warp, pc, lanes.mask, lanes.bytes);
        let weak = by.manner == Manner::Weak;
        let stored = match known {
            ALL => self.shared.store(lanes, values, &by),
            _ => self.shared.store(lanes, &distinct(values, known), &by),
        };
        let mut findings = stored.map_err(|kind| self.fatal(warp, pc, kind))?;
        let touch = if weak { Touch::Write } else { Touch::StrongWrite };
        D::accessed(self, warp, pc, lanes, touch)?;
        D::kept(self, lanes, known);
        if lanes.mask & !known != 0 && !differ(lanes, values, known) && findings.lanes.take().is_some() {
            D::equal_values(self, warp, pc);
        }
        if findings.same {
            D::same_value(self, warp, pc);
        }
        self.report(warp, pc, Space::Shared, Access::Write, findings)
    }
}

/// Returns the values, with a different one for each lane that does not know its own.
fn distinct(values: &Row, known: u32) -> Row {
    std::array::from_fn(|lane| if known >> lane & 1 == 1 { values[lane] } else { !(lane as u64) })
}

/// Whether two lanes that know their values write different ones to one address.
fn differ(lanes: &Lanes, values: &Row, known: u32) -> bool {
    let certain: Vec<usize> = lanes.active().filter(|lane| known >> lane & 1 == 1).collect();
    let clash = |a: usize, b: usize| {
        lanes.address(a) == lanes.address(b) && extract(values[a] ^ values[b], 0, lanes.bytes) != 0
    };
    certain.iter().enumerate().any(|(at, a)| certain[..at].iter().any(|b| clash(*a, *b)))
}

/// Splits the lanes of a generic access by the space of their addresses, with the addresses there.
fn by_space(lanes: &Lanes) -> Vec<(Space, u32, Row)> {
    let mut parts: Vec<(Space, u32, Row)> = Vec::new();
    for lane in lanes.active() {
        let (space, address) = concrete(lanes.address(lane));
        let at = parts.iter().position(|(known, ..)| *known == space).unwrap_or_else(|| {
            parts.push((space, 0, [0; 32]));
            parts.len() - 1
        });
        parts[at].1 |= 1 << lane;
        parts[at].2[lane] = address;
    }
    parts
}
