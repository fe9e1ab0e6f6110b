//! The inverse diffusion coefficients of all pairs of species as one small core between thin factors: for i != j,
//! F_ij(T) ~ sum_mn A_im C_mn(T) A_jn with C(T) = sum_r C_r f_r(T).
//!
//! Three things keep the rank low. Each species has a scale s_i, so that F_ij / (s_i s_j) is near 1 (a fit of ln F by
//! sums, which takes the masses and cross-sections out). The diagonal does not count, so it is whatever the model says
//! (the iteration for missing values of Srebro & Jaakkola, ICML 2003). And it is the largest relative error that must
//! be small, not the sum of squares: pairs are weighted by their errors, round by round (Lawson's algorithm; Rice,
//! The Approximation of Functions II, 1969, section 13.3). The functions f_r are the principal components of all
//! pairs' dependence on temperature (Tucker, Psychometrika 31 (1966) 279, for both reductions).

use super::interpolation::{self, interpolation};
use super::maximum::Grid;
use super::principal::{combined, components};
use super::short;
use crate::cubic::cubic;
use crate::linear_algebra::dense::{dot, orthonormal, product, transposed};
use crate::linear_algebra::eigen;
use crate::pairs::pair_index;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// F_ij = exp(cubic(u)) for i != j in thin factors.
#[derive(Debug, Clone)]
pub struct Factors {
    /// A: by species, then by column.
    pub rows: Vec<Vec<f64>>,
    /// C_r: symmetric, by function of temperature; the first is diagonal.
    pub cores: Vec<Vec<Vec<f64>>>,
    /// f_r: coefficients, ascending in u.
    pub functions: Vec<Vec<f64>>,
    /// A bound of the relative error of the pairs over the range.
    pub error: f64,
}

impl Factors {
    /// (A C_r A^T)_ij for each r.
    pub fn pair(&self, i: usize, j: usize) -> Vec<f64> {
        let entry = |core: &Vec<Vec<f64>>| {
            let (a, b) = (&self.rows[i], &self.rows[j]);
            a.iter().zip(core).map(|(x, row)| x * row.iter().zip(b).map(|(c, y)| c * y).sum::<f64>()).sum()
        };
        self.cores.iter().map(entry).collect()
    }

    fn short(&self) -> Self {
        let short = |rows: &[Vec<f64>]| rows.iter().map(|row| short::all(row)).collect();
        Self {
            rows: short(&self.rows),
            cores: self.cores.iter().map(|core| short(core)).collect(),
            functions: short(&self.functions),
            error: self.error,
        }
    }
}

/// Factors that were found before, by the bits of all that they follow from. Finding them takes seconds where species are many.
#[derive(Debug, Clone, Default)]
pub struct Found(Arc<Mutex<BTreeMap<Vec<u64>, Arc<Factors>>>>);

impl Found {
    /// [`factors`], at once where they were asked for before.
    pub fn factors(&self, cubics: &[[f64; 4]], n: usize, tolerance: f64) -> Arc<Factors> {
        let numbers = cubics.iter().flatten().chain([&tolerance]);
        let key: Vec<u64> = numbers.map(|x| x.to_bits()).chain([n as u64]).collect();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(key).or_insert_with(|| Arc::new(factors(cubics, n, tolerance))))
    }
}

/// Functions of temperature, at most; each is a polynomial of this degree.
const MOST_FUNCTIONS: usize = 8;
const DEGREE: usize = 11;
/// The rank is not sought beyond this.
const MOST_COLUMNS: usize = 48;
/// Rounds of the iteration, and multiplications that all rounds of one rank may take.
const ROUNDS: std::ops::RangeInclusive<usize> = 8..=100;
const WORK: usize = 500_000_000;

/// Parts of the tolerance that too few functions of temperature may use up: less leaves more to the columns, more spares a
/// function.
const PARTS: [f64; 2] = [0.3, 0.75];

/// Factors whose pairs err by at most `tolerance` (relative) with the fewest multiplications, or the best that were found: the
/// caller compares [`Factors::error`]. `cubics` is the upper triangle of `n` species by rows, with the diagonal.
pub fn factors(cubics: &[[f64; 4]], n: usize, tolerance: f64) -> Factors {
    let most = n.min(MOST_COLUMNS);
    let [many, few] = PARTS.map(|part| Pairs::new(cubics, n, part * tolerance));
    let best = many.fewest_columns(most.min(8), most, tolerance);
    let functions = few.functions.len();
    let cheaper =
        |q: &usize| multiplications(n, *q, functions) < multiplications(n, best.rows[0].len(), many.functions.len());
    match (1..=most).take_while(cheaper).last() {
        Some(columns) if functions < many.functions.len() => {
            let other = few.fewest_columns(columns, columns, tolerance);
            if other.error <= tolerance { other } else { best }
        }
        _ => best,
    }
}

/// Counts a kernel's multiplications to apply the factors, without the diagonal.
fn multiplications(species: usize, columns: usize, functions: usize) -> usize {
    2 * species * columns + columns * columns * (functions - 1) + species * functions
}

/// The problem, scaled.
struct Pairs<'a> {
    n: usize,
    cubics: &'a [[f64; 4]],
    scales: Vec<f64>,
    /// f_r at the nodes, orthonormal, and as polynomials.
    at_nodes: Vec<Vec<f64>>,
    functions: Vec<Vec<f64>>,
    /// By function: the pairs' coefficients, a full matrix by rows.
    targets: Vec<Vec<f64>>,
    /// By pair (by rows, full): 1/F at the nodes.
    inverse: Vec<Vec<f64>>,
}

impl<'a> Pairs<'a> {
    fn new(cubics: &'a [[f64; 4]], n: usize, tolerance: f64) -> Self {
        let nodes = interpolation::nodes(DEGREE + 1);
        let place = |i: usize, j: usize| pair_index(n, i.min(j), i.max(j));
        let logarithms = |c: &[f64; 4]| nodes.iter().map(|&u| cubic(c, u)).collect::<Vec<f64>>();
        let by_pair: Vec<Vec<f64>> = cubics.iter().map(logarithms).collect();
        let scales = log_scales(n, &|i, j| by_pair[place(i, j)].iter().sum::<f64>() / nodes.len() as f64);
        let scaled = |i: usize, j: usize| -> Vec<f64> {
            by_pair[place(i, j)].iter().map(|l| (l - scales[i] - scales[j]).exp()).collect()
        };
        let mut full: Vec<Vec<f64>> = Vec::with_capacity(n * n);
        for i in 0..n {
            full.extend((0..n).map(|j| scaled(i, j)));
        }
        let at_nodes = temperature_functions(&full, n, tolerance);
        let project = |f: &Vec<f64>| full.iter().map(|g| dot(f, g)).collect::<Vec<f64>>();
        let targets = at_nodes.iter().map(project).collect();
        let functions = at_nodes.iter().map(|f| interpolation(&nodes, f.clone())).collect();
        let inverse = full.iter().map(|g| g.iter().map(|v| 1.0 / v).collect()).collect();
        Self { n, cubics, scales, at_nodes, functions, targets, inverse }
    }

    /// The factors of least rank that meet the tolerance, or those with the most columns; `high` columns are tried first.
    fn fewest_columns(&self, mut high: usize, most: usize, tolerance: f64) -> Factors {
        let fit = |q: usize| self.fit(q, tolerance);
        let mut low = 1;
        let mut best = fit(high);
        while best.error > tolerance && high < most {
            low = high + 1;
            high = most.min(high + high / 2);
            best = fit(high);
        }
        while low < high && best.error <= tolerance {
            let middle = usize::midpoint(low, high);
            let found = fit(middle);
            if found.error <= tolerance {
                (best, high) = (found, middle);
            } else {
                low = middle + 1;
            }
        }
        best
    }

    /// The factors with q columns, as soon as they meet the tolerance with room for what nodes do not show, or the best of all
    /// rounds.
    fn fit(&self, q: usize, tolerance: f64) -> Factors {
        let (n, count) = (self.n, self.targets.len());
        let rounds = (WORK / (n * n * count * q * 4)).clamp(*ROUNDS.start(), *ROUNDS.end());
        let mut filled = self.targets.clone();
        let mut weights = vec![1.0; n * n];
        let mut basis = start(n, q);
        for _ in 0..POWER_STEPS {
            basis = orthonormal(&power_step(&filled, &basis, n, q), n, q);
        }
        let mut best: Option<(f64, Vec<f64>, Vec<Vec<f64>>)> = None;
        for _ in 0..rounds {
            basis = orthonormal(&power_step(&filled, &basis, n, q), n, q);
            let cores: Vec<Vec<f64>> = filled
                .iter()
                .map(|x| product(&transposed(&basis, n, q), &product(x, &basis, n, n, q), q, n, q))
                .collect();
            let back = transposed(&basis, n, q);
            let model: Vec<Vec<f64>> =
                cores.iter().map(|c| product(&product(&basis, c, n, q, q), &back, n, q, n)).collect();
            let errors = self.errors(&model);
            let worst = errors.iter().copied().fold(0.0, f64::max);
            if best.as_ref().is_none_or(|(least, ..)| worst < *least) {
                best = Some((worst, basis.clone(), cores));
            }
            if worst <= 0.97 * tolerance {
                break;
            }
            let heaviest = weights.iter().copied().fold(0.0, f64::max);
            for (w, e) in weights.iter_mut().zip(&errors) {
                *w = (0.02 + 0.98 * *w / heaviest) * (0.5 + e / worst);
            }
            let heaviest = weights.iter().copied().fold(0.0, f64::max);
            for (r, x) in filled.iter_mut().enumerate() {
                for (at, x) in x.iter_mut().enumerate() {
                    let weight = if at / n == at % n { 0.0 } else { weights[at] / heaviest };
                    *x = model[r][at] + weight * (self.targets[r][at] - model[r][at]);
                }
            }
        }
        let (_, basis, cores) = best.expect("there is at least one round");
        self.unscaled(&basis, &cores, q, tolerance)
    }

    /// Largest relative error of each pair over the nodes; 0 on the diagonal.
    fn errors(&self, model: &[Vec<f64>]) -> Vec<f64> {
        let n = self.n;
        let mut errors = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..i {
                let mut found = [0.0; DEGREE + 1];
                for (m, f) in model.iter().zip(&self.at_nodes) {
                    let m = m[i * n + j];
                    found.iter_mut().zip(f).for_each(|(sum, f)| *sum += m * f);
                }
                let worst = found.iter().zip(&self.inverse[i * n + j]);
                let worst = worst.map(|(found, inverse)| (found * inverse - 1.0).abs()).fold(0.0, f64::max);
                (errors[i * n + j], errors[j * n + i]) = (worst, worst);
            }
        }
        errors
    }

    /// The factors of the pairs themselves, in the basis that makes the first core diagonal, with the bound of their
    /// error: in [`short`] numbers where these meet the tolerance.
    fn unscaled(&self, basis: &[f64], cores: &[Vec<f64>], q: usize, tolerance: f64) -> Factors {
        let axes: Vec<f64> = eigen::symmetric(cores[0].chunks(q).map(<[f64]>::to_vec).collect()).concat();
        let back = transposed(&axes, q, q);
        let basis = product(basis, &back, self.n, q, q);
        let cores = cores.iter().map(|c| product(&product(&axes, c, q, q, q), &back, q, q, q));
        let row = |i: usize| basis[i * q..][..q].iter().map(|a| a * self.scales[i].exp()).collect();
        let mut factors = Factors {
            rows: (0..self.n).map(row).collect(),
            cores: cores.map(|c| c.chunks(q).map(<[f64]>::to_vec).collect()).collect(),
            functions: self.functions.clone(),
            error: 0.0,
        };
        let first = &mut factors.cores[0];
        first
            .iter_mut()
            .enumerate()
            .for_each(|(m, row)| row.iter_mut().enumerate().for_each(|(k, c)| *c *= f64::from(u8::from(m == k))));
        let short = self.with_error(factors.short());
        if short.error <= tolerance { short } else { self.with_error(factors) }
    }

    fn with_error(&self, mut factors: Factors) -> Factors {
        let grid = Grid::default();
        let mut worst = 0.0f64;
        for i in 0..self.n {
            for j in i + 1..self.n {
                let pair = combined(&factors.pair(i, j), &factors.functions);
                worst = worst.max(grid.largest_error(&pair, &self.cubics[pair_index(self.n, i, j)]));
            }
        }
        factors.error = worst;
        factors
    }
}

/// Iterations that find the range of the matrices before the weighting starts.
const POWER_STEPS: usize = 6;

/// ln s_i such that ln s_i + ln s_j is near the given ln F_ij for all i != j (least squares).
fn log_scales(n: usize, logarithm: &dyn Fn(usize, usize) -> f64) -> Vec<f64> {
    if n < 3 {
        return vec![0.5 * logarithm(0, n - 1); n];
    }
    let sums: Vec<f64> = (0..n).map(|i| (0..n).filter(|&j| j != i).map(|j| logarithm(i, j)).sum()).collect();
    let total = sums.iter().sum::<f64>() / (2 * (n - 1)) as f64;
    sums.iter().map(|sum| (sum - total) / (n - 2) as f64).collect()
}

/// The principal functions of temperature at the nodes, as many as bring every pair i != j within the tolerance.
fn temperature_functions(full: &[Vec<f64>], n: usize, tolerance: f64) -> Vec<Vec<f64>> {
    let pairs = || full.iter().enumerate().filter(move |(at, _)| at / n < at % n).map(|(_, g)| g);
    let mut functions = components(pairs());
    let error = |functions: &[Vec<f64>]| {
        let of_pair = |g: &Vec<f64>| {
            let parts: Vec<f64> = functions.iter().map(|f| dot(f, g)).collect();
            let found = |t: usize| parts.iter().zip(functions).map(|(p, f)| p * f[t]).sum::<f64>();
            g.iter().enumerate().map(|(t, v)| (found(t) / v - 1.0).abs()).fold(0.0, f64::max)
        };
        pairs().map(of_pair).fold(0.0, f64::max)
    };
    let least = (1..MOST_FUNCTIONS).find(|&r| error(&functions[..r]) <= tolerance).unwrap_or(MOST_FUNCTIONS);
    functions.truncate(least);
    functions
}

/// Columns in general position.
fn start(n: usize, q: usize) -> Vec<f64> {
    let entry = |i: usize, m: usize| ((i * (2 * m + 1) + m) as f64 * 0.754_877_666_246_692_8).fract() - 0.5;
    let entries = (0..n).flat_map(|i| (0..q).map(move |m| entry(i, m))).collect::<Vec<f64>>();
    orthonormal(&entries, n, q)
}

/// sum_r X_r (X_r A)
fn power_step(matrices: &[Vec<f64>], a: &[f64], n: usize, q: usize) -> Vec<f64> {
    let mut sum = vec![0.0; n * q];
    for x in matrices {
        let image = product(x, &product(x, a, n, n, q), n, n, q);
        sum.iter_mut().zip(image).for_each(|(s, v)| *s += v);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hard spheres with a well: close to what mechanisms have.
    fn gas(n: usize) -> Vec<[f64; 4]> {
        let species: Vec<[f64; 3]> = (0..n)
            .map(|k| k as f64 / n as f64)
            .map(|x| [1.0 + 100.0 * x, 2.0 + 4.0 * (7.3 * x).sin().abs(), 10.0 + 500.0 * (3.7 * x).cos().abs()])
            .collect();
        let mut cubics = Vec::new();
        for (i, a) in species.iter().enumerate() {
            for b in &species[i..] {
                let mass = 0.5 * (a[0] * b[0] / (a[0] + b[0])).ln();
                let size = 2.0 * (a[1] + b[1]).ln();
                let well = 0.5 * (a[2] * b[2]).ln();
                cubics.push([mass + size + 0.3 * well, 0.6 - 0.08 * well, 0.01 * well - 0.08, 2e-3]);
            }
        }
        cubics
    }

    #[test]
    fn the_rank_follows_the_tolerance() {
        let (n, mut rank) = (30, 0);
        let cubics = gas(n);
        for tolerance in [1e-2, 1e-3, 1e-4] {
            let found = factors(&cubics, n, tolerance);
            assert!(found.error <= tolerance, "{tolerance:e}: {:e}", found.error);
            assert!(found.rows[0].len() > rank && found.rows[0].len() < 25, "{}", found.rows[0].len());
            assert!(found.rows.concat().iter().all(|a| a.to_bits() as u32 == 0), "rows are short");
            let pair = combined(&found.pair(0, 1), &found.functions);
            let error = Grid::default().largest_error(&pair, &cubics[1]);
            assert!(error <= found.error, "the error is that of the factors as they are");
            rank = found.rows[0].len();
        }
    }

    #[test]
    fn all_columns_leave_no_error_of_the_species() {
        for n in [2, 3, 6] {
            let found = factors(&gas(n), n, 1e-8);
            assert!(found.error <= 1e-8, "{n}: {:e}", found.error);
        }
    }
}
