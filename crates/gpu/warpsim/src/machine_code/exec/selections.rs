//! Words that are moved unchanged, and comparisons, which decide between them.

use crate::lanes::select;
use crate::machine_code::code::Code;
use crate::machine_code::op::{Below, CARRY, Kind, NULL, Selection, Source};
use crate::machine_code::warp::Warp;
use crate::scalar::combined;
use std::array::from_fn;

/// Performs moves, selections and comparisons.
pub(super) fn selection(code: &Code, warp: &mut Warp, op: &Selection, mask: u32) {
    match op {
        Selection::Move { d, a } => {
            let word = warp.integer(code, *a);
            warp.set(*d, &word, mask);
        }
        Selection::MoveWide { d, a } => {
            let pair = warp.pair(code, a.row);
            warp.set_pair(*d, &pair, mask);
        }
        Selection::Select { d, kind, sources: [a, b], by } => {
            let chosen = select(warp.holds(*by), &warp.bits(code, *a, *kind), &warp.bits(code, *b, *kind));
            warp.set(*d, &chosen.map(|x| x as u32), mask);
        }
        Selection::Special { d, special } => {
            let of = |lane: usize| {
                warp.place.special(*special, warp.thread.index % warp.place.warps(), lane as u32, code.shared_bytes)
            };
            warp.set(*d, &from_fn(of), mask);
        }
        Selection::Compare { f, d, p, q, kind, signed, sources: [a, b], combine, with, below } => {
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
    }
}
