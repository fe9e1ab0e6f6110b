//! Exchanges between lanes.

use super::Machine;
use crate::cta::Core;
use crate::exec::Stop;
use crate::lanes::{missing_lane, multiply_add, shuffle, vote};
use crate::machine_code::op::{Lanes, ZERO};
use crate::machine_code::warp::Warp;

impl Machine<'_, '_> {
    /// Moves values from lane to lane, or to the whole warp.
    pub(super) fn lanes(&mut self, warp: &mut Warp, pc: u32, op: &Lanes, mask: u32) -> Result<(), Stop> {
        let code = self.code;
        match op {
            Lanes::Agree { d, a } => {
                let word = self.agreed(warp, *a, mask);
                let word = word.ok_or_else(|| self.unsupported(warp, pc, "a number of a warp whose lanes differ"))?;
                warp.set(*d, &[word; 32], u32::MAX);
            }
            Lanes::Reduce { f, d, a } => {
                let word = warp.integer(code, *a);
                let joined = (0..32).filter(|lane| mask >> lane & 1 == 1).map(|lane| word[lane]).reduce(f);
                warp.set(*d, &[joined.unwrap_or(0); 32], mask);
            }
            Lanes::Shuffle { mode, valid, d, sources: [a, lane, clamp] } => {
                let rows = [a, lane, clamp].map(|source| warp.integer(code, *source).map(u64::from));
                let moved = shuffle(*mode, [&rows[0], &rows[1], &rows[2]], mask, mask);
                let (row, inside) = moved.map_err(|kind| self.fatal(warp, pc, kind))?;
                warp.set(*d, &row.map(|x| x as u32), mask);
                warp.set_pred(*valid, inside, mask);
            }
            Lanes::Vote { mode, d, p, of } => {
                let votes = warp.holds(*of);
                warp.set(*d, &[votes & mask; 32], mask);
                warp.set_pred(*p, vote(*mode, votes, mask), mask);
            }
            Lanes::Match { d, a } => {
                let word = warp.integer(code, *a);
                let group = |own: &u32| {
                    let has_it = |lane: &usize| mask >> lane & 1 == 1 && word[*lane] == *own;
                    (0..32).filter(has_it).fold(0, |all, lane| all | 1 << lane)
                };
                let groups = word.each_ref().map(group);
                warp.set(*d, &groups, mask);
            }
            Lanes::Matrix { blocks, adds, d, factors: [a, b], sum } => {
                if let Some(kind) = missing_lane(mask) {
                    return Err(self.fatal(warp, pc, kind));
                }
                let (c, sign) = if warp.holds(*adds) == 0 { (ZERO, 0) } else { (sum.row, u64::from(sum.negate) << 63) };
                let part = |first: u32, by: u32| warp.pair(code, if first == ZERO { ZERO } else { first + by });
                let product = |block: u32| {
                    let [low, high] = [0, 2].map(|by| part(c, 4 * block + by).map(|x| x ^ sign));
                    multiply_add(&part(*a, 2 * block), &part(*b, 0), [&low, &high])
                };
                // all are read before any is written
                let products: Vec<_> = (0..*blocks).map(product).collect();
                for (first, [low, high]) in (*d..).step_by(4).zip(&products) {
                    warp.set_pair(first, low, mask);
                    warp.set_pair(first + 2, high, mask);
                }
            }
        }
        Ok(())
    }
}
