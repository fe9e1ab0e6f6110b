//! The thermodynamic data of species entries, brought to polynomials at 1 atm.

use super::fields::{missing, numbers, unsupported};
use super::keys;
use super::system::{System, temperature};
use super::tree::Node;
use crate::report::Report;
use crate::units::{ATMOSPHERE, GAS_CONSTANT};
use crate::{Nasa7, Nasa9, Polynomials};
use diagnostics::Diagnostic;

/// Reads the polynomials of a species; absent after an error.
pub fn read(entry: &Node, system: System, report: &mut Report) -> Option<Polynomials> {
    let Some(given) = entry.get("thermo") else { return missing(entry, "thermo", report) };
    let system = system.apply(given.get("units"), report);
    keys::unknown(given, &keys::THERMO, report);
    let Some(model) = given.get("model") else { return missing(given, "model", report) };
    let shift = match given.get("reference-pressure") {
        None => 0.0,
        Some(pressure) => entropy_shift(system.pascals(pressure, report)?),
    };
    match model.place.text() {
        "NASA7" => nasa7(given, shift, report).map(Polynomials::Nasa7),
        "NASA9" => nasa9(given, shift, report).map(Polynomials::Nasa9),
        "constant-cp" => constant(given, system, shift, report).map(Polynomials::Nasa7),
        "Shomate" => shomate(given, shift, report).map(Polynomials::Nasa9),
        _ => {
            unsupported(&model.place, "known are NASA7, NASA9, Shomate and constant-cp", report);
            None
        }
    }
}

/// The pressure in Pa for which the entropies of a species are given; 1 atm where it does not say, or says it wrongly.
pub fn reference_pressure(entry: &Node, system: System) -> f64 {
    let given = entry.get("thermo").and_then(|thermo| thermo.get("reference-pressure"));
    given.and_then(|node| system.pascals(node, &mut Report::default())).unwrap_or(ATMOSPHERE)
}

/// Returns the entropy over R at 1 atm less that at this pressure in Pa; 0 if the two are meant to be equal.
fn entropy_shift(pressure: f64) -> f64 {
    if (pressure / ATMOSPHERE - 1.0).abs() < 1e-12 { 0.0 } else { (pressure / ATMOSPHERE).ln() }
}

/// Two ranges, or one that counts for both.
fn nasa7(given: &Node, shift: f64, report: &mut Report) -> Option<Nasa7> {
    let (temperatures, mut rows) = ranges::<7>(given, report)?;
    rows.iter_mut().for_each(|row| row[6] += shift);
    match (temperatures.as_slice(), rows.as_slice()) {
        (&[t_low, t_mid, t_high], &[low, high]) => Some(Nasa7 { t_low, t_mid, t_high, low, high }),
        (&[t_low, t_high], &[only]) => Some(Nasa7 { t_low, t_mid: t_high, t_high, low: only, high: only }),
        _ => malformed(given, "NASA-7 thermo has one or two ranges", report),
    }
}

fn nasa9(given: &Node, shift: f64, report: &mut Report) -> Option<Nasa9> {
    let (temperatures, mut ranges) = ranges::<9>(given, report)?;
    ranges.iter_mut().for_each(|range| range[8] += shift);
    Some(Nasa9 { temperatures, ranges })
}

/// cp = A + B t + C t^2 + D t^3 + E/t^2 in J/mol/K with t = T/1000 K; h and s have the constants F in kJ/mol and G.
/// The terms are those of NASA-9.
fn shomate(given: &Node, shift: f64, report: &mut Report) -> Option<Nasa9> {
    let (temperatures, rows) = ranges::<7>(given, report)?;
    let range = |[a, b, c, d, e, f, g]: [f64; 7]| {
        let [a, b, c, d, e, f, g] = [a, b, c, d, e, f, g].map(|x| x / GAS_CONSTANT);
        let entropy = g - a * 1000f64.ln() + shift;
        [e * 1e6, 0.0, a, b * 1e-3, c * 1e-6, d * 1e-9, 0.0, f * 1e3, entropy]
    };
    Some(Nasa9 { temperatures, ranges: rows.into_iter().map(range).collect() })
}

/// A constant heat capacity: h and s at T0 are given.
fn constant(given: &Node, system: System, shift: f64, report: &mut Report) -> Option<Nasa7> {
    let at = |key: &str, default: f64, report: &mut Report| match given.get(key) {
        None => Some(default),
        Some(node) => temperature(node, report),
    };
    let start = at("T0", 298.15, report)?;
    let (t_low, t_high) = (at("T-min", 200.0, report)?, at("T-max", 5000.0, report)?);
    let enthalpy = given.get("h0").map_or(Some(0.0), |node| system.molar_energy(node, report))?;
    let entropy = given.get("s0").map_or(Some(0.0), |node| system.molar_entropy(node, report))?;
    let capacity = given.get("cp0").map_or(Some(0.0), |node| system.molar_entropy(node, report))?;
    if start <= 0.0 {
        return malformed(given, "the temperature T0 is not positive", report);
    }
    let only = [capacity, 0.0, 0.0, 0.0, 0.0, enthalpy - capacity * start, entropy - capacity * start.ln() + shift];
    Some(Nasa7 { t_low, t_mid: t_high, t_high, low: only, high: only })
}

/// The temperatures between the ranges, and one row of coefficients for each range.
fn ranges<const N: usize>(given: &Node, report: &mut Report) -> Option<(Vec<f64>, Vec<[f64; N]>)> {
    let Some(bounds) = given.get("temperature-ranges") else { return missing(given, "temperature-ranges", report) };
    let Some(data) = given.get("data") else { return missing(given, "data", report) };
    let temperatures: Option<Vec<f64>> =
        bounds.items().unwrap_or(&[]).iter().map(|bound| temperature(bound, report)).collect();
    let temperatures = temperatures?;
    let rows = data.items().unwrap_or(&[]).iter().map(|row| numbers(row, report)).collect::<Option<Vec<_>>>()?;
    let rows: Option<Vec<[f64; N]>> = rows.into_iter().map(|row| row.try_into().ok()).collect();
    let Some(rows) = rows.filter(|rows| !rows.is_empty() && temperatures.len() == rows.len() + 1) else {
        let message = format!("the data are rows of {N} coefficients, and there is one temperature more than rows");
        report.error("thermo::malformed-entry", message, &data.place, "count the coefficients and temperatures");
        return None;
    };
    if !(temperatures.is_sorted() && temperatures.iter().skip(1).all(|t| *t > 0.0)) {
        let message = format!("the temperatures {temperatures:?} K do not ascend");
        // Two ranges work all the same, as they do in CHEMKIN files.
        let severity = if rows.len() <= 2 && N == 7 { Diagnostic::warning } else { Diagnostic::error };
        let diagnostic = severity("thermo::temperature-order", message).at(bounds.place.span());
        report.push(diagnostic.help("give them in ascending order"));
    }
    Some((temperatures, rows))
}

fn malformed<T>(given: &Node, message: &str, report: &mut Report) -> Option<T> {
    report.error("thermo::malformed-entry", message, &given.place, "see the documentation of Cantera's YAML format");
    None
}
