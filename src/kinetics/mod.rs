//! The f64 reference ("oracle"): thermodynamics, rates, transport fits and mixture rules. SI units with kmol.

pub mod constants;

use crate::mechanism::Mechanism;

/// A mechanism with its transport fits: all that kernels are made from.
#[derive(Debug, Clone)]
pub struct Model {
    pub mechanism: Mechanism,
    /// Absent when the mechanism has no transport data.
    pub transport: Option<TransportFits>,
}

/// Cubic fits of ln(property) in ln T, coefficients ascending (spec section 4.2).
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
}

/// One physical state.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// K
    pub temperature: f64,
    /// Pa
    pub pressure: f64,
    /// Mole fractions, by species.
    pub mole_fractions: Vec<f64>,
}
