//! `ldmatrix` and `stmatrix` of one warp (see [`ptx::fragments`]).

use super::{Machine, Stop};
use crate::decode::Fragments;
use crate::domain::{ALL, Domain, Knowledge as _, Undecided};
use crate::memory::Lanes;
use crate::rows::Row;
use crate::warp::Warp;

impl<D: Domain> Machine<'_, '_, D> {
    /// Performs the access; all lanes take part.
    pub(super) fn fragments(&mut self, warp: &mut Warp<D::Knowledge>, pc: u32, what: &Fragments) -> Result<(), Stop> {
        if warp.knows(what.at.base) != ALL {
            return D::undecided(self, warp, pc, ALL, Undecided::Address(what.space));
        }
        let bases = what.at.base.row(&warp.regs, &self.code.pool).map(|base| base.wrapping_add(what.at.offset));
        for (matrix, &row) in what.rows.iter().enumerate() {
            let places: Vec<Row> = places(&bases, matrix, what.transposed);
            if what.loads {
                let (mut word, mut aware) = ([0; 32], ALL);
                for (half, place) in places.iter().enumerate() {
                    let (part, known) = self.load(warp, pc, what.space, &Lanes::new(place, 0, ALL, what.bytes()))?;
                    word = std::array::from_fn(|lane| word[lane] | part[lane] << (16 * half));
                    aware &= known;
                }
                warp.write(row, &word, aware, ALL);
            } else {
                let (word, known) = (warp.regs[row as usize], warp.knowledge.row(row));
                for (half, place) in places.iter().enumerate() {
                    let part = word.map(|word| word >> (16 * half));
                    let lanes = Lanes::new(place, 0, ALL, what.bytes());
                    self.store(warp, pc, what.space, &lanes, &part, known)?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the addresses that lanes access for one matrix: of both halves at once, or of each by itself.
fn places(bases: &Row, matrix: usize, transposed: bool) -> Vec<Row> {
    let base = |row: usize| bases[8 * matrix + row];
    if transposed {
        let of = |half: usize| std::array::from_fn(|lane| base(2 * (lane % 4) + half) + 2 * (lane / 4) as u64);
        vec![of(0), of(1)]
    } else {
        vec![std::array::from_fn(|lane| base(lane / 4) + 4 * (lane % 4) as u64)]
    }
}
