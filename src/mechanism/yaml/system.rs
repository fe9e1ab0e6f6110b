//! The units block of Cantera YAML, and quantities with units of their own.

use super::tree::Node;
use crate::mechanism::number;
use crate::mechanism::report::Report;
use crate::mechanism::syntax::Word;
use crate::mechanism::units::{ATMOSPHERE, Energy, Length, Quantity, Units};

/// What numbers without a unit are measured in.
#[derive(Debug, Clone, Copy)]
pub struct System {
    /// Of rate constants
    pub rates: Units,
    /// Pa
    pub pressure: f64,
}

impl System {
    /// Cantera's own units: m, kmol, s, J/kmol, Pa.
    pub const DEFAULT: Self = Self {
        rates: Units { length: Length::Metres, quantity: Quantity::Kilomoles, energy: Energy::JoulesPerKilomole },
        pressure: 1.0,
    };

    /// Applies the `units` of a file or an entry.
    pub fn apply(mut self, block: Option<&Node>, report: &mut Report) -> Self {
        let Some(block) = block else { return self };
        for (key, value) in block.entries() {
            let text = value.place.text();
            let known = match key.text() {
                "length" => length(text).map(|length| self.rates.length = length).is_some(),
                "quantity" => quantity(text).map(|quantity| self.rates.quantity = quantity).is_some(),
                "pressure" => pressure(text).map(|pressure| self.pressure = pressure).is_some(),
                "time" => text == "s",
                // The activation energy is the only energy; it is composed below.
                "activation-energy" | "energy" | "mass" | "temperature" | "current" => true,
                _ => false,
            };
            if !known {
                unknown(&value.place, report);
            }
        }
        let text = |key: &str| block.get(key).map(|node| node.place);
        if let Some(word) = text("activation-energy") {
            self.energy(word.text(), &word, report);
        } else if let Some(energy) = text("energy").or(text("quantity")) {
            let per = text("quantity").map_or("kmol", |word| word.text());
            let unit = format!("{}/{per}", text("energy").map_or("J", |word| word.text()));
            self.energy(&unit, &energy, report);
        }
        self
    }

    fn energy(&mut self, unit: &str, place: &Word, report: &mut Report) {
        match energy(unit) {
            Some(energy) => self.rates.energy = energy,
            None => unknown(place, report),
        }
    }
}

/// The number of a scalar, and its unit if it has one.
pub fn split<'a>(word: &Word<'a>) -> (Word<'a>, Option<Word<'a>>) {
    let text = word.text();
    match text.find(char::is_whitespace) {
        Some(end) => {
            let unit = Word { offset: word.offset + end, len: word.len - end, ..*word };
            (Word { len: end, ..*word }, Some(unit.trimmed()))
        }
        None => (*word, None),
    }
}

/// An energy per amount, or a temperature.
pub fn energy(unit: &str) -> Option<Energy> {
    Some(match unit {
        "K" => Energy::Kelvins,
        "eV" => Energy::Electronvolts,
        "cal/mol" | "kcal/kmol" => Energy::Calories,
        "kcal/mol" => Energy::Kilocalories,
        "J/mol" | "kJ/kmol" => Energy::Joules,
        "kJ/mol" => Energy::Kilojoules,
        "J/kmol" => Energy::JoulesPerKilomole,
        _ => return None,
    })
}

/// The lengths and amounts in the unit of a rate constant, such as `cm^3/mol/s`.
pub fn rate_unit(unit: &str, mut units: Units) -> Option<Units> {
    for factor in unit.split(['/', '*', ' ']).filter(|factor| !factor.is_empty()) {
        let base = factor.split_once('^').map_or(factor, |(base, _)| base);
        if let Some(length) = length(base) {
            units.length = length;
        } else if let Some(quantity) = quantity(base) {
            units.quantity = quantity;
        } else if !matches!(base, "s" | "1" | "K") {
            return None;
        }
    }
    Some(units)
}

/// A pressure in atm, exactly as written where it is written so.
pub fn atmospheres(node: &Node, system: &System, report: &mut Report) -> Option<f64> {
    let (figure, unit) = split(&node.place);
    let value = number::parse(figure.text());
    let unit = match unit {
        Some(word) => pressure(word.text()).or_else(|| {
            unknown(&word, report);
            None
        })?,
        None => system.pressure,
    };
    let value = match value {
        Some(value) if value > 0.0 => value,
        _ => {
            let message = format!("'{}' is not a positive pressure", node.place.text());
            report.error("mechanism::pressure", message, &node.place, "write a pressure such as 0.1 atm");
            return None;
        }
    };
    Some(if unit == ATMOSPHERE { value } else { value * unit / ATMOSPHERE })
}

/// Says that a word is not a unit.
pub fn unknown(word: &Word, report: &mut Report) {
    let help = "known are m, cm; kmol, mol, molec; s; Pa, kPa, MPa, bar, atm, torr; K, eV, J, kJ, cal, kcal per amount";
    report.error("yaml::unknown-unit", format!("unknown unit '{}'", word.text()), word, help);
}

fn length(unit: &str) -> Option<Length> {
    match unit {
        "m" => Some(Length::Metres),
        "cm" => Some(Length::Centimetres),
        _ => None,
    }
}

fn quantity(unit: &str) -> Option<Quantity> {
    match unit {
        "kmol" => Some(Quantity::Kilomoles),
        "mol" => Some(Quantity::Moles),
        "molec" => Some(Quantity::Molecules),
        _ => None,
    }
}

/// Pa
fn pressure(unit: &str) -> Option<f64> {
    Some(match unit {
        "Pa" => 1.0,
        "kPa" => 1e3,
        "MPa" => 1e6,
        "bar" => 1e5,
        "atm" => ATMOSPHERE,
        "torr" => ATMOSPHERE / 760.0,
        "dyn/cm^2" => 0.1,
        _ => return None,
    })
}
