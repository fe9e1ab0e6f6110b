//! Quasi-steady species, linearised: Lu & Law, J. Phys. Chem. A 110 (2006) 13202.

use super::number::Number;
use super::rates::{OfTemperature, Rates};
use super::thermo::concentrations;
use super::{Model, State, linear_algebra};
use mechanism::{Mechanism, SpeciesIndex};

/// Destruction rates and pivots are at least this before anything is divided by them.
pub const SMALL: f64 = 1e-50;

/// Quasi-steady species that a direction of a reaction consumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consumed {
    None,
    /// One molecule of the species with this place in the list.
    One(usize),
    /// More than one molecule: the linearisation drops the direction.
    Several,
}

/// Rates of progress after the quasi-steady species are solved for.
#[derive(Debug, Clone, PartialEq)]
pub struct QuasiSteady<N = f64> {
    /// Rates with every quasi-steady concentration 1 kmol/m3; dropped directions are 0.
    pub unscaled: Rates<N>,
    /// kmol/m3, in the order of [`Mechanism::quasi_steady`].
    pub concentrations: Vec<N>,
    /// kmol/m3/s, by reaction.
    pub forward: Vec<N>,
    pub reverse: Vec<N>,
}

/// Rates of progress at a state of the transported species, by a dense solve. Without quasi-steady species these are the
/// rates themselves.
pub fn quasi_steady(model: &Model, state: &State) -> QuasiSteady {
    let of_temperature = OfTemperature::new(&model.mechanism, state.temperature, None);
    quasi_steady_at(&model.mechanism, &of_temperature, state.pressure, &concentrations(state))
}

/// The same of any numbers: Pa and kmol/m3 of the transported species.
pub fn quasi_steady_at<N: Number>(
    mechanism: &Mechanism,
    of_temperature: &OfTemperature<N>,
    pressure: N,
    transported: &[N],
) -> QuasiSteady<N> {
    let mut reacting = transported.to_vec();
    reacting.resize(mechanism.species.len(), N::from(1.0));
    let mut unscaled = of_temperature.rates(mechanism, pressure, transported, &reacting);
    if mechanism.quasi_steady().is_empty() {
        let (forward, reverse) = (unscaled.rate_forward.clone(), unscaled.rate_reverse.clone());
        return QuasiSteady { unscaled, concentrations: Vec::new(), forward, reverse };
    }
    for (i, r) in mechanism.reactions.iter().enumerate() {
        let directions = [(&r.reactants, &mut unscaled.rate_forward[i]), (&r.products, &mut unscaled.rate_reverse[i])];
        for (side, rate) in directions {
            if consumed(mechanism, side) == Consumed::Several {
                *rate = N::from(0.0);
            }
        }
    }
    let concentrations = solve(mechanism, &unscaled);
    let scaled = |side: &[(SpeciesIndex, f64)], rate: N| match consumed(mechanism, side) {
        Consumed::One(j) => rate * concentrations[j],
        Consumed::None | Consumed::Several => rate,
    };
    let rates = |rate: &[N], forward: bool| {
        let each = mechanism.reactions.iter().zip(rate);
        each.map(|(r, &rate)| scaled(if forward { &r.reactants } else { &r.products }, rate)).collect()
    };
    let forward = rates(&unscaled.rate_forward, true);
    let reverse = rates(&unscaled.rate_reverse, false);
    QuasiSteady { unscaled, concentrations, forward, reverse }
}

/// Returns the quasi-steady species that a direction with these reactants consumes.
pub fn consumed(mechanism: &Mechanism, side: &[(SpeciesIndex, f64)]) -> Consumed {
    let list = mechanism.quasi_steady();
    let place = |k: SpeciesIndex| list.iter().position(|&q| q == k);
    let mut found = Consumed::None;
    for &(k, nu) in side {
        if let Some(j) = place(k) {
            if found != Consumed::None || nu > 1.0 {
                return Consumed::Several;
            }
            found = Consumed::One(j);
        }
    }
    found
}

/// x_i = a_i0 + sum_j a_ij x_j: production equals destruction of every quasi-steady species.
fn solve<N: Number>(mechanism: &Mechanism, rates: &Rates<N>) -> Vec<N> {
    let list = mechanism.quasi_steady();
    let size = list.len();
    // Row i: the coefficients of x, then the production that depends on no quasi-steady species.
    let mut system = vec![vec![N::from(0.0); size + 1]; size];
    let mut destruction = vec![N::from(0.0); size];
    for (i, r) in mechanism.reactions.iter().enumerate() {
        let directions =
            [(&r.reactants, &r.products, rates.rate_forward[i]), (&r.products, &r.reactants, rates.rate_reverse[i])];
        for (from, to, rate) in directions {
            let column = match consumed(mechanism, from) {
                Consumed::None => size,
                Consumed::One(j) => {
                    destruction[j] = destruction[j] + rate;
                    j
                }
                Consumed::Several => continue,
            };
            for &(k, nu) in to {
                if let Some(row) = list.iter().position(|&q| q == k) {
                    system[row][column] = system[row][column] + rate * nu;
                }
            }
        }
    }
    for (i, row) in system.iter_mut().enumerate() {
        let divisor = destruction[i].max(SMALL);
        for (column, entry) in row.iter_mut().enumerate() {
            let a = *entry / divisor;
            *entry = if column == size { a } else { N::from(f64::from(u8::from(column == i))) - a };
        }
    }
    linear_algebra::elimination::solve_m_matrix(system)
}
