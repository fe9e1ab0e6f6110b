//! Rate constants in given units, and whether these express them exactly.

use crate::number::{preimage, scientific, shortest};
use crate::units::{ATMOSPHERE, AVOGADRO, Energy, Length, Quantity, Units, whole};
use crate::{Arrhenius, LinearBurke, PressureRate, Rate, Reaction, Reverse};

/// The unit in which the activation energies of a mechanism take the fewest characters.
pub fn shortest_energy_unit(reactions: &[Reaction]) -> Energy {
    let energies: Vec<f64> = reactions.iter().flat_map(expressions).map(|arrhenius| arrhenius.e_over_r).collect();
    let length = |unit: Energy| -> usize {
        energies.iter().map(|&energy| in_unit(energy, unit).map_or(INEXACT, |e| shortest(e).len())).sum()
    };
    Energy::ALL.iter().map(|(unit, _)| *unit).min_by_key(|unit| length(*unit)).unwrap_or(Energy::Calories)
}

/// Converts to `units`.
pub struct Values {
    pub units: Units,
    /// Cleared by the first value that these units cannot express exactly.
    pub exact: bool,
}

impl Values {
    pub fn new(units: Units) -> Self {
        Self { units, exact: true }
    }

    /// A, b and E of an expression.
    pub fn arrhenius(&mut self, rate: &Arrhenius, order: f64) -> [String; 3] {
        let a = self.factor(rate.a, order);
        let e = in_unit(rate.e_over_r, self.units.energy);
        self.exact &= e.is_some();
        let e = e.unwrap_or(rate.e_over_r / self.units.energy.in_kelvins());
        [a, shortest(rate.b), shortest(e)]
    }

    fn factor(&mut self, a: f64, order: f64) -> String {
        let power = whole(order - 1.0);
        if self.units.quantity == Quantity::Kilomoles && self.units.length == Length::METRES {
            return scientific(a, 0);
        }
        if self.units.quantity == Quantity::Moles && power.fract() == 0.0 {
            // Moves the point only, as the reader does.
            return scientific(a, 3 * power as i32);
        }
        let scale = match self.units.quantity {
            Quantity::Moles | Quantity::Kilomoles => 1e-3,
            Quantity::Molecules => 1e-3 * AVOGADRO,
        };
        let guess = a / f64::powf(scale, power);
        let found = preimage(a, guess, |x| self.units.factor(&scientific(x, 0), order).unwrap_or(f64::NAN));
        self.exact &= found.is_some();
        scientific(found.unwrap_or(guess), 0)
    }

    pub fn atmospheres(&mut self, pascals: f64) -> String {
        let found = preimage(pascals, pascals / ATMOSPHERE, |x| x * ATMOSPHERE);
        self.exact &= found.is_some();
        shortest(found.unwrap_or(pascals / ATMOSPHERE))
    }

    /// The coefficients of a Chebyshev fit, of which the first holds the units of the rate.
    pub fn chebyshev(&mut self, coefficients: &[Vec<f64>], order: f64) -> Vec<Vec<f64>> {
        let mut coefficients = coefficients.to_vec();
        let shift = self.units.log10_factor(order);
        if let Some(first) = coefficients.first_mut().and_then(|row| row.first_mut()) {
            let found = preimage(*first, *first - shift, |x| x + shift);
            self.exact &= found.is_some();
            *first = found.unwrap_or(*first - shift);
        }
        coefficients
    }
}

/// Counted as the length of an energy that a unit cannot express exactly.
const INEXACT: usize = 40;

fn in_unit(e_over_r: f64, unit: Energy) -> Option<f64> {
    let factor = unit.in_kelvins();
    preimage(e_over_r, e_over_r / factor, |e| e * factor)
}

fn expressions(reaction: &Reaction) -> Vec<&Arrhenius> {
    let mut all = match &reaction.rate {
        Rate::Arrhenius(one) | Rate::LandauTeller(one, _) => vec![one],
        Rate::Falloff { low, high, .. } | Rate::ChemicallyActivated { low, high, .. } => vec![low, high],
        Rate::Plog(table) => table.iter().flat_map(|(_, sum)| sum).collect(),
        Rate::Chebyshev(_) => Vec::new(),
        Rate::LinearBurke(rate) => burke(rate),
    };
    if let Reverse::Explicit(reverse, _) = &reaction.reverse {
        all.push(reverse);
    }
    all
}

fn burke(rate: &LinearBurke) -> Vec<&Arrhenius> {
    let own = rate.colliders.iter().filter_map(|collider| collider.rate.as_ref());
    let rates = [&rate.bath].into_iter().chain(own).flat_map(of_pressure);
    rates.chain(rate.colliders.iter().map(|collider| &collider.efficiency)).collect()
}

fn of_pressure(rate: &PressureRate) -> Vec<&Arrhenius> {
    match rate {
        PressureRate::Falloff { low, high, .. } => vec![low, high],
        PressureRate::Plog(table) => table.iter().flat_map(|(_, sum)| sum).collect(),
        PressureRate::Chebyshev(_) => Vec::new(),
    }
}
