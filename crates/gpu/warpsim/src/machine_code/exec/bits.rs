//! Bits of words, and predicates.

use crate::machine_code::code::Code;
use crate::machine_code::op::{Bits, CARRY, Count, NULL, SIGN, Word};
use crate::machine_code::warp::Warp;
use std::array::from_fn;

/// Bits of the condition code among the predicates of `P2R` and `R2P` before Volta: ptxas saves it by `0xf000` around sums that
/// carry. No known instruction reads the fourth flag, overflow.
const FLAGS: [(u8, u8); 3] = [(12, NULL), (13, SIGN), (14, CARRY)];

/// Performs logic and shifts.
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
            let all = collected(*first, |p| warp.holds((p, false)));
            warp.set(*d, &from_fn(|i| a[i] & !which[i] | all[i] & which[i]), mask);
        }
        Bits::Spread { a, byte, mask: which } => {
            let (a, which) = (warp.integer(code, *a).map(|word| word >> (8 * byte)), warp.integer(code, *which));
            for ((p, bits), (_, chosen)) in spread(&a).zip(spread(&which)) {
                warp.set_pred(Some(p), bits, mask & chosen);
            }
        }
    }
}

/// Collects the predicates from `first` on and the condition code in each lane's word.
fn collected(first: u8, holds: impl Fn(u8) -> u32) -> Word {
    let held = (0..7u8).map(|p| (p, holds(first + p))).chain(FLAGS.map(|(bit, p)| (bit, holds(p))));
    held.fold([0; 32], |words, (bit, lanes)| from_fn(|lane| words[lane] | (lanes >> lane & 1) << bit))
}

/// Returns each predicate and each flag of the condition code, with the lanes in whose word its bit is set.
fn spread(words: &Word) -> impl Iterator<Item = (u8, u32)> + '_ {
    let lanes = |bit: u8| (0..32).fold(0, |bits, i| bits | (words[i] >> bit & 1) << i);
    (0..7u8).map(|p| (p, p)).chain(FLAGS).map(move |(bit, p)| (p, lanes(bit)))
}

/// Computes logic of three words: bit i of the table is the result for bits a, b and c with i = 4 a + 2 b + c.
fn logic(table: u8, a: u32, b: u32, c: u32) -> u32 {
    let term = |i: u8| {
        let pick = |word: u32, bit: u8| if i >> bit & 1 == 1 { word } else { !word };
        if table >> i & 1 == 1 { pick(a, 2) & pick(b, 1) & pick(c, 0) } else { 0 }
    };
    (0..8).fold(0, |word, i| word | term(i))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicates_and_the_carry_are_what_they_were_when_they_are_restored() {
        let holds = |p: u8| 0x9e37_79b9u32.rotate_left(u32::from(p));
        let words = collected(0, holds);
        let restored: Vec<(u8, u32)> = spread(&words).collect();
        assert!(restored.iter().all(|&(p, lanes)| lanes == holds(p)));
        assert!([0, 6, CARRY].iter().all(|p| restored.iter().any(|(found, _)| found == p)));
        // ptxas saves the condition code by `P2R R0, PR, RZ, 0xf000`.
        assert!(words.iter().enumerate().all(|(lane, word)| (word & 0xf000) >> 14 & 1 == holds(CARRY) >> lane & 1));
    }
}
