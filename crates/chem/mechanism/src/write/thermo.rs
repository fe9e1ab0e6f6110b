//! Thermo records in fixed columns.

use crate::number::{fitted, nearest, parse, shortest};
use crate::{Element, Mechanism, Nasa7, Nasa9, Polynomials, Species};

/// The THERMO file of a mechanism: NASA-7 records, then a section of NASA-9 records where there are some.
pub fn records(mechanism: &Mechanism) -> String {
    let mut nasa7: Vec<(&Species, &Nasa7)> = Vec::new();
    let mut nasa9: Vec<(&Species, &Nasa9)> = Vec::new();
    for species in &mechanism.species {
        match &species.thermo {
            Polynomials::Nasa7(thermo) => nasa7.push((species, thermo)),
            Polynomials::Nasa9(thermo) => nasa9.push((species, thermo)),
        }
    }
    let mut text = String::new();
    if nasa9.is_empty() || !nasa7.is_empty() {
        text.push_str(&header7(&nasa7));
        nasa7.iter().for_each(|(species, thermo)| text.push_str(&record7(species, thermo, &mechanism.elements)));
        text.push_str("END\n");
    }
    if !nasa9.is_empty() {
        text.push_str("THERMO NASA9\n   200.000  1000.000  6000.000 20000.000\n");
        nasa9.iter().for_each(|(species, thermo)| text.push_str(&record9(species, thermo, &mechanism.elements)));
        text.push_str("END\n");
    }
    text
}

/// The header and the default temperatures.
fn header7(entries: &[(&Species, &Nasa7)]) -> String {
    // A temperature that came from the defaults may be too long for its columns, and is left to the defaults again.
    let mut defaults = [300.0, 1000.0, 5000.0];
    for (_, thermo) in entries {
        for (default, (value, width)) in
            defaults.iter_mut().zip([(thermo.t_low, 10), (thermo.t_mid, 8), (thermo.t_high, 10)])
        {
            if temperature(value, width).is_none() {
                *default = value;
            }
        }
    }
    let [low, mid, high] = defaults.map(|t| temperature(t, 10).unwrap_or_else(|| shortest(t)));
    format!("THERMO ALL\n{low:>10}{mid:>10}{high:>10}\n")
}

fn record7(species: &Species, thermo: &Nasa7, elements: &[Element]) -> String {
    let field = |value: f64, width: usize| format!("{:>width$}", temperature(value, width).unwrap_or_default());
    let (parts, more) = composition(species, elements, 3);
    let (four, fifth) = parts.split_at(20);
    let mut text = format!(
        "{:<24}{four}G{}{}{}{fifth} 1{more}\n",
        species.name,
        field(thermo.t_low, 10),
        field(thermo.t_high, 10),
        field(thermo.t_mid, 8),
    );
    let values: Vec<String> = thermo.high.iter().chain(&thermo.low).map(|value| coefficient(*value, 15)).collect();
    for (i, row) in values.chunks(5).enumerate() {
        text.push_str(&format!("{:<79}{}\n", row.concat(), i + 2));
    }
    text
}

/// McBride & Gordon, NASA RP-1311, appendix A.
fn record9(species: &Species, thermo: &Nasa9, elements: &[Element]) -> String {
    let (parts, more) = composition(species, elements, 6);
    let mut text = format!("{}\n", species.name);
    text.push_str(&format!("{:>2}        {parts} 0{:>13}{:>15}{more}\n", thermo.ranges.len(), "", ""));
    for (limits, row) in thermo.temperatures.windows(2).zip(&thermo.ranges) {
        let limits: String =
            limits.iter().map(|t| format!("{:>11}", temperature(*t, 10).unwrap_or_default())).collect();
        let [a1, a2, a3, a4, a5, a6, a7, b1, b2] = row.map(|value| coefficient(value, 16));
        text.push_str(&format!("{limits}7 -2.0 -1.0  0.0  1.0  2.0  3.0  4.0  0.0\n"));
        text.push_str(&format!("{a1}{a2}{a3}{a4}{a5}\n{a6}{a7}{:16}{b1}{b2}\n", ""));
    }
    text
}

/// Five fields of two columns for the symbol and `width` for the count, and what follows column 80 when the composition
/// does not fit there.
fn composition(species: &Species, elements: &[Element], width: usize) -> (String, String) {
    let atoms = species.composition.iter().map(|(element, count)| (elements[*element].symbol.as_str(), *count));
    let field = |(symbol, count): (&str, f64)| {
        let count = if count.fract() == 0.0 { Some(format!("{count}")) } else { fitted(count, width) };
        let count = count.filter(|text| text.len() <= width && symbol.len() <= 2);
        count.map(|count| format!("{symbol:<2}{count:>width$}"))
    };
    let columns = 5 * (2 + width);
    match atoms.clone().map(field).collect::<Option<Vec<_>>>() {
        Some(fields) if fields.len() <= 5 => (format!("{:<columns$}", fields.concat()), String::new()),
        _ => {
            let items: Vec<String> = atoms.map(|(symbol, count)| format!("{symbol} {}", shortest(count))).collect();
            (" ".repeat(columns), format!("&\n{}", items.join(" ")))
        }
    }
}

/// With three decimals where that fits and is exact, as most files have it.
fn temperature(value: f64, width: usize) -> Option<String> {
    let common = (1..=3).rev().map(|decimals| format!("{value:.decimals$}"));
    let common = common.filter(|text| text.len() < width && parse(text) == Some(value));
    common.max_by_key(String::len).or_else(|| fitted(value, width))
}

fn coefficient(value: f64, width: usize) -> String {
    format!("{:>width$}", fitted(value, width).unwrap_or_else(|| nearest(value, width)))
}

/// The names of the species with a coefficient that its columns cannot hold with all digits, and the largest relative error of their rounding.
pub fn rounded(mechanism: &Mechanism) -> (Vec<&str>, f64) {
    let (mut names, mut largest) = (Vec::new(), 0.0);
    for species in &mechanism.species {
        let error = match &species.thermo {
            Polynomials::Nasa7(thermo) => rounding(thermo.high.iter().chain(&thermo.low), 15),
            Polynomials::Nasa9(thermo) => rounding(thermo.ranges.iter().flatten(), 16),
        };
        if error > 0.0 {
            names.push(species.name.as_str());
            largest = f64::max(largest, error);
        }
    }
    (names, largest)
}

fn rounding<'a>(values: impl Iterator<Item = &'a f64>, width: usize) -> f64 {
    let error =
        |value: &f64| parse(coefficient(*value, width).trim()).map_or(0.0, |read| ((read - value) / value).abs());
    values.map(error).filter(|error| *error > 0.0).fold(0.0, f64::max)
}
