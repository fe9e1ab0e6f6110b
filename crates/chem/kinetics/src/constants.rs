//! Physical constants: CODATA 2018 (Tiesinga, Mohr, Newell, Taylor, Rev. Mod. Phys. 93 (2021) 025010).

/// J/K
pub const BOLTZMANN: f64 = 1.380649e-23;
/// 1/kmol
pub const AVOGADRO: f64 = 6.02214076e26;
/// J/kmol/K
pub const GAS_CONSTANT: f64 = 8314.46261815324;
/// Pa; also the reference pressure of the NASA polynomials.
pub const ATMOSPHERE: f64 = 101325.0;
/// F/m
pub const VACUUM_PERMITTIVITY: f64 = 8.854187812773345e-12;
/// C m
pub const DEBYE: f64 = 1e-21 / 299792458.0;
/// m
pub const ANGSTROM: f64 = 1e-10;
