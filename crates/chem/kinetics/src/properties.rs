//! Thermodynamic properties of species and of the ideal-gas mixture, and source terms of the chemistry.

use super::constants::{ATMOSPHERE, GAS_CONSTANT};
use super::thermo::{cp_r, density, h_rt, mean_weight, s_r};
use super::{Model, Production, State};

/// A value, and what its errors must be compared with: the size of the terms that it is the sum of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    pub value: f64,
    pub scale: f64,
}

impl Judged {
    /// A value without cancelling terms.
    pub fn exact(value: f64) -> Self {
        Self { value, scale: value.abs() }
    }

    pub fn per(self, divisor: f64) -> Self {
        Self { value: self.value / divisor, scale: self.scale / divisor }
    }
}

/// Molar properties: J/kmol/K or J/kmol.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Molar {
    pub cp: Judged,
    pub cv: Judged,
    pub h: Judged,
    pub u: Judged,
    pub s: Judged,
    pub g: Judged,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Properties {
    /// Properties of each species, pure at 1 atm, with its molecular weight in kg/kmol.
    pub species: Vec<(Molar, f64)>,
    /// Properties of the mixture at its pressure: the sum over species at their partial pressures, with their mole fractions.
    pub mixture: Molar,
    /// kg/kmol
    pub mean_molar_mass: f64,
    /// kg/m3
    pub density: f64,
    /// Pa
    pub pressure: f64,
}

/// All properties at a state. Negative mole fractions count as zero, and their sum is not made 1.
pub fn properties(model: &Model, state: &State) -> Properties {
    let t = state.temperature;
    let fractions: Vec<f64> = state.mole_fractions.iter().map(|x| x.max(0.0)).collect();
    let each = |k: usize| {
        let thermo = &model.species()[k].thermo;
        [cp_r(thermo, t), h_rt(thermo, t), s_r(thermo, t)]
    };
    let species = (0..fractions.len()).map(|k| {
        let [cp, h, s] = each(k);
        // Beside numbers of order 1, errors of polynomials are absolute.
        (
            molar(
                t,
                [cp, cp - 1.0, h, h - 1.0, s, h - s],
                [1.0f64.max(cp.abs()), 1.0f64.max(h.abs()), 1.0f64.max(s.abs())],
            ),
            model.species()[k].weight,
        )
    });
    let ln_pressure = (state.pressure / ATMOSPHERE).ln();
    let (mut values, mut scales) = ([0.0; 6], [0.0; 3]);
    for (k, &x) in fractions.iter().enumerate() {
        let [cp, h, s] = each(k);
        let ln_x = if x > 0.0 { x.ln() } else { 0.0 };
        let mixed = s - ln_x - ln_pressure;
        for (sum, term) in values.iter_mut().zip([cp, cp - 1.0, h, h - 1.0, mixed, h - mixed]) {
            *sum += x * term;
        }
        let entropies = s.abs() + ln_x.abs() + ln_pressure.abs();
        for (sum, term) in scales.iter_mut().zip([cp.abs(), h.abs(), entropies]) {
            *sum += x * term.max(1.0);
        }
    }
    let clean = State { mole_fractions: fractions.clone(), ..state.clone() };
    Properties {
        species: species.collect(),
        mixture: molar(t, values, scales),
        mean_molar_mass: mean_weight(&model.mechanism, &clean),
        density: density(model, &clean),
        pressure: state.pressure,
    }
}

/// From cp/R, cv/R, h/RT, u/RT, s/R, g/RT and the sizes of cp/R, h/RT and s/R.
fn molar(t: f64, [cp, cv, h, u, s, g]: [f64; 6], [of_cp, of_h, of_s]: [f64; 3]) -> Molar {
    let judged = |factor: f64, value: f64, scale: f64| Judged { value: factor * value, scale: factor * scale };
    let (r, rt) = (GAS_CONSTANT, GAS_CONSTANT * t);
    Molar {
        cp: judged(r, cp, of_cp),
        cv: judged(r, cv, of_cp),
        h: judged(rt, h, of_h),
        u: judged(rt, u, of_h),
        s: judged(r, s, of_s),
        g: judged(rt, g, of_h + of_s),
    }
}

/// Sources of mass and heat that follow from production rates; scales are those of the gross rates.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceTerms {
    /// kmol/m3/s, by species
    pub molar: Vec<Judged>,
    /// W_k wdot_k in kg/m3/s, by species
    pub mass: Vec<Judged>,
    /// -sum h_k wdot_k in W/m3
    pub heat: Vec<Judged>,
}

/// The source terms of production rates (kmol/m3/s, of all species that are transported).
pub fn source_terms(model: &Model, state: &State, production: &Production) -> SourceTerms {
    let t = state.temperature;
    let rates = || production.net.iter().zip(&production.gross).map(|(&value, &scale)| Judged { value, scale });
    let species = model.species().iter();
    let mass =
        species.zip(rates()).map(|(s, rate)| Judged { value: s.weight * rate.value, scale: s.weight * rate.scale });
    let mut heat = Judged { value: 0.0, scale: 0.0 };
    for (s, rate) in model.species().iter().zip(rates()) {
        let h = GAS_CONSTANT * t * h_rt(&s.thermo, t);
        heat.value -= h * rate.value;
        heat.scale += h.abs() * rate.scale;
    }
    SourceTerms { molar: rates().collect(), mass: mass.collect(), heat: vec![heat] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{air_hydrogen_model, state};
    use approx::assert_relative_eq;

    #[test]
    fn functions_of_a_mixture_follow_from_each_other() {
        let model = air_hydrogen_model();
        let state = state(1234.0, 3e5, &[0.2, 0.3, 0.1, 0.4]);
        let Properties { mixture, density, mean_molar_mass, .. } = properties(&model, &state);
        let rt = GAS_CONSTANT * 1234.0;
        assert_relative_eq!(mixture.h.value - mixture.u.value, rt, max_relative = 1e-12);
        assert_relative_eq!(mixture.cp.value - mixture.cv.value, GAS_CONSTANT, max_relative = 1e-12);
        assert_relative_eq!(mixture.g.value, mixture.h.value - 1234.0 * mixture.s.value, max_relative = 1e-12);
        assert_relative_eq!(density * rt / mean_molar_mass, 3e5, max_relative = 1e-12);
    }

    #[test]
    fn entropy_falls_with_pressure_and_rises_by_mixing() {
        let model = air_hydrogen_model();
        let of = |p: f64, x: &[f64]| properties(&model, &state(900.0, p, x)).mixture.s.value;
        let pure = [1.0, 0.0, 0.0, 0.0];
        assert_relative_eq!(of(1e5, &pure) - of(2e5, &pure), GAS_CONSTANT * 2f64.ln(), max_relative = 1e-10);
        let other = [0.0, 1.0, 0.0, 0.0];
        let mixed = of(1e5, &[0.5, 0.5, 0.0, 0.0]) - 0.5 * (of(1e5, &pure) + of(1e5, &other));
        assert_relative_eq!(mixed, GAS_CONSTANT * 2f64.ln(), max_relative = 1e-10);
    }

    #[test]
    fn a_single_species_at_one_atmosphere_is_the_mixture() {
        let model = air_hydrogen_model();
        let all = properties(&model, &state(700.0, ATMOSPHERE, &[0.0, 0.0, 1.0, 0.0]));
        let (water, weight) = all.species[2];
        assert_relative_eq!(all.mixture.g.value, water.g.value, max_relative = 1e-13);
        assert_eq!(all.mean_molar_mass, weight);
    }
}
