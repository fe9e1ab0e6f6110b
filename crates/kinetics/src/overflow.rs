//! Rate constants that no double holds: found before a kernel is made from them.

use super::constants::{ATMOSPHERE, GAS_CONSTANT};
use super::rates::rates_at;
use diagnostics::Diagnostic;
use mechanism::{Mechanism, Reaction};

/// One error for each reaction with a rate constant that is no finite number somewhere from 300 to 3000 K and 0.01 to 100
/// atm, in a mixture of equal amounts.
pub fn check(mechanism: &Mechanism) -> Vec<Diagnostic> {
    let mut found: Vec<Option<(f64, f64)>> = vec![None; mechanism.reactions.len()];
    for temperature in TEMPERATURES {
        for pressure in [0.01, 0.1, 1.0, 10.0, 100.0].map(|p| p * ATMOSPHERE) {
            let share = pressure / (GAS_CONSTANT * temperature * mechanism.species.len() as f64);
            let equal = vec![share; mechanism.species.len()];
            let rates = rates_at(mechanism, temperature, pressure, &equal, &equal);
            for (found, (forward, reverse)) in found.iter_mut().zip(rates.forward.iter().zip(&rates.reverse)) {
                if found.is_none() && !(forward.is_finite() && reverse.is_finite()) {
                    *found = Some((temperature, pressure));
                }
            }
        }
    }
    let reactions = mechanism.reactions.iter().zip(found);
    let error = |(reaction, found): (&Reaction, Option<(f64, f64)>)| {
        let (temperature, pressure) = found?;
        let message = format!(
            "a rate constant of '{}' is no finite number at {temperature} K and {} atm",
            reaction.equation,
            pressure / ATMOSPHERE
        );
        let help = "check A, b and E with their units; the entries of PLOG at one pressure have a positive sum";
        Some(Diagnostic::error("kinetics::rate-range", message).at(reaction.span.clone()).help(help))
    };
    reactions.filter_map(error).collect()
}

/// K
const TEMPERATURES: [f64; 5] = [300.0, 500.0, 1000.0, 2000.0, 3000.0];
