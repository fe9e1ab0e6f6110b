//! The f64 reference ("oracle"): thermodynamics, rates, transport fits and mixture rules. SI units with kmol.
//!
//! [`model`] turns a checked mechanism into a [`Model`]; the evaluators take a model and a [`State`]. [`approximation`] has cheaper
//! functions with proven bounds of their errors, [`linear_algebra`] what they and the fits are made with.
//!
//! ```
//! use kinetics::{State, model, production, viscosity};
//! use mechanism::{Files, read};
//!
//! let files = Files { mechanism: "../../mechanisms/h2o2/chem.inp".into(), ..Files::default() };
//! let model = model(read(&files).expect("a mechanism without errors").0).expect("usable transport data");
//! let of = |name: &str| model.species().iter().position(|species| species.name == name).expect("it is there");
//! let mut mole_fractions = vec![0.0; model.species().len()];
//! mole_fractions[of("H2")] = 0.5;
//! mole_fractions[of("O2")] = 0.5;
//! let state = State { temperature: 1500.0, pressure: 101_325.0, mole_fractions };
//! // Hydrogen burns, and the gas is about as viscous as hot air.
//! assert!(production(&model, &state).net[of("H2")] < 0.0);
//! assert!((3e-5..8e-5).contains(&viscosity(&model, &state)));
//! ```
#![forbid(unsafe_code)]

pub mod approximation;
mod burke;
pub mod collision;
pub mod collision_tables;
pub mod constants;
mod cubic;
pub mod expressions;
pub mod falloff;
pub mod fits;
pub mod flux;
pub mod integrator;
pub mod inverse;
pub mod jacobian;
pub mod linear_algebra;
pub mod mixture;
mod models;
pub mod number;
mod overflow;
mod pairs;
pub mod production;
pub mod progress;
pub mod properties;
pub mod qssa;
pub mod random;
pub mod rates;
pub mod reactor;
pub mod states;
pub mod stiffness;
pub mod thermal_diffusion;
pub mod thermo;
pub mod transport;

#[cfg(test)]
mod fixtures;

pub use mixture::{binary_diffusion, conductivity, diffusion, species_conductivity, species_viscosity, viscosity};
pub use models::{Model, State, TransportFits};
pub use production::{Production, production, production_of};
pub use qssa::{QuasiSteady, quasi_steady};
pub use rates::{Rates, rates, rates_at};
pub use states::{enough_states, surroundings, verification_states, verification_states_within};
pub use stiffness::{Reduced, Stiffness, Surroundings, reduced};
pub use thermo::{Thermo, concentrations, density, thermo};

use diagnostics::Diagnostic;
use mechanism::Mechanism;

/// A mechanism with its transport fits, which are computed here once. A mechanism of which no species has transport data
/// gives a model for chemistry alone.
///
/// # Errors
/// As [`fits::fit`]: species without usable transport data beside species with them, or no common temperature range.
/// Besides, rate constants that are not finite.
pub fn model(mechanism: Mechanism) -> Result<Model, Vec<Diagnostic>> {
    model_with(mechanism, &|_, _| {})
}

/// [`model`] that tells how far the fits are.
///
/// # Errors
/// As [`model`].
pub fn model_with(mechanism: Mechanism, progress: fits::Progress<'_>) -> Result<Model, Vec<Diagnostic>> {
    let mechanism = mechanism.quasi_steady_last();
    let transported = &mechanism.species[..mechanism.species.len() - mechanism.quasi_steady().len()];
    let described = transported.iter().any(|s| s.transport.is_some());
    let mut errors = overflow::check(&mechanism);
    let transport = described.then(|| fits::fit(transported, &mechanism.species, progress)).transpose();
    match transport {
        Ok(transport) if errors.is_empty() => Ok(Model { mechanism, transport, found: Default::default() }),
        transport => {
            errors.extend(transport.err().into_iter().flatten());
            Err(errors)
        }
    }
}
