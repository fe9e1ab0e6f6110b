//! Net and gross molar production rates.

use super::rates::rates;
use super::{Model, State};
use mechanism::Mechanism;

/// By species, in kmol/m3/s.
#[derive(Debug, Clone, PartialEq)]
pub struct Production {
    /// sum_i (nu'' - nu') (rf - rb)
    pub net: Vec<f64>,
    /// sum_i (nu'' + nu') (rf + rb): what the net rate must be compared with, because near equilibrium it cancels.
    pub gross: Vec<f64>,
}

/// Production rates at a state.
pub fn production(model: &Model, state: &State) -> Production {
    let rates = rates(model, state);
    production_of(&model.mechanism, &rates.rate_forward, &rates.rate_reverse)
}

/// Production rates of given rates of progress (kmol/m3/s, by reaction). CHEMKIN-II, SAND89-8009, section II.5.
pub fn production_of(mechanism: &Mechanism, forward: &[f64], reverse: &[f64]) -> Production {
    let size = mechanism.species.len();
    let mut all = Production { net: vec![0.0; size], gross: vec![0.0; size] };
    for ((reaction, rf), rb) in mechanism.reactions.iter().zip(forward).zip(reverse) {
        for (sign, side) in [(-1.0, &reaction.reactants), (1.0, &reaction.products)] {
            for &(k, nu) in side {
                all.net[k] += sign * nu * (rf - rb);
                all.gross[k] += nu * (rf + rb);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::air_hydrogen_model;
    use crate::states::verification_states;

    #[test]
    fn elements_are_conserved() {
        let model = air_hydrogen_model();
        for state in verification_states(&model, 60) {
            let made = production(&model, &state);
            for element in 0..model.mechanism.elements.len() {
                let (mut net, mut gross) = (0.0, 0.0);
                for (species, (n, g)) in model.mechanism.species.iter().zip(made.net.iter().zip(&made.gross)) {
                    for (_, atoms) in species.composition.iter().filter(|(e, _)| *e == element) {
                        net += atoms * n;
                        gross += atoms * g;
                    }
                }
                assert!(f64::abs(net) <= 1e-14 * gross, "element {element}: {net} of {gross}");
            }
        }
    }

    #[test]
    fn net_and_gross_of_given_rates() {
        let mechanism = air_hydrogen_model().mechanism;
        let made = production_of(&mechanism, &[3.0, 0.0, 0.0, 0.0], &[1.0, 0.0, 0.0, 0.0]);
        assert_eq!(made.net, [-4.0, -2.0, 4.0, 0.0]);
        assert_eq!(made.gross, [8.0, 4.0, 8.0, 0.0]);
    }
}
