//! -g/RT of species at 1 atm, from their polynomials (Gordon & McBride, NASA SP-273).

use crate::build::{self, Operands, SCALARS, scalar};
use graph::body::Id;
use graph::dataflow::{Graph, Step};
use mechanism::{Nasa7, Nasa9, Polynomials};

/// The constants of one range: those of T^0 to T^4, ln T, 1/T, ln T/T and 1/T^2. The last two are 0 for NASA-7.
pub type Terms = [f64; 9];

/// A function of temperature in ranges; each includes its end, the last has none.
#[derive(Debug, Clone, PartialEq)]
pub struct Piecewise {
    pub ranges: Vec<Terms>,
    pub ends: Vec<f64>,
}

/// A step that makes the function of a species a value.
pub fn step(graph: &mut Graph, thermo: &Polynomials) -> Step {
    let mut o = Operands::default();
    o.body.values = vec![value(&mut o, &piecewise(thermo))];
    o.into_step(graph)
}

/// -g/RT
pub fn piecewise(thermo: &Polynomials) -> Piecewise {
    of_ranges(thermo, nasa7, nasa9)
}

/// A function whose terms follow from the coefficients of a range. Neighbouring ranges that agree count as one.
pub fn of_ranges(
    thermo: &Polynomials,
    nasa7: impl Fn(&[f64; 7]) -> Terms,
    nasa9: impl Fn(&[f64; 9]) -> Terms,
) -> Piecewise {
    let ranges: Vec<Terms> = match thermo {
        Polynomials::Nasa7(Nasa7 { low, high, .. }) => [low, high].map(nasa7).to_vec(),
        Polynomials::Nasa9(Nasa9 { ranges, .. }) => ranges.iter().map(nasa9).collect(),
    };
    let (ranges, ends) = distinct(&ranges, thermo.breaks());
    Piecewise { ranges, ends }
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

/// The function at the point's temperature: its range's constants, then one evaluation.
pub fn value(o: &mut Operands, function: &Piecewise) -> Id {
    let count = if function.ranges.iter().all(|terms| terms[7..] == [0.0; 2]) { 7 } else { 9 };
    let (last, rest) = function.ranges.split_last().expect("a species has a range");
    let mut terms: Vec<Id> = last[..count].iter().map(|&c| o.constant(c)).collect();
    let t = build::scalar_of(&mut o.body, &SCALARS, scalar::TEMPERATURE);
    for (lower, &end) in rest.iter().zip(&function.ends).rev() {
        let end = o.constant(end);
        for (term, &c) in terms.iter_mut().zip(lower) {
            let c = o.constant(c);
            *term = o.body.select_le(t, end, c, *term);
        }
    }
    range(o, &terms, t)
}

/// The polynomial, the logarithm, then what is multiplied by 1/T.
fn range(o: &mut Operands, terms: &[Id], t: Id) -> Id {
    let b = &mut o.body;
    let [ln_t, inverse] =
        [scalar::LN_TEMPERATURE, scalar::INVERSE_TEMPERATURE].map(|which| build::scalar_of(b, &SCALARS, which));
    let polynomial = terms[..4].iter().rev().fold(terms[4], |sum, &c| b.fma(sum, t, c));
    let with_log = b.fma(terms[5], ln_t, polynomial);
    let mut bracket = terms[6];
    if let [log, square] = terms[7..] {
        bracket = b.fma(log, ln_t, bracket);
        bracket = b.fma(square, inverse, bracket);
    }
    b.fma(bracket, inverse, with_log)
}

/// -g/RT = a1 ln T + (a7 - a1) + a2/2 T + a3/6 T^2 + a4/12 T^3 + a5/20 T^4 - a6/T
fn nasa7(a: &[f64; 7]) -> Terms {
    [a[6] - a[0], a[1] / 2.0, a[2] / 6.0, a[3] / 12.0, a[4] / 20.0, a[0], -a[5], 0.0, 0.0]
}

/// -g/RT = a3 ln T + (b2 - a3) + a4/2 T + a5/6 T^2 + a6/12 T^3 + a7/20 T^4 + (a1/2 /T - a2 ln T - (a2 + b1)) /T
fn nasa9(a: &[f64; 9]) -> Terms {
    let [c0, c1, c2, c3, c4] = [a[8] - a[2], a[3] / 2.0, a[4] / 6.0, a[5] / 12.0, a[6] / 20.0];
    [c0, c1, c2, c3, c4, a[2], -(a[1] + a[7]), -a[1], a[0] / 2.0]
}
