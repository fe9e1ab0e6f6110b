//! The scalars of a point, which the beginning of a kernel computes once for all operations.

use graph::body::{Body, Id};

pub const TEMPERATURE: u32 = 0;
pub const LN_TEMPERATURE: u32 = 1;
/// 1/T
pub const INVERSE_TEMPERATURE: u32 = 2;
/// P/(R T) in kmol/m3
pub const CONCENTRATION: u32 = 3;
/// ln(P0/(R T)), P0 = 1 atm, concentration in kmol/m3
pub const LN_STANDARD_CONCENTRATION: u32 = 4;
/// P_atm/P
pub const PRESSURE_RATIO: u32 = 5;
/// T^(-1/3), for Landau-Teller rates
pub const CUBE_ROOT: u32 = 6;
/// ln(P/Pa), for rates that are tabulated over the pressure
pub const LN_PRESSURE: u32 = 7;
/// ln T scaled to -1 and 1 at the ends of the fits' range
pub const SCALED_LN_TEMPERATURE: u32 = 8;
/// The square of `CONCENTRATION`, which must stand before it
pub const SQUARED_CONCENTRATION: u32 = 9;

const NAMES: [&str; 10] = [
    "temperature", "ln_t", "inverse_t", "concentration", "ln_standard", "pressure_ratio", "cube_root", "ln_p",
    "scaled_ln_t", "squared_concentration",
];

/// Returns a graph's name of the scalar.
pub fn name(scalar: u32) -> &'static str {
    NAMES[scalar as usize]
}

/// The scalar that a graph calls so.
pub fn of_name(name: &str) -> u32 {
    NAMES.iter().position(|known| *known == name).expect("graphs name scalars by this list") as u32
}

/// Whether a scalar, or a value in its place, is made of the temperature alone: it is not a number where that is none.
pub fn is_of_temperature(name: &str) -> bool {
    let of_temperature = [TEMPERATURE, LN_TEMPERATURE, INVERSE_TEMPERATURE, CUBE_ROOT, SCALED_LN_TEMPERATURE];
    of_temperature.iter().any(|&scalar| NAMES[scalar as usize] == name)
}

/// 0 where the point's temperature has a logarithm, else not a number. To be added to what temperature only reaches through
/// powers: e^x of what is not a number is 0 or infinity.
pub fn zero_or_nan(b: &mut Body, scalars: &[u32]) -> Id {
    let ln_t = scalar_of(b, scalars, LN_TEMPERATURE);
    b.sub(ln_t, ln_t)
}

/// The position of a scalar among those that the kernel asked for.
pub fn scalar_of(body: &mut Body, scalars: &[u32], which: u32) -> Id {
    let k = scalars.iter().position(|&s| s == which).expect("the builder lists every scalar that it uses");
    body.scalar(k as u32)
}

/// The scalars that every chemistry kernel computes, in this order.
pub const SCALARS: [u32; 5] =
    [TEMPERATURE, LN_TEMPERATURE, INVERSE_TEMPERATURE, CONCENTRATION, LN_STANDARD_CONCENTRATION];
