//! Bits of words, and predicates.

use crate::machine_code::code::Code;
use crate::machine_code::op::{Bits, Count};
use crate::machine_code::warp::Warp;
use std::array::from_fn;

/// Logic and shifts.
pub(super) fn bits(code: &Code, warp: &mut Warp, op: &Bits, mask: u32) {
    match op {
        Bits::Logic { d, any, sources, table, with } => {
            let [a, b, c] = sources.map(|source| warp.integer(code, source));
            let word: [u32; 32] = from_fn(|i| logic(*table, a[i], b[i], c[i]));
            warp.set(*d, &word, mask);
            let bits = (0..32).fold(0, |bits, i| bits | u32::from(word[i] != 0) << i);
            warp.set_pred(*any, bits | warp.holds(*with), mask);
        }
        Bits::Shift { left, high, signed, count, d, sources: [a, b, c] } => {
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
        Bits::PredicateLogic { p, q, sources, tables } => {
            let [a, b, c] = sources.map(|bit| warp.holds(bit));
            warp.set_pred(*p, logic(tables[0], a, b, c), mask);
            warp.set_pred(*q, logic(tables[1], a, b, c), mask);
        }
        Bits::Collect { d, first, a, mask: which } => {
            let (a, which) = (warp.integer(code, *a), warp.integer(code, *which));
            let all = |lane: usize| (0..7u8).fold(0, |all, p| all | (warp.holds((first + p, false)) >> lane & 1) << p);
            warp.set(*d, &from_fn(|i| a[i] & !which[i] | all(i) & which[i]), mask);
        }
        Bits::Spread { a, byte, mask: which } => {
            let (a, which) = (warp.integer(code, *a).map(|word| word >> (8 * byte)), warp.integer(code, *which));
            for p in 0..7u8 {
                let bit = |word: &[u32; 32]| (0..32).fold(0, |bits, i| bits | (word[i] >> p & 1) << i);
                warp.set_pred(Some(p), bit(&a), mask & bit(&which));
            }
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
