//! From which share of the mass on a species counts as nearly pure in the factored diffusion kernel.

use super::approximation::{OFFSET, SLOPE};
use super::tucker::Factors;
use kinetics::fits::cubic;
use kinetics::mixture::pair_index;

#[derive(Debug, Clone, Copy)]
pub struct Purity {
    /// Share of the mass from which total minus own gives way to the sum over the others.
    pub share: f64,
    /// Largest relative error that either side of it has.
    pub error: f64,
}

/// Temperatures, in scaled ln T, at which the errors are estimated: both are smooth in T.
const JUDGED: [f64; 3] = [-1.0, 0.0, 1.0];

impl Purity {
    /// With theta = 1/share - 1, total minus own errs by about rounding/theta and the sum over the others by theta times a
    /// bound on its second-order terms. Theta makes them equal.
    pub fn new(factors: &Factors, cubics: &[[f64; 4]], weights: &[f64]) -> Self {
        let n = weights.len();
        let (mut rounding, mut second) = (0.0f64, 0.0f64);
        for u in JUDGED {
            let ln_t = (u - OFFSET) / SLOPE;
            let f = |i: usize, j: usize| cubic(&cubics[pair_index(n, i.min(j), i.max(j))], ln_t).exp();
            let functions: Vec<f64> = factors.functions.iter().map(|f| super::approximation::value(f, u)).collect();
            for p in 0..n {
                let others = (0..n).filter(|&j| j != p);
                // R_p is at least theta m_p times the least F_pj/m_j.
                let least = others.clone().map(|j| f(p, j) / weights[j]).fold(f64::INFINITY, f64::min);
                rounding = rounding.max(f64::EPSILON * magnitude(factors, &functions, p) / (weights[p] * least));
                // sum_jk x_j x_k F_jk is at most theta m_p sum_j x_j F_jp times the largest F_jk/(F_jp m_k).
                let most = others.clone().map(|k| f(p, k) / weights[k]).fold(0.0, f64::max);
                let ratio = others.map(|i| weights[i] / f(i, p)).fold(0.0, f64::max);
                second = second.max(most * ratio);
            }
        }
        let theta = (rounding / second).sqrt().min(1e-3);
        Self { share: 1.0 / (1.0 + theta), error: theta * second + rounding / theta }
    }
}

/// sum_mn |A_pm| |C_mn| |A_pn|: what the rounding errors of the diagonal are relative to.
fn magnitude(factors: &Factors, functions: &[f64], p: usize) -> f64 {
    let a = &factors.rows[p];
    let entry = |m: usize, n: usize| factors.cores.iter().zip(functions).map(|(c, f)| c[m][n] * f).sum::<f64>().abs();
    (0..a.len()).map(|m| a[m].abs() * (0..a.len()).map(|n| entry(m, n) * a[n].abs()).sum::<f64>()).sum()
}
