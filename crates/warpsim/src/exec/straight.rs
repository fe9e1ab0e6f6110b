//! What each instruction does that is no control flow.

use super::{Machine, Stop};
use crate::buffer::{extract, insert};
use crate::decode::{Micro, Source};
use crate::domain::{ALL, Domain, Knowledge, Undecided};
use crate::hazard::Kind;
use crate::lanes::{
    carry, combined, each, extended, holds, in_space, inserted, matches, missing_lane, multiply_add, pack, piece,
    reduce, select, shuffle, vote,
};
use crate::memory::Lanes;
use crate::rows::Row;
use crate::warp::Warp;
use ptx::inst::{ShflMode, VoteMode};

impl<D: Domain> Machine<'_, '_, D> {
    /// Some lane is active.
    pub(super) fn straight(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        micro: &Micro,
        mask: u32,
    ) -> Result<(), Stop> {
        let pool = &self.code.pool;
        match micro {
            Micro::Map1 { f, d, a } => {
                warp.compute(*d, warp.know([*a]), mask, |w| f(a.row(&w.regs, pool)));
            }
            Micro::Map2 { f, d, a, b } => {
                warp.compute(*d, warp.know([*a, *b]), mask, |w| f(a.row(&w.regs, pool), b.row(&w.regs, pool)));
            }
            Micro::Map3 { f, d, a, b, c } => {
                let row = |w: &Warp<_>| f(a.row(&w.regs, pool), b.row(&w.regs, pool), c.row(&w.regs, pool));
                warp.compute(*d, warp.know([*a, *b, *c]), mask, row);
            }
            Micro::Each { f, d, sources } => {
                let known = warp.know(*sources);
                warp.compute(*d, known, mask, |w| each(f, sources, &w.regs, pool, mask & known));
            }
            Micro::Carry { op, reads, writes, ty, d, sources } => {
                let (before, aware) = if *reads { (warp.carry, warp.knowledge.carry()) } else { (0, ALL) };
                let known = warp.know(*sources) & aware;
                let (row, carries) = carry(*op, *ty, sources, &warp.regs, pool, before);
                warp.write(*d, &row, known, mask);
                if *writes {
                    warp.carry = warp.carry & !mask | carries & mask;
                    warp.knowledge.learn_carry(known, mask);
                }
            }
            Micro::Compare { f, d, other, combine, a, b } => {
                let known = warp.know([*a, *b]) & combine.map_or(ALL, |(_, (pred, _))| warp.knowledge.pred(pred));
                let bits = f.of(a.row(&warp.regs, pool), b.row(&warp.regs, pool));
                let (yes, no) = combined(bits, *combine, &warp.preds);
                warp.write_pred(*d, yes, known, mask);
                if let Some(other) = other {
                    warp.write_pred(*other, no, known, mask);
                }
            }
            Micro::Set { f, yes, d, combine, a, b } => {
                let known = warp.know([*a, *b]) & combine.map_or(ALL, |(_, (pred, _))| warp.knowledge.pred(pred));
                let bits = f.of(a.row(&warp.regs, pool), b.row(&warp.regs, pool));
                let (bits, _) = combined(bits, *combine, &warp.preds);
                warp.write(*d, &select(bits, &[*yes; 32], &[0; 32]), known, mask);
            }
            Micro::Logic { f, d, a, b } => {
                let known = warp.knowledge.pred(*a) & warp.knowledge.pred(*b);
                warp.write_pred(*d, f(warp.preds[*a as usize], warp.preds[*b as usize]), known, mask);
            }
            Micro::SetPred { d, value } => warp.write_pred(*d, if *value { ALL } else { 0 }, ALL, mask),
            Micro::Select { d, a, b, pred } => {
                let known = warp.know([*a, *b]) & warp.knowledge.pred(*pred);
                let row = |w: &Warp<_>| select(w.preds[*pred as usize], a.row(&w.regs, pool), b.row(&w.regs, pool));
                warp.compute(*d, known, mask, row);
            }
            Micro::Pack { d, bits, parts } => {
                let known = parts.iter().fold(ALL, |known, part| known & warp.knows(*part));
                warp.compute(*d, known, mask, |w| pack(*bits, parts, &w.regs, pool));
            }
            Micro::Unpack { bits, parts, a } => {
                let (row, known) = (*a.row(&warp.regs, pool), warp.knows(*a));
                for (i, part) in parts.iter().enumerate() {
                    if let Some(part) = part {
                        warp.write(*part, &piece(*bits, i, &row), known, mask);
                    }
                }
            }
            Micro::Insert { long, d, a, b, pos, len } => {
                let row = |w: &Warp<_>| inserted(*long, [a, b, pos, len].map(|source| source.row(&w.regs, pool)));
                warp.compute(*d, warp.know([*a, *b, *pos, *len]), mask, row);
            }
            Micro::IsSpace { space, d, a } => {
                let bits = in_space(*space, a.row(&warp.regs, pool));
                warp.write_pred(*d, bits, warp.knows(*a), mask);
            }
            Micro::Take { elements, bytes, extend } => {
                for (d, row, byte) in elements {
                    let known = warp.knowledge.row(*row);
                    let row = warp.regs[*row as usize].map(|word| extract(word, *byte, *bytes));
                    warp.write(*d, &extended(&row, *bytes, *extend), known, mask);
                }
            }
            Micro::Put { elements, bytes } => {
                for piece in elements {
                    let rest = if piece.whole { ALL } else { warp.knowledge.row(piece.row) };
                    let known = warp.knows(piece.source) & rest;
                    let (old, values) = (&warp.regs[piece.row as usize], piece.source.row(&warp.regs, pool));
                    let new = std::array::from_fn(|i| insert(old[i], piece.byte, *bytes, values[i]));
                    warp.write(piece.row, &new, known, mask);
                }
            }
            Micro::Shuffle { mode, d, valid, a, lane, clamp, mask: named } => {
                self.named(warp, pc, *named, mask)?;
                self.shuffle(warp, pc, *mode, (*d, *valid), [*a, *lane, *clamp], mask)?;
            }
            Micro::Vote { mode, d, pred, negate, mask: named } => {
                self.named(warp, pc, *named, mask)?;
                let bits = vote(*mode, holds(&warp.preds, (*pred, *negate)), mask);
                let known = all_or_none(warp.knowledge.pred(*pred), mask);
                match mode {
                    VoteMode::Ballot => warp.write(*d, &[bits.into(); 32], known, mask),
                    _ => warp.write_pred(*d, bits, known, mask),
                }
            }
            Micro::Match { all, d, valid, a, mask: named } => {
                self.named(warp, pc, Some(*named), mask)?;
                let (row, agree) = matches(*all, a.row(&warp.regs, pool), mask);
                let known = all_or_none(warp.knows(*a), mask);
                warp.write(*d, &row, known, mask);
                if let Some(valid) = valid {
                    warp.write_pred(*valid, if agree { ALL } else { 0 }, known, mask);
                }
            }
            Micro::Redux { f, d, a, mask: named } => {
                self.named(warp, pc, Some(*named), mask)?;
                let known = all_or_none(warp.knows(*a), mask);
                warp.compute(*d, known, mask, |w| [reduce(f, a.row(&w.regs, pool), mask); 32]);
            }
            Micro::Matrix { d, a, b, c } => {
                if let Some(kind) = missing_lane(mask) {
                    return Err(self.fatal(warp, pc, kind));
                }
                let known = all_or_none(warp.know([*a, *b, c[0], c[1]]), mask);
                let [a, b, c0, c1] = [a, b, &c[0], &c[1]].map(|source| source.row(&warp.regs, pool));
                let rows = multiply_add(a, b, [c0, c1]);
                for (d, row) in d.iter().zip(&rows) {
                    warp.write(*d, row, known, mask);
                }
            }
            Micro::Activemask { d } => warp.write(*d, &[mask.into(); 32], ALL, mask),
            Micro::Atomic { op, space, ty, d, base, offset, a, b } => {
                if mask & !warp.knows(*base) != 0 {
                    return D::undecided(self, warp, pc, mask, Undecided::Address(*space));
                }
                let (bases, first) = (*base.row(&warp.regs, pool), *a.row(&warp.regs, pool));
                let second = b.map_or(first, |b| *b.row(&warp.regs, pool));
                let lanes = Lanes::new(&bases, *offset, mask, ty.bytes());
                let row = self.atomic(warp, pc, (*op, *ty), *space, &lanes, [&first, &second])?;
                if let Some(d) = d {
                    warp.write(*d, &row, D::HANDED, mask);
                }
            }
            Micro::Load { space, bytes, extend, d, base, offset } => {
                if mask & !warp.knows(*base) != 0 {
                    return D::undecided(self, warp, pc, mask, Undecided::Address(*space));
                }
                let bases = *base.row(&warp.regs, pool);
                for (i, d) in d.iter().enumerate() {
                    let lanes = Lanes::new(&bases, offset.wrapping_add(u64::from(*bytes) * i as u64), mask, *bytes);
                    let (row, known) = self.load(warp, pc, *space, &lanes)?;
                    let row = if *extend == 0 { row } else { extended(&row, *bytes, *extend) };
                    warp.write(*d, &row, known, mask);
                }
            }
            Micro::Store { space, bytes, a, base, offset } => {
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
            Micro::Meet => D::ordered(self, warp.index),
            Micro::Nothing => {}
            Micro::Unknown { .. } => D::undecided(self, warp, pc, mask, Undecided::Meaning)?,
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

    /// Lanes know what they get when the lane that it comes from does; without known sources they know nothing.
    fn shuffle(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        mode: ShflMode,
        (d, valid): (u32, Option<u32>),
        [a, lane, clamp]: [Source; 3],
        mask: u32,
    ) -> Result<(), Stop> {
        let pool = &self.code.pool;
        let certain = mask & !warp.know([lane, clamp]) == 0;
        let (mut known, mut inside) = (0, 0);
        if certain {
            let moved = |row: &Row| shuffle(mode, row, lane.row(&warp.regs, pool), clamp.row(&warp.regs, pool), mask);
            let moved = moved(a.row(&warp.regs, pool)).and_then(|(row, inside)| {
                let aware = warp.knows(a);
                let known = if aware == ALL { ALL } else { bits_of(&moved(&row_of(aware))?.0) };
                Ok((row, inside, known))
            });
            let row;
            (row, inside, known) = moved.map_err(|kind| self.fatal(warp, pc, kind))?;
            warp.write(d, &row, known, mask);
        } else {
            warp.knowledge.learn(d, known, mask);
        }
        if let Some(valid) = valid {
            warp.write_pred(valid, inside, if certain { ALL } else { 0 }, mask);
        }
        Ok(())
    }

    /// All lanes that the instruction names must have come; a mask that is not known may name any.
    fn named(&mut self, warp: &Warp<D::Knowledge>, pc: u32, named: Option<Source>, mask: u32) -> Result<(), Stop> {
        let Some(named) = named else { return Ok(()) };
        let row = named.row(&warp.regs, &self.code.pool);
        let known = mask & warp.knows(named);
        let lane = (0..32u32).find(|lane| known >> lane & 1 == 1 && row[*lane as usize] as u32 & warp.live != mask);
        match lane {
            None => Ok(()),
            Some(lane) => {
                let missing = row[lane as usize] as u32 ^ mask;
                Err(self.fatal(warp, pc, Kind::InactiveLane { lane, source: missing.trailing_zeros() }))
            }
        }
    }
}

/// All lanes when those of the mask know, else none.
fn all_or_none(known: u32, mask: u32) -> u32 {
    if mask & !known == 0 { ALL } else { 0 }
}

/// Bits as numbers, one per lane.
fn row_of(bits: u32) -> Row {
    std::array::from_fn(|lane| u64::from(bits >> lane & 1))
}

fn bits_of(row: &Row) -> u32 {
    (0..32).fold(0, |bits, lane| bits | (row[lane] as u32) << lane)
}
