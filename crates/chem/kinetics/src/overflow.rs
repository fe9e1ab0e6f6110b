//! Rate constants that no double holds: found before a kernel is made from them.

use super::constants::{ATMOSPHERE, GAS_CONSTANT};
use super::expressions::arrhenius;
use super::rates::rates_at;
use diagnostics::Diagnostic;
use mechanism::{Chebyshev, Mechanism, PressureRate, Rate, Reaction};

/// Looks for rate constants that are no finite numbers from 200 to 4000 K and 0.01 to 100 atm, in a mixture of equal amounts. From 300
/// to 3000 K, and within its table where it has one, such a reaction is an error; elsewhere it is a warning, since states are then left
/// out of verification. A `permissive` reader takes errors for warnings where the rate constant is finite somewhere.
///
/// # Errors
/// One for each reaction.
pub fn check(mechanism: &Mechanism, permissive: bool) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let mut found = vec![Found::default(); mechanism.reactions.len()];
    for temperature in TEMPERATURES {
        for pressure in [0.01, 0.1, 1.0, 10.0, 100.0].map(|p| p * ATMOSPHERE) {
            let share = pressure / (GAS_CONSTANT * temperature * mechanism.species.len() as f64);
            let equal = vec![share; mechanism.species.len()];
            let rates = rates_at(mechanism, temperature, pressure, &equal, &equal);
            let constants = rates.forward.iter().zip(&rates.reverse);
            for ((found, reaction), (forward, reverse)) in found.iter_mut().zip(&mechanism.reactions).zip(constants) {
                if forward.is_finite() && reverse.is_finite() {
                    found.is_finite_somewhere = true;
                } else if is_usual(&reaction.rate, temperature, pressure) {
                    found.inside.get_or_insert((temperature, pressure));
                } else {
                    found.outside.get_or_insert((temperature, pressure));
                }
            }
        }
    }
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for (reaction, found) in mechanism.reactions.iter().zip(found) {
        match found {
            Found { inside: Some(place), is_finite_somewhere, .. } if !(permissive && is_finite_somewhere) => {
                errors.push(error(reaction, place));
            }
            Found { inside, outside, .. } => warnings.extend(inside.or(outside).map(|place| warning(reaction, place))),
        }
    }
    if errors.is_empty() { Ok(warnings) } else { Err(errors) }
}

/// Points (K, Pa) at which a rate constant is not finite.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    inside: Option<(f64, f64)>,
    outside: Option<(f64, f64)>,
    is_finite_somewhere: bool,
}

/// K
const TEMPERATURES: [f64; 7] = [200.0, 300.0, 500.0, 1000.0, 2000.0, 3000.0, 4000.0];

/// Whether a rate is meant to be used at a state: Chebyshev polynomials grow fast outside their tables.
fn is_usual(rate: &Rate, temperature: f64, pressure: f64) -> bool {
    let pressures = |fit: &Chebyshev| (fit.p_min..=fit.p_max).contains(&pressure);
    (300.0..=3000.0).contains(&temperature)
        && tables(rate).iter().all(|fit| (fit.t_min..=fit.t_max).contains(&temperature))
        // The pressures of colliders alone are others.
        && !matches!(rate, Rate::Chebyshev(fit) if !pressures(fit))
}

/// The Chebyshev tables of a rate.
pub fn tables<'a>(rate: &'a Rate) -> Vec<&'a Chebyshev> {
    match rate {
        Rate::Chebyshev(fit) => vec![fit],
        Rate::LinearBurke(burke) => {
            let own = burke.colliders.iter().filter_map(|collider| collider.rate.as_ref());
            let table = |rate: &'a PressureRate| if let PressureRate::Chebyshev(fit) = rate { Some(fit) } else { None };
            [&burke.bath].into_iter().chain(own).filter_map(table).collect()
        }
        _ => Vec::new(),
    }
}

fn error(reaction: &Reaction, place: (f64, f64)) -> Diagnostic {
    let (message, help) = match negative_sum(&reaction.rate, place.0) {
        Some(pressure) => (
            format!(
                "the PLOG entries of '{}' at {} atm have a negative sum at {} K, of which there is no logarithm",
                reaction.equation,
                pressure / ATMOSPHERE,
                place.0
            ),
            "correct A, b and E, or write two reactions marked DUPLICATE, whose rates add; --permissive goes on, without a \
             number where the sum is negative",
        ),
        None => (no_number(reaction, place), "check A, b and E with their units"),
    };
    Diagnostic::error("kinetics::rate-range", message).at(reaction.span.clone()).help(help)
}

fn warning(reaction: &Reaction, place: (f64, f64)) -> Diagnostic {
    let message = no_number(reaction, place) + ": such states are left out of the verification";
    let help = match tables(&reaction.rate).first() {
        Some(fit) => format!("its table is from {} to {} K, outside of which it is extrapolated", fit.t_min, fit.t_max),
        None => "the kernel gives no number there, as its formula does".to_owned(),
    };
    Diagnostic::warning("kinetics::outside-range", message).at(reaction.span.clone()).help(help)
}

fn no_number(reaction: &Reaction, (temperature, pressure): (f64, f64)) -> String {
    let atmospheres = pressure / ATMOSPHERE;
    format!("a rate constant of '{}' is no finite number at {temperature} K and {atmospheres} atm", reaction.equation)
}

/// The pressure in Pa where the sum of PLOG entries is negative.
fn negative_sum(rate: &Rate, temperature: f64) -> Option<f64> {
    let Rate::Plog(table) = rate else { return None };
    let negative = table.iter().find(|(_, sum)| sum.iter().map(|rate| arrhenius(rate, temperature)).sum::<f64>() < 0.0);
    negative.map(|(pressure, _)| *pressure)
}
