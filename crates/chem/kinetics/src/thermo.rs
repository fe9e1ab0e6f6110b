//! Species thermodynamics from NASA polynomials, and the state of the ideal-gas mixture.

use super::constants::GAS_CONSTANT;
use super::number::Number;
use super::{Model, State};
use mechanism::{Mechanism, Polynomials};

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
    let each = |property: fn(&Polynomials, f64) -> f64| {
        model.mechanism.species.iter().map(|s| property(&s.thermo, t)).collect::<Vec<_>>()
    };
    Thermo { cp_r: each(cp_r), h_rt: each(h_rt), s_r: each(s_r), g_rt: each(g_rt) }
}

/// cp/R
pub fn cp_r<N: Number>(thermo: &Polynomials, t: N) -> N {
    let quartic = |a: &[f64]| t * (t * (t * (t * a[4] + a[3]) + a[2]) + a[1]) + a[0];
    match piece(thermo, t.value()) {
        Piece::Nasa7(a) => quartic(a),
        Piece::Nasa9(a) => quartic(&a[2..]) + (N::from(a[0]) / t + a[1]) / t,
    }
}

/// h/RT
pub fn h_rt<N: Number>(thermo: &Polynomials, t: N) -> N {
    let quartic = |a: &[f64]| t * (t * (t * (t * a[4] / 5.0 + a[3] / 4.0) + a[2] / 3.0) + a[1] / 2.0) + a[0];
    match piece(thermo, t.value()) {
        Piece::Nasa7(a) => quartic(&a[..5]) + N::from(a[5]) / t,
        Piece::Nasa9(a) => quartic(&a[2..7]) + (t.ln() * a[1] + a[7] - N::from(a[0]) / t) / t,
    }
}

/// s/R at 1 atm
pub fn s_r<N: Number>(thermo: &Polynomials, t: N) -> N {
    let quartic = |a: &[f64]| t.ln() * a[0] + t * (t * (t * (t * a[4] / 4.0 + a[3] / 3.0) + a[2] / 2.0) + a[1]);
    match piece(thermo, t.value()) {
        Piece::Nasa7(a) => quartic(&a[..5]) + a[6],
        Piece::Nasa9(a) => quartic(&a[2..7]) + a[8] - (N::from(0.5 * a[0]) / t + a[1]) / t,
    }
}

/// g/RT at 1 atm.
pub fn g_rt<N: Number>(thermo: &Polynomials, t: N) -> N {
    h_rt(thermo, t) - s_r(thermo, t)
}

/// The coefficients of one range.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Piece<'a> {
    /// Gordon & McBride, NASA SP-273 (1971).
    Nasa7(&'a [f64; 7]),
    /// McBride, Zehe & Gordon, NASA/TP-2002-211556.
    Nasa9(&'a [f64; 9]),
}

/// The range that holds at `t`: each includes its upper end, the first and the last are extrapolated.
fn piece(thermo: &Polynomials, t: f64) -> Piece<'_> {
    let range = thermo.breaks().iter().take_while(|end| t > **end).count();
    match thermo {
        Polynomials::Nasa7(nasa) => Piece::Nasa7([&nasa.low, &nasa.high][range]),
        Polynomials::Nasa9(nasa) => Piece::Nasa9(&nasa.ranges[range]),
    }
}

/// Concentrations X_k P/(RT) in kmol/m3, by species. Negative mole fractions count as zero.
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
    use crate::fixtures::{air_hydrogen, state};
    use approx::assert_relative_eq;
    use mechanism::{Nasa7, Nasa9};

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
    fn a_range_includes_its_upper_end() {
        let (low, high) = ([1.0; 7], [2.0; 7]);
        let two = Polynomials::Nasa7(Nasa7 { t_low: 300.0, t_mid: 1000.0, t_high: 3000.0, low, high });
        assert_eq!(piece(&two, 1000.0), Piece::Nasa7(&low));
        assert_eq!(piece(&two, 1000.0 + 1e-9), Piece::Nasa7(&high));
        let three = chlorine();
        let Polynomials::Nasa9(Nasa9 { ranges, .. }) = &three else { unreachable!("the fixture is NASA-9") };
        for (t, range) in [(1.0, 0), (1000.0, 0), (1000.5, 1), (6000.0, 1), (6001.0, 2), (1e5, 2)] {
            assert_eq!(piece(&three, t), Piece::Nasa9(&ranges[range]), "{t}");
        }
    }

    /// Made-up NASA-9 polynomials of three ranges, continuous in none of their functions.
    fn chlorine() -> Polynomials {
        Polynomials::Nasa9(Nasa9 {
            temperatures: vec![200.0, 1000.0, 6000.0, 20000.0],
            ranges: vec![
                [2e4, -200.0, 3.1, -2e-3, 7e-6, -5e-9, 1.4e-12, -800.0, 2.1],
                [6e5, -1500.0, 6.5, -2e-4, 2e-8, -8e-13, 3e-17, 8e3, -17.0],
                [-1e9, 6e5, -130.0, 1.4e-2, -7e-7, 1.8e-11, -1.9e-16, -5e6, 1.2e3],
            ],
        })
    }

    #[test]
    fn nasa_9_functions_integrate_the_heat_capacity() {
        let nasa = chlorine();
        for t in [350.0, 800.0, 1500.0, 4500.0, 9000.0] {
            assert_relative_eq!(slope(|t| t * h_rt(&nasa, t), t), cp_r(&nasa, t), max_relative = 1e-5);
            assert_relative_eq!(slope(|t| s_r(&nasa, t), t) * t, cp_r(&nasa, t), max_relative = 1e-5);
        }
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
