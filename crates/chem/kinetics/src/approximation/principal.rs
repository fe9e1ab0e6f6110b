//! A few functions of temperature that all fitted properties share: the principal components of their dependence on it.

use super::chebyshev::{ascending, series};
use super::interpolation::nodes;
use super::maximum::Grid;
use super::polynomials::polynomials;
use super::short;
use crate::cubic::cubic;
use crate::linear_algebra::{eigen, elimination};

/// Functions, at most.
const MOST: usize = 12;

/// exp(cubic_k(u)) ~ sum_r coefficients_kr f_r(u) on -1..1, with f_r = T_r + sum_j tails_rj T_(n+j) for n functions and Chebyshev's
/// polynomials T. Of all bases of the same space it is the one whose functions have most in common: the polynomials are made once, and
/// a function adds few of them.
#[derive(Debug, Clone)]
pub struct Shared {
    /// By function, then by polynomial.
    pub tails: Vec<Vec<f64>>,
    /// By property, then by function.
    pub coefficients: Vec<Vec<f64>>,
    /// A bound of the relative error of the properties over the range.
    pub error: f64,
}

/// The fewest functions that bring every property within the tolerance, or the most: the caller compares
/// [`Shared::error`]. Functions and coefficients are [`short`] where the tolerance allows it.
pub fn shared(cubics: &[[f64; 4]], tolerance: f64) -> Shared {
    let nodes = nodes(polynomials(cubics, 0.2 * tolerance).coefficients[0].len());
    let logarithms = |c: &[f64; 4]| nodes.iter().map(|&u| cubic(c, u)).collect::<Vec<f64>>();
    let logarithms: Vec<Vec<f64>> = cubics.iter().map(logarithms).collect();
    // Divided by its own mean and by the mean course of all properties, each is near 1: sums of squares are then relative.
    let course: Vec<f64> =
        (0..nodes.len()).map(|t| logarithms.iter().map(|l| l[t]).sum::<f64>() / cubics.len() as f64).collect();
    let scaled: Vec<(f64, Vec<f64>)> = logarithms
        .iter()
        .map(|l| {
            let relative: Vec<f64> = l.iter().zip(&course).map(|(l, c)| l - c).collect();
            let mean = relative.iter().sum::<f64>() / relative.len() as f64;
            (mean.exp(), relative.iter().map(|l| (l - mean).exp()).collect())
        })
        .collect();
    let components = components(scaled.iter().map(|(_, g)| g));
    let grid = Grid::default();
    let with = |count: usize| {
        let at_nodes = &components[..count.min(components.len())];
        let function = |f: &Vec<f64>| series(&f.iter().zip(&course).map(|(f, c)| f * c.exp()).collect::<Vec<f64>>());
        let components: Vec<Vec<f64>> = at_nodes.iter().map(function).collect();
        let coefficients: Vec<Vec<f64>> =
            scaled.iter().map(|(scale, g)| closest(at_nodes, g).iter().map(|c| scale * c).collect()).collect();
        let (tails, coefficients) = with_common_terms(&components, &coefficients);
        let with_error = |tails: Vec<Vec<f64>>, coefficients: Vec<Vec<f64>>| {
            let error = largest_error(cubics, &functions(&tails), &coefficients, &grid);
            Shared { tails, coefficients, error }
        };
        let short = |rows: &[Vec<f64>]| rows.iter().map(|row| short::all(row)).collect();
        let short = with_error(short(&tails), short(&coefficients));
        if short.error <= tolerance { short } else { with_error(tails, coefficients) }
    };
    let mut best = with(1);
    for count in 2..=MOST.min(components.len()) {
        if best.error <= tolerance {
            break;
        }
        best = with(count);
    }
    best
}

/// Writes the same sums in another basis of n functions. The functions are series; T_0 to T_(n-1) each stay in one of them only.
/// Returns the terms behind these, and the coefficients.
fn with_common_terms(functions: &[Vec<f64>], coefficients: &[Vec<f64>]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let count = functions.len();
    let behind = |j: usize| elimination::solve(functions.iter().map(|f| [&f[..count], &f[j..=j]].concat()).collect());
    let columns: Vec<Vec<f64>> = (count..functions[0].len()).map(behind).collect();
    let tails = (0..count).map(|r| columns.iter().map(|column| column[r]).collect()).collect();
    let first_terms = |row: &Vec<f64>| combined(row, functions)[..count].to_vec();
    (tails, coefficients.iter().map(first_terms).collect())
}

/// The functions with these tails as polynomials with ascending coefficients.
pub fn functions(tails: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let count = tails.len();
    let first = |r: usize| (0..count).map(|k| if k == r { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    (0..count).map(|r| ascending(&[first(r), tails[r].clone()].concat())).collect()
}

/// Rounds of the iteration.
const ROUNDS: usize = 40;

/// Coefficients of some functions whose sum has about the least largest relative error against g at the nodes: least squares
/// again and again, each node weighted by its errors so far (Lawson's algorithm; Rice, The Approximation of Functions II,
/// 1969, section 13.3).
fn closest(functions: &[Vec<f64>], g: &[f64]) -> Vec<f64> {
    let mut weights = vec![1.0; g.len()];
    let mut best = (f64::INFINITY, vec![0.0; functions.len()]);
    for _ in 0..ROUNDS {
        let part = |a: &[f64], b: &[f64]| (0..g.len()).map(|t| weights[t] * a[t] * b[t] / (g[t] * g[t])).sum::<f64>();
        let row = |f: &Vec<f64>| functions.iter().map(|other| part(f, other)).chain([part(f, g)]).collect();
        let coefficients = elimination::solve(functions.iter().map(row).collect());
        let value = |t: usize| coefficients.iter().zip(functions).map(|(c, f)| c * f[t]).sum::<f64>();
        let errors: Vec<f64> = (0..g.len()).map(|t| (value(t) / g[t] - 1.0).abs()).collect();
        let worst = errors.iter().copied().fold(0.0, f64::max);
        if worst < best.0 {
            best = (worst, coefficients);
        }
        weights.iter_mut().zip(&errors).for_each(|(w, e)| *w *= e / worst);
        let heaviest = weights.iter().copied().fold(0.0, f64::max);
        weights.iter_mut().for_each(|w| *w = (*w / heaviest).max(1e-6));
    }
    best.1
}

/// Orthonormal principal components of some vectors, the most important first.
pub fn components<'a>(vectors: impl Iterator<Item = &'a Vec<f64>>) -> Vec<Vec<f64>> {
    let mut gram: Vec<Vec<f64>> = Vec::new();
    for g in vectors {
        gram.resize(g.len(), vec![0.0; g.len()]);
        for (row, x) in gram.iter_mut().zip(g) {
            row.iter_mut().zip(g).for_each(|(sum, y)| *sum += x * y);
        }
    }
    eigen::symmetric(gram)
}

fn largest_error(cubics: &[[f64; 4]], functions: &[Vec<f64>], coefficients: &[Vec<f64>], grid: &Grid) -> f64 {
    let errors = cubics.iter().zip(coefficients).map(|(c, row)| grid.largest_error(&combined(row, functions), c));
    errors.fold(0.0, f64::max)
}

/// sum_r c_r f_r as one polynomial.
pub fn combined(coefficients: &[f64], functions: &[Vec<f64>]) -> Vec<f64> {
    let term = |power: usize| coefficients.iter().zip(functions).map(|(c, f)| c * f[power]).sum();
    (0..functions[0].len()).map(term).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_functions_follows_the_tolerance() {
        let curve = |k: u32| {
            let x = f64::from(k) / 40.0;
            [-4.0 - x, 0.8 - 0.2 * (5.0 * x).sin(), 0.1 * (9.0 * x).cos(), -0.02 * x]
        };
        let cubics: Vec<[f64; 4]> = (0..40).map(curve).collect();
        let mut count = 0;
        for tolerance in [1e-2, 1e-4, 1e-6] {
            let found = shared(&cubics, tolerance);
            assert!(found.error <= tolerance, "{tolerance:e}: {:e}", found.error);
            assert!(found.tails.len() > count && found.tails.len() <= 9);
            count = found.tails.len();
        }
    }
}
