//! Values as sums over the species: a number and, for each mole fraction, a factor, both of which depend on the point.
//!
//! Let v = c_0 + sum c_j x_j be the exact value; in single precision it is (c_0 + d_0) + sum (c_j + d_j) x_j. [`Known`] bounds c_j and d_j. So
//! sums of products with constants of either sign, as thin factors of matrices have them, are known to be positive where all of their factors
//! are, and their relative error is the largest of any factor.
//!
//! The x_j are mole fractions, and mole fractions with a floor, which are never smaller than that: a sum over a few of these is never 0.

use super::super::dataflow::StepRef;
use super::double_float::{LEAST, LOOSE, LOST};
use super::known::Known;
use super::premises::{Domain, Unproven};

/// Results below the normal numbers err by less than this, whether they are kept or taken for 0.
const UNDERFLOW: f64 = 2.0 * f32::MIN_POSITIVE as f64;

/// Claims of one cell: of the preamble's instructions (`None`) and of each step's, in the order in which they run.
pub type Claims = Vec<(Option<StepRef>, Vec<Form>)>;

/// Mole fraction that a factor belongs to, by species.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variable {
    Fraction(u32),
    /// The larger one of a mole fraction and the domain's floor.
    Clamped(u32),
}

impl Variable {
    pub fn is_clamped(self) -> bool {
        matches!(self, Self::Clamped(_))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    pub constant: Known,
    /// In ascending order.
    pub terms: Vec<(Variable, Known)>,
}

impl Form {
    pub fn constant(constant: Known) -> Self {
        Self { constant, terms: Vec::new() }
    }

    /// The mole fraction of a species, rounded.
    pub fn fraction(species: u32, unit: f64) -> Self {
        let rounded = Known::new([1.0], unit, unit);
        Self {
            constant: Known::new([0.0], UNDERFLOW, f64::INFINITY),
            terms: vec![(Variable::Fraction(species), rounded)],
        }
    }

    /// That mole fraction, or the floor where it is less: either is rounded by at most `unit`, and what underflows is small beside the floor.
    pub fn clamped(species: u32, unit: f64, floor: f64) -> Self {
        let relative = unit + UNDERFLOW / floor;
        let rounded = Known::new([1.0], relative, relative);
        Self { constant: Known::ZERO, terms: vec![(Variable::Clamped(species), rounded)] }
    }

    pub fn is_exactly_zero(&self) -> bool {
        self.constant == Known::ZERO && self.terms.is_empty()
    }

    pub fn negative(&self) -> Self {
        self.mapped(Known::negative)
    }

    fn mapped(&self, f: impl Fn(Known) -> Known) -> Self {
        let terms = self.terms.iter().map(|&(species, factor)| (species, f(factor))).collect();
        Self { constant: f(self.constant), terms }
    }

    /// The exact sum of values that may have errors.
    pub fn plus(&self, other: &Self) -> Self {
        let (mut left, mut right) = (self.terms.iter().copied().peekable(), other.terms.iter().copied().peekable());
        let mut terms = Vec::with_capacity(self.terms.len().max(other.terms.len()));
        loop {
            let next = match (left.peek().copied(), right.peek().copied()) {
                (None, None) => break,
                (Some((i, a)), Some((j, b))) if i == j => {
                    right.next();
                    left.next();
                    (i, a.plus(b))
                }
                (Some((i, a)), other) if other.is_none_or(|(j, _)| i < j) => {
                    left.next();
                    (i, a)
                }
                (_, Some(term)) => {
                    right.next();
                    term
                }
                (Some(term), None) => {
                    left.next();
                    term
                }
            };
            terms.push(next);
        }
        Self { constant: self.constant.plus(other.constant), terms }
    }

    /// The exact product of values that may have errors. If both are sums, the one with more terms is taken as a number.
    pub fn times(&self, other: &Self, domain: &Domain) -> Self {
        let (sum, number) = if self.terms.len() <= other.terms.len() { (self, other) } else { (other, self) };
        let (sum, number) =
            if sum.terms.is_empty() && !number.terms.is_empty() { (number, sum) } else { (sum, number) };
        let factor = number.number(domain);
        sum.mapped(|c| c.times(factor))
    }

    /// The value as a number, wherever the mole fractions of the domain are.
    pub fn number(&self, domain: &Domain) -> Known {
        if self.terms.is_empty() {
            return self.constant;
        }
        let fold = |of: fn(&Known) -> f64, pick: fn(f64, f64) -> f64| {
            self.terms.iter().map(|(_, c)| of(c)).reduce(pick).unwrap_or(0.0)
        };
        let [fractions, clamped] = self.ranges(domain);
        let range = Known::new([fractions[0] + clamped[0], fractions[1] + clamped[1]], 0.0, 0.0);
        let c = self.constant;
        let (least, most) = (fold(|c| c.least, f64::min), fold(|c| c.most, f64::max));
        let is_one_sided = least >= 0.0 && c.least >= 0.0 || most <= 0.0 && c.most <= 0.0;
        let of_terms = if is_one_sided { fold(|c| c.relative, f64::max) } else { f64::INFINITY };
        // A constant that is 0 but has an error errs in relation to all the rest.
        let of_constant = if c.is_zero() { c.absolute / range.nearest() } else { c.relative };
        let relative = match c.is_zero() {
            true if c.absolute == 0.0 => of_terms,
            true => of_terms + of_constant,
            false => of_terms.max(of_constant),
        };
        let of_kind = |is_clamped: bool| {
            let of_kind = self.terms.iter().filter(move |(variable, _)| variable.is_clamped() == is_clamped);
            domain.most(is_clamped) * of_kind.map(|(_, c)| c.absolute).fold(0.0, f64::max)
        };
        let absolute = c.absolute + of_kind(false) + of_kind(true);
        Known::new([range.least + c.least, range.most + c.most], absolute, relative)
    }

    /// The least and the largest quotient of two sums over the same fractions, all of whose factors are positive: it is a mean of the quotients of their factors.
    pub fn quotients(&self, divisor: &Self) -> Option<[f64; 2]> {
        let are_alike =
            self.constant.is_zero() && divisor.constant.is_zero() && self.terms.len() == divisor.terms.len();
        let mut ends = [f64::INFINITY, 0.0f64];
        for ((variable, a), (other, b)) in self.terms.iter().zip(&divisor.terms) {
            if variable != other || a.least < 0.0 || b.least <= 0.0 {
                return None;
            }
            ends = [ends[0].min(a.least / b.most), ends[1].max(a.most / b.least)];
        }
        (are_alike && !self.terms.is_empty()).then_some(ends)
    }

    /// The least and the largest sum of the terms with mole fractions, and of those with clamped ones.
    fn ranges(&self, domain: &Domain) -> [[f64; 2]; 2] {
        [false, true].map(|is_clamped| {
            let (mut count, mut least, mut most) = (0, f64::INFINITY, f64::NEG_INFINITY);
            let (mut least_sum, mut most_sum) = (0.0, 0.0);
            for (_, c) in self.terms.iter().filter(|(variable, _)| variable.is_clamped() == is_clamped) {
                (count, least, most) = (count + 1, least.min(c.least), most.max(c.most));
                (least_sum, most_sum) = (least_sum + c.least, most_sum + c.most);
            }
            if count == 0 {
                return [0.0; 2];
            }
            // If all have one sign, the sum is at least its value at the floor. Its roundings are far below the room that ranges are given.
            let floor = if is_clamped { domain.floor } else { 0.0 };
            let lowest = if least >= 0.0 { floor * least_sum } else { f64::NEG_INFINITY };
            let highest = if most <= 0.0 { floor * most_sum } else { f64::INFINITY };
            if count < domain.species {
                (least, most) = (least.min(0.0), most.max(0.0));
            }
            let sums = [domain.sums[0], domain.most(is_clamped)];
            let [low, high] = [sums.map(|sum| sum * least), sums.map(|sum| sum * most)];
            [low[0].min(low[1]).max(lowest), high[0].max(high[1]).min(highest)]
        })
    }

    /// The number, if it is within half of the range; the other half is left for the errors.
    fn within_range(&self, domain: &Domain) -> Result<Known, Unproven> {
        let number = self.number(domain);
        let reach = number.magnitude() * (1.0 + number.relative.min(1.0));
        if reach.is_nan() || reach >= 0.5 * f64::from(f32::MAX) { Err(Unproven::Range) } else { Ok(number) }
    }

    /// With the rounding of the result.
    pub fn rounded(&self, unit: f64, domain: &Domain) -> Result<Self, Unproven> {
        if self.is_exactly_zero() {
            return Ok(self.clone());
        }
        let number = self.within_range(domain)?;
        let mut result = self.mapped(|c| if c == Known::ZERO { c } else { c.rounded(unit) });
        let is_normal = number.nearest() * (1.0 - number.relative.min(1.0)) >= UNDERFLOW;
        if !is_normal {
            let c = result.constant;
            result.constant = Known::new([c.least, c.most], c.absolute + UNDERFLOW, f64::INFINITY);
        }
        Ok(result)
    }

    /// With the rounding of a result of pairs, and what its second number loses below the normal ones.
    pub fn rounded_as_pair(&self, unit: f64, domain: &Domain) -> Result<Self, Unproven> {
        if self.is_exactly_zero() {
            return Ok(self.clone());
        }
        let result = self.mapped(|c| if c == Known::ZERO { c } else { c.loosened(LOOSE).rounded(unit) });
        result.as_pair(domain)
    }

    /// A number of pairs: within their range, with what is lost where its second number is below the normal ones.
    pub fn as_pair(&self, domain: &Domain) -> Result<Self, Unproven> {
        if self.is_exactly_zero() {
            return Ok(self.clone());
        }
        let number = self.within_range(domain)?;
        if number.nearest() * (1.0 - number.relative.min(1.0)) >= LEAST {
            return Ok(self.clone());
        }
        let c = self.constant;
        let constant = Known::new([c.least, c.most], c.absolute + LOST, f64::INFINITY);
        Ok(Self { constant, terms: self.terms.clone() })
    }
}
