//! Derivatives of production rates, and of the tendencies of a reactor, by dual numbers through the reference.

use super::constants::GAS_CONSTANT;
use super::number::{DIRECTIONS, Dual, Slopes};
use super::qssa::{Consumed, QuasiSteady, consumed, quasi_steady_at};
use super::rates::OfTemperature;
use super::reactor::Constant;
use super::thermo::{concentrations, cp_r, h_rt};
use super::{Model, State};
use mechanism::Mechanism;

/// A dense matrix, column by column, with what the errors of each entry must be compared with: the largest sum of sizes of terms in its
/// row, over the columns of the same unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Jacobian {
    pub rows: usize,
    pub values: Vec<f64>,
    pub scale: Vec<f64>,
}

/// Returns the Jacobian of net production rates (kmol/m3/s) by the concentrations of all species (kmol/m3), then by the temperature.
/// Each column keeps the pressure and all other variables constant. Quasi-steady species follow.
pub fn production(model: &Model, state: &State) -> Jacobian {
    let size = model.species().len();
    let c = concentrations(state);
    let pressure = Dual::from(state.pressure);
    let by_temperature = ByTemperature::new(state, size, |t| OfTemperature::new(&model.mechanism, t, Some(pressure)));
    Jacobian::from_columns(size, size + 1, |first| {
        let c: Vec<Dual> = c.iter().enumerate().map(|(k, &value)| unknown(value, k, first)).collect();
        let t = unknown(state.temperature, size, first);
        let all = Along::new(model, t, by_temperature.along(first), pressure, &c);
        (0..size).map(|k| (all.net[k].slopes, all.gross_slopes[k])).collect()
    })
}

/// Returns the Jacobian of dY/dt (1/s), then dT/dt (K/s), by mass fractions, then by the temperature. The pressure or the volume is
/// constant. All mass fractions are independent. Quasi-steady species follow.
pub fn tendency(model: &Model, state: &State, constant: Constant) -> Jacobian {
    let species = model.species();
    let size = species.len();
    let masses: Vec<f64> = species.iter().zip(&state.mole_fractions).map(|(s, x)| s.weight * x.max(0.0)).collect();
    let mass: f64 = masses.iter().sum();
    let density = state.pressure * mass / (GAS_CONSTANT * state.temperature);
    let fixed = (constant == Constant::Pressure).then(|| Dual::from(state.pressure));
    let by_temperature = ByTemperature::new(state, size, |t| Thermal::new(model, t, fixed, constant));
    Jacobian::from_columns(size + 1, size + 1, |first| {
        let t = unknown(state.temperature, size, first);
        let y = masses.iter().enumerate().map(|(k, m)| unknown(m / mass, k, first));
        let amounts: Vec<Dual> = y.zip(species).map(|(y, s)| y / s.weight).collect();
        let amount: Dual = amounts.iter().copied().sum();
        let (density, pressure) = match constant {
            Constant::Pressure => {
                (Dual::from(state.pressure) / (amount * t * GAS_CONSTANT), Dual::from(state.pressure))
            }
            Constant::Volume => (Dual::from(density), amount * t * (GAS_CONSTANT * density)),
        };
        let c: Vec<Dual> = amounts.iter().map(|&n| n * density).collect();
        tendency_along(model, t, by_temperature.along(first), pressure, density, &c)
    })
}

/// What follows from the temperature: its slopes are zero in all directions but those next to the last column.
struct ByTemperature<T> {
    constant: T,
    last: T,
    /// Number of the temperature among the unknowns.
    number: usize,
}

impl<T> ByTemperature<T> {
    fn new(state: &State, number: usize, of: impl Fn(Dual) -> T) -> Self {
        let first = number - number % DIRECTIONS;
        Self {
            constant: of(Dual::from(state.temperature)),
            last: of(unknown(state.temperature, number, first)),
            number,
        }
    }

    /// Where the directions are those of unknowns from `first`, a multiple of their count, on.
    fn along(&self, first: usize) -> &T {
        if self.number < first + DIRECTIONS { &self.last } else { &self.constant }
    }
}

/// Rate constants, and by species the heat capacity over R and the energy in J/kmol, of what is constant.
struct Thermal {
    rates: OfTemperature<Dual>,
    capacities: Vec<Dual>,
    energies: Vec<Dual>,
}

impl Thermal {
    fn new(model: &Model, t: Dual, pressure: Option<Dual>, constant: Constant) -> Self {
        let work = if constant == Constant::Volume { 1.0 } else { 0.0 };
        let species = model.species().iter();
        Self {
            rates: OfTemperature::new(&model.mechanism, t, pressure),
            capacities: species.clone().map(|s| cp_r(&s.thermo, t) - work).collect(),
            energies: species.map(|s| (h_rt(&s.thermo, t) - work) * t * GAS_CONSTANT).collect(),
        }
    }
}

/// The unknown of a number, where the directions are those of unknowns from `first` on.
fn unknown(value: f64, number: usize, first: usize) -> Dual {
    Dual { value, slopes: std::array::from_fn(|n| f64::from(u8::from(first + n == number))) }
}

/// (slopes, sums of the sizes of their terms) of dY/dt, then dT/dt, along some directions.
fn tendency_along(
    model: &Model,
    t: Dual,
    Thermal { rates, capacities, energies }: &Thermal,
    pressure: Dual,
    density: Dual,
    c: &[Dual],
) -> Vec<(Slopes, Slopes)> {
    let species = model.species();
    let all = Along::new(model, t, rates, pressure, c);
    let mut rows: Vec<(Slopes, Slopes)> = species
        .iter()
        .enumerate()
        .map(|(k, s)| {
            let rate = all.net[k] * s.weight / density;
            let size = |n: usize| {
                let of_density = (all.gross[k] * density.slopes[n] / density.value).abs();
                s.weight / density.value * (all.gross_slopes[k][n] + of_density)
            };
            (rate.slopes, std::array::from_fn(size))
        })
        .collect();
    let capacity: Dual = c.iter().zip(capacities).map(|(&c, &capacity)| c * capacity * GAS_CONSTANT).sum();
    let heat: Dual = energies.iter().zip(&all.net).map(|(&e, &rate)| e * rate).sum();
    let change = -heat / capacity;
    let size = |n: usize| {
        let terms = energies.iter().enumerate().map(|(k, e)| {
            e.value.abs() * (all.gross_slopes[k][n] + all.gross[k] * (capacity.slopes[n] / capacity.value).abs())
                + e.slopes[n].abs() * all.gross[k]
        });
        terms.sum::<f64>() / capacity.value
    };
    rows.push((change.slopes, std::array::from_fn(size)));
    rows
}

impl Jacobian {
    /// Takes the columns from a function of the first of some neighbouring ones: it returns (values, sums of sizes) for each row. The last column has
    /// another unit than the others.
    fn from_columns(rows: usize, count: usize, some: impl Fn(usize) -> Vec<(Slopes, Slopes)>) -> Self {
        let columns = (0..count).step_by(DIRECTIONS).flat_map(|first| {
            let some = some(first);
            (0..DIRECTIONS.min(count - first))
                .map(move |n| some.iter().map(|(values, sizes)| (values[n], sizes[n])).collect())
        });
        let columns: Vec<Vec<(f64, f64)>> = columns.collect();
        let mut largest = vec![0.0; rows];
        for column in &columns[..columns.len() - 1] {
            for (largest, (_, size)) in largest.iter_mut().zip(column) {
                *largest = f64::max(*largest, *size);
            }
        }
        let last = columns.len() - 1;
        let scale = columns.iter().enumerate().flat_map(|(n, column)| {
            let own = column.iter().map(|&(_, size)| size).collect::<Vec<_>>();
            if n == last { own } else { largest.clone() }
        });
        Self { rows, scale: scale.collect(), values: columns.iter().flatten().map(|&(value, _)| value).collect() }
    }
}

/// Production rates along some directions.
struct Along {
    net: Vec<Dual>,
    gross: Vec<f64>,
    /// The same sum as the gross rate, of the sizes of the slopes of all rates. Rate/T is added by temperature: the slope of a rate
    /// constant is a sum of terms of that size, which may cancel.
    gross_slopes: Vec<Slopes>,
}

impl Along {
    fn new(model: &Model, t: Dual, of_temperature: &OfTemperature<Dual>, pressure: Dual, c: &[Dual]) -> Self {
        let mechanism = &model.mechanism;
        let size = mechanism.species.len();
        let rates = quasi_steady_at(mechanism, of_temperature, pressure, c);
        let zero = Dual::from(0.0);
        let mut all = Self { net: vec![zero; size], gross: vec![0.0; size], gross_slopes: vec![zero.slopes; size] };
        for (i, reaction) in mechanism.reactions.iter().enumerate() {
            let (forward, reverse) = (rates.forward[i], rates.reverse[i]);
            let (net, gross) = (forward - reverse, forward.value.abs() + reverse.value.abs());
            let sizes = sizes_of_slopes(mechanism, &rates, i);
            let sizes: Slopes = std::array::from_fn(|n| sizes[n] + (t.slopes[n] / t.value).abs() * gross);
            for (sign, side) in [(-1.0, &reaction.reactants), (1.0, &reaction.products)] {
                for &(k, nu) in side {
                    all.net[k] = all.net[k] + net * (sign * nu);
                    all.gross[k] += nu * gross;
                    all.gross_slopes[k].iter_mut().zip(sizes).for_each(|(sum, size)| *sum += nu * size);
                }
            }
        }
        all
    }
}

/// Returns the sizes of the slopes of both rates of a reaction: at constant quasi-steady concentrations, plus the change by these.
fn sizes_of_slopes(mechanism: &Mechanism, rates: &QuasiSteady<Dual>, i: usize) -> Slopes {
    let reaction = &mechanism.reactions[i];
    let sizes = |side, rate: Dual| match consumed(mechanism, side) {
        Consumed::One(j) => {
            let x = rates.concentrations[j];
            std::array::from_fn(|n| (rate.slopes[n] * x.value).abs() + (rate.value * x.slopes[n]).abs())
        }
        Consumed::None | Consumed::Several => rate.slopes.map(f64::abs),
    };
    let forward = sizes(&reaction.reactants, rates.unscaled.rate_forward[i]);
    let reverse = sizes(&reaction.products, rates.unscaled.rate_reverse[i]);
    std::array::from_fn(|n| forward[n] + reverse[n])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{air_hydrogen_model, state};
    use crate::rates::rates_at;
    use crate::reactor;
    use approx::assert_relative_eq;

    fn burning() -> State {
        state(1500.0, 2e5, &[0.3, 0.2, 0.1, 0.4])
    }

    /// Entries against central differences of the production rates, at constant pressure and concentrations.
    #[test]
    fn slopes_of_rates_are_those_of_difference_quotients() {
        let model = air_hydrogen_model();
        let state = burning();
        let jacobian = production(&model, &state);
        let c = concentrations(&state);
        let net = |t: f64, c: &[f64]| {
            let rates = rates_at(&model.mechanism, t, state.pressure, c, c);
            crate::production_of(&model.mechanism, &rates.rate_forward, &rates.rate_reverse).net
        };
        for column in 0..=4 {
            let moved = |sign: f64| {
                let (mut t, mut c, mut step) = (state.temperature, c.clone(), 1e-5 * state.temperature);
                if column == 4 {
                    t += sign * step;
                } else {
                    step = 1e-5 * c[column];
                    c[column] += sign * step;
                }
                (net(t, &c), step)
            };
            let ((above, step), (below, _)) = (moved(1.0), moved(-1.0));
            for row in 0..4 {
                let quotient = (above[row] - below[row]) / (2.0 * step);
                let at = column * 4 + row;
                assert_relative_eq!(
                    jacobian.values[at],
                    quotient,
                    max_relative = 1e-6,
                    epsilon = 1e-7 * jacobian.scale[at] + 1e-300
                );
            }
        }
    }

    /// The last column against differences of the tendencies of states with other temperatures.
    #[test]
    fn slopes_of_tendencies_by_temperature_are_those_of_difference_quotients() {
        let model = air_hydrogen_model();
        for constant in [Constant::Pressure, Constant::Volume] {
            let jacobian = tendency(&model, &burning(), constant);
            let at = |t: f64| {
                let pressure = if constant == Constant::Volume { 2e5 * t / 1500.0 } else { 2e5 };
                let state = State { temperature: t, pressure, ..burning() };
                let made = crate::production(&model, &state);
                let all = reactor::tendency(&model, &state, &made, constant);
                [all.mass_fractions, vec![all.temperature]].concat()
            };
            let (above, below) = (at(1500.01), at(1499.99));
            for row in 0..5 {
                let quotient = (above[row] - below[row]) / 0.02;
                let (found, scale) = (jacobian.values[20 + row], jacobian.scale[20 + row]);
                assert!((found - quotient).abs() <= 1e-6 * scale, "{constant:?}, row {row}: {found} {quotient}");
            }
        }
    }
}
