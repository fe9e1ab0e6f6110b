//! Equilibrium constants of single species, in a gauge that keeps them within the range of doubles.
//!
//! ln K_k = -g_k/RT + ln(P0/RT), so that Kc = prod K_k^nu. A reaction conserves elements: adding a function of temperature
//! per atom to ln K_k leaves every Kc as it is. The function alpha + beta/T of each element is chosen such that the ln K_k
//! are small, and [`Gauge::range`] proves how small they are over [`TEMPERATURES`].

use crate::kinetics::constants::{ATMOSPHERE, GAS_CONSTANT};
use crate::mechanism::{Arrhenius, Mechanism, Nasa7, Reaction};

/// Where products of equilibrium constants are proven to stay in range, in K.
pub const TEMPERATURES: (f64, f64) = (200.0, 4000.0);
/// Cells of the proof, equal in ln T.
const CELLS: usize = 200;
/// Temperatures at which the gauge is fitted, in K.
const FITTED: [f64; 2] = [300.0, 2000.0];

/// ln K = c0 + c1 T + c2 T^2 + c3 T^3 + c4 T^4 + c5 ln T + c6/T.
pub type LnK = [f64; 7];

pub struct Gauge {
    /// By species: below and above its mid temperature.
    pub species: Vec<(LnK, LnK, f64)>,
    /// By species: an upper bound of |ln K|.
    pub range: Vec<f64>,
}

/// The gauge of a mechanism; none is chosen where some reaction loses or makes fractions of atoms.
pub fn gauge(mechanism: &Mechanism) -> Gauge {
    let mut species: Vec<(LnK, LnK, f64)> = mechanism.species.iter().map(|s| plain(&s.thermo)).collect();
    if mechanism.reactions.iter().all(|r| is_balanced(mechanism, r)) {
        let shifts = shifts(mechanism, &species);
        for ((low, high, _), s) in species.iter_mut().zip(&mechanism.species) {
            for &(element, atoms) in &s.composition {
                let [alpha, beta] = shifts[element];
                for range in [&mut *low, &mut *high] {
                    range[0] -= atoms * alpha;
                    range[6] -= atoms * beta;
                }
            }
        }
    }
    let range = species.iter().map(range).collect();
    Gauge { species, range }
}

/// -g/RT = a1 ln T + (a7 - a1) + a2/2 T + a3/6 T^2 + a4/12 T^3 + a5/20 T^4 - a6/T, and ln(P0/R) - ln T.
fn plain(thermo: &Nasa7) -> (LnK, LnK, f64) {
    let of = |a: &[f64; 7]| {
        let constant = a[6] - a[0] + (ATMOSPHERE / GAS_CONSTANT).ln();
        [constant, a[1] / 2.0, a[2] / 6.0, a[3] / 12.0, a[4] / 20.0, a[0] - 1.0, -a[5]]
    };
    (of(&thermo.low), of(&thermo.high), thermo.t_mid)
}

fn is_balanced(mechanism: &Mechanism, r: &Reaction) -> bool {
    let mut atoms = vec![0.0; mechanism.elements.len()];
    for (side, sign) in [(&r.reactants, 1.0), (&r.products, -1.0)] {
        for &(k, nu) in side {
            for &(element, number) in &mechanism.species[k].composition {
                atoms[element] += sign * nu * number;
            }
        }
    }
    atoms.iter().all(|&sum| sum == 0.0)
}

/// (alpha, beta) by element: least squares of ln K at two temperatures.
fn shifts(mechanism: &Mechanism, species: &[(LnK, LnK, f64)]) -> Vec<[f64; 2]> {
    let [cold, hot] = FITTED.map(|t| {
        let targets = species.iter().map(|s| evaluate(if t <= s.2 { &s.0 } else { &s.1 }, t));
        potentials(mechanism, targets)
    });
    let width = 1.0 / FITTED[0] - 1.0 / FITTED[1];
    let shift = |(cold, hot): (f64, f64)| {
        let beta = (cold - hot) / width;
        [cold - beta / FITTED[0], beta]
    };
    cold.into_iter().zip(hot).map(shift).collect()
}

/// The value per atom of each element that comes closest to the targets by species, by normal equations. Rounding in them
/// does no harm: any gauge is exact.
fn potentials(mechanism: &Mechanism, targets: impl Iterator<Item = f64>) -> Vec<f64> {
    /// Keeps elements apart that only occur together.
    const RIDGE: f64 = 1e-6;
    let n = mechanism.elements.len();
    let mut rows = vec![vec![0.0; n + 1]; n];
    for (e, row) in rows.iter_mut().enumerate() {
        row[e] = RIDGE;
    }
    for (s, target) in mechanism.species.iter().zip(targets) {
        for &(e, atoms) in &s.composition {
            for &(f, others) in &s.composition {
                rows[e][f] += atoms * others;
            }
            rows[e][n] += atoms * target;
        }
    }
    // Positive definite: elimination needs no pivoting.
    for p in 0..n {
        let pivot = rows[p].clone();
        for row in rows.iter_mut().skip(p + 1) {
            let factor = row[p] / pivot[p];
            row.iter_mut().zip(&pivot).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let mut solution = vec![0.0; n];
    for p in (0..n).rev() {
        let known: f64 = (p + 1..n).map(|q| rows[p][q] * solution[q]).sum();
        solution[p] = (rows[p][n] - known) / rows[p][p];
    }
    solution
}

fn evaluate(c: &LnK, t: f64) -> f64 {
    c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * c[4]))) + c[5] * t.ln() + c[6] / t
}

fn range((low, high, t_mid): &(LnK, LnK, f64)) -> f64 {
    let bound = |(from, to): (f64, f64)| {
        let below = if from <= *t_mid { largest(low, from, to) } else { 0.0 };
        let above = if to > *t_mid { largest(high, from, to) } else { 0.0 };
        below.max(above)
    };
    cells().map(bound).fold(0.0, f64::max)
}

/// An upper bound of |ln K| between two temperatures: every term is monotone in T.
fn largest(c: &LnK, from: f64, to: f64) -> f64 {
    let ends = [from, to].map(|t| [1.0, t, t.powi(2), t.powi(3), t.powi(4), t.ln(), 1.0 / t]);
    let terms = || (0..c.len()).map(|n| (c[n] * ends[0][n], c[n] * ends[1][n]));
    let (least, most) = terms().fold((0.0, 0.0), |(l, m), (a, b)| (l + f64::min(a, b), m + f64::max(a, b)));
    f64::max(-least, most)
}

/// An upper bound of |ln(k/A)| + |ln A| over [`TEMPERATURES`].
pub fn arrhenius_range(k: &Arrhenius) -> f64 {
    if k.a == 0.0 {
        return 0.0;
    }
    let constants = [k.a.abs().ln(), 0.0, 0.0, 0.0, 0.0, k.b, -k.e_over_r];
    cells().map(|(from, to)| largest(&constants, from, to)).fold(0.0, f64::max)
}

fn cells() -> impl Iterator<Item = (f64, f64)> {
    let (coldest, hottest) = TEMPERATURES;
    let at = move |n: usize| coldest * (hottest / coldest).powf(n as f64 / CELLS as f64);
    (0..CELLS).map(move |n| (at(n), at(n + 1)))
}
