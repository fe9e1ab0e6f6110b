//! What is proven of single precision.

use std::fmt;

use super::accuracy::rounded_up;
use crate::graph::single::{Plan, together};
use serde::Serialize;

/// Relative errors at most.
#[derive(Debug, Clone, Serialize)]
pub struct Single {
    /// Of the arithmetic, with the rounding of inputs and constants.
    pub bound: f64,
    /// With the error of the form.
    pub total: f64,
    /// K: where that is so.
    pub temperatures: [f64; 2],
    /// Pa
    pub pressures: [f64; 2],
    /// And for mole fractions that are not negative, with sums between these.
    pub sums: [f64; 2],
}

impl Single {
    pub fn of(plan: &Plan, form: f64) -> Self {
        let range = plan.domain.temperatures;
        let temperatures = [range.coldest, range.hottest];
        Self {
            bound: plan.bound,
            total: together(plan.bound, form),
            temperatures,
            pressures: plan.domain.pressures,
            sums: plan.domain.sums,
        }
    }
}

impl fmt::Display for Single {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([coldest, hottest], [lowest, highest], [least, most]) = (self.temperatures, self.pressures, self.sums);
        write!(
            f,
            "single, proven to err by at most {} ({} with the form) from {coldest} to {hottest} K and {lowest:e} to {highest:e} Pa, for mole fractions that are not negative \
             and whose sum is {least} to {most}",
            rounded_up(self.bound),
            rounded_up(self.total)
        )
    }
}
