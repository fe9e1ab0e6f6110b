//! Species thermodynamics from NASA-7 polynomials, and the state of the ideal-gas mixture.

use super::constants::GAS_CONSTANT;
use super::{Model, State};
use crate::mechanism::{Mechanism, Nasa7};

/// Dimensionless molar properties at 1 atm, by species.
#[derive(Debug, Clone, PartialEq)]
pub struct Thermo {
    /// Heat capacity cp/R
    pub cp_r: Vec<f64>,
    /// Enthalpy h/RT
    pub h_rt: Vec<f64>,
    /// Entropy s/R
    pub s_r: Vec<f64>,
    /// Gibbs function g/RT
    pub g_rt: Vec<f64>,
}

/// Properties of every species at the temperature of `state`. Outside their range the polynomials are extrapolated.
pub fn thermo(model: &Model, state: &State) -> Thermo {
    let t = state.temperature;
    let each = |property: fn(&Nasa7, f64) -> f64| {
        model.mechanism.species.iter().map(|s| property(&s.thermo, t)).collect::<Vec<_>>()
    };
    Thermo { cp_r: each(cp_r), h_rt: each(h_rt), s_r: each(s_r), g_rt: each(g_rt) }
}

/// cp/R. Gordon & McBride, NASA SP-273 (1971).
pub fn cp_r(nasa: &Nasa7, t: f64) -> f64 {
    let a = coefficients(nasa, t);
    a[0] + t * (a[1] + t * (a[2] + t * (a[3] + t * a[4])))
}

/// h/RT. Gordon & McBride, NASA SP-273 (1971).
pub fn h_rt(nasa: &Nasa7, t: f64) -> f64 {
    let a = coefficients(nasa, t);
    a[0] + t * (a[1] / 2.0 + t * (a[2] / 3.0 + t * (a[3] / 4.0 + t * a[4] / 5.0))) + a[5] / t
}

/// s/R at 1 atm. Gordon & McBride, NASA SP-273 (1971).
pub fn s_r(nasa: &Nasa7, t: f64) -> f64 {
    let a = coefficients(nasa, t);
    a[0] * t.ln() + t * (a[1] + t * (a[2] / 2.0 + t * (a[3] / 3.0 + t * a[4] / 4.0))) + a[6]
}

/// g/RT at 1 atm.
pub fn g_rt(nasa: &Nasa7, t: f64) -> f64 {
    h_rt(nasa, t) - s_r(nasa, t)
}

/// The coefficients that hold at `t`: the low range includes its upper end.
pub fn coefficients(nasa: &Nasa7, t: f64) -> &[f64; 7] {
    if t <= nasa.t_mid { &nasa.low } else { &nasa.high }
}

/// Concentrations X_k P/(RT) in kmol/m3, by species. Negative mole fractions count as zero (spec section 3).
pub fn concentrations(state: &State) -> Vec<f64> {
    let total = state.pressure / (GAS_CONSTANT * state.temperature);
    state.mole_fractions.iter().map(|x| x.max(0.0) * total).collect()
}

/// Mean molecular weight sum_k X_k W_k in kg/kmol.
pub fn mean_weight(mechanism: &Mechanism, state: &State) -> f64 {
    mechanism.species.iter().zip(&state.mole_fractions).map(|(s, x)| s.weight * x).sum()
}

/// Density of the ideal gas in kg/m3.
pub fn density(model: &Model, state: &State) -> f64 {
    state.pressure * mean_weight(&model.mechanism, state) / (GAS_CONSTANT * state.temperature)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinetics::fixtures::{air_hydrogen, state};
    use approx::assert_relative_eq;

    /// Central difference of `f` at `t`.
    fn slope(f: impl Fn(f64) -> f64, t: f64) -> f64 {
        let step = 1e-3 * t;
        (f(t + step) - f(t - step)) / (2.0 * step)
    }

    #[test]
    fn enthalpy_and_entropy_integrate_the_heat_capacity() {
        for species in &air_hydrogen().species {
            for t in [350.0, 800.0, 1500.0, 2800.0] {
                let nasa = &species.thermo;
                assert_relative_eq!(slope(|t| t * h_rt(nasa, t), t), cp_r(nasa, t), max_relative = 1e-5);
                assert_relative_eq!(slope(|t| s_r(nasa, t), t) * t, cp_r(nasa, t), max_relative = 1e-5);
                assert_relative_eq!(-t * slope(|t| g_rt(nasa, t), t), h_rt(nasa, t), max_relative = 1e-4);
            }
        }
    }

    #[test]
    fn the_low_range_includes_the_mid_temperature() {
        let nasa = Nasa7 { t_low: 300.0, t_mid: 1000.0, t_high: 3000.0, low: [1.0; 7], high: [2.0; 7] };
        assert_eq!(coefficients(&nasa, 1000.0), &[1.0; 7]);
        assert_eq!(coefficients(&nasa, 1000.0 + 1e-9), &[2.0; 7]);
    }

    #[test]
    fn standard_state_of_nitrogen_and_water() {
        // NIST-JANAF: s(N2, 298.15 K) = 191.609 J/mol/K at 1 bar, h_f(H2O) = -241.826 kJ/mol.
        let mechanism = air_hydrogen();
        let t = 298.15;
        let s = s_r(&mechanism.species[3].thermo, t) * GAS_CONSTANT * 1e-3;
        let h = h_rt(&mechanism.species[2].thermo, t) * GAS_CONSTANT * t * 1e-6;
        assert_relative_eq!(s, 191.609, max_relative = 1e-3);
        assert_relative_eq!(h, -241.826, max_relative = 1e-3);
    }

    #[test]
    fn concentrations_count_negative_fractions_as_zero() {
        let c = concentrations(&state(1000.0, 101325.0, &[0.5, -1e-9, 0.25, 0.25]));
        assert_eq!(c[1], 0.0);
        assert_relative_eq!(c[0], 0.5 * 101325.0 / (8314.46261815324 * 1000.0), max_relative = 1e-15);
    }
}
