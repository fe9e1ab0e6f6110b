//! The canonical Cantera YAML form of a mechanism. Reading what is written here gives the same mechanism, bit for bit.
//!
//! Contents that Cantera has no word for stay readable to it if possible: an explicit reverse rate is a second,
//! irreversible reaction, marked so that it is read back as the reverse of the first. If that is not possible, Cantera
//! refuses the file (`type: Landau-Teller`) and does not compute something else.

use super::values::shortest_energy_unit;
use super::yaml_reaction;
use crate::elements::standard_weight;
use crate::number::shortest;
use crate::units::{Energy, Units};
use crate::{Diffusion, Element, Geometry, Mechanism, Nasa7, Nasa9, Polynomials, Species, Transport};

/// Writes a mechanism as one YAML file. Energies are in the unit that makes them shortest, and `A` is in cm-mol-s units;
/// a reaction for which that would not be exact has SI units of its own. A phase keeps its name.
pub fn write_yaml(mechanism: &Mechanism) -> String {
    let units = Units { energy: shortest_energy_unit(&mechanism.reactions), ..Units::DEFAULT };
    let symbols: Vec<String> = mechanism.elements.iter().map(|element| scalar(&element.symbol)).collect();
    let names: Vec<&str> = mechanism.species.iter().map(|species| species.name.as_str()).collect();
    let quoted: Vec<String> = names.iter().map(|name| scalar(name)).collect();
    let mut text = format!(
        "units: {{length: cm, quantity: mol, activation-energy: {}}}\n\nphases:\n- name: {}\n  thermo: ideal-gas\n",
        energy_unit(units.energy),
        scalar(mechanism.phase.0.name.as_ref().unwrap_or(&mechanism.name)),
    );
    text.push_str(&list("  elements", &symbols));
    text.push_str(&list("  species", &quoted));
    if !mechanism.reactions.is_empty() {
        text.push_str("  kinetics: gas\n  reactions: all\n");
    }
    if mechanism.species.iter().any(|species| species.transport.is_some()) {
        text.push_str(&format!("  transport: {}\n", scalar(transport_model(mechanism))));
    }
    text.push_str("  state: {T: 300.0, P: 1 atm}\n");
    let own: Vec<&Element> = mechanism.elements.iter().filter(|element| !is_standard(element)).collect();
    if !own.is_empty() {
        text.push_str("\nelements:\n");
        for element in own {
            let (symbol, weight) = (scalar(&element.symbol), real(element.weight));
            text.push_str(&format!("- {{symbol: {symbol}, atomic-weight: {weight}}}\n"));
        }
    }
    text.push_str("\nspecies:\n");
    mechanism.species.iter().for_each(|s| text.push_str(&species(s, &mechanism.elements)));
    if !mechanism.reactions.is_empty() {
        text.push_str("\nreactions:\n");
        mechanism.reactions.iter().for_each(|r| text.push_str(&yaml_reaction::entry(r, units, &names)));
    }
    text
}

/// That of the phase, if it has one; unity Lewis numbers may also be asked for without it.
fn transport_model(mechanism: &Mechanism) -> &str {
    match (&mechanism.diffusion, &mechanism.phase.0.transport) {
        (Diffusion::UnityLewis, _) => "unity-Lewis-number",
        (_, Some(model)) if model != "none" => model,
        _ => "mixture-averaged",
    }
}

/// As Cantera writes the unit.
pub fn energy_unit(energy: Energy) -> &'static str {
    match energy {
        Energy::Calories => "cal/mol",
        Energy::Kilocalories => "kcal/mol",
        Energy::Joules => "J/mol",
        Energy::Kilojoules => "kJ/mol",
        Energy::Electronvolts => "eV",
        Energy::Kelvins => "K",
        Energy::JoulesPerKilomole => "J/kmol",
    }
}

/// A number that no reader takes for an integer.
pub fn real(x: f64) -> String {
    with_point(shortest(x))
}

/// The same for a text, whose figures stay as they are: an exact power of ten times a double is not always the double
/// next to it.
pub fn with_point(text: String) -> String {
    if text.contains(['.', 'E']) { text } else { text + ".0" }
}

/// `[1.0, 2.0]`
pub fn reals(values: &[f64]) -> String {
    format!("[{}]", values.iter().map(|value| real(*value)).collect::<Vec<_>>().join(", "))
}

/// A text that YAML reads as this text, wherever it stands.
pub fn scalar(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '(')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "()+-*_.'^/=".contains(c))
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    if plain { text.to_owned() } else { quoted(text) }
}

/// A text that stands alone behind a key of a block: only its beginning, `:` and `#` could be misread.
pub fn line(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '(') && !text.contains([':', '#']);
    if plain { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    if text.contains('\'') {
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        format!("'{text}'")
    }
}

/// Words that some readers of YAML do not take for a text.
const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];

/// Whether Cantera knows the element by this symbol and weight.
fn is_standard(element: &Element) -> bool {
    let mut letters = element.symbol.chars();
    let usual = letters.next().is_some_and(|c| c.is_ascii_uppercase()) && letters.all(|c| c.is_ascii_lowercase());
    usual && standard_weight(&element.symbol) == Some(element.weight)
}

/// `key: [..]` over as many lines as it needs.
fn list(key: &str, items: &[String]) -> String {
    let mut lines = vec![format!("{key}: [")];
    for (i, item) in items.iter().enumerate() {
        let last = lines.len() - 1;
        let room = lines[last].len() + item.len() < 100;
        let separator = if i == 0 { "" } else { ", " };
        if room || i == 0 {
            lines[last].push_str(&format!("{separator}{item}"));
        } else {
            lines[last].push(',');
            lines.push(format!("    {item}"));
        }
    }
    lines.join("\n") + "]\n"
}

fn species(species: &Species, elements: &[Element]) -> String {
    let atoms = species.composition.iter().map(|(element, count)| {
        let count = if count.fract() == 0.0 { format!("{count}") } else { shortest(*count) };
        format!("{}: {count}", scalar(&elements[*element].symbol))
    });
    let composition = atoms.collect::<Vec<_>>().join(", ");
    let mut text = format!("- name: {}\n  composition: {{{composition}}}\n  thermo:\n", scalar(&species.name));
    text.push_str(&thermo(&species.thermo));
    if let Some(data) = &species.transport {
        text.push_str(&transport(data));
    }
    text
}

fn thermo(polynomials: &Polynomials) -> String {
    match polynomials {
        Polynomials::Nasa7(Nasa7 { t_low, t_mid, t_high, low, high }) => {
            let one = t_mid == t_high && low.map(f64::to_bits) == high.map(f64::to_bits);
            let (temperatures, rows) =
                if one { (vec![*t_low, *t_high], vec![low]) } else { (vec![*t_low, *t_mid, *t_high], vec![low, high]) };
            ranges("NASA7", &temperatures, rows.into_iter().map(|row| &row[..]))
        }
        Polynomials::Nasa9(Nasa9 { temperatures, ranges: rows }) => {
            ranges("NASA9", temperatures, rows.iter().map(|row| &row[..]))
        }
    }
}

fn ranges<'a>(model: &str, temperatures: &[f64], rows: impl Iterator<Item = &'a [f64]>) -> String {
    let rows: String = rows.map(|row| format!("    - {}\n", reals(row))).collect();
    format!("    model: {model}\n    temperature-ranges: {}\n    data:\n{rows}", reals(temperatures))
}

fn transport(data: &Transport) -> String {
    let geometry = match data.geometry {
        Geometry::Atom => "atom",
        Geometry::Linear => "linear",
        Geometry::Nonlinear => "nonlinear",
    };
    let mut text = format!("  transport:\n    model: gas\n    geometry: {geometry}\n");
    for (key, value, is_needed) in [
        ("well-depth", data.well_depth, true),
        ("diameter", data.diameter, true),
        ("dipole", data.dipole, false),
        ("polarizability", data.polarizability, false),
        ("rotational-relaxation", data.rotational_relaxation, false),
    ] {
        // Positive zero is what is read where there is nothing.
        if is_needed || value.to_bits() != 0 {
            text.push_str(&format!("    {key}: {}\n", real(value)));
        }
    }
    text
}
