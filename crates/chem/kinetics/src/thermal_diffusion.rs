//! Thermal diffusion (Soret effect) of light species by the rules of TRANFIT and TRANLIB: Kee, Dixon-Lewis, Warnatz, Coltrin, Miller,
//! SAND86-8246 (1986); Kee, Coltrin & Glarborg, Chemically Reacting Flow (2003), chapter 12.

use super::constants::BOLTZMANN;
use super::cubic::cubic;
use super::properties::Judged;
use super::transport::{Molecule, pair};
use super::{Model, State};
pub use crate::models::LightSpecies;

/// kg/kmol. Heavier species have a ratio of zero.
pub const HEAVIEST: f64 = 5.0;

/// The collision ratios A*, B* and C* of nonpolar molecules: polynomials in ln T*, coefficients ascending.
const RATIOS: [[f64; 7]; 3] = [
    [1.106910525, -7.065517161e-3, -1.671975393e-2, 1.188708609e-2, 7.569367323e-4, -1.313998345e-3, 1.720853282e-4],
    [1.199673577, -1.140928763e-1, -2.147636665e-3, 2.512965407e-2, -3.030372973e-3, -1.445009039e-3, 2.492954809e-4],
    [8.386993788e-1, 4.748325276e-2, 3.250097527e-2, -1.625859588e-2, -2.260153363e-3, 1.844922811e-3, -2.115417788e-4],
];

/// The factor theta_kj of a light species k beside j at a temperature, by kinetic theory: positive where j is heavier.
pub fn factor(k: &Molecule, j: &Molecule, t: f64) -> f64 {
    let ln_t_star = (BOLTZMANN * t / pair(k, j).well_depth).ln();
    let [a, b, c] = RATIOS.map(|ratio| ratio.iter().rev().fold(0.0, |sum, c| sum * ln_t_star + c));
    7.5 * (j.weight - k.weight) / (j.weight + k.weight) * (2.0 * a + 5.0) * (6.0 * c - 5.0)
        / (a * (16.0 * a - 12.0 * b + 55.0))
}

/// Thermal diffusion ratios of the mixture, by species: X_k sum_{j != k} theta_kj X_j for light species, else 0. Where they are
/// positive, thermal diffusion drives the species to where it is hot. Negative mole fractions count as zero.
///
/// # Panics
/// If the model has no transport data.
pub fn ratios(model: &Model, state: &State) -> Vec<Judged> {
    let fits = model.transport.as_ref().expect("thermal diffusion is asked only of a model with transport data");
    let x: Vec<f64> = state.mole_fractions.iter().map(|x| x.max(0.0)).collect();
    let t = state.temperature;
    let mut ratios = vec![Judged { value: 0.0, scale: 0.0 }; x.len()];
    for LightSpecies { species, factors } in &fits.thermal_diffusion {
        let sum = |of: &dyn Fn(&[f64; 4]) -> f64| x.iter().zip(factors).map(|(x, c)| x * of(c)).sum::<f64>();
        let sizes = |c: &[f64; 4]| cubic(&c.map(f64::abs), t);
        ratios[*species] = Judged { value: x[*species] * sum(&|c| cubic(c, t)), scale: x[*species] * sum(&sizes) };
    }
    ratios
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision_tables::{A_STAR, T_STAR};
    use crate::fixtures::{air_hydrogen, air_hydrogen_model, state};
    use approx::assert_relative_eq;

    fn molecule(k: usize) -> Molecule {
        let species = &air_hydrogen().species[k];
        Molecule::new(species.weight, species.transport.as_ref().expect("fixture has transport"))
    }

    /// B* = (5 Omega(1,2)* - 4 Omega(1,3)*) / Omega(1,1)* of nonpolar molecules, by Monchick and Mason.
    #[rustfmt::skip]
    const B_STAR: [f64; 37] = [
        1.196, 1.2451, 1.29, 1.2986, 1.2865, 1.2665, 1.2455, 1.2253, 1.2078, 1.1919,
        1.1678, 1.1496, 1.1366, 1.127, 1.1197, 1.108, 1.1016, 1.098, 1.0958, 1.0935,
        1.0925, 1.0922, 1.0922, 1.0923, 1.0923, 1.0927, 1.093, 1.0933, 1.0937, 1.0939,
        1.0943, 1.0944, 1.0944, 1.0943, 1.0941, 1.0947, 1.0957,
    ];

    /// C* = Omega(1,2)* / Omega(1,1)*, as B*.
    #[rustfmt::skip]
    const C_STAR: [f64; 37] = [
        0.88575, 0.87268, 0.85182, 0.83542, 0.82629, 0.82299, 0.82357, 0.82657, 0.8311, 0.8363,
        0.84762, 0.85846, 0.8684, 0.87713, 0.88479, 0.89972, 0.91028, 0.91793, 0.92371, 0.93135,
        0.93607, 0.93927, 0.94149, 0.94306, 0.94419, 0.94571, 0.94662, 0.94723, 0.94764, 0.9479,
        0.94827, 0.94842, 0.94852, 0.94861, 0.94872, 0.94881, 0.94863,
    ];

    #[test]
    fn the_polynomials_pass_close_to_the_tables() {
        for (row, &t_star) in T_STAR.iter().enumerate().filter(|(_, t)| (0.5..=50.0).contains(*t)) {
            for (ratio, expected) in RATIOS.iter().zip([A_STAR[row][0], B_STAR[row], C_STAR[row]]) {
                let found = ratio.iter().rev().fold(0.0, |sum, c| sum * t_star.ln() + c);
                assert_relative_eq!(found, expected, max_relative = 2e-2);
            }
        }
    }

    /// Measured thermal diffusion factors of hydrogen in nitrogen are about 0.3 to 0.4.
    #[test]
    fn hydrogen_in_nitrogen_goes_where_it_is_hot() {
        let (hydrogen, nitrogen) = (molecule(0), molecule(3));
        let found = factor(&hydrogen, &nitrogen, 300.0);
        assert!((0.25..0.45).contains(&found), "{found}");
        assert_relative_eq!(factor(&nitrogen, &hydrogen, 300.0), -found, max_relative = 1e-14);
        assert_eq!(factor(&hydrogen, &hydrogen, 300.0), 0.0);
    }

    /// A cubic in T is poorest at the cold end of the range.
    #[test]
    fn the_fits_are_close_to_kinetic_theory_and_heavy_species_have_none() {
        let model = air_hydrogen_model();
        let light = &model.transport.as_ref().expect("fixture has transport").thermal_diffusion;
        assert_eq!(light.iter().map(|light| light.species).collect::<Vec<_>>(), [0]);
        for j in 1..4 {
            for t in [300.0, 1000.0, 3000.0] {
                let found = cubic(&light[0].factors[j], t);
                assert_relative_eq!(found, factor(&molecule(0), &molecule(j), t), max_relative = 0.1, epsilon = 0.05);
            }
        }
        let found = ratios(&model, &state(1000.0, 1e5, &[0.25, 0.0, 0.0, 0.75]));
        assert_relative_eq!(found[0].value, 0.1875 * cubic(&light[0].factors[3], 1000.0), max_relative = 1e-14);
        assert!(found[1..].iter().all(|ratio| ratio.value == 0.0));
    }
}
