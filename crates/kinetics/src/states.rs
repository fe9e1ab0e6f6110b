//! Deterministic physical states on which generated kernels are verified.

use super::constants::ATMOSPHERE;
use super::{Model, State, Surroundings};

/// K
pub const COLDEST: f64 = 300.0;
pub const HOTTEST: f64 = 3000.0;

/// `count` states with temperatures in 300..3000 K, also on both sides of the species' mid temperatures, pressures in
/// 0.01..100 atm, and mole fractions that sum to 1: random mixtures, mixtures of a few species with traces and exact zeros,
/// nearly uniform mixtures. None is a pure gas, unless the mechanism has one species only. The same model gives the same
/// states.
pub fn verification_states(model: &Model, count: usize) -> Vec<State> {
    let mids = mid_temperatures(model);
    let mut random = SplitMix64(0x5149_4e47_4500_0000);
    (0..count)
        .map(|n| {
            let fraction = (n as f64 + random.uniform()) / count as f64;
            let temperature = match n % 3 {
                0 if !mids.is_empty() => beside(mids[(n / 6) % mids.len()], n / 3 % 2 == 0),
                // Low temperatures are where rate constants differ most: equal steps in 1/T for every other state.
                1 => 1.0 / (1.0 / COLDEST + fraction * (1.0 / HOTTEST - 1.0 / COLDEST)),
                _ => COLDEST + fraction * (HOTTEST - COLDEST),
            };
            let pressure = ATMOSPHERE * 10f64.powf(4.0 * random.uniform() - 2.0);
            let size = model.species().len();
            let amounts = match n % 4 {
                0 => (0..size).map(|_| random.exponential()).collect(),
                1 => few_species(model, &mut random, false),
                2 => few_species(model, &mut random, true),
                _ => (0..size).map(|_| 1.0 + 0.1 * random.uniform()).collect(),
            };
            State { temperature, pressure, mole_fractions: normalized(amounts) }
        })
        .collect()
}

/// A time step of 1 to 100 ns and sources of up to a fifth of each species per step, the same for the same state.
pub fn surroundings(model: &Model, state: &State) -> Surroundings {
    let mut random = SplitMix64(state.temperature.to_bits() ^ state.pressure.to_bits());
    let time_step = 10f64.powf(2.0 * random.uniform() - 9.0);
    let species = model.species().iter().zip(super::concentrations(state));
    let sources = species.map(|(s, c)| 0.4 * (random.uniform() - 0.5) * c * s.weight / time_step);
    Surroundings { transport_source: sources.collect(), time_step }
}

/// Distinct temperatures where thermo ranges meet, inside the range of the states, ascending.
fn mid_temperatures(model: &Model) -> Vec<f64> {
    let inside = |t: &f64| (COLDEST + 1.0..HOTTEST - 1.0).contains(t);
    let mut mids: Vec<f64> =
        model.mechanism.species.iter().flat_map(|s| s.thermo.breaks()).copied().filter(inside).collect();
    mids.sort_by(f64::total_cmp);
    mids.dedup();
    mids
}

fn beside(mid: f64, above: bool) -> f64 {
    if above { mid + 0.01 } else { mid - 0.01 }
}

/// A fuel with oxidiser and diluent; other species are traces of 1e-12 to 1e-30, or every second one is exactly absent.
/// Quasi-steady concentrations are undefined where nothing makes or consumes a species: then traces are 1e-3 to 1e-8.
fn few_species(model: &Model, random: &mut SplitMix64, zeros: bool) -> Vec<f64> {
    let species = model.species();
    let size = species.len();
    let solved = !model.mechanism.quasi_steady().is_empty();
    let mut amounts: Vec<f64> = (0..size)
        .map(|k| {
            let (most, range) = if solved { (-3.0, 5.0) } else { (-12.0, 18.0) };
            let trace = 10f64.powf(most - range * random.uniform());
            if zeros && !solved && k % 2 == 0 { 0.0 } else { trace }
        })
        .collect();
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

fn normalized(amounts: Vec<f64>) -> Vec<f64> {
    let total: f64 = amounts.iter().sum();
    amounts.into_iter().map(|amount| amount / total).collect()
}

/// Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In (0, 1): 53 bits and a half, so that its logarithm is finite.
    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Of mean 1. Normalised, exponential numbers are uniform on the simplex (the flat Dirichlet distribution).
    fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    /// In 0..size.
    fn below(&mut self, size: usize) -> usize {
        (self.next() % size as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::air_hydrogen_model;

    #[test]
    fn states_are_physical_mixtures() {
        let states = verification_states(&air_hydrogen_model(), 120);
        assert_eq!(states.len(), 120);
        for state in &states {
            assert!((COLDEST..=HOTTEST).contains(&state.temperature));
            assert!((0.01 * ATMOSPHERE..=100.0 * ATMOSPHERE).contains(&state.pressure));
            assert!((state.mole_fractions.iter().sum::<f64>() - 1.0).abs() < 1e-15 * 4.0);
            assert!(state.mole_fractions.iter().all(|x| (0.0..0.97).contains(x)), "{:?}", state.mole_fractions);
        }
    }

    #[test]
    fn states_cover_the_difficult_places() {
        let states = verification_states(&air_hydrogen_model(), 120);
        let any = |test: &dyn Fn(&State) -> bool| states.iter().any(test);
        assert!(any(&|s| s.temperature < 1000.0 && s.temperature > 999.9));
        assert!(any(&|s| s.temperature > 1000.0 && s.temperature < 1000.1));
        assert!(any(&|s| s.temperature < 400.0) && any(&|s| s.temperature > 2900.0));
        assert!(any(&|s| s.mole_fractions.contains(&0.0)));
        assert!(any(&|s| s.mole_fractions.iter().any(|&x| x > 0.0 && x < 1e-12)));
        assert!(any(&|s| s.mole_fractions.iter().all(|&x| x > 0.2)));
    }

    #[test]
    fn states_do_not_change() {
        let model = air_hydrogen_model();
        assert_eq!(verification_states(&model, 17), verification_states(&model, 17));
        // The first outputs of the published generator for seed 0.
        let mut random = SplitMix64(0);
        assert_eq!([random.next(), random.next()], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }
}
