//! Rate constants and rates of progress of every reaction.

use super::burke::linear_burke;
use super::constants::{ATMOSPHERE, GAS_CONSTANT};
use super::expressions::{arrhenius, chebyshev, landau_teller, plog};
use super::falloff::{chemically_activated, falloff};
use super::number::Number;
use super::thermo::{concentrations, g_rt};
use super::{Model, State};
use mechanism::{Collider, Mechanism, Rate, Reaction, Reverse, SpeciesIndex};

/// All by reaction; `n` is the order of the direction, \[M\] not counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Rates<N = f64> {
    /// Forward rate constants in (m3/kmol)^(n-1)/s. They include falloff, and exclude the \[M\] of `+M` reactions.
    pub forward: Vec<N>,
    /// Reverse rate constants, likewise; 0 where irreversible.
    pub reverse: Vec<N>,
    /// \[M\] in kmol/m3, of `+M` and of falloff reactions.
    pub third_body: Vec<Option<N>>,
    /// Rates of progress in kmol/m3/s; they include the \[M\] of `+M` reactions.
    pub rate_forward: Vec<N>,
    pub rate_reverse: Vec<N>,
}

/// Rates at a state.
pub fn rates(model: &Model, state: &State) -> Rates {
    let c = concentrations(state);
    rates_at(&model.mechanism, state.temperature, state.pressure, &c, &c)
}

/// Rates where the concentrations (kmol/m3, by species) that form \[M\] differ from those that react: a quasi-steady species
/// reacts with a concentration of its own and does not count in \[M\].
pub fn rates_at<N: Number>(mechanism: &Mechanism, t: N, pressure: N, colliders: &[N], reactants: &[N]) -> Rates<N> {
    OfTemperature::new(mechanism, t, None).rates(mechanism, pressure, colliders, reactants)
}

/// Rate constants as far as the temperature alone, or that and the pressure, decide them, by reaction. They serve all concentrations.
#[derive(Debug, Clone)]
pub struct OfTemperature<N> {
    t: N,
    /// Forward rate constants; `None` where they depend on more.
    forward: Vec<Option<N>>,
    /// Reverse rate constants, or 1/Kc where they are in equilibrium.
    reverse: Vec<N>,
}

impl<N: Number> OfTemperature<N> {
    /// Without a pressure, rate constants that depend on it are left out.
    pub fn new(mechanism: &Mechanism, t: N, pressure: Option<N>) -> Self {
        let gibbs: Vec<N> = mechanism.species.iter().map(|s| g_rt(&s.thermo, t)).collect();
        let forward = |reaction: &Reaction| {
            let pressure = match &reaction.rate {
                Rate::Arrhenius(_) | Rate::LandauTeller(..) => Some(pressure.unwrap_or(N::from(f64::NAN))),
                Rate::Plog(_) | Rate::Chebyshev(_) => pressure,
                Rate::Falloff { .. } | Rate::ChemicallyActivated { .. } | Rate::LinearBurke(_) => None,
            };
            pressure.map(|pressure| forward_constant(&reaction.rate, t, pressure, None, &[]))
        };
        let reverse = |reaction: &Reaction| match &reaction.reverse {
            Reverse::Irreversible => N::from(0.0),
            Reverse::Equilibrium => inverse_equilibrium_constant(reaction, &gibbs, t),
            Reverse::Explicit(rate, None) => arrhenius(rate, t),
            Reverse::Explicit(rate, Some(vibration)) => landau_teller(rate, vibration, t),
        };
        Self {
            t,
            forward: mechanism.reactions.iter().map(forward).collect(),
            reverse: mechanism.reactions.iter().map(reverse).collect(),
        }
    }

    /// Rates as [`rates_at`] has them, at a pressure that is the one of before if there was one.
    pub fn rates(&self, mechanism: &Mechanism, pressure: N, colliders: &[N], reactants: &[N]) -> Rates<N> {
        let size = mechanism.reactions.len();
        let mut all = Rates {
            forward: Vec::with_capacity(size),
            reverse: Vec::with_capacity(size),
            third_body: Vec::with_capacity(size),
            rate_forward: Vec::with_capacity(size),
            rate_reverse: Vec::with_capacity(size),
        };
        // Many reactions have the same list of efficiencies.
        let mut sums: Vec<(&Collider, N)> = Vec::new();
        let mut sum_of = |collider| {
            let known = sums.iter().find(|(other, _)| *other == collider).map(|(_, sum)| *sum);
            known.unwrap_or_else(|| {
                let sum = third_body(collider, colliders);
                sums.push((collider, sum));
                sum
            })
        };
        for (reaction, (forward, &reverse)) in mechanism.reactions.iter().zip(self.forward.iter().zip(&self.reverse)) {
            let m = collider(reaction).map(&mut sum_of);
            let forward = forward.unwrap_or_else(|| forward_constant(&reaction.rate, self.t, pressure, m, colliders));
            let reverse = if reaction.reverse == Reverse::Equilibrium { forward * reverse } else { reverse };
            // The rate constant of a falloff reaction contains its [M] already.
            let factor = reaction.third_body.as_ref().and(m).unwrap_or(N::from(1.0));
            let ahead = activity(&reaction.reactants, &reaction.forward_orders, reactants);
            let back = activity(&reaction.products, &reaction.reverse_orders, reactants);
            all.forward.push(forward);
            all.reverse.push(reverse);
            all.third_body.push(m);
            all.rate_forward.push(progress(forward, factor * ahead));
            all.rate_reverse.push(progress(reverse, factor * back));
        }
        all
    }
}

/// 1/Kc in concentration units of kmol/m3, at most 1e300 as in Cantera: exp(sum nu g/RT) (P0/RT)^(-sum nu) with nu the
/// net stoichiometric coefficients. CHEMKIN-II, SAND89-8009, section II.5.
pub fn inverse_equilibrium_constant<N: Number>(reaction: &Reaction, gibbs: &[N], t: N) -> N {
    let side = |terms: &[(SpeciesIndex, f64)]| {
        terms.iter().fold((N::from(0.0), 0.0), |(g, n), &(k, nu)| (g + gibbs[k] * nu, n + nu))
    };
    let (products, reactants) = (side(&reaction.products), side(&reaction.reactants));
    let ln_standard = (N::from(ATMOSPHERE) / (t * GAS_CONSTANT)).ln();
    (products.0 - reactants.0 - ln_standard * (products.1 - reactants.1)).exp().min(1e300)
}

/// \[M\] in kmol/m3. Summed directly: total plus corrections would lose digits where an efficiency is 0.
pub fn third_body<N: Number>(collider: &Collider, concentrations: &[N]) -> N {
    match collider {
        Collider::Species(k) => concentrations[*k],
        Collider::Mixture(efficiencies) => {
            let mut listed = efficiencies.iter().peekable();
            let weighted = concentrations.iter().enumerate().map(|(k, &c)| match listed.next_if(|(s, _)| *s == k) {
                Some((_, efficiency)) => c * *efficiency,
                None => c,
            });
            weighted.sum()
        }
    }
}

/// Returns the collider that M stands for in a reaction, inside falloff parentheses or outside.
fn collider(reaction: &Reaction) -> Option<&Collider> {
    match &reaction.rate {
        Rate::Falloff { collider, .. } | Rate::ChemicallyActivated { collider, .. } => Some(collider),
        _ => reaction.third_body.as_ref(),
    }
}

/// `m` is \[M\] where the rate has one; `colliders` are concentrations by species.
fn forward_constant<N: Number>(rate: &Rate, t: N, pressure: N, m: Option<N>, colliders: &[N]) -> N {
    let limits = |low, high| {
        (arrhenius(low, t), arrhenius(high, t), m.expect("a rate with two pressure limits names its collider"))
    };
    match rate {
        Rate::Arrhenius(rate) => arrhenius(rate, t),
        Rate::LandauTeller(rate, vibration) => landau_teller(rate, vibration, t),
        Rate::Falloff { low, high, blending, .. } => {
            let (low, high, m) = limits(low, high);
            falloff(low, high, m, blending, t)
        }
        Rate::ChemicallyActivated { low, high, blending, .. } => {
            let (low, high, m) = limits(low, high);
            chemically_activated(low, high, m, blending, t)
        }
        Rate::Plog(table) => plog(table, t, pressure),
        Rate::Chebyshev(rate) => chebyshev(rate, t, pressure),
        Rate::LinearBurke(rate) => linear_burke(rate, t, colliders),
    }
}

/// prod C^order over one side of a reaction; `orders` replace its coefficients and may name further species.
fn activity<N: Number>(side: &[(SpeciesIndex, f64)], orders: &[(SpeciesIndex, f64)], concentrations: &[N]) -> N {
    let replaced = |k: SpeciesIndex| orders.iter().any(|(other, _)| *other == k);
    let kept = side.iter().filter(|(k, _)| !replaced(*k));
    kept.chain(orders).fold(N::from(1.0), |product, &(k, order)| product * power(concentrations[k], order))
}

/// kmol/m3. A species with a negative order counts with at least this concentration, so that rates stay finite where it
/// is absent (down to an order of -3).
pub const LEAST_INHIBITOR: f64 = 1e-100;

/// c^order; small integer orders by multiplication.
fn power<N: Number>(c: N, order: f64) -> N {
    if order == 1.0 {
        c
    } else if order == 2.0 {
        c * c
    } else if order == 3.0 {
        c * c * c
    } else if order < 0.0 {
        c.max(LEAST_INHIBITOR).power(N::from(order))
    } else {
        c.power(N::from(order))
    }
}

/// Returns the rate: zero if a reactant is absent, however large the constant.
fn progress<N: Number>(constant: N, activity: N) -> N {
    if activity.is_nothing() { N::from(0.0) } else { constant * activity }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{air_hydrogen, air_hydrogen_model, reaction, state};
    use approx::assert_relative_eq;
    use mechanism::{Arrhenius, LandauTeller, Polynomials};

    const K: Arrhenius = Arrhenius { a: 5.0e6, b: 0.5, e_over_r: 800.0 };

    fn alone(reaction: Reaction) -> Mechanism {
        Mechanism { reactions: vec![reaction], ..air_hydrogen() }
    }

    #[test]
    fn both_directions_balance_at_equilibrium() {
        let mechanism = air_hydrogen();
        let t = 2400.0;
        let gibbs: Vec<f64> = mechanism.species.iter().map(|s| g_rt(&s.thermo, t)).collect();
        let kc = 1.0 / inverse_equilibrium_constant(&mechanism.reactions[0], &gibbs, t);
        let (hydrogen, oxygen) = (2e-3, 5e-4);
        let water = (kc * hydrogen * hydrogen * oxygen).sqrt();
        let c = [hydrogen, oxygen, water, 1e-2];
        let rates = rates_at(&mechanism, t, 101325.0, &c, &c);
        for i in 0..3 {
            assert!(rates.rate_forward[i] > 0.0);
            assert_relative_eq!(rates.rate_forward[i], rates.rate_reverse[i], max_relative = 1e-12);
        }
        assert_eq!((rates.reverse[3], rates.rate_reverse[3]), (0.0, 0.0));
    }

    #[test]
    fn the_equilibrium_constant_is_capped() {
        let mut mechanism = air_hydrogen();
        let Polynomials::Nasa7(nasa) = &mut mechanism.species[2].thermo else { unreachable!("the fixture is NASA-7") };
        nasa.low[5] = 1e6;
        let gibbs: Vec<f64> = mechanism.species.iter().map(|s| g_rt(&s.thermo, 300.0)).collect();
        assert_eq!(inverse_equilibrium_constant(&mechanism.reactions[0], &gibbs, 300.0), 1e300);
        let c = [1.0, 1.0, 0.0, 1.0];
        assert_eq!(rates_at(&mechanism, 300.0, 1e5, &c, &c).rate_reverse[0], 0.0);
    }

    #[test]
    fn third_bodies_replace_listed_efficiencies() {
        let c = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(third_body(&Collider::Mixture(vec![]), &c), 15.0);
        assert_eq!(third_body(&Collider::Mixture(vec![(1, 0.0), (2, 6.0)]), &c), 33.0);
        assert_eq!(third_body(&Collider::Species(3), &c), 8.0);
    }

    #[test]
    fn only_reactions_with_m_outside_are_multiplied_by_it() {
        let model = air_hydrogen_model();
        let state = state(1500.0, 2e5, &[0.2, 0.3, 0.1, 0.4]);
        let c = concentrations(&state);
        let rates = rates(&model, &state);
        let product = c[0] * c[0] * c[1];
        let m = c[0] + 6.0 * c[2] + c[3];
        assert_relative_eq!(rates.rate_forward[1], rates.forward[1] * m * product, max_relative = 1e-14);
        assert_relative_eq!(rates.rate_forward[2], rates.forward[2] * product, max_relative = 1e-14);
        assert_eq!(rates.third_body[0], None);
        assert_relative_eq!(rates.third_body[1].expect("+M"), m, max_relative = 1e-14);
        assert_relative_eq!(rates.third_body[2].expect("(+N2)"), c[3], max_relative = 1e-14);
        assert!(rates.forward[2] < rates.forward[0]);
    }

    #[test]
    fn orders_replace_coefficients_in_the_rate_only() {
        let mut r = reaction(&[(0, 2.0), (1, 1.0)], &[(2, 2.0)], Rate::Arrhenius(K));
        r.forward_orders = vec![(0, 0.7), (3, 1.2)];
        r.reverse_orders = vec![(2, 0.5)];
        let c = [0.3, 0.2, 0.4, 0.1];
        let rates = rates_at(&alone(r), 1800.0, 1e5, &c, &c);
        let expected = rates.forward[0] * 0.3f64.powf(0.7) * 0.1f64.powf(1.2) * 0.2;
        assert_relative_eq!(rates.rate_forward[0], expected, max_relative = 1e-14);
        assert_relative_eq!(rates.rate_reverse[0], rates.reverse[0] * 0.4f64.sqrt(), max_relative = 1e-14);
    }

    #[test]
    fn explicit_reverse_rates_stand_alone() {
        let vibration = LandauTeller { b: 5.0, c: -12.0 };
        let plain = reaction(&[(0, 2.0), (1, 1.0)], &[(2, 2.0)], Rate::LandauTeller(K, vibration));
        for (with, expected) in [(None, arrhenius(&K, 900.0)), (Some(vibration), landau_teller(&K, &vibration, 900.0))]
        {
            let r = Reaction { reverse: Reverse::Explicit(K, with), ..plain.clone() };
            let rates = rates_at(&alone(r), 900.0, 1e5, &[1.0; 4], &[1.0; 4]);
            assert_eq!(rates.reverse[0], expected);
            assert_eq!(rates.forward[0], landau_teller(&K, &vibration, 900.0));
        }
    }

    #[test]
    fn colliders_and_reactants_may_differ() {
        let mechanism = air_hydrogen();
        let (m, c) = ([1.0, 2.0, 0.0, 8.0], [1.0, 2.0, 3.0, 8.0]);
        let rates = rates_at(&mechanism, 1200.0, 1e5, &m, &c);
        assert_eq!(rates.third_body[1], Some(9.0));
        assert_relative_eq!(rates.rate_reverse[1], rates.reverse[1] * 9.0 * 9.0, max_relative = 1e-14);
    }
}
