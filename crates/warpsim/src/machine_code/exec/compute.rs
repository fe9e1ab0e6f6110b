//! What each instruction does that is no control flow.

use super::Machine;
use crate::exec::Stop;
use crate::lanes::{missing_lane, multiply_add, select, shuffle, vote};
use crate::machine_code::op::{Below, CARRY, Count, Half, Kind, NULL, Op, Source, ZERO};
use crate::machine_code::warp::Warp;
use crate::rows::Row;
use crate::scalar::combined;
use std::array::from_fn;

impl Machine<'_, '_> {
    /// Some lane is active.
    pub(super) fn compute(&mut self, warp: &mut Warp, pc: u32, op: &Op, mask: u32) -> Result<(), Stop> {
        let code = self.code;
        match op {
            Op::Move { d, a } => {
                let word = warp.integer(code, *a);
                warp.set(*d, &word, mask);
            }
            Op::Agree { d, a } => {
                let word = self.agreed(warp, *a, mask);
                let word = word.ok_or_else(|| self.unsupported(warp, pc, "a number of a warp whose lanes differ"))?;
                warp.set(*d, &[word; 32], u32::MAX);
            }
            Op::MoveWide { d, a } => {
                let pair = warp.pair(code, a.row);
                warp.set_pair(*d, &pair, mask);
            }
            Op::Word { f, d, sources } => {
                let [a, b, c] = sources.map(|source| warp.integer(code, source));
                warp.set(*d, &from_fn(|i| f(a[i], b[i], c[i])), mask);
            }
            Op::Sum { d, carries, sources, ins } => {
                let mut sum = [0u64; 32];
                for source in sources {
                    let (term, more) = self.term(warp, *source);
                    for lane in 0..32 {
                        sum[lane] += term[lane] + more;
                    }
                }
                for bit in ins.iter().flatten() {
                    let bits = warp.holds(*bit);
                    for (lane, sum) in sum.iter_mut().enumerate() {
                        *sum += u64::from(bits >> lane & 1);
                    }
                }
                warp.set(*d, &sum.map(|x| x as u32), mask);
                for (least, carry) in (1..).zip(carries) {
                    warp.set_pred(*carry, lanes_where(&sum, |x| x >> 32 >= least), mask);
                }
            }
            Op::Product { half, signed, d, carry, sources: [a, b, c], carried } => {
                let bits = carried.map_or(0, |bit| warp.holds(bit));
                let (x, y) = (warp.integer(code, *a), warp.integer(code, *b));
                if *half == Half::Low {
                    let z = warp.integer(code, *c);
                    let low = |i: usize| x[i].wrapping_mul(y[i]).wrapping_add(z[i]).wrapping_add(bits >> i & 1);
                    warp.set(*d, &from_fn(low), mask);
                    return Ok(());
                }
                let z = warp.bits(code, *c, Kind::Long);
                let product = |i: usize| match signed {
                    true => (i64::from(x[i] as i32) * i64::from(y[i] as i32)) as u64,
                    false => u64::from(x[i]) * u64::from(y[i]),
                };
                let sum: [u128; 32] =
                    from_fn(|i| u128::from(product(i)) + u128::from(z[i]) + u128::from(bits >> i & 1));
                match half {
                    Half::High => warp.set(*d, &sum.map(|x| (x >> 32) as u32), mask),
                    _ => warp.set_pair(*d, &sum.map(|x| x as u64), mask),
                }
                warp.set_pred(*carry, (0..32).fold(0, |bits, i| bits | u32::from(sum[i] >> 64 != 0) << i), mask);
            }
            Op::ProductWord { high, signed, negate, d, carry, sources: [a, b, c], carried } => {
                let (x, y) = (warp.integer(code, *a), warp.integer(code, *b));
                let product = |i: usize| match signed {
                    true => (i64::from(x[i] as i32) * i64::from(y[i] as i32)) as u64,
                    false => u64::from(x[i]) * u64::from(y[i]),
                };
                let word = |i: usize| if *high { product(i) >> 32 } else { product(i) & u64::from(u32::MAX) };
                // a carry takes the place of the 1 of a complement
                let flip = if *negate { u64::from(u32::MAX) } else { 0 };
                let more = u64::from(*negate && carried.is_none());
                let (term, rest) = self.term(warp, *c);
                let bits = carried.map_or(0, |bit| warp.holds(bit));
                let sum: Row = from_fn(|i| (word(i) ^ flip) + more + term[i] + rest + u64::from(bits >> i & 1));
                warp.set(*d, &sum.map(|x| x as u32), mask);
                warp.set_pred(*carry, lanes_where(&sum, |x| x >> 32 != 0), mask);
            }
            Op::Scaled { d, carry, a, b, c, high, by, carried } => {
                let word = *warp.row(code, a.row);
                let upper = match c {
                    Some(c) => *warp.row(code, c.row),
                    None => word.map(|x| (x as i32 >> 31) as u32),
                };
                let shifted = |i: usize| {
                    let wide = u64::from(word[i]) | u64::from(upper[i]) << 32;
                    (if *high { wide << by >> 32 } else { u64::from(word[i] << by) }) as u32
                };
                let (more, term) = match (a.invert, a.negate) {
                    (true, _) => (0, from_fn(|i| u64::from(!shifted(i)))),
                    (_, true) => (1, from_fn(|i| u64::from(!shifted(i)))),
                    _ => (0, from_fn(|i| u64::from(shifted(i)))),
                };
                let term: [u64; 32] = term;
                let (other, rest) = self.term(warp, *b);
                let bits = carried.map_or(0, |bit| warp.holds(bit));
                let sum: Row = from_fn(|i| term[i] + more + other[i] + rest + u64::from(bits >> i & 1));
                warp.set(*d, &sum.map(|x| x as u32), mask);
                warp.set_pred(*carry, lanes_where(&sum, |x| x >> 32 != 0), mask);
            }
            Op::Logic { d, any, sources, table, with } => {
                let [a, b, c] = sources.map(|source| warp.integer(code, source));
                let word: [u32; 32] = from_fn(|i| logic(*table, a[i], b[i], c[i]));
                warp.set(*d, &word, mask);
                let bits = (0..32).fold(0, |bits, i| bits | u32::from(word[i] != 0) << i);
                warp.set_pred(*any, bits | warp.holds(*with), mask);
            }
            Op::Shift { left, high, signed, count, d, sources: [a, b, c] } => {
                let [a, b, c] = [a, b, c].map(|source| warp.integer(code, *source));
                let word = |i: usize| {
                    let by = match count {
                        Count::Wraps(bits) => b[i] & (bits - 1),
                        Count::Clamps(most) => b[i].min(*most),
                    };
                    let wide = u64::from(a[i]) | u64::from(c[i]) << 32;
                    let moved = match (left, signed) {
                        (true, _) => wide.checked_shl(by).unwrap_or(0),
                        (false, true) => (wide as i64 >> by.min(63)) as u64,
                        (false, false) => wide.checked_shr(by).unwrap_or(0),
                    };
                    (if *high { moved >> 32 } else { moved }) as u32
                };
                warp.set(*d, &from_fn(word), mask);
            }
            Op::Compare { f, d, p, q, kind, signed, sources: [a, b], combine, with, below } => {
                let read = |source: Source| {
                    let bits = warp.bits(code, source, *kind);
                    match kind {
                        Kind::Single | Kind::Flushed => bits.map(|x| f64::from(f32::from_bits(x as u32)).to_bits()),
                        _ if *signed => bits.map(|x| x as u32 as i32 as i64 as u64),
                        _ => bits,
                    }
                };
                let (a, b) = (read(*a), read(*b));
                let mut bits = f(&a, &b);
                if let Some(below) = below {
                    let equal = (0..32).fold(0, |bits, i| bits | u32::from(a[i] == b[i]) << i);
                    let below = match *below {
                        Below::Bit(bit) => warp.holds(bit),
                        Below::Above(above) => {
                            let bits = warp.holds((CARRY, false)) & warp.holds((NULL, true));
                            if above { bits } else { !bits }
                        }
                    };
                    bits = bits & !equal | below & equal;
                }
                let with = warp.holds(*with);
                let holds = combined(*combine, bits, with);
                if let Some(d) = d {
                    warp.set(*d, &from_fn(|i| if holds >> i & 1 == 1 { u32::MAX } else { 0 }), mask);
                }
                warp.set_pred(*p, holds, mask);
                warp.set_pred(*q, combined(*combine, !bits, with), mask);
            }
            Op::UpperExtremum { largest, signed, d, sources } => {
                let [a, b] = sources.map(|source| warp.integer(code, source));
                let above = |x: u32, y: u32| if *signed { x as i32 > y as i32 } else { x > y };
                let chosen = |i: usize| if above(a[i], b[i]) == *largest { a[i] } else { b[i] };
                let bits = |holds: &dyn Fn(usize) -> bool| (0..32).fold(0, |bits, i| bits | u32::from(holds(i)) << i);
                let (larger, equal) = (bits(&|i| above(a[i], b[i])), bits(&|i| a[i] == b[i]));
                warp.set(*d, &from_fn(chosen), mask);
                warp.set_pred(Some(CARRY), larger, mask);
                warp.set_pred(Some(NULL), equal, mask);
            }
            Op::LowerExtremum { largest, d, sources } => {
                let [a, b] = sources.map(|source| warp.integer(code, source));
                let (larger, equal) = (warp.holds((CARRY, false)), warp.holds((NULL, false)));
                let chosen = |i: usize| {
                    let above = if equal >> i & 1 == 1 { a[i] > b[i] } else { larger >> i & 1 == 1 };
                    if above == *largest { a[i] } else { b[i] }
                };
                warp.set(*d, &from_fn(chosen), mask);
            }
            Op::Extremum { largest, p, q, sources } => {
                let [a, b] = sources.map(|source| warp.bits(code, source, Kind::Double).map(f64::from_bits));
                let below = |x: f64, y: f64| x < y || x == y && x.is_sign_negative();
                let first = |i: usize| {
                    let wins = if *largest { below(b[i], a[i]) } else { below(a[i], b[i]) };
                    !a[i].is_nan() && (wins || b[i].is_nan())
                };
                let lanes = |f: &dyn Fn(usize) -> bool| (0..32).fold(0, |bits, i| bits | u32::from(f(i)) << i);
                warp.set_pred(*p, lanes(&first), mask);
                warp.set_pred(*q, lanes(&|i| a[i].is_nan() && b[i].is_nan()), mask);
            }
            Op::Select { d, kind, sources: [a, b], by } => {
                let chosen = select(warp.holds(*by), &warp.bits(code, *a, *kind), &warp.bits(code, *b, *kind));
                warp.set(*d, &chosen.map(|x| x as u32), mask);
            }
            Op::PredicateLogic { p, q, sources, tables } => {
                let [a, b, c] = sources.map(|bit| warp.holds(bit));
                warp.set_pred(*p, logic(tables[0], a, b, c), mask);
                warp.set_pred(*q, logic(tables[1], a, b, c), mask);
            }
            Op::Collect { d, first, a, mask: which } => {
                let (a, which) = (warp.integer(code, *a), warp.integer(code, *which));
                let all =
                    |lane: usize| (0..7u8).fold(0, |all, p| all | (warp.holds((first + p, false)) >> lane & 1) << p);
                warp.set(*d, &from_fn(|i| a[i] & !which[i] | all(i) & which[i]), mask);
            }
            Op::Spread { a, byte, mask: which } => {
                let (a, which) = (warp.integer(code, *a).map(|word| word >> (8 * byte)), warp.integer(code, *which));
                for p in 0..7u8 {
                    let bit = |word: &[u32; 32]| (0..32).fold(0, |bits, i| bits | (word[i] >> p & 1) << i);
                    warp.set_pred(Some(p), bit(&a), mask & bit(&which));
                }
            }
            Op::Special { d, special } => {
                let of = |lane: usize| {
                    warp.place.special(*special, warp.thread.index % warp.place.warps(), lane as u32, code.shared_bytes)
                };
                warp.set(*d, &from_fn(of), mask);
            }
            Op::Double2 { f, d, sources } => {
                let [a, b] = sources.map(|source| warp.bits(code, source, Kind::Double));
                warp.set_pair(*d, &f(&a, &b), mask);
            }
            Op::Double3 { f, d, sources } => {
                let [a, b, c] = sources.map(|source| warp.bits(code, source, Kind::Double));
                warp.set_pair(*d, &f(&a, &b, &c), mask);
            }
            Op::Each { f, d, wide, sources } => {
                let [a, b, c] = sources.map(|(source, kind)| warp.bits(code, source, kind));
                let row: Row = from_fn(|i| if mask >> i & 1 == 1 { f([a[i], b[i], c[i]]) } else { 0 });
                match wide {
                    true => warp.set_pair(*d, &row, mask),
                    false => warp.set(*d, &row.map(|x| x as u32), mask),
                }
            }
            Op::Load { space, bytes, extend, d, address } => {
                self.load(warp, pc, (*space, *bytes, *extend), *d, address, mask)?;
            }
            Op::Store { space, bytes, a, address } => self.store(warp, pc, (*space, *bytes), *a, address, mask)?,
            Op::Atomic { op, ty, space, d, tells, sources, address } => {
                self.atomic(warp, pc, (*op, *ty, *space), (*d, *tells), (address, *sources), mask)?;
            }
            Op::Lock { bytes, p, d, address } => self.lock(warp, pc, (*bytes, *p, *d), address, mask)?,
            Op::Unlock { bytes, p, a, address } => self.unlock(warp, pc, (*bytes, *p, *a), address, mask)?,
            Op::Reduce { f, d, a } => {
                let word = warp.integer(code, *a);
                let joined = (0..32).filter(|lane| mask >> lane & 1 == 1).map(|lane| word[lane]).reduce(f);
                warp.set(*d, &[joined.unwrap_or(0); 32], mask);
            }
            Op::InSpace { p, space, address } => {
                let inside = self.lanes_in(warp, *space, address);
                warp.set_pred(*p, inside, mask);
            }
            Op::Matrix { blocks, adds, d, factors: [a, b], sum } => {
                if let Some(kind) = missing_lane(mask) {
                    return Err(crate::cta::Core::fatal(self, warp, pc, kind));
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
            Op::Constant { bank, bytes, extend, d, index, offset } => {
                self.constant(warp, pc, (*bank, *bytes, *extend), *d, (*index, *offset), mask)?;
            }
            Op::Shuffle { mode, valid, d, sources: [a, lane, clamp] } => {
                let rows = [a, lane, clamp].map(|source| warp.integer(code, *source).map(u64::from));
                let moved = shuffle(*mode, [&rows[0], &rows[1], &rows[2]], mask, mask);
                let (row, inside) = moved.map_err(|kind| crate::cta::Core::fatal(self, warp, pc, kind))?;
                warp.set(*d, &row.map(|x| x as u32), mask);
                warp.set_pred(*valid, inside, mask);
            }
            Op::Vote { mode, d, p, of } => {
                let votes = warp.holds(*of);
                warp.set(*d, &[votes & mask; 32], mask);
                warp.set_pred(*p, vote(*mode, votes, mask), mask);
            }
            Op::Nothing => {}
            Op::Branch { .. }
            | Op::Indirect { .. }
            | Op::Push { .. }
            | Op::Pop { .. }
            | Op::Exit
            | Op::Join { .. }
            | Op::Meet { .. }
            | Op::Leave { .. }
            | Op::Save { .. }
            | Op::Restore { .. }
            | Op::Gather { .. }
            | Op::Barrier { .. }
            | Op::ClusterBarrier { .. }
            | Op::Mbarrier { .. }
            | Op::Copy { .. }
            | Op::CloseCopies
            | Op::AwaitCopies { .. } => unreachable!("the caller handles control flow"),
        }
        Ok(())
    }

    /// A source of a sum, and what is to be added to it: a negated number is its complement and 1, so that carries come out as the
    /// hardware makes them.
    fn term(&self, warp: &Warp, source: Source) -> (Row, u64) {
        let word = warp.row(self.code, source.row);
        match source {
            Source { invert: true, .. } => (word.map(|x| u64::from(!x)), 0),
            Source { negate: true, .. } => (word.map(|x| u64::from(!x)), 1),
            _ => (word.map(u64::from), 0),
        }
    }
}

/// Bit i of the table says what becomes of bits a, b and c with i = 4 a + 2 b + c.
fn logic(table: u8, a: u32, b: u32, c: u32) -> u32 {
    let term = |i: u8| {
        let pick = |word: u32, bit: u8| if i >> bit & 1 == 1 { word } else { !word };
        if table >> i & 1 == 1 { pick(a, 2) & pick(b, 1) & pick(c, 0) } else { 0 }
    };
    (0..8).fold(0, |word, i| word | term(i))
}

fn lanes_where(row: &Row, f: impl Fn(u64) -> bool) -> u32 {
    (0..32).fold(0, |bits, i| bits | u32::from(f(row[i])) << i)
}
