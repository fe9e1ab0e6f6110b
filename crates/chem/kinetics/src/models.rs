//! Inputs of the evaluators: a mechanism with its transport fits, and a state.

use crate::approximation::tucker::Found;
use diagnostics::Diagnostic;
use mechanism::{Mechanism, Species, SpeciesIndex};

/// A mechanism with its transport fits: all that kernels are made from.
#[derive(Debug, Clone)]
pub struct Model {
    /// Its quasi-steady species come last: states, fits and arrays are of the species before them.
    pub mechanism: Mechanism,
    /// Fits of the transported species. Absent when the mechanism has no transport data.
    pub transport: Option<TransportFits>,
    /// Warnings for states that verification leaves out because a rate constant is not finite there; one for each reaction.
    pub left_out: Vec<Diagnostic>,
    /// Approximations that were found before, for candidates and layouts that ask again.
    pub found: Found,
}

impl Model {
    /// The transported species, in the order of every array by species.
    pub fn species(&self) -> &[Species] {
        let all = &self.mechanism.species;
        &all[..all.len() - self.mechanism.quasi_steady().len()]
    }

    /// Lewis numbers by transported species; absent where diffusion is mixture-averaged.
    pub fn lewis_numbers(&self) -> Option<Vec<f64>> {
        self.mechanism.diffusion.lewis_numbers(self.species().len())
    }
}

/// Cubic fits of ln(property) in ln T, coefficients ascending (TRANFIT, SAND86-8246).
#[derive(Debug, Clone, PartialEq)]
pub struct TransportFits {
    /// K; the range of the fits.
    pub t_min: f64,
    pub t_max: f64,
    /// ln of viscosity in Pa s, by species.
    pub viscosity: Vec<[f64; 4]>,
    /// ln of conductivity in W/m/K, by species.
    pub conductivity: Vec<[f64; 4]>,
    /// ln of P D_ij in Pa m2/s; upper triangle i <= j, row-major, K(K+1)/2.
    pub diffusion: Vec<[f64; 4]>,
    /// Factors of thermal diffusion for light species, in the order of the species.
    pub thermal_diffusion: Vec<LightSpecies>,
}

/// One physical state.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// K
    pub temperature: f64,
    /// Pa
    pub pressure: f64,
    /// Mole fractions, by transported species.
    pub mole_fractions: Vec<f64>,
}

/// A light species' factors with all others.
#[derive(Debug, Clone, PartialEq)]
pub struct LightSpecies {
    pub species: SpeciesIndex,
    /// Cubics in T (K), coefficients ascending, by partner; zero for the species itself.
    pub factors: Vec<[f64; 4]>,
}
