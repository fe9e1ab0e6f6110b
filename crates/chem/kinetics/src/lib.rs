//! The f64 reference ("oracle"): thermodynamics, rates, transport fits and mixture rules. SI units with kmol.
//!
//! [`model`] turns a checked mechanism into a [`Model`]; the evaluators take a model and a [`State`]. [`approximation`] has cheaper
//! functions with proven bounds of their errors, [`linear_algebra`] what they and the fits are made with.
//!
//! ```
//! use kinetics::{State, model, production, viscosity};
//! use mechanism::{Files, read};
//!
//! let files = Files { mechanism: "../../../mechanisms/h2o2/chem.inp".into(), ..Files::default() };
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
use mechanism::{Mechanism, Species};

/// A mechanism with its transport fits, which are computed here once. A mechanism of which no species has transport data
/// gives a model for chemistry alone.
///
/// # Errors
/// As [`fits::fit`]: species without usable transport data beside species with them, or no common temperature range.
/// Besides, rate constants that are not finite.
pub fn model(mechanism: Mechanism) -> Result<Model, Vec<Diagnostic>> {
    model_with(mechanism, false, &|_, _| {})
}

/// [`model`] that tells how far the fits are. Where it is `permissive`, a rate constant that is finite somewhere is no error.
///
/// # Errors
/// As [`model`].
pub fn model_with(
    mechanism: Mechanism,
    permissive: bool,
    progress: fits::Progress<'_>,
) -> Result<Model, Vec<Diagnostic>> {
    let mechanism = mechanism.quasi_steady_last();
    let fits = transported(&mechanism).map(|species| fits::fit(species, &mechanism.species, progress)).transpose();
    let (left_out, transport) = both(overflow::check(&mechanism, permissive), fits)?;
    Ok(Model { mechanism, transport, left_out, found: Default::default() })
}

/// Whether there is a [`model`], without the fits of all pairs of species, whose number grows as the square of the species'. The answer
/// are the warnings.
///
/// # Errors
/// As [`model`].
pub fn check(mechanism: Mechanism, permissive: bool) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let mechanism = mechanism.quasi_steady_last();
    let fits = transported(&mechanism).map(|species| fits::check(species, &mechanism.species)).transpose();
    both(overflow::check(&mechanism, permissive), fits).map(|(left_out, _)| left_out)
}

/// The species before the quasi-steady ones, where any has transport data.
fn transported(mechanism: &Mechanism) -> Option<&[Species]> {
    let species = &mechanism.species[..mechanism.species.len() - mechanism.quasi_steady().len()];
    species.iter().any(|s| s.transport.is_some()).then_some(species)
}

/// Two results, or the errors of both.
fn both<A, B>(a: Result<A, Vec<Diagnostic>>, b: Result<B, Vec<Diagnostic>>) -> Result<(A, B), Vec<Diagnostic>> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (a, b) => Err(a.err().into_iter().chain(b.err()).flatten().collect()),
    }
}
