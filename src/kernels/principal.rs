//! A few functions of temperature that all fitted properties share: the principal components of their dependence on it.

use super::approximation::{self, OFFSET, SLOPE};
use super::eigen;
use kinetics::fits::cubic;

/// Functions, at most.
const MOST: usize = 12;

/// exp(cubic_k(ln T)) ~ sum_r coefficients_kr f_r(T), from 300 to 3000 K.
#[derive(Debug, Clone)]
pub struct Shared {
    /// f_r: coefficients, ascending in u (see [`approximation`]).
    pub functions: Vec<Vec<f64>>,
    /// By property, then by function.
    pub coefficients: Vec<Vec<f64>>,
    /// Largest relative error of a property.
    pub error: f64,
}

/// The fewest functions that bring every property within the tolerance, or the most: the caller compares
/// [`Shared::error`].
pub fn shared(cubics: &[[f64; 4]], tolerance: f64) -> Shared {
    let degree = approximation::polynomials(cubics, 0.2 * tolerance).coefficients[0].len() - 1;
    let nodes = approximation::nodes(degree + 1);
    let logarithms = |c: &[f64; 4]| nodes.iter().map(|u| cubic(c, (u - OFFSET) / SLOPE)).collect::<Vec<f64>>();
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
    let with = |count: usize| {
        let at_nodes = &components[..count.min(components.len())];
        let function = |f: &Vec<f64>| {
            let values = f.iter().zip(&course).map(|(f, c)| f * c.exp()).collect();
            approximation::interpolation(&nodes, values)
        };
        let functions: Vec<Vec<f64>> = at_nodes.iter().map(function).collect();
        let coefficients: Vec<Vec<f64>> =
            scaled.iter().map(|(scale, g)| at_nodes.iter().map(|f| scale * dot(f, g)).collect()).collect();
        let error = judge(cubics, &functions, &coefficients);
        Shared { functions, coefficients, error }
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

fn judge(cubics: &[[f64; 4]], functions: &[Vec<f64>], coefficients: &[Vec<f64>]) -> f64 {
    let mut worst = 0.0f64;
    for u in approximation::judged() {
        let values: Vec<f64> = functions.iter().map(|f| approximation::value(f, u)).collect();
        for (c, row) in cubics.iter().zip(coefficients) {
            worst = worst.max((dot(row, &values) / cubic(c, (u - OFFSET) / SLOPE).exp() - 1.0).abs());
        }
    }
    worst
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_functions_follows_the_tolerance() {
        let curve = |k: u32| {
            let x = f64::from(k) / 40.0;
            [-9.0 - x, 0.7 - 0.2 * (5.0 * x).sin(), 0.02 * (9.0 * x).cos(), -1e-3 * x]
        };
        let cubics: Vec<[f64; 4]> = (0..40).map(curve).collect();
        let mut count = 0;
        for tolerance in [1e-2, 1e-4, 1e-6] {
            let found = shared(&cubics, tolerance);
            assert!(found.error <= tolerance, "{tolerance:e}: {:e}", found.error);
            assert!(found.functions.len() > count && found.functions.len() <= 9);
            count = found.functions.len();
        }
    }
}
