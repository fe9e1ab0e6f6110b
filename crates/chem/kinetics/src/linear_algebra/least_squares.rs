//! Unweighted polynomial least squares by Householder QR; normal equations would square the condition number.
//! Golub & Van Loan, Matrix Computations, section 5.3.

/// The factored Vandermonde matrix of fixed abscissae, with `N` coefficients.
#[derive(Debug, Clone)]
pub struct LeastSquares<const N: usize> {
    /// Unit vectors of the reflections; vector k is zero before row k.
    reflectors: [Vec<f64>; N],
    /// Upper triangle.
    r: [[f64; N]; N],
}

impl<const N: usize> LeastSquares<N> {
    /// `x` holds at least `N` distinct abscissae.
    pub fn new(x: &[f64]) -> Self {
        let mut columns: [Vec<f64>; N] =
            std::array::from_fn(|n| x.iter().map(|x| x.powi(i32::try_from(n).expect("small degree"))).collect());
        let mut reflectors: [Vec<f64>; N] = std::array::from_fn(|_| Vec::new());
        for k in 0..N {
            let norm = columns[k][k..].iter().map(|v| v * v).sum::<f64>().sqrt();
            let mut reflector = columns[k].clone();
            reflector[..k].fill(0.0);
            // The sign that adds: no cancellation.
            reflector[k] += norm.copysign(columns[k][k]);
            let length = reflector.iter().map(|v| v * v).sum::<f64>().sqrt();
            reflector.iter_mut().for_each(|v| *v /= length);
            columns[k..].iter_mut().for_each(|column| reflect(&reflector, k, column));
            reflectors[k] = reflector;
        }
        let r = std::array::from_fn(|row| std::array::from_fn(|column| columns[column][row]));
        Self { reflectors, r }
    }

    /// Coefficients, ascending, of the polynomial closest to `y` at the abscissae.
    pub fn fit(&self, mut y: Vec<f64>) -> [f64; N] {
        for (k, reflector) in self.reflectors.iter().enumerate() {
            reflect(reflector, k, &mut y);
        }
        let mut solution = [0.0; N];
        for row in (0..N).rev() {
            let known: f64 = (row + 1..N).map(|column| self.r[row][column] * solution[column]).sum();
            solution[row] = (y[row] - known) / self.r[row][row];
        }
        solution
    }
}

/// v - 2 (u.v) u, where u is zero before `start`.
fn reflect(u: &[f64], start: usize, v: &mut [f64]) {
    let twice = 2.0 * u[start..].iter().zip(&v[start..]).map(|(a, b)| a * b).sum::<f64>();
    v[start..].iter_mut().zip(&u[start..]).for_each(|(v, u)| *v -= twice * u);
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn a_cubic_is_found_again() {
        let x: Vec<f64> = (0..50).map(|n| (300.0 + 55.0 * f64::from(n)).ln()).collect();
        let truth = [-17.0, 2.6, -0.27, 0.012];
        let value = |c: &[f64; 4], x: f64| c[0] + x * (c[1] + x * (c[2] + x * c[3]));
        let found = LeastSquares::<4>::new(&x).fit(x.iter().map(|&x| value(&truth, x)).collect());
        for &x in &x {
            assert_relative_eq!(value(&found, x), value(&truth, x), max_relative = 1e-13);
        }
    }

    #[test]
    fn the_residual_is_orthogonal_to_the_powers() {
        let x = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5];
        let y: Vec<f64> = x.iter().map(|x: &f64| x.exp()).collect();
        let c = LeastSquares::<3>::new(&x).fit(y.clone());
        for power in 0..3 {
            let moment: f64 = x.iter().zip(&y).map(|(x, y)| (y - c[0] - c[1] * x - c[2] * x * x) * x.powi(power)).sum();
            assert!(moment.abs() < 1e-12, "power {power}: {moment}");
        }
    }
}
