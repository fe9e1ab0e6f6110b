//! Functions of rows of numbers.

use crate::machine_code::code::Code;
use crate::machine_code::op::{Function, Kind};
use crate::machine_code::warp::Warp;
use crate::rows::Row;
use std::array::from_fn;

/// Computes functions of real numbers, for the most part.
pub(super) fn function(code: &Code, warp: &mut Warp, op: &Function, mask: u32) {
    match op {
        Function::Double2 { f, d, sources } => {
            let [a, b] = sources.map(|source| warp.bits(code, source, Kind::Double));
            warp.set_pair(*d, &f(&a, &b), mask);
        }
        Function::Double3 { f, d, sources } => {
            let [a, b, c] = sources.map(|source| warp.bits(code, source, Kind::Double));
            warp.set_pair(*d, &f(&a, &b, &c), mask);
        }
        Function::Each { f, d, wide, sources } => {
            let [a, b, c] = sources.map(|(source, kind)| warp.bits(code, source, kind));
            let row: Row = from_fn(|i| if mask >> i & 1 == 1 { f([a[i], b[i], c[i]]) } else { 0 });
            match wide {
                true => warp.set_pair(*d, &row, mask),
                false => warp.set(*d, &row.map(|x| x as u32), mask),
            }
        }
        Function::Extremum { largest, p, q, sources } => {
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
    }
}
