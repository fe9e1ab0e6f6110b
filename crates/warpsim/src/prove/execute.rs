//! Executes the instructions of one warp with data unknown.

mod access;

use super::lockstep::Lockstep;
use super::region::{Region, matters};
use super::state::{Thread, results};
use super::{MOST, Verdict};
use crate::buffer::{extract, insert};
use crate::decode::{Code, Micro};
use crate::exec::{Event, barrier};
use crate::hazard::{Access, BarrierMisuse, Hazard, Kind};
use crate::lanes::{
    carry, combined, each, extended, holds, in_space, inserted, missing_lane, pack, piece, select, shuffle, vote, ways,
};
use crate::memory::{Lanes, Segments};
use crate::shared::{Findings, Shared};
use crate::warp::{State, Warp};
use ptx::inst::{Space, VoteMode};
use std::collections::{HashMap, HashSet};
use std::mem::discriminant;

/// The analysis cannot go on; the verdict tells why.
pub(super) struct Abort;

pub(super) struct Executor<'m, 'b> {
    pub code: &'m Code<'m>,
    pub shared: Shared,
    /// From sm_70 on, where lanes do not run in lockstep.
    pub lockstep: Option<Lockstep>,
    pub segments: Segments<'b>,
    pub regions: HashMap<u32, Region>,
    /// What was reported, by kind and place.
    pub seen: HashSet<(std::mem::Discriminant<Kind>, u32)>,
    pub cta: u32,
    pub budget: u64,
    pub verdict: Verdict,
}

impl Executor<'_, '_> {
    /// Runs the warp until it comes to a barrier or ends.
    pub(super) fn run(&mut self, thread: &mut Thread) -> Result<Event, Abort> {
        let code = self.code;
        loop {
            let pc = thread.warp.path.pc;
            let op = &code.ops[pc as usize];
            if self.budget == 0 {
                return Err(self.unknown(&thread.warp, pc, "more instructions than the analysis executes"));
            }
            self.budget -= 1;
            let path = thread.warp.path.mask;
            thread.warp.path.pc = pc + 1;
            let mask = match op.guard {
                None => path,
                Some((pred, _)) if path & !thread.knows_pred(pred) != 0 => {
                    if matters(code, self.tables(), pc) {
                        return Err(self.unknown(&thread.warp, pc, "is executed or not depending on data"));
                    }
                    thread.forget(&results(&op.micro), path);
                    continue;
                }
                Some((pred, negate)) => path & holds(&thread.warp.preds, (pred, negate)),
            };
            match &op.micro {
                Micro::Jump { target } => thread.warp.jump(*target),
                Micro::Branch { pred, then, otherwise, meet, .. } if mask & !thread.knows_pred(*pred) != 0 => {
                    self.pass(thread, pc, &[*then, *otherwise], *meet)?;
                }
                Micro::Branch { pred, negate, then, otherwise, meet } => {
                    let taken = mask & holds(&thread.warp.preds, (*pred, *negate));
                    match (taken == mask, taken == 0) {
                        (true, _) => thread.warp.jump(*then),
                        (_, true) => thread.warp.jump(*otherwise),
                        _ => {
                            thread.warp.diverge([(*otherwise, mask & !taken), (*then, taken)].into_iter(), *meet);
                        }
                    }
                }
                Micro::Indirect { index, targets, meet } if mask & !thread.knows_row(*index) != 0 => {
                    self.pass(thread, pc, targets, *meet)?;
                }
                Micro::Indirect { index, targets, meet } => self.indirect(thread, pc, *index, targets, *meet)?,
                Micro::Call(call) if mask != 0 => {
                    if thread.warp.is_inside(call) {
                        return Err(self.unknown(&thread.warp, pc, "a function calls itself"));
                    }
                    if !thread.call(call, mask) {
                        return Err(self.unknown(&thread.warp, pc, "too many calls are open"));
                    }
                }
                Micro::Ret | Micro::Exit => {
                    if matches!(op.micro, Micro::Ret) {
                        thread.warp.ret()
                    } else {
                        thread.warp.exit()
                    }
                    thread.take_results();
                    if thread.warp.state == State::Exited {
                        return Ok(Event::Exit);
                    }
                }
                Micro::Bar { kind, id, threads, .. } if mask != 0 => {
                    let known = thread.knows(*id) & threads.map_or(u32::MAX, |threads| thread.knows(threads));
                    if mask & !known != 0 {
                        return Err(self.unknown(&thread.warp, pc, "the barrier or its threads depend on data"));
                    }
                    let (id, threads) = match barrier(&thread.warp, code, *id, *threads, mask) {
                        Ok(agreed) => agreed,
                        Err(id) => {
                            let misuse = BarrierMisuse::Divergent;
                            self.violation(&thread.warp, pc, Kind::Barrier { id, misuse })?;
                            return Err(Abort);
                        }
                    };
                    thread.forget(&results(&op.micro), mask);
                    self.ordered(thread.warp.index);
                    return Ok(Event::Barrier { pc, kind: *kind, id, threads });
                }
                _ if mask == 0 => {}
                micro => self.straight(thread, pc, micro, mask)?,
            }
        }
    }

    /// A branch on data: its lanes go on where they meet, without the values that it may have written.
    fn pass(&mut self, thread: &mut Thread, pc: u32, starts: &[u32], meet: u32) -> Result<(), Abort> {
        let code = self.code;
        let first = !self.regions.contains_key(&pc);
        let tables = self.tables();
        let region = self.regions.entry(pc).or_insert_with(|| Region::new(code, tables, starts, meet)).clone();
        if let Some(at) = region.harmful {
            let what = code.ops.get(at as usize).map_or("the end".to_owned(), |_| code.site(0, at).text);
            return Err(self.unknown(&thread.warp, pc, &format!("branches on data before `{what}`")));
        }
        if region.cyclic && first {
            self.verdict.assumed.push(format!("{}: a loop behind it ends", code.site(thread.warp.index as u32, pc)));
        }
        let mask = thread.warp.path.mask;
        thread.forget(&region.written, mask);
        thread.warp.jump(meet);
        Ok(())
    }

    fn indirect(&mut self, thread: &mut Thread, pc: u32, index: u32, targets: &[u32], meet: u32) -> Result<(), Abort> {
        let mask = thread.warp.path.mask;
        let ways = match ways(&thread.warp.regs[index as usize], targets, mask) {
            Ok(ways) => ways,
            Err(index) => {
                self.violation(&thread.warp, pc, Kind::BranchIndex { index })?;
                return Err(Abort);
            }
        };
        match ways[..] {
            [(target, _)] => thread.warp.jump(target),
            _ => thread.warp.diverge(ways.into_iter(), meet),
        }
        Ok(())
    }

    /// No control flow; some lane is active.
    fn straight(&mut self, thread: &mut Thread, pc: u32, micro: &Micro, mask: u32) -> Result<(), Abort> {
        let pool = &self.code.pool;
        let regs = &thread.warp.regs;
        match micro {
            Micro::Map1 { f, d, a } => {
                let (row, known) = (f(a.row(regs, pool)), thread.knows(*a));
                thread.write(*d, &row, known, mask);
            }
            Micro::Map2 { f, d, a, b } => {
                let known = thread.knows(*a) & thread.knows(*b);
                if known & mask == 0 {
                    thread.forget(&(vec![*d], vec![]), mask);
                } else {
                    let row = f(a.row(regs, pool), b.row(regs, pool));
                    thread.write(*d, &row, known, mask);
                }
            }
            Micro::Map3 { f, d, a, b, c } => {
                let known = thread.knows(*a) & thread.knows(*b) & thread.knows(*c);
                if known & mask == 0 {
                    thread.forget(&(vec![*d], vec![]), mask);
                } else {
                    let row = f(a.row(regs, pool), b.row(regs, pool), c.row(regs, pool));
                    thread.write(*d, &row, known, mask);
                }
            }
            Micro::Each { f, d, sources } => {
                let known = sources.iter().fold(u32::MAX, |known, source| known & thread.knows(*source));
                let row = each(f, sources, regs, pool, mask & known);
                thread.write(*d, &row, known, mask);
            }
            Micro::Carry { op, reads, writes, ty, d, sources } => {
                let mut known = sources.iter().fold(u32::MAX, |known, source| known & thread.knows(*source));
                let before = if *reads { thread.warp.carry } else { 0 };
                known &= if *reads { thread.known_carry } else { u32::MAX };
                let (row, carries) = carry(*op, *ty, sources, regs, pool, before);
                thread.write(*d, &row, known, mask);
                if *writes {
                    thread.warp.carry = thread.warp.carry & !mask | carries & mask;
                    thread.known_carry = thread.known_carry & !mask | known & mask;
                }
            }
            Micro::Compare { f, d, other, combine, a, b } => {
                let known = thread.knows(*a) & thread.knows(*b) & thread.knows_combination(*combine);
                let bits = f.of(a.row(regs, pool), b.row(regs, pool));
                let (yes, no) = combined(bits, *combine, &thread.warp.preds);
                thread.write_pred(*d, yes, known, mask);
                if let Some(other) = other {
                    thread.write_pred(*other, no, known, mask);
                }
            }
            Micro::Set { f, yes, d, combine, a, b } => {
                let known = thread.knows(*a) & thread.knows(*b) & thread.knows_combination(*combine);
                let (bits, _) = combined(f.of(a.row(regs, pool), b.row(regs, pool)), *combine, &thread.warp.preds);
                thread.write(*d, &select(bits, &[*yes; 32], &[0; 32]), known, mask);
            }
            Micro::IsSpace { space, d, a } => {
                let bits = in_space(*space, a.row(regs, pool));
                thread.write_pred(*d, bits, thread.knows(*a), mask);
            }
            Micro::Take { elements, bytes, extend } => {
                for (d, row, byte) in elements {
                    let known = thread.knows_row(*row);
                    let row = thread.warp.regs[*row as usize].map(|word| extract(word, *byte, *bytes));
                    thread.write(*d, &extended(&row, *bytes, *extend), known, mask);
                }
            }
            Micro::Put { elements, bytes } => {
                for (row, byte, a) in elements {
                    // the rest of the word may be empty
                    let known = thread.knows(*a) & if *byte == 0 { u32::MAX } else { thread.knows_row(*row) };
                    let (old, values) = (&thread.warp.regs[*row as usize], a.row(&thread.warp.regs, pool));
                    let new = std::array::from_fn(|i| insert(old[i], *byte, *bytes, values[i]));
                    thread.write(*row, &new, known, mask);
                }
            }
            Micro::Activemask { d } => thread.write(*d, &[mask.into(); 32], u32::MAX, mask),
            Micro::Match { .. } | Micro::Redux { .. } => thread.forget(&results(micro), mask),
            Micro::Matrix { .. } => {
                if let Some(kind) = missing_lane(mask) {
                    self.violation(&thread.warp, pc, kind)?;
                    return Err(Abort);
                }
                thread.forget(&results(micro), mask);
            }
            Micro::Atomic { space, ty, base, offset, .. } => {
                let (bases, certain) = (*base.row(regs, pool), mask & !thread.knows(*base) == 0);
                let lanes = Lanes::new(&bases, *offset, mask, ty.bytes());
                self.atomic(thread, pc, *space, &lanes, certain)?;
                thread.forget(&results(micro), mask);
            }
            Micro::Logic { f, d, a, b } => {
                let known = thread.knows_pred(*a) & thread.knows_pred(*b);
                let bits = f(thread.warp.preds[*a as usize], thread.warp.preds[*b as usize]);
                thread.write_pred(*d, bits, known, mask);
            }
            Micro::SetPred { d, value } => thread.write_pred(*d, if *value { u32::MAX } else { 0 }, u32::MAX, mask),
            Micro::Select { d, a, b, pred } => {
                let known = thread.knows(*a) & thread.knows(*b) & thread.knows_pred(*pred);
                let row = select(thread.warp.preds[*pred as usize], a.row(regs, pool), b.row(regs, pool));
                thread.write(*d, &row, known, mask);
            }
            Micro::Pack { d, bits, parts } => {
                let known = parts.iter().fold(u32::MAX, |known, part| known & thread.knows(*part));
                let row = pack(*bits, parts, regs, pool);
                thread.write(*d, &row, known, mask);
            }
            Micro::Unpack { bits, parts, a } => {
                let (row, known) = (*a.row(regs, pool), thread.knows(*a));
                for (i, part) in parts.iter().enumerate() {
                    if let Some(part) = part {
                        thread.write(*part, &piece(*bits, i, &row), known, mask);
                    }
                }
            }
            Micro::Meet => self.ordered(thread.warp.index),
            Micro::Nothing => {}
            Micro::Insert { long, d, a, b, pos, len } => {
                let known = thread.knows(*a) & thread.knows(*b) & thread.knows(*pos) & thread.knows(*len);
                let row = inserted(*long, [a, b, pos, len].map(|source| source.row(regs, pool)));
                thread.write(*d, &row, known, mask);
            }
            Micro::Shuffle { mode, d, valid, a, lane, clamp, .. } => {
                let (lanes, clamps) = (lane.row(regs, pool), clamp.row(regs, pool));
                let bits = thread.knows(*a);
                let aware = std::array::from_fn(|i| u64::from(bits >> i & 1));
                let certain = mask & !(thread.knows(*lane) & thread.knows(*clamp)) == 0;
                let moved = shuffle(*mode, a.row(regs, pool), lanes, clamps, mask);
                match (moved, shuffle(*mode, &aware, lanes, clamps, mask)) {
                    (Ok((row, inside)), Ok((aware, _))) if certain => {
                        let known = (0..32).fold(0, |known, i| known | (aware[i] as u32) << i);
                        thread.write(*d, &row, known, mask);
                        if let Some(valid) = valid {
                            thread.write_pred(*valid, inside, u32::MAX, mask);
                        }
                    }
                    _ => thread.forget(&results(micro), mask),
                }
            }
            Micro::Vote { mode, d, pred, negate, .. } => {
                let bits = vote(*mode, holds(&thread.warp.preds, (*pred, *negate)), mask);
                let known = if mask & !thread.knows_pred(*pred) == 0 { u32::MAX } else { 0 };
                match mode {
                    VoteMode::Ballot => thread.write(*d, &[bits.into(); 32], known, mask),
                    _ => thread.write_pred(*d, bits, known, mask),
                }
            }
            Micro::Load { space, bytes, extend, d, base, offset } => {
                let (bases, certain) = (*base.row(regs, pool), mask & !thread.knows(*base) == 0);
                for (i, d) in d.iter().enumerate() {
                    let lanes = Lanes::new(&bases, offset.wrapping_add(u64::from(*bytes) * i as u64), mask, *bytes);
                    match self.load(thread, pc, *space, &lanes, certain)? {
                        Some(row) => thread.write(*d, &extended(&row, *bytes, *extend), u32::MAX, mask),
                        None => thread.forget(&(vec![*d], vec![]), mask),
                    }
                }
            }
            Micro::Store { space, bytes, a, base, offset } => {
                let (bases, certain) = (*base.row(regs, pool), mask & !thread.knows(*base) == 0);
                for (i, a) in a.iter().enumerate() {
                    let lanes = Lanes::new(&bases, offset.wrapping_add(u64::from(*bytes) * i as u64), mask, *bytes);
                    self.store(thread, pc, *space, &lanes, *a, certain)?;
                }
            }
            Micro::Unknown { .. } => {
                if matters(self.code, self.tables(), pc) {
                    return Err(self.unknown(&thread.warp, pc, "the instruction is not known"));
                }
                thread.forget(&results(micro), mask);
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

    fn report(&mut self, warp: &Warp, pc: u32, access: Access, found: Result<Findings, Kind>) -> Result<(), Abort> {
        let found = match found {
            Ok(found) => found,
            Err(kind) => {
                self.violation(warp, pc, kind)?;
                return Err(Abort);
            }
        };
        if let Some(conflict) = found.conflict {
            let earlier_site = self.code.site(conflict.warp, conflict.pc);
            let (address, earlier) = (conflict.address, conflict.earlier);
            self.violation(warp, pc, Kind::Race { address, access, earlier, earlier_site })?;
        }
        if let Some(address) = found.unwritten {
            self.violation(warp, pc, Kind::Unwritten { space: Space::Shared, address })?;
        }
        match found.lanes {
            Some(address) => self.violation(warp, pc, Kind::LaneConflict { address }),
            None => Ok(()),
        }
    }

    /// Records a violation, each kind once per instruction.
    pub(super) fn violation(&mut self, warp: &Warp, pc: u32, kind: Kind) -> Result<(), Abort> {
        if self.seen.insert((discriminant(&kind), pc)) {
            let site = Some(self.code.site(warp.index as u32, pc));
            self.verdict.violations.push(Hazard { cta: self.cta, site, kind });
        }
        if self.verdict.violations.len() < MOST { Ok(()) } else { Err(Abort) }
    }

    fn unknown(&mut self, warp: &Warp, pc: u32, text: &str) -> Abort {
        self.verdict.not_analysed.push(format!("{}: {text}", self.code.site(warp.index as u32, pc)));
        Abort
    }
}
