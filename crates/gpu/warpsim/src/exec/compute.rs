//! Computations of lanes by themselves.

use super::Machine;
use crate::buffer::{extract, insert};
use crate::decode::{Compute, Pieces, Test};
use crate::domain::{ALL, Domain, Knowledge};
use crate::lanes::{carry, carry_without, combined, each, extended, in_space, inserted, pack, piece, select};
use crate::warp::Warp;

impl<D: Domain> Machine<'_, '_, D> {
    /// Performs the operation; some lane must be active, here and below.
    pub(super) fn compute(&mut self, warp: &mut Warp<D::Knowledge>, op: &Compute, mask: u32) {
        let pool = &self.code.pool;
        match op {
            Compute::Map1 { f, d, a } => {
                warp.compute(*d, warp.know([*a]), mask, |w| f(a.row(&w.regs, pool)));
            }
            Compute::Map2 { f, d, a, b } => {
                warp.compute(*d, warp.know([*a, *b]), mask, |w| f(a.row(&w.regs, pool), b.row(&w.regs, pool)));
            }
            Compute::Map3 { f, d, a, b, c } => {
                let row = |w: &Warp<_>| f(a.row(&w.regs, pool), b.row(&w.regs, pool), c.row(&w.regs, pool));
                warp.compute(*d, warp.know([*a, *b, *c]), mask, row);
            }
            Compute::Each { f, d, sources } => {
                let known = warp.know(*sources);
                warp.compute(*d, known, mask, |w| each(f, sources, &w.regs, pool, mask & known));
            }
            Compute::Carry { op, reads, writes, ty, d, sources } => {
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
            Compute::Activemask { d } => {
                let known = if self.code.independent_lanes() || self.domain.perhaps() { D::HANDED } else { ALL };
                warp.write(*d, &[mask.into(); 32], known, mask);
            }
        }
    }

    /// Computes predicates, and the values that they choose.
    pub(super) fn test(&mut self, warp: &mut Warp<D::Knowledge>, op: &Test, mask: u32) {
        let pool = &self.code.pool;
        match op {
            Test::Compare { f, d, other, combine, a, b } => {
                let known = warp.know([*a, *b]) & combine.map_or(ALL, |(_, (pred, _))| warp.knowledge.pred(pred));
                let bits = f.compare(a.row(&warp.regs, pool), b.row(&warp.regs, pool));
                let (yes, no) = combined(bits, *combine, &warp.preds);
                warp.write_pred(*d, yes, known, mask);
                if let Some(other) = other {
                    warp.write_pred(*other, no, known, mask);
                }
            }
            Test::Set { f, yes, d, combine, a, b } => {
                let known = warp.know([*a, *b]) & combine.map_or(ALL, |(_, (pred, _))| warp.knowledge.pred(pred));
                let bits = f.compare(a.row(&warp.regs, pool), b.row(&warp.regs, pool));
                let (bits, _) = combined(bits, *combine, &warp.preds);
                warp.write(*d, &select(bits, &[*yes; 32], &[0; 32]), known, mask);
            }
            Test::Logic { f, d, a, b } => {
                let known = warp.knowledge.pred(*a) & warp.knowledge.pred(*b);
                warp.write_pred(*d, f(warp.preds[*a as usize], warp.preds[*b as usize]), known, mask);
            }
            Test::SetPred { d, value } => warp.write_pred(*d, if *value { ALL } else { 0 }, ALL, mask),
            Test::Select { d, a, b, pred } => {
                let known = warp.know([*a, *b]) & warp.knowledge.pred(*pred);
                let row = |w: &Warp<_>| select(w.preds[*pred as usize], a.row(&w.regs, pool), b.row(&w.regs, pool));
                warp.compute(*d, known, mask, row);
            }
            Test::IsSpace { space, d, a } => {
                let bits = in_space(*space, a.row(&warp.regs, pool));
                warp.write_pred(*d, bits, warp.knows(*a), mask);
            }
        }
    }

    /// Packs parts into words, and unpacks words into parts.
    pub(super) fn pieces(&mut self, warp: &mut Warp<D::Knowledge>, op: &Pieces, mask: u32) {
        let pool = &self.code.pool;
        match op {
            Pieces::Pack { d, bits, parts } => {
                let known = parts.iter().fold(ALL, |known, part| known & warp.knows(*part));
                warp.compute(*d, known, mask, |w| pack(*bits, parts, &w.regs, pool));
            }
            Pieces::Unpack { bits, parts, a } => {
                let (row, known) = (*a.row(&warp.regs, pool), warp.knows(*a));
                for (i, part) in parts.iter().enumerate() {
                    if let Some(part) = part {
                        warp.write(*part, &piece(*bits, i, &row), known, mask);
                    }
                }
            }
            Pieces::Insert { long, d, a, b, pos, len } => {
                let row = |w: &Warp<_>| inserted(*long, [a, b, pos, len].map(|source| source.row(&w.regs, pool)));
                warp.compute(*d, warp.know([*a, *b, *pos, *len]), mask, row);
            }
            Pieces::Take { elements, bytes, extend } => {
                for (d, row, byte) in elements {
                    let known = warp.knowledge.row(*row);
                    let row = warp.regs[*row as usize].map(|word| extract(word, *byte, *bytes));
                    warp.write(*d, &extended(&row, *bytes, *extend), known, mask);
                }
            }
            Pieces::Put { elements, bytes } => {
                for piece in elements {
                    let rest = if piece.whole { ALL } else { warp.knowledge.row(piece.row) };
                    let known = warp.knows(piece.source) & rest;
                    let (old, values) = (&warp.regs[piece.row as usize], piece.source.row(&warp.regs, pool));
                    let new = std::array::from_fn(|i| insert(old[i], piece.byte, *bytes, values[i]));
                    warp.write(piece.row, &new, known, mask);
                }
            }
        }
    }
}
