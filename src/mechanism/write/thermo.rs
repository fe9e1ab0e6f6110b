//! NASA-7 records in fixed columns.

use crate::mechanism::number::{fitted, parse, shortest};
use crate::mechanism::{Element, Mechanism, Species};

/// The THERMO file of a mechanism.
pub fn records(mechanism: &Mechanism) -> String {
    // A temperature that came from the defaults may be too long for its columns, and is left to the defaults again.
    let mut defaults = [300.0, 1000.0, 5000.0];
    for species in &mechanism.species {
        let thermo = &species.thermo;
        for (default, (value, width)) in
            defaults.iter_mut().zip([(thermo.t_low, 10), (thermo.t_mid, 8), (thermo.t_high, 10)])
        {
            if temperature(value, width).is_none() {
                *default = value;
            }
        }
    }
    let [low, mid, high] = defaults.map(|t| temperature(t, 10).unwrap_or_else(|| shortest(t)));
    let mut text = format!("THERMO ALL\n{low:>10}{mid:>10}{high:>10}\n");
    for species in &mechanism.species {
        text.push_str(&record(species, &mechanism.elements));
    }
    text.push_str("END\n");
    text
}

fn record(species: &Species, elements: &[Element]) -> String {
    let thermo = &species.thermo;
    let field = |value: f64, width: usize| format!("{:>width$}", temperature(value, width).unwrap_or_default());
    let (parts, more) = composition(species, elements);
    let (four, fifth) = parts.split_at(20);
    let mut text = format!(
        "{:<24}{four}G{}{}{}{fifth} 1{more}\n",
        species.name,
        field(thermo.t_low, 10),
        field(thermo.t_high, 10),
        field(thermo.t_mid, 8),
    );
    let values: Vec<String> = thermo.high.iter().chain(&thermo.low).map(|value| coefficient(*value)).collect();
    for (i, row) in values.chunks(5).enumerate() {
        text.push_str(&format!("{:<79}{}\n", row.concat(), i + 2));
    }
    text
}

/// Five fields of five columns, and what follows column 80 when the composition does not fit there.
fn composition(species: &Species, elements: &[Element]) -> (String, String) {
    let atoms = species.composition.iter().map(|(element, count)| (elements[*element].symbol.as_str(), *count));
    let field = |(symbol, count): (&str, f64)| {
        let count = if count.fract() == 0.0 { Some(format!("{count}")) } else { fitted(count, 3) };
        count.filter(|text| text.len() <= 3 && symbol.len() <= 2).map(|count| format!("{symbol:<2}{count:>3}"))
    };
    match atoms.clone().map(field).collect::<Option<Vec<_>>>() {
        Some(fields) if fields.len() <= 5 => (format!("{:<25}", fields.concat()), String::new()),
        _ => {
            let items: Vec<String> = atoms.map(|(symbol, count)| format!("{symbol} {}", shortest(count))).collect();
            (" ".repeat(25), format!("&\n{}", items.join(" ")))
        }
    }
}

fn temperature(value: f64, width: usize) -> Option<String> {
    let plain = format!("{value:.3}");
    if plain.len() < width && parse(&plain) == Some(value) { Some(plain) } else { fitted(value, width) }
}

fn coefficient(value: f64) -> String {
    format!("{:>15}", fitted(value, 15).unwrap_or_else(|| format!("{value:.8E}")))
}
