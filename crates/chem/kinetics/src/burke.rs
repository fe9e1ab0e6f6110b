//! Rate constants by the linear mixture rule over reduced pressures.

use super::constants::GAS_CONSTANT;
use super::expressions::{arrhenius, chebyshev, plog};
use super::falloff::{SMALL, falloff};
use super::number::Number;
use super::rates::third_body;
use mechanism::{LinearBurke, PressureRate};

/// With E = sum eps C over all species: sum (eps C/E) k at the concentration E/eps of the collider alone, which has the reduced pressure of
/// the mixture; the bath and the colliders without a rate of their own share k at E. Singal, Lee, Lei, Speth & Burke, Proc. Combust. Inst.
/// 40 (2024) 105779. `c` are concentrations in kmol/m3, by species.
pub fn linear_burke<N: Number>(rate: &LinearBurke, t: N, c: &[N]) -> N {
    let rest = third_body(&rate.rest(), c);
    let efficiencies: Vec<N> = rate.colliders.iter().map(|collider| arrhenius(&collider.efficiency, t)).collect();
    let weighted =
        || rate.colliders.iter().zip(&efficiencies).map(|(collider, &eps)| (collider, eps, c[collider.species] * eps));
    let total = weighted().fold(rest, |sum, (.., own)| sum + own).max(SMALL);
    let bath = weighted().filter(|(collider, ..)| collider.rate.is_none()).fold(rest, |sum, (.., own)| sum + own);
    let mut sum = bath * at(&rate.bath, t, total);
    for (collider, eps, own) in weighted() {
        if let Some(rate) = &collider.rate {
            sum = sum + own * at(rate, t, total / eps);
        }
    }
    sum / total
}

/// The rate constant where the collider alone has this concentration, in kmol/m3.
fn at<N: Number>(rate: &PressureRate, t: N, m: N) -> N {
    let pressure = || m * t * GAS_CONSTANT;
    match rate {
        PressureRate::Falloff { low, high, blending } => falloff(arrhenius(low, t), arrhenius(high, t), m, blending, t),
        PressureRate::Plog(table) => plog(table, t, pressure()),
        PressureRate::Chebyshev(fit) => chebyshev(fit, t, pressure()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use mechanism::{Arrhenius, Blending, BurkeCollider};

    const fn constant(a: f64) -> Arrhenius {
        Arrhenius { a, b: 0.0, e_over_r: 0.0 }
    }

    fn lindemann(low: f64, high: f64) -> PressureRate {
        PressureRate::Falloff { low: constant(low), high: constant(high), blending: Blending::Lindemann }
    }

    fn collider(species: usize, efficiency: f64, rate: Option<PressureRate>) -> BurkeCollider {
        BurkeCollider { species, efficiency: constant(efficiency), rate }
    }

    #[test]
    fn efficiencies_alone_are_those_of_a_falloff() {
        let rate = LinearBurke { bath: lindemann(2.0, 3.0), colliders: vec![collider(1, 6.0, None)] };
        let expected = falloff(2.0, 3.0, 0.2 + 6.0 * 0.5 + 0.1, &Blending::Lindemann, 900.0);
        assert_relative_eq!(linear_burke(&rate, 900.0, &[0.2, 0.5, 0.1]), expected, max_relative = 1e-14);
    }

    #[test]
    fn one_collider_alone_has_its_own_rate_at_its_own_pressure() {
        let rate =
            LinearBurke { bath: lindemann(2.0, 3.0), colliders: vec![collider(1, 6.0, Some(lindemann(7.0, 5.0)))] };
        let alone = falloff(7.0, 5.0, 0.5, &Blending::Lindemann, 900.0);
        assert_relative_eq!(linear_burke(&rate, 900.0, &[0.0, 0.5, 0.0]), alone, max_relative = 1e-14);
        let others = falloff(2.0, 3.0, 0.3, &Blending::Lindemann, 900.0);
        assert_relative_eq!(linear_burke(&rate, 900.0, &[0.2, 0.0, 0.1]), others, max_relative = 1e-14);
        assert_eq!(linear_burke(&rate, 900.0, &[0.0; 3]), 0.0);
    }

    #[test]
    fn the_low_pressure_limit_sums_up_the_limits() {
        let rate =
            LinearBurke { bath: lindemann(2.0, 3.0), colliders: vec![collider(1, 6.0, Some(lindemann(7.0, 5.0)))] };
        let k = linear_burke(&rate, 900.0, &[1e-9, 2e-9, 0.0]);
        assert_relative_eq!(k, 2.0 * 1e-9 + 7.0 * 2e-9, max_relative = 1e-7);
    }

    #[test]
    fn tables_are_read_at_the_pressure_of_the_collider_alone() {
        let table = vec![(1e4, vec![constant(1.0)]), (1e6, vec![constant(100.0)])];
        let rate = LinearBurke { bath: PressureRate::Plog(table), colliders: vec![collider(0, 4.0, None)] };
        // ln k is ln P less ln 1e4 here.
        let m = 1e5 / (GAS_CONSTANT * 1200.0);
        assert_relative_eq!(linear_burke(&rate, 1200.0, &[m, 0.0]), 40.0, max_relative = 1e-12);
        assert_relative_eq!(linear_burke(&rate, 1200.0, &[0.0, m]), 10.0, max_relative = 1e-12);
    }
}
