//! Loads, stores and atomics of one warp.

use super::{Machine, Stop};
use crate::atomic;
use crate::hazard::Access;
use crate::memory::{Lanes, concrete};
use crate::rows::Row;
use crate::shared::{Accessor, Findings, passes};
use crate::warp::Warp;
use ptx::inst::{AtomOp, Space, Type};

impl Machine<'_, '_> {
    /// In the order of the lanes; the old values.
    pub(super) fn atomic(
        &mut self,
        warp: &mut Warp,
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
            row[lane] = match space {
                Space::Shared => {
                    let by = Accessor { warp: warp.index, clock: &warp.clock, pc };
                    self.shared.update(&one, lane, &by, new).map(|(old, findings)| {
                        found.conflict = found.conflict.take().or(findings.conflict);
                        found.unwritten = found.unwritten.or(findings.unwritten);
                        old
                    })
                }
                Space::Local => warp.local.update(&one, lane, new),
                _ => self.segments.update(&one, lane, new),
            }
            .map_err(|kind| self.fatal(warp, pc, kind))?;
        }
        self.report(warp, pc, Space::Shared, Access::Write, found)?;
        Ok(row)
    }

    pub(super) fn load(&mut self, warp: &mut Warp, pc: u32, space: Space, lanes: &Lanes) -> Result<Row, Stop> {
        if space == Space::Generic {
            let mut row = [0; 32];
            for (space, mask, bases) in by_space(lanes) {
                let part = self.load(warp, pc, space, &Lanes::new(&bases, 0, mask, lanes.bytes))?;
                for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
                    row[lane] = part[lane];
                }
            }
            return Ok(row);
        }
        let (row, findings) = match space {
            Space::Shared => {
                warp.counts.shared_passes += passes(lanes, self.bank_bytes);
                self.shared.load(lanes, &Accessor { warp: warp.index, clock: &warp.clock, pc })
            }
            Space::Local => {
                warp.counts.local_bytes += traffic(lanes.mask, lanes.bytes);
                let findings = |unwritten| Findings { unwritten, ..Findings::default() };
                warp.local.load(lanes).map(|(row, unwritten)| (row, findings(unwritten)))
            }
            _ => {
                if space == Space::Global {
                    warp.counts.global_load_bytes += traffic(lanes.mask, lanes.bytes);
                }
                self.segments.load(space, lanes).map(|row| (row, Findings::default()))
            }
        }
        .map_err(|kind| self.fatal(warp, pc, kind))?;
        self.report(warp, pc, space, Access::Read, findings)?;
        Ok(row)
    }

    pub(super) fn store(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        space: Space,
        lanes: &Lanes,
        values: &Row,
    ) -> Result<(), Stop> {
        if space == Space::Generic {
            for (space, mask, bases) in by_space(lanes) {
                self.store(warp, pc, space, &Lanes::new(&bases, 0, mask, lanes.bytes), values)?;
            }
            return Ok(());
        }
        let findings = match space {
            Space::Shared => {
                warp.counts.shared_passes += passes(lanes, self.bank_bytes);
                self.shared.store(lanes, values, &Accessor { warp: warp.index, clock: &warp.clock, pc })
            }
            Space::Local => {
                warp.counts.local_bytes += traffic(lanes.mask, lanes.bytes);
                warp.local.store(lanes, values).map(|()| Findings::default())
            }
            _ => {
                warp.counts.global_store_bytes += traffic(lanes.mask, lanes.bytes);
                self.segments.store(lanes, values).map(|()| Findings::default())
            }
        }
        .map_err(|kind| self.fatal(warp, pc, kind))?;
        self.report(warp, pc, space, Access::Write, findings)
    }
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

fn traffic(mask: u32, bytes: u32) -> u64 {
    u64::from(mask.count_ones() * bytes)
}
