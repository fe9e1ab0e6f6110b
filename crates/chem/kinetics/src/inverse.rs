//! The temperature of a mixture from its specific energy or enthalpy, by halving.

use super::Model;
use super::approximation::range::TemperatureRange;
use super::constants::GAS_CONSTANT;
use super::reactor::Constant;
use super::thermo::h_rt;

/// In K, from J/kg: of energies at constant volume, of enthalpies at constant pressure. Where ranges of the species' polynomials meet
/// with a step, the colder of two solutions counts, and the temperature where they meet is the solution for what lies within the
/// step. Temperatures beyond the range are cut off. Mole fractions count as they are; negative ones as zero.
pub fn temperature(
    model: &Model,
    mole_fractions: &[f64],
    energy: f64,
    constant: Constant,
    range: TemperatureRange,
) -> f64 {
    let species = model.species();
    let weight: f64 = species.iter().zip(mole_fractions).map(|(s, x)| s.weight * x.max(0.0)).sum();
    let work = if constant == Constant::Volume { 1.0 } else { 0.0 };
    let excess = |t: f64| {
        let terms = species.iter().zip(mole_fractions).map(|(s, x)| x.max(0.0) * (h_rt(&s.thermo, t) - work));
        GAS_CONSTANT * t * terms.sum::<f64>() - energy * weight
    };
    let mut ends: Vec<f64> = species.iter().flat_map(|s| s.thermo.breaks()).copied().collect();
    ends.retain(|end| (range.coldest..range.hottest).contains(end));
    ends.sort_by(f64::total_cmp);
    let mut cold = range.coldest;
    for end in ends.into_iter().chain([range.hottest]) {
        if excess(end) >= 0.0 {
            return halved(excess, cold, end);
        }
        cold = end.next_up();
    }
    range.hottest
}

/// Returns the zero of a rising function, to the last place.
fn halved(f: impl Fn(f64) -> f64, mut cold: f64, mut hot: f64) -> f64 {
    loop {
        let middle = 0.5 * (cold + hot);
        if middle <= cold || middle >= hot {
            return if f(cold).abs() < f(hot).abs() { cold } else { hot };
        }
        if f(middle) < 0.0 { cold = middle } else { hot = middle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::air_hydrogen_model;
    use crate::properties::properties;
    use crate::states::verification_states;

    #[test]
    fn temperatures_are_found_again() {
        let model = air_hydrogen_model();
        for state in verification_states(&model, 60) {
            let all = properties(&model, &state);
            for (constant, value) in [(Constant::Pressure, all.mixture.h), (Constant::Volume, all.mixture.u)] {
                let specific = value.value / all.mean_molar_mass;
                let range = TemperatureRange::DEFAULT;
                let found = temperature(&model, &state.mole_fractions, specific, constant, range);
                let again = properties(&model, &crate::State { temperature: found, ..state.clone() });
                let again = if constant == Constant::Pressure { again.mixture.h } else { again.mixture.u };
                assert!((again.value - value.value).abs() <= 2e-12 * value.scale, "{} K, {found} K", state.temperature);
                let near_a_step = (state.temperature - 1000.0).abs() < 0.1;
                assert!(
                    near_a_step || (found / state.temperature - 1.0).abs() < 1e-12,
                    "{} {found}",
                    state.temperature
                );
            }
        }
    }
}
