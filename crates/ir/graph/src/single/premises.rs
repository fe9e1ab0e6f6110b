//! Premises of a bound of single precision, and reasons why there may be none.

use super::double_float::{self, Powers};
use super::kinds::Kind;
use kinetics::approximation::range::TemperatureRange;

/// Largest relative error of one operation whose result is a normal number.
#[derive(Debug, Clone, Copy)]
pub struct Rounding {
    pub unit: f64,
    pub power: f64,
    pub logarithm: f64,
}

impl Rounding {
    /// Errors of operations in double precision, for plans that have some. `tests/` go through functions on doubles in steps.
    pub const DOUBLE: Self =
        Self { unit: f64::EPSILON / 2.0, power: 2.0 * f64::EPSILON, logarithm: 2.0 * f64::EPSILON };

    /// Errors of [`double_float`](super::double_float), which derives them; those of its sums are relative to each term.
    pub const PAIR: Self =
        Self { unit: double_float::UNIT, power: double_float::FUNCTIONS, logarithm: double_float::FUNCTIONS };

    /// The same with long powers.
    pub const LONG_PAIR: Self =
        Self { power: double_float::LONG_FUNCTIONS, logarithm: double_float::LONG_LOGARITHMS, ..Self::PAIR };

    /// Half a unit in the last place of 24 digits; twice that for [`elementary`](super::elementary), as `crates/warps/schedule/tests/precision.rs` tests.
    pub const SINGLE: Self = Self { unit: 1.0 / 16_777_216.0, power: 1.0 / 8_388_608.0, logarithm: 1.0 / 8_388_608.0 };
}

/// Errors of the operations of each arithmetic.
#[derive(Debug, Clone, Copy)]
pub struct Roundings {
    pub single: Rounding,
    pub pair: Rounding,
    pub double: Rounding,
}

impl Roundings {
    pub const ALL: Self = Self { single: Rounding::SINGLE, pair: Rounding::PAIR, double: Rounding::DOUBLE };

    /// Those of pairs with powers of so many digits.
    pub fn with(powers: Powers) -> Self {
        let pair = match powers {
            Powers::Short => Rounding::PAIR,
            Powers::Long => Rounding::LONG_PAIR,
        };
        Self { pair, ..Self::ALL }
    }

    pub fn get(&self, kind: Kind) -> &Rounding {
        match kind {
            Kind::Single => &self.single,
            Kind::Pair => &self.pair,
            Kind::Double => &self.double,
        }
    }
}

/// The points for which a bound holds: mole fractions are not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Domain {
    pub temperatures: TemperatureRange,
    /// The lowest and the highest pressure, in Pa.
    pub pressures: [f64; 2],
    /// Cells of the proof, equal in ln T.
    pub cells: usize,
    pub species: usize,
    /// The least and the largest sum of the mole fractions.
    pub sums: [f64; 2],
    /// Least mole fraction in diffusion; smaller ones count as this.
    pub floor: f64,
    /// Whether arrays hold singles: reads then round nothing, and writes take the first number of a pair.
    pub reads_singles: bool,
}

impl Domain {
    pub fn new(species: usize, temperatures: TemperatureRange, cells: usize, floor: f64) -> Self {
        Self { temperatures, pressures: [1.0, 1e9], cells, species, sums: [0.99, 1.01], floor, reads_singles: false }
    }

    /// The largest sum of the mole fractions, or of those with the floor.
    pub fn most(&self, is_clamped: bool) -> f64 {
        self.sums[1] + if is_clamped { self.species as f64 * self.floor } else { 0.0 }
    }
}

/// Why there is no bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unproven {
    /// An operation that the analysis has no rule for.
    Operation(String),
    /// A comparison that errors may turn.
    Comparison,
    /// A result, or the argument of a function, may be beyond what single precision or the function takes.
    Range,
    /// A difference may lose all of its digits.
    Cancellation,
    /// The checker found a line that does not follow.
    Refused(String),
}
