//! Mathur's conductivity with fewer exponentials: the lean form takes 1/lambda as a quotient instead of a second
//! exponential; the polynomial form takes lambda and 1/lambda as polynomials in ln T (performance.md, section 3).

use super::Options;
use super::approximation::{self, Polynomials};
use super::common::{self, scalar};
use super::conductivity;
use crate::dataflow::body::Body;
use crate::dataflow::graph::Graph;
use crate::kinetics::{Model, TransportFits};

const LEAN_SCALARS: [u32; 1] = [scalar::LN_TEMPERATURE];
const POLYNOMIAL_SCALARS: [u32; 1] = [scalar::SCALED_LN_TEMPERATURE];

pub fn lean(model: &Model, fits: &TransportFits, options: &Options) -> Graph {
    let mut graph = common::begin("conductivity", model, "conductivity", 1, &LEAN_SCALARS);
    let round = {
        let mut b = Body::default();
        let ln_t = common::scalar_of(&mut b, &LEAN_SCALARS, scalar::LN_TEMPERATURE);
        let fit = b.polynomial(ln_t, 0, 3);
        let x = common::mole_fraction(&mut b, 0);
        let lambda = b.exp(fit);
        let quotient = b.div(x, lambda);
        let (sum, sum_inverse) = (b.state(0), b.state(1));
        b.states = vec![b.fma(x, lambda, sum), b.add(sum_inverse, quotient)];
        graph.shape(b)
    };
    let constants: Vec<Vec<f64>> = fits.conductivity.iter().map(|c| c.to_vec()).collect();
    conductivity::sums(&mut graph, options, round, &constants);
    graph
}

pub fn polynomial(model: &Model, fits: &TransportFits, options: &Options, tolerance: f64) -> Graph {
    let mut graph = common::begin("conductivity", model, "conductivity", 1, &POLYNOMIAL_SCALARS);
    let direct = approximation::polynomials(&fits.conductivity, tolerance);
    let negated: Vec<[f64; 4]> = fits.conductivity.iter().map(|c| c.map(|c| -c)).collect();
    let inverse = approximation::polynomials(&negated, tolerance);
    // Both means have positive terms: neither errs by more than its terms.
    graph.bound = direct.error.max(inverse.error / (1.0 - inverse.error));
    let last = |p: &Polynomials| p.coefficients[0].len() as u32 - 1;
    let round = {
        let mut b = Body::default();
        let u = common::scalar_of(&mut b, &POLYNOMIAL_SCALARS, scalar::SCALED_LN_TEMPERATURE);
        let x = common::mole_fraction(&mut b, 0);
        let lambda = b.polynomial(u, 0, last(&direct));
        let first = last(&direct) + 1;
        let reciprocal = b.polynomial(u, first, first + last(&inverse));
        let (sum, sum_inverse) = (b.state(0), b.state(1));
        b.states = vec![b.fma(x, lambda, sum), b.fma(x, reciprocal, sum_inverse)];
        graph.shape(b)
    };
    let both = direct.coefficients.iter().zip(&inverse.coefficients);
    let constants: Vec<Vec<f64>> = both.map(|(a, b)| [&a[..], &b[..]].concat()).collect();
    conductivity::sums(&mut graph, options, round, &constants);
    graph
}
