//! From which share of the mass on a species counts as nearly pure in the factored diffusion kernel.

use kinetics::approximation::maximum::{Grid, extremes};
use kinetics::approximation::tucker::Factors;
use kinetics::mixture::pair_index;

#[derive(Debug, Clone, Copy)]
pub struct PureLimit {
    /// Share of the mass from which total minus own gives way to the sum over the others.
    pub share: f64,
    /// A bound of the relative error that either side of it has.
    pub error: f64,
}

impl PureLimit {
    /// With theta = 1/share - 1, total minus own errs by about rounding/theta and the sum over the others by theta times a
    /// bound on its second-order terms. Theta makes them equal. `cubics` are ln F_ij of scaled ln T, as [`Factors`] has them.
    pub fn new(factors: &Factors, cubics: &[[f64; 4]], weights: &[f64]) -> Self {
        let n = weights.len();
        let range = |i: usize, j: usize| extremes(&cubics[pair_index(n, i.min(j), i.max(j))]).map(f64::exp);
        let grid = Grid::default();
        let functions: Vec<f64> = factors.functions.iter().map(|f| grid.largest_value(f)).collect();
        let (mut rounding, mut second) = (0.0f64, 0.0f64);
        for p in 0..n {
            let others: Vec<(f64, [f64; 2])> = (0..n).filter(|&j| j != p).map(|j| (weights[j], range(p, j))).collect();
            // R_p is at least theta m_p times the least F_pj/m_j.
            let least = others.iter().map(|(weight, [low, _])| low / weight).fold(f64::INFINITY, f64::min);
            rounding = rounding.max(f64::EPSILON * magnitude(factors, &functions, p) / (weights[p] * least));
            // sum_jk x_j x_k F_jk is at most theta m_p sum_j x_j F_jp times the largest F_jk/(F_jp m_k).
            let most = others.iter().map(|(weight, [_, high])| high / weight).fold(0.0, f64::max);
            let ratio = others.iter().map(|(weight, [low, _])| weight / low).fold(0.0, f64::max);
            second = second.max(most * ratio);
        }
        let theta = (rounding / second).sqrt().min(1e-3);
        Self { share: 1.0 / (1.0 + theta), error: theta * second + rounding / theta }
    }
}

/// sum_mn |A_pm| |C_mn| |A_pn| at most, where the functions of temperature are at most as given: what the rounding errors of the
/// diagonal are relative to.
fn magnitude(factors: &Factors, functions: &[f64], p: usize) -> f64 {
    let a = &factors.rows[p];
    let entry = |m: usize, n: usize| factors.cores.iter().zip(functions).map(|(c, f)| c[m][n].abs() * f).sum::<f64>();
    (0..a.len()).map(|m| a[m].abs() * (0..a.len()).map(|n| entry(m, n) * a[n].abs()).sum::<f64>()).sum()
}
