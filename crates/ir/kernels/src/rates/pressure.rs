//! Rate constants of temperature and pressure: PLOG and Chebyshev, as straight-line code (PLOG: linear in ln k over ln P; Chebyshev:
//! Venkatesh et al., AIChE J. 43 (1997) 1331).

use super::arrhenius;
use super::sources::Sources;
use crate::build::{Operands, SMALLEST, scalar, scalar_of};
use graph::body::Id;
use kinetics::constants::ATMOSPHERE;
use mechanism::{Arrhenius, Chebyshev};

/// ln k linear in ln P between neighbouring pressures, constant outside. `table` holds (Pa, summed expressions), ascending.
///
/// One select per interval: the line through its ends counts from its lower pressure on, until the next one replaces it.
pub fn plog(o: &mut Operands, table: &[(f64, Vec<Arrhenius>)], ln_p: Id, sources: &Sources<'_>) -> Id {
    let rows: Vec<Id> = table.iter().map(|(_, terms)| ln_sum(o, terms, sources)).collect();
    let mut result = rows[0];
    for (ends, pair) in table.windows(2).zip(rows.windows(2)) {
        let (low, high) = (ends[0].0.ln(), ends[1].0.ln());
        let begin = o.constant(low);
        let inverse_width = o.constant(1.0 / (high - low));
        let distance = o.body.sub(ln_p, begin);
        let weight = o.body.mul(distance, inverse_width);
        let rise = o.body.sub(pair[1], pair[0]);
        let line = o.body.fma(weight, rise, pair[0]);
        result = o.body.select_le(ln_p, begin, result, line);
    }
    if let [.., (last, _)] = table
        && table.len() > 1
    {
        let end = o.constant(last.ln());
        result = o.body.select_le(ln_p, end, result, rows[rows.len() - 1]);
    }
    o.body.exp(result)
}

/// ln of a sum of expressions. A sum gets 1e-300 so that terms which cancel or underflow keep a logarithm.
fn ln_sum(o: &mut Operands, terms: &[Arrhenius], sources: &Sources<'_>) -> Id {
    if let [one] = terms
        && one.a > 0.0
    {
        return arrhenius::exponent(o, one);
    }
    let smallest = o.body.literal(SMALLEST);
    let mut sum = smallest;
    for term in terms {
        let k = arrhenius::arrhenius(o, term, sources, None);
        sum = o.body.add(sum, k);
    }
    let floored = o.body.max(sum, smallest);
    o.body.log(floored)
}

/// lg k = sum_ij a_ij T_i(x) T_j(y): the T_j(y) by their recurrence, shared by the rows, then Clenshaw's over x.
pub fn chebyshev(o: &mut Operands, fit: &Chebyshev, ln_p: Id, sources: &Sources<'_>) -> Id {
    let inverse = scalar_of(&mut o.body, sources.scalars, scalar::INVERSE_TEMPERATURE);
    let x = reduced(o, inverse, 1.0 / fit.t_min, 1.0 / fit.t_max);
    let ln_atmosphere = o.body.literal(ATMOSPHERE.ln());
    let ln_atmospheres = o.body.sub(ln_p, ln_atmosphere);
    let y = reduced(o, ln_atmospheres, (fit.p_min / ATMOSPHERE).ln(), (fit.p_max / ATMOSPHERE).ln());
    let columns = fit.coefficients.iter().map(Vec::len).max().unwrap_or(0);
    let polynomials = chebyshev_polynomials(o, y, columns);
    let twice_x = o.body.add(x, x);
    // b1 = c + 2x b1 - b2, from the last row to the second.
    let (mut b1, mut b2): (Option<Id>, Option<Id>) = (None, None);
    let mut result = None;
    for (i, row) in fit.coefficients.iter().enumerate().rev() {
        let mut next = row_sum(o, row, &polynomials);
        if let Some(b1) = b1 {
            next = o.body.fma(if i == 0 { x } else { twice_x }, b1, next);
        }
        if let Some(b2) = b2 {
            next = o.body.sub(next, b2);
        }
        (b1, b2) = (Some(next), b1);
        result = Some(next);
    }
    let ln_k = result.unwrap_or_else(|| o.body.literal(0.0));
    o.body.exp(ln_k)
}

/// The position of `value` between `first` (-1) and `last` (1).
fn reduced(o: &mut Operands, value: Id, first: f64, last: f64) -> Id {
    let slope = o.constant(2.0 / (last - first));
    let offset = o.constant(-(first + last) / (last - first));
    o.body.fma(slope, value, offset)
}

/// T_0(y) to T_(count-1)(y); T_0 = 1 is left out.
fn chebyshev_polynomials(o: &mut Operands, y: Id, count: usize) -> Vec<Id> {
    let mut all: Vec<Id> = Vec::new();
    let twice_y = o.body.add(y, y);
    for n in 1..count {
        let next = match n {
            1 => y,
            2 => {
                let minus_one = o.body.literal(-1.0);
                o.body.fma(twice_y, y, minus_one)
            }
            _ => {
                let minus = o.body.neg(all[n - 3]);
                o.body.fma(twice_y, all[n - 2], minus)
            }
        };
        all.push(next);
    }
    all
}

/// ln 10 times the sum of a row over the pressure.
fn row_sum(o: &mut Operands, row: &[f64], polynomials: &[Id]) -> Id {
    let scaled: Vec<Id> = row.iter().map(|a| o.constant(a * std::f64::consts::LN_10)).collect();
    let Some((&first, rest)) = scaled.split_first() else { return o.body.literal(0.0) };
    rest.iter().zip(polynomials).fold(first, |sum, (&a, &t)| o.body.fma(a, t, sum))
}
