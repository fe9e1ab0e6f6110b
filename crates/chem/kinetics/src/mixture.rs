//! Transport properties of the mixture from the fits of its species and pairs.

use super::constants::{ATMOSPHERE, GAS_CONSTANT};
use super::cubic::cubic;
use super::thermo::{cp_r, density, mean_weight};
use super::{Model, State, TransportFits};
pub use crate::pairs::pair_index;

/// Wilke's mixture viscosity in Pa s. Wilke, J. Chem. Phys. 18 (1950) 517, in the form of Bird, Stewart, Lightfoot.
///
/// # Panics
/// If the model has no transport data.
pub fn viscosity(model: &Model, state: &State) -> f64 {
    let eta = species_viscosity(model, state.temperature);
    let x = &state.mole_fractions;
    let weight = |k: usize| model.mechanism.species[k].weight;
    let phi = |k: usize, j: usize| {
        let root = 1.0 + (eta[k] / eta[j]).sqrt() * (weight(j) / weight(k)).sqrt().sqrt();
        root * root / (8.0 * (1.0 + weight(k) / weight(j))).sqrt()
    };
    let term = |k: usize| x[k] * eta[k] / (0..x.len()).map(|j| x[j] * phi(k, j)).sum::<f64>();
    (0..x.len()).map(term).sum()
}

/// Mixture conductivity in W/m/K: the mean of the mixture's arithmetic and harmonic means.
/// Mathur, Tondon, Saxena, Mol. Phys. 12 (1967) 569.
///
/// # Panics
/// If the model has no transport data.
pub fn conductivity(model: &Model, state: &State) -> f64 {
    let lambda = species_conductivity(model, state.temperature);
    let arithmetic: f64 = state.mole_fractions.iter().zip(&lambda).map(|(x, l)| x * l).sum();
    let harmonic: f64 = state.mole_fractions.iter().zip(&lambda).map(|(x, l)| x / l).sum();
    0.5 * (arithmetic + 1.0 / harmonic)
}

/// Diffusion coefficients in m2/s, by species, by the mechanism's [`Diffusion`](mechanism::Diffusion) model. `floor` is that of
/// [`mixture_averaged`].
///
/// # Panics
/// Where the model has no transport data.
pub fn diffusion(model: &Model, state: &State, floor: f64) -> Vec<f64> {
    match model.lewis_numbers() {
        None => mixture_averaged(model, state, floor),
        Some(numbers) => {
            let common = thermal_diffusivity(model, state);
            numbers.iter().map(|number| common / number).collect()
        }
    }
}

/// lambda/(rho cp) in m2/s, with the specific heat capacity of the mixture.
///
/// # Panics
/// Where the model has no transport data.
pub fn thermal_diffusivity(model: &Model, state: &State) -> f64 {
    let masses = || model.species().iter().zip(&state.mole_fractions).map(|(s, x)| (s, s.weight * x));
    let mass: f64 = masses().map(|(_, mass)| mass).sum();
    let cp: f64 =
        masses().map(|(s, own)| own / mass * GAS_CONSTANT / s.weight * cp_r(&s.thermo, state.temperature)).sum();
    conductivity(model, state) / (density(model, state) * cp)
}

/// Mixture-averaged diffusion coefficients in m2/s, by species: (1 - Y_i) / sum_{j != i} X_j/D_ij at the pressure of
/// `state`. Mole fractions below `floor` count as `floor`, except in the mean weight. Kee et al.,
/// SAND86-8246 (1986).
///
/// # Panics
/// If the model has no transport data.
pub fn mixture_averaged(model: &Model, state: &State, floor: f64) -> Vec<f64> {
    let pair = binary_diffusion(model, state.temperature);
    let x: Vec<f64> = state.mole_fractions.iter().map(|x| x.max(floor)).collect();
    let mean = mean_weight(&model.mechanism, state);
    let size = x.len();
    let coefficient = |i: usize| {
        // Total minus own would lose all digits where species i is nearly pure.
        let (mass, resistance) = (0..size).filter(|&j| j != i).fold((0.0, 0.0), |(mass, resistance), j| {
            let d = pair[pair_index(size, i.min(j), i.max(j))];
            (mass + x[j] * model.mechanism.species[j].weight, resistance + x[j] / d)
        });
        ATMOSPHERE / state.pressure * mass / (mean * resistance)
    };
    (0..size).map(coefficient).collect()
}

/// Viscosity of each pure species in Pa s.
///
/// # Panics
/// If the model has no transport data.
pub fn species_viscosity(model: &Model, temperature: f64) -> Vec<f64> {
    evaluate(&fits(model).viscosity, temperature)
}

/// Conductivity of each pure species in W/m/K.
///
/// # Panics
/// If the model has no transport data.
pub fn species_conductivity(model: &Model, temperature: f64) -> Vec<f64> {
    evaluate(&fits(model).conductivity, temperature)
}

/// Binary diffusion coefficients at 1 atm in m2/s; upper triangle i <= j, see [`pair_index`].
///
/// # Panics
/// If the model has no transport data.
pub fn binary_diffusion(model: &Model, temperature: f64) -> Vec<f64> {
    let scaled = evaluate(&fits(model).diffusion, temperature);
    scaled.into_iter().map(|pd| pd / ATMOSPHERE).collect()
}

fn fits(model: &Model) -> &TransportFits {
    model.transport.as_ref().expect("transport properties are asked only of a model with transport data")
}

fn evaluate(coefficients: &[[f64; 4]], temperature: f64) -> Vec<f64> {
    let ln_t = temperature.ln();
    coefficients.iter().map(|c| cubic(c, ln_t).exp()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{air_hydrogen_model, state};
    use crate::states::verification_states;
    use approx::assert_relative_eq;

    #[test]
    fn a_pure_gas_has_its_own_properties() {
        let model = air_hydrogen_model();
        for k in 0..4 {
            let mut x = [0.0; 4];
            x[k] = 1.0;
            let pure = state(1300.0, 101325.0, &x);
            let own = species_viscosity(&model, 1300.0)[k];
            assert_relative_eq!(viscosity(&model, &pure), own, max_relative = 1e-14);
            let own = species_conductivity(&model, 1300.0)[k];
            assert_relative_eq!(conductivity(&model, &pure), own, max_relative = 1e-14);
        }
    }

    #[test]
    fn a_trace_diffuses_as_in_its_pair() {
        let model = air_hydrogen_model();
        let traces = state(900.0, 3e5, &[1e-14, 0.0, 0.0, 1.0 - 1e-14]);
        let pair = binary_diffusion(&model, 900.0)[pair_index(4, 0, 3)];
        let found = diffusion(&model, &traces, 1e-20)[0];
        assert_relative_eq!(found, pair * ATMOSPHERE / 3e5, max_relative = 1e-12);
        // Blanc's law for the carrier among what little there is: finite, although nothing of it is left in the numerator.
        assert!(diffusion(&model, &state(900.0, 3e5, &[0.0, 0.0, 0.0, 1.0]), 1e-12).iter().all(|d| *d > 0.0));
    }

    #[test]
    fn mixtures_lie_between_their_species() {
        let model = air_hydrogen_model();
        for state in verification_states(&model, 60) {
            let lambda = species_conductivity(&model, state.temperature);
            let (low, high) = lambda.iter().fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(*v), h.max(*v)));
            assert!((low..=high).contains(&conductivity(&model, &state)));
            assert!(viscosity(&model, &state) > 0.0);
        }
    }

    #[test]
    fn pairs_are_numbered_row_by_row() {
        let mut next = 0;
        for i in 0..7 {
            for j in i..7 {
                assert_eq!(pair_index(7, i, j), next);
                next += 1;
            }
        }
    }

    #[test]
    fn a_mechanism_without_transport_gives_a_model_for_chemistry() {
        let mut mechanism = crate::fixtures::air_hydrogen();
        mechanism.species.iter_mut().for_each(|s| s.transport = None);
        assert!(crate::model(mechanism).expect("chemistry needs no transport").transport.is_none());
    }
}
