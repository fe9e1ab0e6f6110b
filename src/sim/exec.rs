//! Executes the instructions of one warp until it blocks.

use super::buffer::low;
use super::decode::{Code, Micro, Source};
use super::hazard::{Access, Hazard, Kind};
use super::memory::{Lanes, Segments};
use super::rows::{self, Row};
use super::shared::{Accessor, Findings, Shared, passes};
use super::warp::{State, Warp};
use crate::simt::inst::{BarKind, ShflMode, Space, VoteMode};
use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};

/// Why a warp stopped.
pub(super) enum Event {
    /// It has executed its share.
    Pause,
    Barrier {
        pc: u32,
        kind: BarKind,
        id: u32,
        threads: Option<u32>,
    },
    Exit,
}

/// The run cannot go on; the hazards tell why.
pub(super) struct Stop;

/// All but the warps of the CTA that is running.
pub(super) struct Machine<'m, 'b> {
    pub code: &'m Code<'m>,
    pub shared: Shared,
    pub segments: Segments<'b>,
    pub bank_bytes: u32,
    /// Warp instructions left.
    pub budget: u64,
    pub cta: u32,
    pub hazards: Collector,
}

/// Hazards, each kind once per instruction.
pub(super) struct Collector {
    pub list: Vec<Hazard>,
    pub limit: usize,
    seen: HashSet<(Discriminant<Kind>, u32)>,
}

impl Collector {
    pub(super) fn new(limit: usize) -> Self {
        Self { list: Vec::new(), limit, seen: HashSet::new() }
    }
}

impl Machine<'_, '_> {
    /// Runs up to `quantum` instructions of a warp that is ready.
    pub(super) fn run(&mut self, warp: &mut Warp, quantum: u64) -> Result<Event, Stop> {
        let code = self.code;
        for _ in 0..quantum {
            let pc = warp.path.pc;
            let op = &code.ops[pc as usize];
            if self.budget == 0 {
                return Err(self.fatal(warp, pc, Kind::Budget));
            }
            self.budget -= 1;
            warp.counts.count(op.class);
            let mask = match op.guard {
                None => warp.path.mask,
                Some(guard) => warp.path.mask & bits(warp, guard),
            };
            warp.path.pc = pc + 1;
            match &op.micro {
                Micro::Jump { target } => warp.jump(*target),
                Micro::Branch { pred, negate, then, otherwise, meet } => {
                    let taken = mask & bits(warp, (*pred, *negate));
                    if taken == mask {
                        warp.jump(*then);
                    } else if taken == 0 {
                        warp.jump(*otherwise);
                    } else {
                        warp.diverge([(*otherwise, mask & !taken), (*then, taken)].into_iter(), *meet);
                    }
                }
                Micro::Indirect { index, targets, meet } => self.indirect(warp, pc, *index, targets, *meet)?,
                Micro::Ret => {
                    warp.exit();
                    if warp.state == State::Exited {
                        return Ok(Event::Exit);
                    }
                }
                Micro::Bar { kind, id, threads } if mask != 0 => {
                    if mask != warp.live {
                        let misuse = super::hazard::BarrierMisuse::Divergent;
                        return Err(self.fatal(warp, pc, Kind::Barrier { id: *id, misuse }));
                    }
                    return Ok(Event::Barrier { pc, kind: *kind, id: *id, threads: *threads });
                }
                _ if mask == 0 => {}
                micro => self.straight(warp, pc, micro, mask)?,
            }
        }
        Ok(Event::Pause)
    }

    /// An instruction that is no control flow; some lane is active.
    fn straight(&mut self, warp: &mut Warp, pc: u32, micro: &Micro, mask: u32) -> Result<(), Stop> {
        let pool = &self.code.pool;
        let regs = &warp.regs;
        match micro {
            Micro::Map1 { f, d, a } => {
                let row = f(a.row(regs, pool));
                warp.write(*d, &row, mask);
            }
            Micro::Map2 { f, d, a, b } => {
                let row = f(a.row(regs, pool), b.row(regs, pool));
                warp.write(*d, &row, mask);
            }
            Micro::Map3 { f, d, a, b, c } => {
                let row = f(a.row(regs, pool), b.row(regs, pool), c.row(regs, pool));
                warp.write(*d, &row, mask);
            }
            Micro::Compare { f, d, a, b } => {
                let bits = f(a.row(regs, pool), b.row(regs, pool));
                warp.write_pred(*d, bits, mask);
            }
            Micro::Logic { f, d, a, b } => {
                let bits = f(warp.preds[*a as usize], warp.preds[*b as usize]);
                warp.write_pred(*d, bits, mask);
            }
            Micro::Select { d, a, b, pred } => {
                let (a, b, pred) = (a.row(regs, pool), b.row(regs, pool), warp.preds[*pred as usize]);
                let row = std::array::from_fn(|i| if pred >> i & 1 == 1 { a[i] } else { b[i] });
                warp.write(*d, &row, mask);
            }
            Micro::Pack { d, bits, parts } => {
                let row = pack(*bits, parts, regs, pool);
                warp.write(*d, &row, mask);
            }
            Micro::Unpack { bits, parts, a } => {
                let row = *a.row(regs, pool);
                for (i, part) in parts.iter().enumerate() {
                    if let Some(part) = part {
                        warp.write(*part, &piece(*bits, i, &row), mask);
                    }
                }
            }
            Micro::Insert { long, d, a, b, pos, len } => {
                let (a, b, pos, len) = (a.row(regs, pool), b.row(regs, pool), pos.row(regs, pool), len.row(regs, pool));
                let row = std::array::from_fn(|i| rows::insert_bits(*long, a[i], b[i], pos[i], len[i]));
                warp.write(*d, &row, mask);
            }
            Micro::SetPred { d, value } => warp.write_pred(*d, if *value { u32::MAX } else { 0 }, mask),
            Micro::Unknown { .. } => {
                let what = self.code.site(warp.index as u32, pc).text;
                return Err(self.fatal(warp, pc, Kind::Unsupported(what)));
            }
            Micro::Shuffle { mode, d, valid, a, lane, clamp } => {
                let (row, inside) =
                    shuffle(*mode, a.row(regs, pool), lane.row(regs, pool), clamp.row(regs, pool), mask)
                        .map_err(|kind| self.fatal(warp, pc, kind))?;
                warp.write(*d, &row, mask);
                if let Some(valid) = valid {
                    warp.write_pred(*valid, inside, mask);
                }
            }
            Micro::Nothing => {}
            Micro::Vote { mode, d, pred, negate } => vote(warp, *mode, *d, (*pred, *negate), mask),
            Micro::Load { space, bytes, extend, d, base, offset } => {
                let bases = *base.row(regs, pool);
                for (i, d) in d.iter().enumerate() {
                    let lanes = Lanes::new(&bases, offset.wrapping_add(u64::from(*bytes) * i as u64), mask, *bytes);
                    let row = self.load(warp, pc, *space, &lanes)?;
                    let row = if *extend == 0 { row } else { extended(&row, *bytes, *extend) };
                    warp.write(*d, &row, mask);
                }
            }
            Micro::Store { space, bytes, a, base, offset } => {
                let bases = *base.row(regs, pool);
                for (i, a) in a.iter().enumerate() {
                    let lanes = Lanes::new(&bases, offset.wrapping_add(u64::from(*bytes) * i as u64), mask, *bytes);
                    let values = *a.row(&warp.regs, pool);
                    self.store(warp, pc, *space, &lanes, &values)?;
                }
            }
            Micro::Bar { .. } | Micro::Jump { .. } | Micro::Branch { .. } | Micro::Indirect { .. } | Micro::Ret => {
                unreachable!("control flow is handled by the caller")
            }
        }
        Ok(())
    }

    fn load(&mut self, warp: &mut Warp, pc: u32, space: Space, lanes: &Lanes) -> Result<Row, Stop> {
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

    fn store(&mut self, warp: &mut Warp, pc: u32, space: Space, lanes: &Lanes, values: &Row) -> Result<(), Stop> {
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

    fn indirect(&mut self, warp: &mut Warp, pc: u32, index: u32, targets: &[u32], meet: u32) -> Result<(), Stop> {
        let mask = warp.path.mask;
        let row = &warp.regs[index as usize];
        let mut ways: Vec<(u32, u32)> = Vec::new();
        for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
            let index = row[lane];
            let Some(target) = targets.get(index as usize) else {
                return Err(self.fatal(warp, pc, Kind::BranchIndex { index }));
            };
            match ways.iter_mut().find(|(to, _)| to == target) {
                Some((_, lanes)) => *lanes |= 1 << lane,
                None => ways.push((*target, 1 << lane)),
            }
        }
        match ways[..] {
            [(target, _)] => warp.jump(target),
            _ => warp.diverge(ways.into_iter(), meet),
        }
        Ok(())
    }

    /// Records what an access found.
    fn report(&mut self, warp: &Warp, pc: u32, space: Space, access: Access, found: Findings) -> Result<(), Stop> {
        if let Some(address) = found.unwritten {
            self.record(warp, pc, Kind::Unwritten { space, address })?;
        }
        if let Some(conflict) = found.conflict {
            let earlier_site = self.code.site(conflict.warp, conflict.pc);
            let (address, earlier) = (conflict.address, conflict.earlier);
            self.record(warp, pc, Kind::Race { address, access, earlier, earlier_site })?;
        }
        match found.lanes {
            Some(address) => self.record(warp, pc, Kind::LaneConflict { address }),
            None => Ok(()),
        }
    }

    /// Records a hazard after which the run goes on, unless there are too many.
    fn record(&mut self, warp: &Warp, pc: u32, kind: Kind) -> Result<(), Stop> {
        if self.hazards.seen.insert((discriminant(&kind), pc)) {
            self.fatal(warp, pc, kind);
        }
        if self.hazards.list.len() < self.hazards.limit { Ok(()) } else { Err(Stop) }
    }

    /// Records a hazard that ends the run.
    pub(super) fn fatal(&mut self, warp: &Warp, pc: u32, kind: Kind) -> Stop {
        let site = Some(self.code.site(warp.index as u32, pc));
        self.hazards.list.push(Hazard { cta: self.cta, site, kind });
        Stop
    }
}

fn bits(warp: &Warp, (pred, negate): (u32, bool)) -> u32 {
    let bits = warp.preds[pred as usize];
    if negate { !bits } else { bits }
}

fn traffic(mask: u32, bytes: u32) -> u64 {
    u64::from(mask.count_ones() * bytes)
}

pub(super) fn pack(bits: u32, parts: &[Source], regs: &[Row], pool: &[Row]) -> Row {
    let mut row = [0; 32];
    for (i, part) in parts.iter().enumerate() {
        let part = part.row(regs, pool);
        for lane in 0..32 {
            row[lane] |= (part[lane] & low(bits / 8)) << (bits * i as u32);
        }
    }
    row
}

/// Part `index` of each lane's word.
pub(super) fn piece(bits: u32, index: usize, row: &Row) -> Row {
    row.map(|word| word >> (bits * index as u32) & low(bits / 8))
}

/// The sign of a loaded value, in the bits of `above`.
pub(super) fn extended(row: &Row, bytes: u32, above: u64) -> Row {
    row.map(|x| if x >> (8 * bytes - 1) & 1 == 1 { x | above } else { x })
}

/// As PTX defines `shfl`: lanes outside their segment keep their own value. Also tells the lanes whose source was inside.
pub(super) fn shuffle(mode: ShflMode, a: &Row, lanes: &Row, clamps: &Row, mask: u32) -> Result<(Row, u32), Kind> {
    let source = lanes[0] as usize & 31;
    let plain = clamps.iter().all(|clamp| *clamp == 31);
    if mode == ShflMode::Idx && plain && mask == u32::MAX && lanes.iter().all(|lane| *lane == lanes[0]) {
        return Ok(([a[source]; 32], u32::MAX));
    }
    let mut row = [0; 32];
    let mut inside = 0;
    for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
        let (b, clamp) = (lanes[lane as usize] as u32 & 31, clamps[lane as usize] as u32);
        let segment = clamp >> 8 & 31;
        let first = lane & segment;
        let last = first | (clamp & 31 & !segment);
        let source = match mode {
            ShflMode::Idx => Some(first | (b & !segment)).filter(|source| *source <= last),
            // for `up` the clamp is the lowest lane
            ShflMode::Up => lane.checked_sub(b).filter(|source| *source >= last),
            ShflMode::Down => Some(lane + b).filter(|source| *source <= last),
            ShflMode::Bfly => Some(lane ^ b).filter(|source| *source <= last),
        };
        inside |= u32::from(source.is_some()) << lane;
        let source = source.unwrap_or(lane);
        if mask >> source & 1 == 0 {
            return Err(Kind::InactiveLane { lane, source });
        }
        row[lane as usize] = a[source as usize];
    }
    Ok((row, inside))
}

fn vote(warp: &mut Warp, mode: VoteMode, d: u32, guard: (u32, bool), mask: u32) {
    let votes = bits(warp, guard) & mask;
    let all = |yes: bool| if yes { u32::MAX } else { 0 };
    match mode {
        VoteMode::All => warp.write_pred(d, all(votes == mask), mask),
        VoteMode::Any => warp.write_pred(d, all(votes != 0), mask),
        VoteMode::Uni => warp.write_pred(d, all(votes == mask || votes == 0), mask),
        VoteMode::Ballot => warp.write(d, &[votes.into(); 32], mask),
    }
}
