//! The units block of Cantera YAML, and quantities with units of their own.

use super::tree::Node;
use crate::auxiliary::report_number;
use crate::number;
use crate::report::Report;
use crate::syntax::Word;
use crate::units::{ATMOSPHERE, AVOGADRO, Energy, Length, Quantity, RateUnits, Units};

/// Units of numbers that have none of their own.
#[derive(Debug, Clone, Copy)]
pub struct System {
    /// Units of rate constants; their activation energies are in `rates.energy` once multiplied by `energy_scale`.
    pub rates: Units,
    energy_scale: f64,
    /// Pa
    pub pressure: f64,
    /// J
    energy: f64,
    /// Whether `activation-energy` was given, which other blocks do not change.
    is_explicit: bool,
}

impl System {
    /// Cantera's own units: m, kmol, s, J/kmol, Pa.
    pub const DEFAULT: Self = Self {
        rates: Units { length: Length::METRES, quantity: Quantity::Kilomoles, energy: Energy::JoulesPerKilomole },
        energy_scale: 1.0,
        pressure: 1.0,
        energy: 1.0,
        is_explicit: false,
    };

    /// Applies the `units` of a file, of a section or of an entry.
    pub fn apply(mut self, block: Option<&Node>, report: &mut Report) -> Self {
        let Some(block) = block else { return self };
        for (key, value) in block.entries() {
            let text = value.place.text();
            let known = match key.text() {
                "length" => length(text).map(|(length, _)| self.rates.length = length).is_some(),
                "quantity" => quantity(text).map(|quantity| self.rates.quantity = quantity).is_some(),
                "pressure" => pressure(text).map(|pressure| self.pressure = pressure).is_some(),
                "energy" => joules(text).map(|energy| self.energy = energy).is_some(),
                "time" => text == "s",
                "temperature" => text == "K",
                "activation-energy" => energy(text).is_some(),
                // No quantity that is read has these units.
                "mass" | "current" => true,
                _ => {
                    let _: Option<()> = unknown(key, report);
                    true
                }
            };
            if !known {
                let _: Option<()> = unknown(&value.place, report);
            }
        }
        if let Some((energy, scale)) = block.get("activation-energy").and_then(|node| energy(node.place.text())) {
            (self.rates.energy, self.energy_scale, self.is_explicit) = (energy, scale, true);
        } else if !self.is_explicit && (block.get("energy").is_some() || block.get("quantity").is_some()) {
            (self.rates.energy, self.energy_scale) = per_amount(self.energy, self.rates.quantity);
        }
        self
    }

    /// A molar energy over the gas constant, in K.
    pub fn molar_energy(&self, node: &Node, report: &mut Report) -> Option<f64> {
        self.molar(node, energy, report)
    }

    /// A molar heat capacity or entropy over the gas constant.
    pub fn molar_entropy(&self, node: &Node, report: &mut Report) -> Option<f64> {
        self.molar(node, |unit| energy(unit.strip_suffix("/K")?), report)
    }

    fn molar(&self, node: &Node, unit: impl Fn(&str) -> Option<(Energy, f64)>, report: &mut Report) -> Option<f64> {
        let (value, word) = quantity_of(node, report)?;
        let (energy, scale) = match word {
            None => per_amount(self.energy, self.rates.quantity),
            Some(word) => unit(word.text()).or_else(|| unknown(&word, report))?,
        };
        Some(value * scale * energy.in_kelvins())
    }

    /// An activation energy in the unit `rates.energy`.
    pub fn activation_energy(&self, node: &Node, report: &mut Report) -> Option<f64> {
        let (value, word) = quantity_of(node, report)?;
        let (unit, scale) = match word {
            None => (self.rates.energy, self.energy_scale),
            Some(word) => energy(word.text()).or_else(|| unknown(&word, report))?,
        };
        let value = if scale == 1.0 { value } else { value * scale };
        let common = self.rates.energy;
        Some(if unit == common { value } else { value * unit.in_kelvins() / common.in_kelvins() })
    }

    /// A pressure in Pa.
    pub fn pascals(&self, node: &Node, report: &mut Report) -> Option<f64> {
        let (value, word) = quantity_of(node, report)?;
        let unit = match word {
            None => self.pressure,
            Some(word) => pressure(word.text()).or_else(|| unknown(&word, report))?,
        };
        if value > 0.0 {
            return Some(value * unit);
        }
        let message = format!("'{}' is not a positive pressure", node.place.text());
        report.error("mechanism::pressure", message, &node.place, "write a pressure such as 0.1 atm");
        None
    }

    /// The unit of a rate constant, such as `cm^3/mol/s`.
    pub fn rate_unit(&self, unit: &str) -> Option<RateUnits> {
        let mut found = RateUnits { units: self.rates, length: 0.0, amount: 0.0 };
        let (mut time, mut sign) = (0.0, 1.0);
        for factor in unit.split_inclusive(['/', '*', ' ']) {
            let name = factor.trim_end_matches(['/', '*', ' ']);
            if !name.is_empty() {
                let (base, exponent) = name.split_once('^').unwrap_or((name, "1"));
                let power = sign * exponent.parse::<f64>().ok().filter(|power| power.is_finite())?;
                if let Some((length, dimension)) = length(base) {
                    if found.length != 0.0 && found.units.length != length {
                        return None;
                    }
                    found.units.length = length;
                    found.length += dimension * power;
                } else if let Some(quantity) = quantity(base) {
                    if found.amount != 0.0 && found.units.quantity != quantity {
                        return None;
                    }
                    found.units.quantity = quantity;
                    found.amount += power;
                } else if base == "s" {
                    time += power;
                } else if !matches!(base, "1" | "K") {
                    return None;
                }
            }
            sign = if factor.ends_with('/') { -1.0 } else { 1.0 };
        }
        (time == -1.0).then_some(found)
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

/// A temperature in K; nothing but `K` may follow the number.
pub fn temperature(node: &Node, report: &mut Report) -> Option<f64> {
    match quantity_of(node, report)? {
        (_, Some(unit)) if unit.text() != "K" => unknown(&unit, report),
        (value, _) => Some(value),
    }
}

/// Says that a word is not a unit.
pub fn unknown<T>(word: &Word, report: &mut Report) -> Option<T> {
    let help = "known are lengths from nm to km and L; kmol, mol, molec; s; Pa, kPa, MPa, bar, atm, torr; \
                K, eV, and J, kJ, MJ, erg, cal, kcal per amount";
    report.error("yaml::unknown-unit", format!("unknown unit '{}'", word.text()), word, help);
    None
}

fn quantity_of<'a>(node: &Node<'a>, report: &mut Report) -> Option<(f64, Option<Word<'a>>)> {
    let (figure, unit) = node.scalar().map_or((node.place, None), |text| split(&text));
    let value = node.scalar().and_then(|_| number::parse(figure.text()));
    if value.is_none() {
        report_number(&figure, report);
    }
    Some((value?, unit))
}

/// An energy per amount, or a temperature, as a multiple of a known unit.
fn energy(unit: &str) -> Option<(Energy, f64)> {
    match unit {
        "K" => Some((Energy::Kelvins, 1.0)),
        "eV" | "eV/molec" => Some((Energy::Electronvolts, 1.0)),
        _ => {
            let (energy, amount) = unit.split_once('/')?;
            Some(per_amount(joules(energy)?, quantity(amount)?))
        }
    }
}

/// Joules per amount, as a multiple of a known unit: 1 wherever CHEMKIN has a keyword for it.
fn per_amount(joules: f64, quantity: Quantity) -> (Energy, f64) {
    let moles = match quantity {
        Quantity::Moles => 1.0,
        Quantity::Kilomoles => 1e3,
        Quantity::Molecules => return (Energy::Joules, joules * AVOGADRO),
    };
    let per_mole = joules / moles;
    let known = [
        (Energy::Calories, 4.184),
        (Energy::Kilocalories, 4184.0),
        (Energy::Joules, 1.0),
        (Energy::Kilojoules, 1e3),
        (Energy::JoulesPerKilomole, 1e-3),
    ];
    let found = known.iter().find(|(_, size)| *size == per_mole);
    found.map_or((Energy::Joules, per_mole), |(energy, _)| (*energy, 1.0))
}

fn joules(unit: &str) -> Option<f64> {
    Some(match unit {
        "J" => 1.0,
        "kJ" => 1e3,
        "MJ" => 1e6,
        "erg" => 1e-7,
        "cal" => 4.184,
        "kcal" => 4184.0,
        _ => return None,
    })
}

/// A length, and the power of it that the unit is.
fn length(unit: &str) -> Option<(Length, f64)> {
    let power = match unit {
        "km" => 3,
        "m" => 0,
        "dm" => -1,
        "cm" => -2,
        "mm" => -3,
        "um" | "micron" => -6,
        "nm" => -9,
        "L" | "l" => return Some((Length(-1), 3.0)),
        _ => return None,
    };
    Some((Length(power), 1.0))
}

fn quantity(unit: &str) -> Option<Quantity> {
    match unit {
        "kmol" | "kgmol" => Some(Quantity::Kilomoles),
        "mol" | "gmol" | "mole" => Some(Quantity::Moles),
        "molec" => Some(Quantity::Molecules),
        _ => None,
    }
}

/// Pa
fn pressure(unit: &str) -> Option<f64> {
    Some(match unit {
        "Pa" => 1.0,
        "hPa" | "mbar" => 1e2,
        "kPa" => 1e3,
        "MPa" => 1e6,
        "bar" => 1e5,
        "atm" => ATMOSPHERE,
        "torr" | "Torr" => ATMOSPHERE / 760.0,
        "dyn/cm^2" => 0.1,
        _ => return None,
    })
}
