//! Equilibrium constants of formation, shifted by element potentials that keep them within the range of doubles.
//!
//! ln K_k = -g_k/RT + ln(P0/RT), so that Kc = prod K_k^nu. A reaction conserves elements: adding a function of temperature
//! per atom, the potential of its element, to ln K_k leaves every Kc as it is. The potentials alpha + beta/T are chosen such
//! that the ln K_k are small, and [`FormationConstants::range`] proves how small they are over [`TEMPERATURES`].

use super::gibbs::{self, Piecewise, Terms};
use kinetics::approximation::range::TemperatureRange;
use kinetics::constants::{ATMOSPHERE, GAS_CONSTANT};
use kinetics::linear_algebra::elimination;
use mechanism::{Arrhenius, Mechanism, Polynomials, Reaction};

/// Temperatures for which products of equilibrium constants are proven to stay in range.
pub const TEMPERATURES: TemperatureRange = TemperatureRange::DEFAULT;
/// Cells of the proof, equal in ln T.
const CELLS: usize = 200;
/// Temperatures at which the element potentials are fitted, in K.
const FITTED: [f64; 2] = [300.0, 2000.0];

pub struct FormationConstants {
    /// ln K by species.
    pub species: Vec<Piecewise>,
    /// By species: an upper bound of |ln K|.
    pub range: Vec<f64>,
}

/// The constants of a mechanism's species; not shifted where some reaction loses or makes fractions of atoms.
pub fn constants(mechanism: &Mechanism) -> FormationConstants {
    let mut species: Vec<Piecewise> = mechanism.species.iter().map(|s| plain(&s.thermo)).collect();
    if mechanism.reactions.iter().all(|r| is_balanced(mechanism, r)) {
        let shifts = shifts(mechanism, &species);
        for (function, s) in species.iter_mut().zip(&mechanism.species) {
            for &(element, atoms) in &s.composition {
                let [alpha, beta] = shifts[element];
                for terms in &mut function.ranges {
                    terms[0] -= atoms * alpha;
                    terms[6] -= atoms * beta;
                }
            }
        }
    }
    let range = species.iter().map(range).collect();
    FormationConstants { species, range }
}

/// -g/RT + ln(P0/R) - ln T
fn plain(thermo: &Polynomials) -> Piecewise {
    let mut function = gibbs::piecewise(thermo);
    for terms in &mut function.ranges {
        terms[0] += (ATMOSPHERE / GAS_CONSTANT).ln();
        terms[5] -= 1.0;
    }
    function
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
fn shifts(mechanism: &Mechanism, species: &[Piecewise]) -> Vec<[f64; 2]> {
    let [cold, hot] = FITTED.map(|t| {
        let targets = species.iter().map(|s| evaluate(s, t));
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
/// does no harm: any potentials are exact.
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
    elimination::solve(rows)
}

fn evaluate(function: &Piecewise, t: f64) -> f64 {
    let range = function.ends.iter().take_while(|end| t > **end).count();
    function.ranges[range].iter().zip(terms_at(t)).map(|(c, x)| c * x).sum()
}

fn range(function: &Piecewise) -> f64 {
    let bound = |(from, to): (f64, f64)| {
        let first = function.ends.iter().take_while(|end| from > **end).count();
        let last = function.ends.iter().take_while(|end| to > **end).count();
        function.ranges[first..=last].iter().map(|terms| largest(terms, from, to)).fold(0.0, f64::max)
    };
    cells().map(bound).fold(0.0, f64::max)
}

/// An upper bound of |ln K| between two temperatures: every term is monotone above e kelvins.
fn largest(c: &Terms, from: f64, to: f64) -> f64 {
    let ends = [from, to].map(terms_at);
    let terms = || (0..c.len()).map(|n| (c[n] * ends[0][n], c[n] * ends[1][n]));
    let (least, most) = terms().fold((0.0, 0.0), |(l, m), (a, b)| (l + f64::min(a, b), m + f64::max(a, b)));
    f64::max(-least, most)
}

fn terms_at(t: f64) -> Terms {
    [1.0, t, t.powi(2), t.powi(3), t.powi(4), t.ln(), 1.0 / t, t.ln() / t, t.powi(-2)]
}

/// An upper bound of |ln k| over [`TEMPERATURES`].
pub fn arrhenius_range(k: &Arrhenius) -> f64 {
    if k.a == 0.0 {
        return 0.0;
    }
    let constants = [k.a.abs().ln(), 0.0, 0.0, 0.0, 0.0, k.b, -k.e_over_r, 0.0, 0.0];
    cells().map(|(from, to)| largest(&constants, from, to)).fold(0.0, f64::max)
}

fn cells() -> impl Iterator<Item = (f64, f64)> {
    TEMPERATURES.cells(CELLS).map(|cell| (cell.coldest, cell.hottest))
}
