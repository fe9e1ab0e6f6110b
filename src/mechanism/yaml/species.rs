//! The entries of species: composition, NASA-7 thermo and transport data.

use super::tree::Node;
use super::{missing, number, numbers, unsupported};
use crate::mechanism::names::Names;
use crate::mechanism::report::Report;
use crate::mechanism::syntax::Word;
use crate::mechanism::{Element, Geometry, Nasa7, Polynomials, Species, Transport};

/// The data of all declared species. Those without complete data are reported and absent.
pub fn assemble(
    declared: &[Word],
    elements: &[Element],
    entries: &[&Node],
    report: &mut Report,
) -> Vec<Option<Species>> {
    let names = Names::new(entries.iter().map(|entry| entry.get("name").map_or("", |name| name.place.text())));
    let symbols = Names::new(elements.iter().map(|element| element.symbol.as_str()));
    let found: Vec<Option<&Node>> = declared.iter().map(|w| names.find(w.text()).map(|i| entries[i])).collect();
    // As with CHEMKIN files: transport data of some species means that all need them.
    let described = found.iter().flatten().any(|entry| entry.get("transport").is_some());
    let species = declared.iter().zip(&found).map(|(word, entry)| {
        let Some(entry) = entry else {
            let message = format!("no entry found for species '{}'", word.text());
            let help = names.suggestion(word.text(), "add its entry to the species section");
            report.error("thermo::missing-species", message, word, help);
            return None;
        };
        let composition = composition(entry, &symbols, report);
        let thermo = thermo(entry, report);
        let transport = if described { transport(entry, word, report).map(Some) } else { Some(None) };
        let (composition, thermo, transport) = (composition?, thermo?, transport?);
        let weight: f64 = composition.iter().map(|(element, count)| count * elements[*element].weight).sum();
        if weight <= 0.0 {
            let message = format!("species '{}' has no atoms", word.text());
            report.error("thermo::composition", message, word, "check its composition");
            return None;
        }
        Some(Species { name: word.text().to_owned(), composition, weight, thermo, transport })
    });
    species.collect()
}

fn composition(entry: &Node, elements: &Names, report: &mut Report) -> Option<Vec<(usize, f64)>> {
    let Some(given) = entry.get("composition") else { return missing(entry, "composition", report) };
    let mut composition = Vec::new();
    for (symbol, count) in given.entries() {
        let Some(element) = elements.find(symbol.text()) else {
            let message = format!("the species contains the undeclared element '{}'", symbol.text());
            let help = elements.suggestion(symbol.text(), "declare it in the elements of the phase");
            report.error("thermo::undeclared-element", message, symbol, help);
            return None;
        };
        let count = number(count, report)?;
        if count != 0.0 {
            composition.push((element, count));
        }
    }
    Some(composition)
}

/// Two ranges, or one that counts for both.
fn thermo(entry: &Node, report: &mut Report) -> Option<Polynomials> {
    let Some(given) = entry.get("thermo") else { return missing(entry, "thermo", report) };
    let Some(model) = given.get("model") else { return missing(given, "model", report) };
    if model.place.text() != "NASA7" {
        unsupported(&model.place, "give NASA-7 polynomials", report);
        return None;
    }
    if let Some(pressure) = given.get("reference-pressure")
        && !matches!(pressure.place.text(), "1 atm" | "1.0 atm" | "101325" | "101325.0" | "1.01325e+05")
    {
        unsupported(&pressure.place, "give polynomials for a reference pressure of 1 atm", report);
        return None;
    }
    let Some(ranges) = given.get("temperature-ranges") else { return missing(given, "temperature-ranges", report) };
    let Some(data) = given.get("data") else { return missing(given, "data", report) };
    let temperatures = numbers(ranges, report)?;
    let rows = data.items().unwrap_or(&[]).iter().map(|row| numbers(row, report)).collect::<Option<Vec<_>>>()?;
    let rows: Option<Vec<[f64; 7]>> = rows.into_iter().map(|row| row.try_into().ok()).collect();
    let polynomials = match (temperatures.as_slice(), rows.as_deref()) {
        (&[t_low, t_mid, t_high], Some(&[low, high])) => Nasa7 { t_low, t_mid, t_high, low, high },
        (&[t_low, t_high], Some(&[only])) => Nasa7 { t_low, t_mid: t_high, t_high, low: only, high: only },
        _ => {
            let message = "NASA-7 thermo has one or two rows of seven coefficients, and one temperature more than rows";
            report.error("thermo::malformed-entry", message, &data.place, "count the coefficients and temperatures");
            return None;
        }
    };
    let Nasa7 { t_low, t_mid, t_high, .. } = polynomials;
    if !(t_low <= t_mid && t_mid <= t_high && 0.0 < t_mid) {
        let message = format!("the temperatures {t_low}, {t_mid}, {t_high} K do not ascend");
        report.warning("thermo::temperature-order", message, &ranges.place, "give them in ascending order");
    }
    Some(Polynomials::Nasa7(polynomials))
}

fn transport(entry: &Node, name: &Word, report: &mut Report) -> Option<Transport> {
    let Some(given) = entry.get("transport") else {
        let message = format!("no transport data for species '{}'", name.text());
        report.error("transport::missing-species", message, &entry.place, "give it a transport entry");
        return None;
    };
    if let Some(model) = given.get("model").filter(|model| model.place.text() != "gas") {
        unsupported(&model.place, "give the model gas", report);
        return None;
    }
    let Some(shape) = given.get("geometry") else { return missing(given, "geometry", report) };
    let geometry = match shape.place.text() {
        "atom" => Geometry::Atom,
        "linear" => Geometry::Linear,
        "nonlinear" => Geometry::Nonlinear,
        other => {
            let message = format!("invalid geometry '{other}' of species '{}'", name.text());
            report.error("transport::geometry", message, &shape.place, "known are atom, linear and nonlinear");
            return None;
        }
    };
    let mut value = |key: &str| given.get(key).map_or(Some(0.0), |node| number(node, report));
    let transport = Transport {
        geometry,
        well_depth: value("well-depth")?,
        diameter: value("diameter")?,
        dipole: value("dipole")?,
        polarizability: value("polarizability")?,
        rotational_relaxation: value("rotational-relaxation")?,
    };
    if transport.well_depth <= 0.0 || transport.diameter <= 0.0 {
        let message = format!("species '{}' needs a positive well depth and a positive diameter", name.text());
        report.error("transport::not-positive", message, &given.place, "give well-depth in K and diameter in Angstrom");
        return None;
    }
    Some(transport)
}
