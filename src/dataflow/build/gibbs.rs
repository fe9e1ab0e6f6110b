//! -g/RT of species at 1 atm, from their polynomials (spec section 2).

use super::chemistry::SCALARS;
use super::common::{self, scalar};
use crate::dataflow::body::{Body, Id};
use crate::dataflow::graph::{Graph, Step};
use crate::mechanism::{Nasa7, Nasa9, Polynomials};

/// A step that evaluates all ranges and selects one. Neighbours that agree count as one range.
pub fn step(graph: &mut Graph, thermo: &Polynomials) -> Step {
    let (mut constants, ends, range): (Vec<f64>, Vec<f64>, Range) = match thermo {
        Polynomials::Nasa7(Nasa7 { low, high, .. }) => {
            let (ranges, ends) = distinct(&[*low, *high], thermo.breaks());
            (ranges.iter().flat_map(nasa7_constants).collect(), ends, Range { size: 7, value: nasa7 })
        }
        Polynomials::Nasa9(Nasa9 { ranges, .. }) => {
            let (ranges, ends) = distinct(ranges, thermo.breaks());
            (ranges.iter().flat_map(nasa9_constants).collect(), ends, Range { size: 9, value: nasa9 })
        }
    };
    let shape = graph.shape(body(&range, ends.len()));
    constants.extend(ends);
    common::step(shape, constants, vec![], vec![])
}

/// The different ranges, and where each but the last ends.
fn distinct<const N: usize>(ranges: &[[f64; N]], breaks: &[f64]) -> (Vec<[f64; N]>, Vec<f64>) {
    let mut kept: Vec<[f64; N]> = ranges.iter().take(1).copied().collect();
    let mut ends = Vec::new();
    for (range, start) in ranges.iter().skip(1).zip(breaks) {
        if kept.last() != Some(range) {
            kept.push(*range);
            ends.push(*start);
        }
    }
    (kept, ends)
}

/// How one range is computed.
struct Range {
    /// Number of its constants
    size: u32,
    value: fn(&mut Body, Arguments, u32) -> Id,
}

#[derive(Clone, Copy)]
struct Arguments {
    t: Id,
    ln_t: Id,
    inverse: Id,
}

/// The constants of all ranges come first, then the ends of all but the last.
fn body(range: &Range, ends: usize) -> Body {
    let mut b = Body::default();
    let arguments = Arguments {
        t: common::scalar_of(&mut b, &SCALARS, scalar::TEMPERATURE),
        ln_t: common::scalar_of(&mut b, &SCALARS, scalar::LN_TEMPERATURE),
        inverse: common::scalar_of(&mut b, &SCALARS, scalar::INVERSE_TEMPERATURE),
    };
    let ends = ends as u32;
    let values: Vec<Id> = (0..=ends).map(|i| (range.value)(&mut b, arguments, i * range.size)).collect();
    let mut value = values[ends as usize];
    for i in (0..ends).rev() {
        let end = b.constant((ends + 1) * range.size + i);
        value = b.select_le(arguments.t, end, values[i as usize], value);
    }
    b.values = vec![value];
    b
}

/// -g/RT = a1 ln T + (a7 - a1) + a2/2 T + a3/6 T^2 + a4/12 T^3 + a5/20 T^4 - a6/T: the polynomial, a1, -a6.
fn nasa7_constants(a: &[f64; 7]) -> [f64; 7] {
    [a[6] - a[0], a[1] / 2.0, a[2] / 6.0, a[3] / 12.0, a[4] / 20.0, a[0], -a[5]]
}

fn nasa7(b: &mut Body, at: Arguments, first: u32) -> Id {
    let polynomial = b.polynomial(at.t, first, first + 4);
    let (a1, a6) = (b.constant(first + 5), b.constant(first + 6));
    let with_log = b.fma(a1, at.ln_t, polynomial);
    b.fma(a6, at.inverse, with_log)
}

/// -g/RT = a3 ln T + (b2 - a3) + a4/2 T + a5/6 T^2 + a6/12 T^3 + a7/20 T^4 + (a1/2 /T - a2 ln T - (a2 + b1)) /T: the
/// polynomial, a3, then the constants of the bracket.
fn nasa9_constants(a: &[f64; 9]) -> [f64; 9] {
    let polynomial = [a[8] - a[2], a[3] / 2.0, a[4] / 6.0, a[5] / 12.0, a[6] / 20.0];
    let [c0, c1, c2, c3, c4] = polynomial;
    [c0, c1, c2, c3, c4, a[2], -(a[1] + a[7]), -a[1], a[0] / 2.0]
}

fn nasa9(b: &mut Body, at: Arguments, first: u32) -> Id {
    let polynomial = b.polynomial(at.t, first, first + 4);
    let [a3, constant, log, inverse] = [5, 6, 7, 8].map(|k| b.constant(first + k));
    let with_log = b.fma(a3, at.ln_t, polynomial);
    let bracket = b.fma(log, at.ln_t, constant);
    let bracket = b.fma(inverse, at.inverse, bracket);
    b.fma(bracket, at.inverse, with_log)
}
