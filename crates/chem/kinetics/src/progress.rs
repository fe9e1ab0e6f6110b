//! Rates of reactions one by one, and what both directions of all reactions create and destroy of each species.

use super::constants::{ATMOSPHERE, GAS_CONSTANT};
use super::properties::Judged;
use super::rates::{Rates, rates};
use super::thermo::g_rt;
use super::{Model, State};
use mechanism::{Mechanism, Reaction, SpeciesIndex};

/// At a state. Constants are by reaction in powers of m3/kmol; those of rates with the power that belongs to each.
pub struct Progress {
    forward_constants: Vec<(f64, f64)>,
    reverse_constants: Vec<(f64, f64)>,
    equilibrium_constants: Vec<(f64, f64)>,
    /// kmol/m3/s by reaction
    pub forward: Vec<Judged>,
    pub reverse: Vec<Judged>,
    /// kmol/m3/s by species
    pub creation: Vec<Judged>,
    pub destruction: Vec<Judged>,
}

/// Returns the progress of a mechanism's reactions; its reduction, if it has one, is ignored.
pub fn progress(model: &Model, state: &State) -> Progress {
    let mechanism = &model.mechanism;
    let Rates { forward, reverse, rate_forward, rate_reverse, .. } = rates(model, state);
    let reactions = &mechanism.reactions;
    let power_of = |r: &Reaction, side: &[(SpeciesIndex, f64)], replaced: &[(SpeciesIndex, f64)]| {
        let kept = side.iter().filter(|(k, _)| replaced.iter().all(|(other, _)| other != k));
        let order: f64 = kept.chain(replaced).map(|(_, order)| order).sum();
        if r.third_body.is_some() { order } else { order - 1.0 }
    };
    let ahead = |(r, k): (&Reaction, f64)| (k, power_of(r, &r.reactants, &r.forward_orders));
    let back = |(r, k): (&Reaction, f64)| (k, power_of(r, &r.products, &r.reverse_orders));
    let [creation, destruction] = created_and_destroyed(mechanism, &rate_forward, &rate_reverse);
    let exact = |rates: Vec<f64>| rates.into_iter().map(Judged::exact).collect();
    Progress {
        forward_constants: reactions.iter().zip(forward).map(ahead).collect(),
        reverse_constants: reactions.iter().zip(reverse).map(back).collect(),
        equilibrium_constants: reactions.iter().map(|r| equilibrium(mechanism, r, state.temperature)).collect(),
        forward: exact(rate_forward),
        reverse: exact(rate_reverse),
        creation,
        destruction,
    }
}

impl Progress {
    /// The constants times what the unit's power asks for, which 1 leaves in SI.
    pub fn forward_constants(&self, factor: impl Fn(f64) -> f64) -> Vec<Judged> {
        in_units(&self.forward_constants, factor)
    }

    /// As the forward constants; 0 where there is no way back.
    pub fn reverse_constants(&self, factor: impl Fn(f64) -> f64) -> Vec<Judged> {
        in_units(&self.reverse_constants, factor)
    }

    /// As the forward constants.
    pub fn equilibrium_constants(&self, factor: impl Fn(f64) -> f64) -> Vec<Judged> {
        in_units(&self.equilibrium_constants, factor)
    }

    /// Forward less reverse rates.
    pub fn net(&self) -> Vec<Judged> {
        let pairs = self.forward.iter().zip(&self.reverse);
        pairs.map(|(f, r)| Judged { value: f.value - r.value, scale: f.scale + r.scale }).collect()
    }
}

fn in_units(constants: &[(f64, f64)], factor: impl Fn(f64) -> f64) -> Vec<Judged> {
    constants.iter().map(|&(value, power)| Judged::exact(value * factor(power))).collect()
}

/// Kc, at least 1e-300, and its power of m3/kmol: that of sum nu' - sum nu''.
fn equilibrium(mechanism: &Mechanism, r: &Reaction, t: f64) -> (f64, f64) {
    let standard = (ATMOSPHERE / (GAS_CONSTANT * t)).ln();
    let (mut ln, mut power) = (0.0, 0.0);
    for (sign, side) in [(-1.0, &r.products), (1.0, &r.reactants)] {
        for &(k, nu) in side {
            ln += sign * nu * (g_rt(&mechanism.species[k].thermo, t) - standard);
            power += sign * nu;
        }
    }
    (ln.exp().max(1e-300), power)
}

fn created_and_destroyed(mechanism: &Mechanism, forward: &[f64], reverse: &[f64]) -> [Vec<Judged>; 2] {
    let nothing = vec![Judged { value: 0.0, scale: 0.0 }; mechanism.species.len()];
    let mut sums = [nothing.clone(), nothing];
    for ((r, &ahead), &back) in mechanism.reactions.iter().zip(forward).zip(reverse) {
        for (side, [created, destroyed]) in [(&r.products, [ahead, back]), (&r.reactants, [back, ahead])] {
            for &(k, nu) in side {
                for (sum, rate) in sums.iter_mut().zip([created, destroyed]) {
                    sum[k].value += nu * rate;
                    sum[k].scale += (nu * rate).abs();
                }
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::air_hydrogen_model;
    use crate::production;
    use crate::states::verification_states;
    use approx::assert_relative_eq;

    #[test]
    fn creation_less_destruction_is_production_and_net_rates_are_differences() {
        let model = air_hydrogen_model();
        for state in verification_states(&model, 20) {
            let (all, production) = (progress(&model, &state), production(&model, &state));
            for (k, &net) in production.net.iter().enumerate() {
                let difference = all.creation[k].value - all.destruction[k].value;
                assert!((difference - net).abs() <= 1e-13 * production.gross[k], "{k}: {difference} {net}");
            }
        }
    }

    #[test]
    fn reverse_constants_follow_from_equilibrium_constants() {
        let model = air_hydrogen_model();
        let state = verification_states(&model, 1).remove(0);
        let all = progress(&model, &state);
        let si = |_: f64| 1.0;
        let [forward, reverse, equilibrium] =
            [all.forward_constants(si), all.reverse_constants(si), all.equilibrium_constants(si)];
        for i in 0..3 {
            let expected = forward[i].value / equilibrium[i].value;
            assert_relative_eq!(reverse[i].value, expected, max_relative = 1e-11);
        }
    }
}
