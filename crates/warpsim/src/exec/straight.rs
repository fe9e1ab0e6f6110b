//! What each instruction does that a lane executes by itself, and that is no control flow.

use super::{Machine, Stop};
use crate::buffer::{extract, insert};
use crate::decode::Micro;
use crate::domain::{ALL, Domain, Knowledge, Undecided};
use crate::lanes::{carry, carry_without, combined, each, extended, in_space, inserted, pack, piece, select};
use crate::memory::Lanes;
use crate::warp::Warp;

impl<D: Domain> Machine<'_, '_, D> {
    /// Some lane is active.
    pub(in super::super) fn straight(
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
                let (before, aware) = match reads {
                    true => (warp.carry, warp.knowledge.carry()),
                    false => (carry_without(*op), ALL),
                };
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
            Micro::Activemask { d } => {
                let known = if self.code.independent_lanes() || self.domain.perhaps() { D::HANDED } else { ALL };
                warp.write(*d, &[mask.into(); 32], known, mask);
            }
            Micro::Atomic { f, space, bytes, d, base, offset, a, b } => {
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
            Micro::Nothing => {}
            Micro::Unknown { .. } => D::undecided(self, warp, pc, mask, Undecided::Meaning)?,
            Micro::Bar { .. }
            | Micro::Jump { .. }
            | Micro::Branch { .. }
            | Micro::Indirect { .. }
            | Micro::Call(_)
            | Micro::Ret
            | Micro::Exit
            | Micro::Shuffle { .. }
            | Micro::Vote { .. }
            | Micro::Match { .. }
            | Micro::Redux { .. }
            | Micro::Elect { .. }
            | Micro::Copying(_)
            | Micro::Matrix { .. }
            | Micro::Fragments(_)
            | Micro::Product(_)
            | Micro::WarpBarrier { .. } => {
                unreachable!("the caller handles control flow and what lanes do together")
            }
        }
        Ok(())
    }
}
