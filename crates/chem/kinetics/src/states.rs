//! Deterministic physical states on which generated kernels are verified.

use super::approximation::range::TemperatureRange;
use super::constants::ATMOSPHERE;
use super::overflow::tables;
use super::production::production_of;
use super::random::SplitMix64;
use super::rates::{Rates, rates_at};
use super::{Model, State, Surroundings};
use mechanism::Chebyshev;

/// `count` states over the default range of temperatures: the ends, both sides of the temperatures where thermodynamic ranges
/// meet (as many as two thirds of the states reach), the rest evenly over T and 1/T. Pressures in 0.01..100 atm. Mole fractions
/// that sum to 1: random mixtures, mixtures of a few species with traces and exact zeros, nearly uniform mixtures, pure and nearly
/// pure species. The same model gives the same states.
pub fn verification_states(model: &Model, count: usize) -> Vec<State> {
    verification_states_within(model, count, TemperatureRange::DEFAULT)
}

/// States that have all of these temperatures.
pub fn enough_states(model: &Model) -> usize {
    3 * mid_temperatures(model, TemperatureRange::DEFAULT).len() + 2
}

/// As [`verification_states`], between other temperatures.
pub fn verification_states_within(model: &Model, count: usize, range: TemperatureRange) -> Vec<State> {
    let mids = mid_temperatures(model, range);
    let sides: Vec<f64> = mids.iter().flat_map(|mid| [mid - BESIDE, mid + BESIDE]).collect();
    let of_sides = sides.len().min(2 * count / 3);
    let spread = count - of_sides;
    let mut random = SplitMix64::new(0x5149_4e47_4500_0000);
    (0..count)
        .map(|n| {
            // The n-th state has one of the sides where their share of the states so far grows by one.
            let [before, after] = [n, n + 1].map(|n| n * of_sides / count);
            let temperature = if before < after {
                sides[before * sides.len() / of_sides]
            } else {
                spread_temperature(range, n - before, spread, &mut random)
            };
            let pressure = ATMOSPHERE * 10f64.powf(4.0 * random.uniform() - 2.0);
            let state = State { temperature, pressure, mole_fractions: normalized(amounts(model, n, &mut random)) };
            with_numbers(model, state, range)
        })
        .collect()
}

/// The same mixture where every rate constant is a finite number: at its own temperature and pressure, or else at others, within the tables
/// of Chebyshev rates where there are some.
fn with_numbers(model: &Model, state: State, range: TemperatureRange) -> State {
    if model.left_out.is_empty() || has_numbers(model, &state) {
        return state;
    }
    let tables: Vec<&Chebyshev> =
        model.mechanism.reactions.iter().flat_map(|reaction| tables(&reaction.rate)).collect();
    let within = |usual: [f64; 2], of: fn(&Chebyshev) -> [f64; 2]| {
        let [low, high] = tables.iter().map(|fit| of(fit)).fold(usual, |[a, b], [c, d]| [a.max(c), b.min(d)]);
        if low < high { [low, high] } else { usual }
    };
    let temperatures = within([range.coldest, range.hottest], |fit| [fit.t_min, fit.t_max]);
    let pressures = within([0.01 * ATMOSPHERE, 100.0 * ATMOSPHERE], |fit| [fit.p_min, fit.p_max]);
    let mut random = SplitMix64::new(state.temperature.to_bits() ^ state.pressure.to_bits());
    let mut between = |[low, high]: [f64; 2]| low * (high / low).powf(random.uniform());
    let mut others = (0..MOST_DRAWS).map(|_| {
        let (temperature, pressure) = (between(temperatures), between(pressures));
        State { temperature, pressure, ..state.clone() }
    });
    others.find(|other| has_numbers(model, other)).unwrap_or(state)
}

/// Draws of another temperature and pressure for one state.
const MOST_DRAWS: usize = 200;

/// Whether all rates are finite at a state; of quasi-steady species any concentration will do.
fn has_numbers(model: &Model, state: &State) -> bool {
    let own = super::concentrations(state);
    let all = |others: f64| -> Vec<f64> {
        own.iter().copied().chain(model.mechanism.quasi_steady().iter().map(|_| others)).collect()
    };
    let rates = rates_at(&model.mechanism, state.temperature, state.pressure, &all(0.0), &all(1e-12));
    let Rates { forward, reverse, rate_forward, rate_reverse, .. } = &rates;
    let sums = production_of(&model.mechanism, rate_forward, rate_reverse).gross;
    [forward, reverse, &sums].into_iter().flatten().all(|number| number.is_finite())
}

/// K: how far from the meeting of two ranges.
const BESIDE: f64 = 0.01;

/// The n-th of `count` temperatures over the range. Low temperatures are where rate constants differ most: equal steps in 1/T
/// for every other one.
fn spread_temperature(range: TemperatureRange, n: usize, count: usize, random: &mut SplitMix64) -> f64 {
    let TemperatureRange { coldest, hottest } = range;
    if n == 0 || n + 1 == count {
        return if n == 0 { coldest } else { hottest };
    }
    let fraction = (n as f64 + random.uniform() - 0.5) / (count - 1) as f64;
    match n % 2 {
        0 => 1.0 / (1.0 / coldest + fraction * (1.0 / hottest - 1.0 / coldest)),
        _ => coldest + fraction * (hottest - coldest),
    }
}

fn amounts(model: &Model, n: usize, random: &mut SplitMix64) -> Vec<f64> {
    let size = model.species().len();
    match n % 5 {
        0 => (0..size).map(|_| random.exponential()).collect(),
        1 => few_species(model, random, false),
        2 => few_species(model, random, true),
        3 => (0..size).map(|_| 1.0 + 0.1 * random.uniform()).collect(),
        _ => one_species(model, random, n.is_multiple_of(2)),
    }
}

/// A time step of 1 to 100 ns and sources of up to a fifth of each species per step, the same for the same state.
pub fn surroundings(model: &Model, state: &State) -> Surroundings {
    let mut random = SplitMix64::new(state.temperature.to_bits() ^ state.pressure.to_bits());
    let time_step = 10f64.powf(2.0 * random.uniform() - 9.0);
    let species = model.species().iter().zip(super::concentrations(state));
    let sources = species.map(|(s, c)| 0.4 * (random.uniform() - 0.5) * c * s.weight / time_step);
    Surroundings { transport_source: sources.collect(), time_step }
}

/// Distinct temperatures where thermodynamic ranges meet, inside a range, ascending.
fn mid_temperatures(model: &Model, range: TemperatureRange) -> Vec<f64> {
    let inside = |t: &f64| (range.coldest + 1.0..range.hottest - 1.0).contains(t);
    let mut mids: Vec<f64> =
        model.mechanism.species.iter().flat_map(|s| s.thermo.breaks()).copied().filter(inside).collect();
    mids.sort_by(f64::total_cmp);
    mids.dedup();
    mids
}

/// A fuel with oxidiser and diluent; other species are traces of 1e-12 to 1e-30, or every second one is exactly absent.
/// Quasi-steady concentrations are undefined where nothing makes or consumes a species: then traces are 1e-3 to 1e-8.
fn few_species(model: &Model, random: &mut SplitMix64, zeros: bool) -> Vec<f64> {
    let species = model.species();
    let size = species.len();
    let solved = !model.mechanism.quasi_steady().is_empty();
    let mut amounts: Vec<f64> = traces(model, random);
    if zeros && !solved {
        amounts.iter_mut().step_by(2).for_each(|amount| *amount = 0.0);
    }
    let named = |name: &str| species.iter().position(|s| s.name.eq_ignore_ascii_case(name));
    let oxidizer = named("O2").unwrap_or_else(|| random.below(size));
    let diluent = named("N2").or_else(|| named("AR")).unwrap_or_else(|| random.below(size));
    amounts[oxidizer] += 0.1 + 0.3 * random.uniform();
    amounts[diluent] += 0.3 + 0.4 * random.uniform();
    // Two more, so that a draw of the oxidiser or the diluent still leaves a mixture.
    let fuel = random.below(size);
    amounts[fuel] += 0.05 + 0.2 * random.uniform();
    amounts[(fuel + 1) % size] += 0.05 + 0.1 * random.uniform();
    amounts
}

/// One species, with traces of the others or (unless quasi-steady species would be undefined) with nothing else at all.
fn one_species(model: &Model, random: &mut SplitMix64, alone: bool) -> Vec<f64> {
    let mut amounts = traces(model, random);
    if alone && model.mechanism.quasi_steady().is_empty() {
        amounts.fill(0.0);
    }
    amounts[random.below(model.species().len())] = 1.0;
    amounts
}

fn traces(model: &Model, random: &mut SplitMix64) -> Vec<f64> {
    let (most, range) = if model.mechanism.quasi_steady().is_empty() { (-12.0, 18.0) } else { (-3.0, 5.0) };
    (0..model.species().len()).map(|_| 10f64.powf(most - range * random.uniform())).collect()
}

fn normalized(amounts: Vec<f64>) -> Vec<f64> {
    let total: f64 = amounts.iter().sum();
    amounts.into_iter().map(|amount| amount / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::air_hydrogen_model;

    #[test]
    fn states_are_physical_mixtures() {
        let range = TemperatureRange { coldest: 250.0, hottest: 3900.0 };
        let states = verification_states_within(&air_hydrogen_model(), 120, range);
        assert_eq!(states.len(), 120);
        for state in &states {
            assert!((250.0..=3900.0).contains(&state.temperature));
            assert!((0.01 * ATMOSPHERE..=100.0 * ATMOSPHERE).contains(&state.pressure));
            assert!((state.mole_fractions.iter().sum::<f64>() - 1.0).abs() < 1e-15 * 4.0);
            assert!(state.mole_fractions.iter().all(|x| (0.0..=1.0).contains(x)), "{:?}", state.mole_fractions);
        }
    }

    #[test]
    fn states_cover_the_difficult_places() {
        let model = air_hydrogen_model();
        let states = verification_states(&model, enough_states(&model).max(40));
        let any = |test: &dyn Fn(&State) -> bool| states.iter().any(test);
        assert!(any(&|s| s.temperature < 1000.0 && s.temperature > 999.9));
        assert!(any(&|s| s.temperature > 1000.0 && s.temperature < 1000.1));
        assert!(any(&|s| s.temperature == 200.0) && any(&|s| s.temperature == 4000.0));
        assert!(any(&|s| s.mole_fractions.contains(&0.0)));
        assert!(any(&|s| s.mole_fractions.iter().any(|&x| x > 0.0 && x < 1e-12)));
        assert!(any(&|s| s.mole_fractions.iter().all(|&x| x > 0.2)));
        assert!(
            any(&|s| s.mole_fractions.contains(&1.0))
                && any(&|s| s.mole_fractions.iter().any(|x| (1.0 - 1e-9..1.0).contains(x)))
        );
    }

    #[test]
    fn both_sides_of_every_meeting_are_among_enough_states() {
        let mut model = air_hydrogen_model();
        for (k, species) in model.mechanism.species.iter_mut().enumerate() {
            let mechanism::Polynomials::Nasa7(nasa) = &mut species.thermo else {
                unreachable!("the fixture is NASA-7")
            };
            nasa.t_mid = 900.0 + 50.0 * k as f64;
        }
        let states = verification_states(&model, enough_states(&model));
        for mid in [900.0, 950.0, 1000.0, 1050.0] {
            for side in [mid - BESIDE, mid + BESIDE] {
                assert!(states.iter().any(|s| s.temperature == side), "{side}");
            }
        }
    }

    #[test]
    fn states_do_not_change() {
        let model = air_hydrogen_model();
        assert_eq!(verification_states(&model, 17), verification_states(&model, 17));
    }
}
