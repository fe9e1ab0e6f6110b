//! Known error of single precision.

use std::fmt;

use super::accuracy::{allowed, rounded_up};
use graph::single::together;
use schedule::single::Claim;
use serde::Serialize;

/// Relative errors at most; of rates, relative to the gross ones.
#[derive(Debug, Clone, Serialize)]
pub struct Single {
    /// Whether the bound holds in any state of the ranges below; else only in those states that were tried.
    pub proven: bool,
    /// Bound on the error of the arithmetic, with the rounding of constants and, where arrays hold doubles, of inputs.
    pub bound: f64,
    /// Bound with the error of the form.
    pub total: f64,
    #[serde(flatten)]
    pub ranges: Option<Ranges>,
    /// Whether arrays hold singles, of whose exact results the error is: nothing is rounded when they are read.
    pub reads_singles: bool,
    /// Operations of a point in mixed precision: those on singles, and those on pairs of singles.
    pub operations: Option<[usize; 2]>,
}

/// Ranges in which a bound is proven.
#[derive(Debug, Clone, Serialize)]
pub struct Ranges {
    /// K
    pub temperatures: [f64; 2],
    /// Pa
    pub pressures: [f64; 2],
    /// And for mole fractions that are not negative, with sums between these.
    pub sums: [f64; 2],
}

impl Single {
    pub fn new(claim: &Claim, form: f64) -> Self {
        let bound = claim.bound();
        let (proven, total, ranges, reads_singles, operations) = match claim {
            Claim::Proven(plan) => {
                let range = plan.domain.temperatures;
                let temperatures = [range.coldest, range.hottest];
                let ranges = Ranges { temperatures, pressures: plan.domain.pressures, sums: plan.domain.sums };
                let [singles, pairs, _] = plan.counts;
                (
                    true,
                    together(bound, form),
                    Some(ranges),
                    plan.domain.reads_singles,
                    (pairs > 0).then_some([singles, pairs]),
                )
            }
            Claim::Measured { limit } => (false, *limit, None, false, None),
        };
        Self { proven, bound, total, ranges, reads_singles, operations }
    }
}

impl fmt::Display for Single {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Ranges { temperatures, pressures, sums }) = &self.ranges else {
            return write!(f, "single; its error is measured, not proven (allowed: {})", allowed(self.bound));
        };
        let ([coldest, hottest], [lowest, highest], [least, most]) = (temperatures, pressures, sums);
        let arithmetic = self.operations.map_or("single".to_owned(), |[singles, pairs]| {
            format!("mixed ({singles} operations are singles, {pairs} pairs of singles, none is in double precision)")
        });
        write!(
            f,
            "{arithmetic}, proven to err by at most {} ({} with the form) from {coldest} to {hottest} K and {lowest:e} to {highest:e} Pa, for mole fractions that are not negative \
             and whose sum is {least} to {most}{}; elsewhere nothing is claimed, and results may be NaN",
            rounded_up(self.bound),
            rounded_up(self.total),
            if self.reads_singles { ", beside exact results of the numbers that the arrays hold" } else { "" }
        )
    }
}
