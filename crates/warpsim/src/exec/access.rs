//! Loads, stores and atomics of one warp at known addresses.

use super::{Machine, Stop};
use crate::atomic;
use crate::domain::{ALL, Domain, Touch, Undecided};
use crate::hazard::Access;
use crate::memory::{Lanes, concrete};
use crate::rows::Row;
use crate::shared::{Accessor, Findings, passes};
use crate::warp::Warp;
use ptx::inst::{AtomOp, Space, Type};

impl<D: Domain> Machine<'_, '_, D> {
    /// In the order of the lanes; the old values.
    pub(super) fn atomic(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        (op, ty): (AtomOp, Type),
        space: Space,
        lanes: &Lanes,
        [a, b]: [&Row; 2],
    ) -> Result<Row, Stop> {
        let mut row = [0; 32];
        let mut found = Findings::default();
        for lane in lanes.active() {
            let new = |old| atomic::apply(op, ty, [old, a[lane], b[lane]]).unwrap_or(old);
            let (space, address) = match space {
                Space::Generic => concrete(lanes.address(lane)),
                space => (space, lanes.address(lane)),
            };
            let at = [address; 32];
            let one = Lanes::new(&at, 0, 1 << lane, lanes.bytes);
            row[lane] = if space == Space::Shared {
                warp.thread.touched |= lanes.mask;
                let by =
                    Accessor { warp: warp.thread.index, clock: warp.thread.clock_of(lanes.mask), pc: self.mark(pc) };
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

    /// The values, and the lanes that know them.
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
                    let (part, part_known) = self.load(warp, pc, space, &Lanes::new(&bases, 0, mask, lanes.bytes))?;
                    for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
                        row[lane] = part[lane];
                    }
                    known |= part_known & mask;
                }
                Ok((row, known))
            }
            Space::Shared => {
                if D::COUNTS {
                    warp.counts.shared_passes += passes(lanes, self.bank_bytes);
                }
                warp.thread.touched |= lanes.mask;
                let by =
                    Accessor { warp: warp.thread.index, clock: warp.thread.clock_of(lanes.mask), pc: self.mark(pc) };
                let (row, findings) = self.shared.load(lanes, &by).map_err(|kind| self.fatal(warp, pc, kind))?;
                D::accessed(self, warp, pc, lanes, Touch::Read)?;
                self.report(warp, pc, space, Access::Read, findings)?;
                Ok((row, D::HANDED))
            }
            _ => D::load(self, warp, pc, space, lanes),
        }
    }

    /// Of the values the lanes of `known` are known.
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
                    self.store(warp, pc, space, &Lanes::new(&bases, 0, mask, lanes.bytes), values, known)?;
                }
                Ok(())
            }
            Space::Shared => {
                if D::COUNTS {
                    warp.counts.shared_passes += passes(lanes, self.bank_bytes);
                }
                warp.thread.touched |= lanes.mask;
                let by =
                    Accessor { warp: warp.thread.index, clock: warp.thread.clock_of(lanes.mask), pc: self.mark(pc) };
                let stored = match known {
                    ALL => self.shared.store(lanes, values, &by),
                    _ => self.shared.store(lanes, &told_apart(values, known), &by),
                };
                let mut findings = stored.map_err(|kind| self.fatal(warp, pc, kind))?;
                D::accessed(self, warp, pc, lanes, Touch::Write)?;
                if lanes.mask & !known != 0 && findings.lanes.take().is_some() {
                    D::undecided(self, warp, pc, lanes.mask, Undecided::Winner)?;
                }
                if findings.same {
                    D::same_value(self, warp, pc);
                }
                self.report(warp, pc, space, Access::Write, findings)
            }
            _ => D::store(self, warp, pc, space, lanes, values),
        }
    }
}

/// The values, where those that are not known differ from lane to lane.
fn told_apart(values: &Row, known: u32) -> Row {
    std::array::from_fn(|lane| if known >> lane & 1 == 1 { values[lane] } else { !(lane as u64) })
}

/// The lanes of a generic access by the space that their addresses lie in, with the addresses there.
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
