//! Rate expressions of temperature and pressure alone.

use super::constants::ATMOSPHERE;
use super::number::Number;
use mechanism::{Arrhenius, Chebyshev, LandauTeller};

/// A T^b exp(-(E/R)/T). CHEMKIN-II, SAND89-8009, section II.5. A may be negative or zero.
pub fn arrhenius<N: Number>(rate: &Arrhenius, t: N) -> N {
    (t.ln() * rate.b - N::from(rate.e_over_r) / t).exp() * rate.a
}

/// A T^b exp(-(E/R)/T + B T^(-1/3) + C T^(-2/3)). CHEMKIN-II, SAND89-8009, section II.6.
pub fn landau_teller<N: Number>(rate: &Arrhenius, vibration: &LandauTeller, t: N) -> N {
    let root = t.cbrt();
    let vibrational = N::from(vibration.b) / root + N::from(vibration.c) / (root * root);
    (t.ln() * rate.b - N::from(rate.e_over_r) / t + vibrational).exp() * rate.a
}

/// ln k linear in ln P between neighbouring pressures, constant outside. `table` holds (Pa, summed expressions), ascending.
pub fn plog<N: Number>(table: &[(f64, Vec<Arrhenius>)], t: N, pressure: N) -> N {
    let above = table.partition_point(|(p, _)| *p < pressure.value());
    let ln_k = |row: usize| ln_sum(&table[row].1, t);
    if above == 0 {
        return ln_k(0).exp();
    }
    if above == table.len() {
        return ln_k(above - 1).exp();
    }
    let (low, high) = (ln_k(above - 1), ln_k(above));
    let (p_low, p_high) = (table[above - 1].0.ln(), table[above].0.ln());
    (low + (high - low) * (pressure.ln() - p_low) / (p_high - p_low)).exp()
}

/// ln of a sum of expressions. A sum gets 1e-300 so that terms which cancel or underflow keep a logarithm.
fn ln_sum<N: Number>(terms: &[Arrhenius], t: N) -> N {
    match terms {
        [one] if one.a > 0.0 => t.ln() * one.b + one.a.ln() - N::from(one.e_over_r) / t,
        _ => (terms.iter().map(|term| arrhenius(term, t)).sum::<N>() + 1e-300).ln(),
    }
}

/// lg k = sum_ij a_ij T_i(x) T_j(y) with x the reduced 1/T and y the reduced lg P; not clamped to its window.
/// Venkatesh, Chang, Dean, Cohen, Carr, AIChE J. 43 (1997) 1331.
pub fn chebyshev<N: Number>(rate: &Chebyshev, t: N, pressure: N) -> N {
    let x = (N::from(2.0) / t - 1.0 / rate.t_min - 1.0 / rate.t_max) / (1.0 / rate.t_max - 1.0 / rate.t_min);
    // Atmospheres keep the logarithms small.
    let lg = |p: f64| (p / ATMOSPHERE).log10();
    let own = (pressure / ATMOSPHERE).log10();
    let y = (own * 2.0 - lg(rate.p_min) - lg(rate.p_max)) / (lg(rate.p_max) - lg(rate.p_min));
    let constants = |row: &Vec<f64>| row.iter().map(|&c| N::from(c)).collect::<Vec<N>>();
    let over_pressure: Vec<N> = rate.coefficients.iter().map(|row| chebyshev_sum(&constants(row), y)).collect();
    chebyshev_sum(&over_pressure, x).exp10()
}

/// sum_n c_n T_n(x) by Clenshaw's recurrence.
fn chebyshev_sum<N: Number>(coefficients: &[N], x: N) -> N {
    let zero = N::from(0.0);
    let Some((&first, rest)) = coefficients.split_first() else { return zero };
    let (b1, b2) = rest.iter().rev().fold((zero, zero), |(b1, b2), &c| (c + x * 2.0 * b1 - b2, b1));
    first + x * b1 - b2
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    const RATE: Arrhenius = Arrhenius { a: 3.0e10, b: 0.7, e_over_r: 1200.0 };

    #[test]
    fn arrhenius_is_its_formula() {
        assert_relative_eq!(
            arrhenius(&RATE, 1000.0),
            3.0e10 * 1000f64.powf(0.7) * (-1.2f64).exp(),
            max_relative = 1e-14
        );
        assert_eq!(arrhenius(&Arrhenius { a: 0.0, ..RATE }, 500.0), 0.0);
        assert!(arrhenius(&Arrhenius { a: -1.0, ..RATE }, 500.0) < 0.0);
    }

    #[test]
    fn landau_teller_without_its_terms_is_arrhenius() {
        let none = LandauTeller { b: 0.0, c: 0.0 };
        assert_eq!(landau_teller(&RATE, &none, 700.0), arrhenius(&RATE, 700.0));
        let some = LandauTeller { b: -20.0, c: 30.0 };
        let expected = arrhenius(&RATE, 1000.0) * (-20.0f64 / 10.0 + 30.0 / 100.0).exp();
        assert_relative_eq!(landau_teller(&RATE, &some, 1000.0), expected, max_relative = 1e-13);
    }

    #[test]
    fn plog_interpolates_clamps_and_sums() {
        let double = Arrhenius { a: 6.0e10, ..RATE };
        let table = vec![(1e3, vec![RATE]), (1e5, vec![RATE, RATE]), (1e6, vec![Arrhenius { a: 24.0e10, ..RATE }])];
        let k = arrhenius(&RATE, 900.0);
        assert_relative_eq!(plog(&table, 900.0, 1.0), k, max_relative = 1e-13);
        assert_relative_eq!(plog(&table, 900.0, 1e4), k * 2f64.sqrt(), max_relative = 1e-13);
        assert_relative_eq!(plog(&table, 900.0, 1e5), arrhenius(&double, 900.0), max_relative = 1e-13);
        assert_relative_eq!(plog(&table, 900.0, 1e9), 8.0 * k, max_relative = 1e-13);
    }

    #[test]
    fn chebyshev_polynomials_up_to_degree_three() {
        let x: f64 = 0.3;
        let expected = 1.0 + 2.0 * x + 3.0 * (2.0 * x * x - 1.0) + 4.0 * (4.0 * x * x * x - 3.0 * x);
        assert_relative_eq!(chebyshev_sum(&[1.0, 2.0, 3.0, 4.0], x), expected, max_relative = 1e-14);
        assert_eq!(chebyshev_sum(&[], x), 0.0);
    }

    #[test]
    fn chebyshev_at_the_corners_of_its_window() {
        let rate = Chebyshev {
            t_min: 300.0,
            t_max: 2500.0,
            p_min: 1e3,
            p_max: 1e7,
            coefficients: vec![vec![4.0, 0.5], vec![-0.25, 0.125]],
        };
        // x = -1 at t_min, 1 at t_max; y likewise.
        assert_relative_eq!(chebyshev(&rate, 300.0, 1e3), 10f64.powf(4.0 - 0.5 + 0.25 + 0.125), max_relative = 1e-12);
        assert_relative_eq!(chebyshev(&rate, 2500.0, 1e7), 10f64.powf(4.0 + 0.5 - 0.25 + 0.125), max_relative = 1e-12);
    }
}
