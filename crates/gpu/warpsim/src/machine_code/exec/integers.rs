//! Integers, lane by lane.

use crate::machine_code::code::Code;
use crate::machine_code::op::{CARRY, Half, Integer, Kind, Multiply, NULL, Source};
use crate::machine_code::warp::Warp;
use crate::rows::Row;
use std::array::from_fn;

/// Computes words, sums and extrema.
pub(super) fn integer(code: &Code, warp: &mut Warp, op: &Integer, mask: u32) {
    match op {
        Integer::Word { f, d, sources } => {
            let [a, b, c] = sources.map(|source| warp.integer(code, source));
            warp.set(*d, &from_fn(|i| f(a[i], b[i], c[i])), mask);
        }
        Integer::Sum { d, carries, sources, ins } => {
            let mut sum = [0u64; 32];
            for source in sources {
                let (term, more) = term(code, warp, *source);
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
        Integer::UpperExtremum { largest, signed, d, sources } => {
            let [a, b] = sources.map(|source| warp.integer(code, source));
            let above = |x: u32, y: u32| if *signed { x as i32 > y as i32 } else { x > y };
            let chosen = |i: usize| if above(a[i], b[i]) == *largest { a[i] } else { b[i] };
            let bits = |holds: &dyn Fn(usize) -> bool| (0..32).fold(0, |bits, i| bits | u32::from(holds(i)) << i);
            let (larger, equal) = (bits(&|i| above(a[i], b[i])), bits(&|i| a[i] == b[i]));
            warp.set(*d, &from_fn(chosen), mask);
            warp.set_pred(Some(CARRY), larger, mask);
            warp.set_pred(Some(NULL), equal, mask);
        }
        Integer::LowerExtremum { largest, d, sources } => {
            let [a, b] = sources.map(|source| warp.integer(code, source));
            let (larger, equal) = (warp.holds((CARRY, false)), warp.holds((NULL, false)));
            let chosen = |i: usize| {
                let above = if equal >> i & 1 == 1 { a[i] > b[i] } else { larger >> i & 1 == 1 };
                if above == *largest { a[i] } else { b[i] }
            };
            warp.set(*d, &from_fn(chosen), mask);
        }
    }
}

/// Computes products, and shifted words in sums.
pub(super) fn multiply(code: &Code, warp: &mut Warp, op: &Multiply, mask: u32) {
    match op {
        Multiply::Product { half, signed, d, carry, sources: [a, b, c], carried } => {
            let bits = carried.map_or(0, |bit| warp.holds(bit));
            let (x, y) = (warp.integer(code, *a), warp.integer(code, *b));
            if *half == Half::Low {
                let z = warp.integer(code, *c);
                let low = |i: usize| x[i].wrapping_mul(y[i]).wrapping_add(z[i]).wrapping_add(bits >> i & 1);
                warp.set(*d, &from_fn(low), mask);
                return;
            }
            let z = warp.bits(code, *c, Kind::Long);
            let product = |i: usize| match signed {
                true => (i64::from(x[i] as i32) * i64::from(y[i] as i32)) as u64,
                false => u64::from(x[i]) * u64::from(y[i]),
            };
            let sum: [u128; 32] = from_fn(|i| u128::from(product(i)) + u128::from(z[i]) + u128::from(bits >> i & 1));
            match half {
                Half::High => warp.set(*d, &sum.map(|x| (x >> 32) as u32), mask),
                _ => warp.set_pair(*d, &sum.map(|x| x as u64), mask),
            }
            warp.set_pred(*carry, (0..32).fold(0, |bits, i| bits | u32::from(sum[i] >> 64 != 0) << i), mask);
        }
        Multiply::ProductWord { high, signed, negate, d, carry, sources: [a, b, c], carried } => {
            let (x, y) = (warp.integer(code, *a), warp.integer(code, *b));
            let product = |i: usize| match signed {
                true => (i64::from(x[i] as i32) * i64::from(y[i] as i32)) as u64,
                false => u64::from(x[i]) * u64::from(y[i]),
            };
            let word = |i: usize| if *high { product(i) >> 32 } else { product(i) & u64::from(u32::MAX) };
            // a carry takes the place of the 1 of a complement
            let flip = if *negate { u64::from(u32::MAX) } else { 0 };
            let more = u64::from(*negate && carried.is_none());
            let (term, rest) = term(code, warp, *c);
            let bits = carried.map_or(0, |bit| warp.holds(bit));
            let sum: Row = from_fn(|i| (word(i) ^ flip) + more + term[i] + rest + u64::from(bits >> i & 1));
            warp.set(*d, &sum.map(|x| x as u32), mask);
            warp.set_pred(*carry, lanes_where(&sum, |x| x >> 32 != 0), mask);
        }
        Multiply::Scaled { d, carry, a, b, c, high, by, carried } => {
            let word = *warp.row(code, a.row);
            let upper = match c {
                Some(c) => *warp.row(code, c.row),
                None => word.map(|x| (x as i32 >> 31) as u32),
            };
            let shifted = |i: usize| {
                let wide = u64::from(word[i]) | u64::from(upper[i]) << 32;
                (if *high { wide << by >> 32 } else { u64::from(word[i] << by) }) as u32
            };
            let (more, first): (u64, Row) = match (a.invert, a.negate) {
                (true, _) => (0, from_fn(|i| u64::from(!shifted(i)))),
                (_, true) => (1, from_fn(|i| u64::from(!shifted(i)))),
                _ => (0, from_fn(|i| u64::from(shifted(i)))),
            };
            let (other, rest) = term(code, warp, *b);
            let bits = carried.map_or(0, |bit| warp.holds(bit));
            let sum: Row = from_fn(|i| first[i] + more + other[i] + rest + u64::from(bits >> i & 1));
            warp.set(*d, &sum.map(|x| x as u32), mask);
            warp.set_pred(*carry, lanes_where(&sum, |x| x >> 32 != 0), mask);
        }
    }
}

/// Returns a source of a sum, and the number to add to it: a negated number is its complement and 1, so that carries come out as
/// on the hardware.
fn term(code: &Code, warp: &Warp, source: Source) -> (Row, u64) {
    let word = warp.row(code, source.row);
    match source {
        Source { invert: true, .. } => (word.map(|x| u64::from(!x)), 0),
        Source { negate: true, .. } => (word.map(|x| u64::from(!x)), 1),
        _ => (word.map(u64::from), 0),
    }
}

/// Returns the lanes in which the condition holds.
fn lanes_where(row: &Row, f: impl Fn(u64) -> bool) -> u32 {
    (0..32).fold(0, |bits, i| bits | u32::from(f(row[i])) << i)
}
