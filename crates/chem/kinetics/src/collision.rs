//! Interpolation of the collision integrals in T* and delta* (tables of Monchick & Mason,
//! J. Chem. Phys. 35 (1961) 1676; interpolated the way Cantera's MMCollisionInt does).

use super::collision_tables::{A_STAR, DELTA_STAR, OMEGA22, T_STAR, Table};
use super::linear_algebra::least_squares::LeastSquares;

/// The tables prepared for interpolation.
#[derive(Debug, Clone)]
pub struct Integrals {
    ln_t_star: [f64; 37],
    omega22: Surface,
    a_star: Surface,
}

/// The integrals at one delta*, as functions of T*.
#[derive(Debug, Clone)]
pub struct Profile<'a> {
    ln_t_star: &'a [f64; 37],
    omega22: [f64; 37],
    a_star: [f64; 37],
}

impl Integrals {
    pub fn new() -> Self {
        Self { ln_t_star: T_STAR.map(f64::ln), omega22: Surface::new(&OMEGA22), a_star: Surface::new(&A_STAR) }
    }

    /// `delta` is the reduced dipole moment delta*.
    pub fn profile(&self, delta: f64) -> Profile<'_> {
        Profile { ln_t_star: &self.ln_t_star, omega22: self.omega22.at(delta), a_star: self.a_star.at(delta) }
    }
}

impl Default for Integrals {
    fn default() -> Self {
        Self::new()
    }
}

impl Profile<'_> {
    /// Omega(2,2)* at a reduced temperature.
    pub fn omega22(&self, t_star: f64) -> f64 {
        self.interpolate(&self.omega22, t_star)
    }

    /// Omega(1,1)* = Omega(2,2)* / A*.
    pub fn omega11(&self, t_star: f64) -> f64 {
        self.omega22(t_star) / self.interpolate(&self.a_star, t_star)
    }

    /// The parabola in ln T* through three rows. The last row (T* = 100) is never used: the reference fits are made so.
    fn interpolate(&self, values: &[f64; 37], t_star: f64) -> f64 {
        let above = T_STAR.partition_point(|row| *row <= t_star);
        let first = above.saturating_sub(1);
        let first = if first + 3 > 36 { 33 } else { first };
        let [x0, x1, x2] = [0, 1, 2].map(|n| self.ln_t_star[first + n]);
        let [y0, y1, y2] = [0, 1, 2].map(|n| values[first + n]);
        let x = t_star.ln();
        let slope = (y1 - y0) / (x1 - x0);
        let curvature = ((y2 - y1) / (x2 - x1) - slope) / (x2 - x0);
        y0 + (x - x0) * (slope + (x - x1) * curvature)
    }
}

/// A table with the degree-6 polynomials in delta* that smooth its rows.
#[derive(Debug, Clone)]
struct Surface {
    table: &'static Table,
    polynomials: [[f64; 7]; 37],
}

impl Surface {
    fn new(table: &'static Table) -> Self {
        let fit = LeastSquares::<7>::new(&DELTA_STAR);
        Self { table, polynomials: table.map(|row| fit.fit(row.to_vec())) }
    }

    /// The column at `delta`; the Lennard-Jones column is used as it stands.
    fn at(&self, delta: f64) -> [f64; 37] {
        if delta == 0.0 {
            return self.table.map(|row| row[0]);
        }
        self.polynomials.map(|polynomial| polynomial.iter().rev().fold(0.0, |sum, c| sum * delta + c))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn the_lennard_jones_column_passes_through_its_rows() {
        let integrals = Integrals::new();
        let profile = integrals.profile(0.0);
        for row in 0..36 {
            assert_relative_eq!(profile.omega22(T_STAR[row]), OMEGA22[row][0], max_relative = 1e-14);
            assert_relative_eq!(profile.omega11(T_STAR[row]), OMEGA22[row][0] / A_STAR[row][0], max_relative = 1e-14);
        }
        // T* = 100 is extrapolated, close to its row.
        assert_relative_eq!(profile.omega22(100.0), OMEGA22[36][0], max_relative = 1e-2);
        assert_ne!(profile.omega22(100.0), OMEGA22[36][0]);
    }

    #[test]
    fn polar_columns_are_smoothed_by_at_most_a_percent() {
        let integrals = Integrals::new();
        for (column, delta) in DELTA_STAR.iter().enumerate().skip(1) {
            let profile = integrals.profile(*delta);
            for row in 0..36 {
                assert_relative_eq!(profile.omega22(T_STAR[row]), OMEGA22[row][column], max_relative = 1e-2);
            }
        }
    }
}
