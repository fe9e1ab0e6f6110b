//! Executes the instructions of one warp until it blocks.

mod access;

use super::buffer::{extract, insert};
use super::claims::Checker;
use super::decode::{Code, Micro, Source};
use super::hazard::{Access, Hazard, Kind};
use super::lanes::{
    carry, combined, each, extended, holds, in_space, inserted, matches, missing_lane, multiply_add, pack, piece,
    reduce, select, shuffle, vote, ways,
};
use super::memory::{Lanes, Segments};
use super::shared::{Findings, Shared};
use super::warp::{State, Warp};
use ptx::inst::{BarKind, Space, VoteMode};
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
    pub checker: Option<Checker<'m>>,
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
                Some(guard) => warp.path.mask & holds(&warp.preds, guard),
            };
            let active = warp.path.mask;
            if let Some(broken) = self.checker.as_mut().and_then(|c| c.before(warp, pc, active)) {
                self.record(warp, pc, broken)?;
            }
            warp.path.pc = pc + 1;
            match &op.micro {
                Micro::Jump { target } => warp.jump(*target),
                Micro::Branch { pred, negate, then, otherwise, meet } => {
                    let taken = mask & holds(&warp.preds, (*pred, *negate));
                    if taken == mask {
                        warp.jump(*then);
                    } else if taken == 0 {
                        warp.jump(*otherwise);
                    } else {
                        warp.diverge([(*otherwise, mask & !taken), (*then, taken)].into_iter(), *meet);
                    }
                }
                Micro::Indirect { index, targets, meet } => self.indirect(warp, pc, *index, targets, *meet)?,
                Micro::Call(call) if mask != 0 => {
                    if !warp.call(call, mask) {
                        return Err(self.fatal(warp, pc, Kind::Budget));
                    }
                }
                Micro::Ret | Micro::Exit => {
                    if matches!(op.micro, Micro::Ret) {
                        warp.ret()
                    } else {
                        warp.exit()
                    }
                    warp.returned.clear();
                    if warp.state == State::Exited {
                        return Ok(Event::Exit);
                    }
                }
                Micro::Bar { kind, id, threads, .. } if mask != 0 => {
                    let (id, threads) = barrier(warp, code, *id, *threads, mask).map_err(|id| {
                        let misuse = super::hazard::BarrierMisuse::Divergent;
                        self.fatal(warp, pc, Kind::Barrier { id, misuse })
                    })?;
                    return Ok(Event::Barrier { pc, kind: *kind, id, threads });
                }
                _ if mask == 0 => {}
                micro => self.straight(warp, pc, micro, mask)?,
            }
            if let Some(broken) = self.checker.as_mut().and_then(|c| c.after(warp, pc, active)) {
                self.record(warp, pc, broken)?;
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
            Micro::Each { f, d, sources } => {
                let row = each(f, sources, regs, pool, mask);
                warp.write(*d, &row, mask);
            }
            Micro::Carry { op, reads, writes, ty, d, sources } => {
                let before = if *reads { warp.carry } else { 0 };
                let (row, carries) = carry(*op, *ty, sources, regs, pool, before);
                warp.write(*d, &row, mask);
                if *writes {
                    warp.carry = warp.carry & !mask | carries & mask;
                }
            }
            Micro::Compare { f, d, other, combine, a, b } => {
                let bits = f.of(a.row(regs, pool), b.row(regs, pool));
                let (yes, no) = combined(bits, *combine, &warp.preds);
                warp.write_pred(*d, yes, mask);
                if let Some(other) = other {
                    warp.write_pred(*other, no, mask);
                }
            }
            Micro::Set { f, yes, d, combine, a, b } => {
                let (bits, _) = combined(f.of(a.row(regs, pool), b.row(regs, pool)), *combine, &warp.preds);
                warp.write(*d, &select(bits, &[*yes; 32], &[0; 32]), mask);
            }
            Micro::Logic { f, d, a, b } => {
                let bits = f(warp.preds[*a as usize], warp.preds[*b as usize]);
                warp.write_pred(*d, bits, mask);
            }
            Micro::Select { d, a, b, pred } => {
                let row = select(warp.preds[*pred as usize], a.row(regs, pool), b.row(regs, pool));
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
                let row = inserted(*long, [a, b, pos, len].map(|source| source.row(regs, pool)));
                warp.write(*d, &row, mask);
            }
            Micro::SetPred { d, value } => warp.write_pred(*d, if *value { u32::MAX } else { 0 }, mask),
            Micro::Unknown { .. } => {
                let what = self.code.site(warp.index as u32, pc).text;
                return Err(self.fatal(warp, pc, Kind::Unsupported(what)));
            }
            Micro::IsSpace { space, d, a } => {
                let bits = in_space(*space, a.row(regs, pool));
                warp.write_pred(*d, bits, mask);
            }
            Micro::Take { elements, bytes, extend } => {
                for (d, row, byte) in elements {
                    let row = warp.regs[*row as usize].map(|word| extract(word, *byte, *bytes));
                    warp.write(*d, &extended(&row, *bytes, *extend), mask);
                }
            }
            Micro::Put { elements, bytes } => {
                for (row, byte, a) in elements {
                    let (old, values) = (&warp.regs[*row as usize], a.row(&warp.regs, pool));
                    let new = std::array::from_fn(|i| insert(old[i], *byte, *bytes, values[i]));
                    warp.write(*row, &new, mask);
                }
            }
            Micro::Shuffle { mode, d, valid, a, lane, clamp, mask: named } => {
                self.named(warp, pc, *named, mask)?;
                let (row, inside) =
                    shuffle(*mode, a.row(regs, pool), lane.row(regs, pool), clamp.row(regs, pool), mask)
                        .map_err(|kind| self.fatal(warp, pc, kind))?;
                warp.write(*d, &row, mask);
                if let Some(valid) = valid {
                    warp.write_pred(*valid, inside, mask);
                }
            }
            Micro::Vote { mode, d, pred, negate, mask: named } => {
                self.named(warp, pc, *named, mask)?;
                let bits = vote(*mode, holds(&warp.preds, (*pred, *negate)), mask);
                match mode {
                    VoteMode::Ballot => warp.write(*d, &[bits.into(); 32], mask),
                    _ => warp.write_pred(*d, bits, mask),
                }
            }
            Micro::Match { all, d, valid, a, mask: named } => {
                self.named(warp, pc, Some(*named), mask)?;
                let (row, agree) = matches(*all, a.row(&warp.regs, pool), mask);
                warp.write(*d, &row, mask);
                if let Some(valid) = valid {
                    warp.write_pred(*valid, if agree { u32::MAX } else { 0 }, mask);
                }
            }
            Micro::Redux { f, d, a, mask: named } => {
                self.named(warp, pc, Some(*named), mask)?;
                let value = reduce(f, a.row(&warp.regs, pool), mask);
                warp.write(*d, &[value; 32], mask);
            }
            Micro::Matrix { d, a, b, c } => {
                self.whole_warp(warp, pc, mask)?;
                let rows = multiply_add(a.row(regs, pool), b.row(regs, pool), c.map(|c| c.row(regs, pool)));
                for (d, row) in d.iter().zip(&rows) {
                    warp.write(*d, row, mask);
                }
            }
            Micro::Activemask { d } => warp.write(*d, &[mask.into(); 32], mask),
            Micro::Atomic { op, space, ty, d, base, offset, a, b } => {
                let (bases, first) = (*base.row(regs, pool), *a.row(regs, pool));
                let second = b.map_or(first, |b| *b.row(regs, pool));
                let lanes = Lanes::new(&bases, *offset, mask, ty.bytes());
                let row = self.atomic(warp, pc, (*op, *ty), *space, &lanes, [&first, &second])?;
                if let Some(d) = d {
                    warp.write(*d, &row, mask);
                }
            }
            Micro::Meet | Micro::Nothing => {}
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
            Micro::Bar { .. }
            | Micro::Jump { .. }
            | Micro::Branch { .. }
            | Micro::Indirect { .. }
            | Micro::Call(_)
            | Micro::Ret
            | Micro::Exit => {
                unreachable!("control flow is handled by the caller")
            }
        }
        Ok(())
    }

    /// All lanes that the instruction names must have come.
    fn named(&mut self, warp: &Warp, pc: u32, named: Option<Source>, mask: u32) -> Result<(), Stop> {
        let Some(named) = named else { return Ok(()) };
        let row = named.row(&warp.regs, &self.code.pool);
        let lane = (0..32u32).find(|lane| mask >> lane & 1 == 1 && row[*lane as usize] as u32 & warp.live != mask);
        match lane {
            None => Ok(()),
            Some(lane) => {
                let missing = row[lane as usize] as u32 ^ mask;
                Err(self.fatal(warp, pc, Kind::InactiveLane { lane, source: missing.trailing_zeros() }))
            }
        }
    }

    /// All 32 lanes must have come.
    fn whole_warp(&mut self, warp: &Warp, pc: u32, mask: u32) -> Result<(), Stop> {
        match missing_lane(mask) {
            None => Ok(()),
            Some(kind) => Err(self.fatal(warp, pc, kind)),
        }
    }

    fn indirect(&mut self, warp: &mut Warp, pc: u32, index: u32, targets: &[u32], meet: u32) -> Result<(), Stop> {
        let mask = warp.path.mask;
        let ways = ways(&warp.regs[index as usize], targets, mask)
            .map_err(|index| self.fatal(warp, pc, Kind::BranchIndex { index }))?;
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

/// The value that all active lanes agree on.
fn uniform(warp: &Warp, code: &Code, source: Source, mask: u32) -> Option<u64> {
    let row = source.row(&warp.regs, &code.pool);
    let first = row[mask.trailing_zeros() as usize & 31];
    (0..32).all(|lane| mask >> lane & 1 == 0 || row[lane] == first).then_some(first)
}

/// The barrier and its threads that all active lanes agree on; else what is known of the barrier.
pub(super) fn barrier(
    warp: &Warp,
    code: &Code,
    id: Source,
    threads: Option<Source>,
    mask: u32,
) -> Result<(u32, Option<u32>), u32> {
    let id = uniform(warp, code, id, mask).map(|id| id as u32);
    let threads = threads.map(|threads| uniform(warp, code, threads, mask).map(|n| n as u32));
    match (id, threads) {
        (Some(id), None | Some(Some(_))) if mask == warp.live => Ok((id, threads.flatten())),
        (id, _) => Err(id.unwrap_or(u32::MAX)),
    }
}
