//! Diffusive fluxes of mass and enthalpy by the mixture-averaged rules of TRANLIB (Kee et al., SAND86-8246, 1986; Kee, Coltrin &
//! Glarborg, Chemically Reacting Flow, 2003, chapter 12), with the correction velocity of Coffee & Heimerl, Combust. Flame 43
//! (1981) 273. Diffusion by gradients of pressure is left out.

use super::constants::GAS_CONSTANT;
use super::properties::Judged;
use super::thermal_diffusion::ratios;
use super::thermo::h_rt;
use super::{Model, State, diffusion};

/// Derivatives along one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Gradients {
    /// 1/m, by species
    pub mole_fractions: Vec<f64>,
    /// K/m; absent: no thermal diffusion.
    pub temperature: Option<f64>,
}

/// Along the same direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Fluxes {
    /// kg/m2/s, by species. Their sum is zero.
    pub mass: Vec<Judged>,
    /// sum h_k j_k in W/m2
    pub enthalpy: Judged,
}

/// j_k = j*_k - Y_k sum j*, j*_k = rho (W_k/W) D_k (Theta_k dT/T - dX_k), with the coefficients D_k of [`diffusion`] and the ratios
/// Theta_k of [`ratios`]. Negative mole fractions count as zero.
///
/// # Panics
/// If the model has no transport data.
pub fn fluxes(model: &Model, state: &State, gradients: &Gradients, floor: f64) -> Fluxes {
    let (t, species) = (state.temperature, model.species());
    // rho/W
    let total = state.pressure / (GAS_CONSTANT * t);
    let coefficients = diffusion(model, state, floor);
    let ratios = ratios(model, state);
    let along = gradients.temperature.unwrap_or(0.0) / t;
    let uncorrected: Vec<Judged> = (0..species.len())
        .map(|k| {
            let factor = total * species[k].weight * coefficients[k];
            let (thermal, ordinary) = (&ratios[k], gradients.mole_fractions[k]);
            Judged {
                value: factor * (thermal.value * along - ordinary),
                scale: factor * (thermal.scale * along.abs() + ordinary.abs()),
            }
        })
        .collect();
    let masses: Vec<f64> = species.iter().zip(&state.mole_fractions).map(|(s, x)| s.weight * x.max(0.0)).collect();
    let mass: f64 = masses.iter().sum();
    let sum = uncorrected.iter().map(|flux| flux.value).sum::<f64>() / mass;
    let size = uncorrected.iter().map(|flux| flux.scale).sum::<f64>() / mass;
    let corrected = uncorrected
        .iter()
        .zip(&masses)
        .map(|(flux, mass)| Judged { value: flux.value - mass * sum, scale: flux.scale + mass * size });
    let mass: Vec<Judged> = corrected.collect();
    let mut enthalpy = Judged { value: 0.0, scale: 0.0 };
    for (s, flux) in species.iter().zip(&mass) {
        let (h, per_mass) = (h_rt(&s.thermo, t), GAS_CONSTANT * t / s.weight);
        enthalpy.value += per_mass * h * flux.value;
        // Beside numbers of order 1, errors of polynomials are absolute.
        enthalpy.scale += per_mass * h.abs().max(1.0) * flux.scale;
    }
    Fluxes { mass, enthalpy }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{air_hydrogen_model, state};
    use approx::assert_relative_eq;

    fn gradients(temperature: Option<f64>) -> Gradients {
        Gradients { mole_fractions: vec![-12.0, 3.0, 1.0, 8.0], temperature }
    }

    #[test]
    fn mass_does_not_move_as_a_whole() {
        let model = air_hydrogen_model();
        for state in crate::verification_states(&model, 40) {
            for temperature in [None, Some(-3e4)] {
                let all = fluxes(&model, &state, &gradients(temperature), 1e-20);
                let (sum, sizes) = (all.mass.iter().map(|j| j.value).sum::<f64>(), all.mass.iter().map(|j| j.scale));
                assert!(sum.abs() <= 1e-14 * sizes.sum::<f64>(), "{sum}");
            }
        }
    }

    /// In a binary mixture Fick's law holds as it stands: j_1 = -rho (W_1 W_2 / W^2) D_12 dX_1.
    #[test]
    fn two_species_obey_ficks_law() {
        let model = air_hydrogen_model();
        let state = state(900.0, 2e5, &[0.3, 0.0, 0.0, 0.7]);
        let gradients = Gradients { mole_fractions: vec![5.0, 0.0, 0.0, -5.0], temperature: None };
        let found = fluxes(&model, &state, &gradients, 1e-300).mass;
        let (light, heavy) = (2.016, 28.014);
        let mean = 0.3 * light + 0.7 * heavy;
        let binary = crate::binary_diffusion(&model, 900.0)[3] * crate::constants::ATMOSPHERE / 2e5;
        let expected = -crate::density(&model, &state) * light * heavy / (mean * mean) * binary * 5.0;
        assert_relative_eq!(found[0].value, expected, max_relative = 1e-13);
        assert_relative_eq!(found[3].value, -expected, max_relative = 1e-13);
    }

    #[test]
    fn thermal_diffusion_drives_hydrogen_to_where_it_is_hot() {
        let model = air_hydrogen_model();
        let state = state(900.0, 2e5, &[0.3, 0.0, 0.1, 0.6]);
        let level = Gradients { mole_fractions: vec![0.0; 4], temperature: Some(1e4) };
        let found = fluxes(&model, &state, &level, 1e-20);
        assert!(found.mass[0].value > 0.0 && found.mass[3].value < 0.0);
        // Hydrogen carries the most enthalpy per mass.
        assert!(found.enthalpy.value > 0.0);
    }
}
