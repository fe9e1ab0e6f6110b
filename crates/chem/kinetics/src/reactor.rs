//! How composition and temperature of a closed homogeneous ideal gas change by its chemistry (Kee, Coltrin & Glarborg, Chemically
//! Reacting Flow, chapter 16).

use super::constants::GAS_CONSTANT;
use super::thermo::{concentrations, cp_r, h_rt};
use super::{Model, Production, State};

/// Quantity that stays constant besides the mass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Constant {
    Pressure,
    Volume,
}

/// Rates of change, and what they must be compared with: the same of gross production rates, term by term.
#[derive(Debug, Clone, PartialEq)]
pub struct Tendency {
    /// dY_k/dt in 1/s, by species.
    pub mass_fractions: Vec<f64>,
    pub gross_mass_fractions: Vec<f64>,
    /// dT/dt in K/s
    pub temperature: f64,
    pub gross_temperature: f64,
}

/// W_k wdot_k / rho, and -sum h_k wdot_k / (rho cp) at constant pressure or -sum u_k wdot_k / (rho cv) at constant volume, of these
/// production rates (kmol/m3/s, of all species that are transported). Negative mole fractions count as zero.
pub fn tendency(model: &Model, state: &State, production: &Production, constant: Constant) -> Tendency {
    let (t, species) = (state.temperature, model.species());
    let c = concentrations(state);
    let density: f64 = species.iter().zip(&c).map(|(s, c)| s.weight * c).sum();
    // u = h - RT and cv = cp - R
    let work = if constant == Constant::Volume { 1.0 } else { 0.0 };
    let capacity: f64 = species.iter().zip(&c).map(|(s, c)| c * GAS_CONSTANT * (cp_r(&s.thermo, t) - work)).sum();
    let energies: Vec<f64> = species.iter().map(|s| GAS_CONSTANT * t * (h_rt(&s.thermo, t) - work)).collect();
    let of_mass = |rates: &[f64]| species.iter().zip(rates).map(|(s, w)| s.weight * w / density).collect();
    let heat = |rates: &[f64], energy: fn(f64) -> f64| -> f64 {
        energies.iter().zip(rates).map(|(&e, w)| energy(e) * w).sum::<f64>() / capacity
    };
    Tendency {
        mass_fractions: of_mass(&production.net),
        gross_mass_fractions: of_mass(&production.gross),
        temperature: -heat(&production.net, |e| e),
        gross_temperature: heat(&production.gross, f64::abs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::air_hydrogen_model;
    use crate::production::production;
    use crate::states::verification_states;

    /// Mass is conserved, and a step along the tendency leaves enthalpy (at constant pressure) or energy (at constant volume) as it was.
    #[test]
    fn mass_and_energy_are_conserved() {
        let model = air_hydrogen_model();
        for state in verification_states(&model, 30) {
            let production = production(&model, &state);
            for constant in [Constant::Pressure, Constant::Volume] {
                let all = tendency(&model, &state, &production, constant);
                let [net, gross] = [&all.mass_fractions, &all.gross_mass_fractions].map(|m| m.iter().sum::<f64>());
                assert!(net.abs() <= 1e-13 * gross, "{net} of {gross}");
                let (change, scale) = energy_change(&model, &state, &all, constant);
                assert!(change.abs() <= 1e-12 * scale, "{constant:?}: {change} of {scale}");
            }
        }
    }

    /// d/dt of the specific enthalpy or energy by the chain rule, with the sum of the sizes of its terms.
    fn energy_change(model: &Model, state: &State, all: &Tendency, constant: Constant) -> (f64, f64) {
        let (t, work) = (state.temperature, if constant == Constant::Volume { 1.0 } else { 0.0 });
        let mass: f64 = model.species().iter().zip(&state.mole_fractions).map(|(s, x)| s.weight * x).sum();
        let (mut change, mut scale) = (0.0, 0.0);
        for (k, s) in model.species().iter().enumerate() {
            let energy = GAS_CONSTANT * t * (h_rt(&s.thermo, t) - work) / s.weight;
            let capacity = GAS_CONSTANT * (cp_r(&s.thermo, t) - work) / s.weight;
            let fraction = state.mole_fractions[k] * s.weight / mass;
            change += energy * all.mass_fractions[k] + fraction * capacity * all.temperature;
            scale += (energy * all.gross_mass_fractions[k]).abs();
        }
        (change, scale + 1e-300)
    }
}
