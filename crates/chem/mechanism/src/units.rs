//! Units of rate expressions and their conversion to SI with kmol (constants: CODATA 2018).

use super::Arrhenius;
use super::number;

/// 1/mol
pub const AVOGADRO: f64 = 6.02214076e23;
/// Pa
pub const ATMOSPHERE: f64 = 101325.0;
/// J/mol/K
pub const GAS_CONSTANT: f64 = 8.31446261815324;
/// e/k_B in K/eV
const ELECTRONVOLT: f64 = 11604.518121550082;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Energy {
    Calories,
    Kilocalories,
    Joules,
    Kilojoules,
    Electronvolts,
    Kelvins,
    /// Cantera's default; no CHEMKIN keyword stands for it.
    JoulesPerKilomole,
}

/// A unit of length, as a power of ten of the metre.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length(pub i32);

impl Length {
    pub const CENTIMETRES: Self = Self(-2);
    pub const METRES: Self = Self(0);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    Moles,
    Kilomoles,
    Molecules,
}

/// Units of `A` and `E` of a reaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Units {
    pub energy: Energy,
    pub quantity: Quantity,
    pub length: Length,
}

/// Units of one rate constant that were written with it, and their dimension.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateUnits {
    pub units: Units,
    /// Power of the length
    pub length: f64,
    /// Power of the amount
    pub amount: f64,
}

impl RateUnits {
    /// Whether a rate constant of this overall order has this dimension.
    pub fn suit(&self, order: f64) -> bool {
        let power = order - 1.0;
        (self.length - 3.0 * power).abs() < 1e-6 && (self.amount + power).abs() < 1e-6
    }
}

impl Units {
    /// CHEMKIN's default units.
    pub const DEFAULT: Self = Self { energy: Energy::Calories, quantity: Quantity::Moles, length: Length::CENTIMETRES };

    /// Applies a unit keyword of the CHEMKIN manual in any letter case, or its first letters: `KCAL` stands for `KCAL/MOLE`,
    /// `JOUL` for `JOULES/MOLE`. False when it is unknown, so that `JOULES/KMOL` is not taken for another unit.
    pub fn apply(&mut self, keyword: &str) -> bool {
        let keyword = keyword.to_ascii_uppercase();
        let (word, per) = keyword.split_once('/').map_or((keyword.as_str(), None), |(word, per)| (word, Some(per)));
        let is_short = |least: usize, whole: &str| word.len() >= least && whole.starts_with(word);
        let quantities = [(3, "MOLES", Quantity::Moles), (5, "MOLECULES", Quantity::Molecules)];
        let energies = [
            (4, "KCAL", true, Energy::Kilocalories),
            (3, "CAL", true, Energy::Calories),
            (4, "KJOULES", true, Energy::Kilojoules),
            (4, "JOULES", true, Energy::Joules),
            (4, "KELVINS", false, Energy::Kelvins),
            (4, "EVOLTS", false, Energy::Electronvolts),
        ];
        if let Some((.., quantity)) = quantities.iter().find(|(least, whole, _)| is_short(*least, whole)) {
            self.quantity = *quantity;
            return per.is_none();
        }
        let Some((_, _, is_molar, energy)) = energies.iter().find(|(least, whole, ..)| is_short(*least, whole)) else {
            return false;
        };
        self.energy = *energy;
        per.is_none_or(|per| *is_molar && matches!(per, "" | "MOL" | "MOLE" | "MOLES"))
    }

    /// `A` in these units of an expression of the given order, to (m3/kmol)^(order-1)/s. Powers of ten
    /// move the exponent of the text, so that whole orders are converted with one rounding, and invertibly.
    pub fn factor(&self, text: &str, order: f64) -> Option<f64> {
        let power = whole(order - 1.0);
        let tens = self.tens() * power;
        let shifted = number::scaled(text, tens.floor() as i32)? * 10f64.powf(tens - tens.floor());
        let value = match self.quantity {
            Quantity::Moles | Quantity::Kilomoles => shifted,
            Quantity::Molecules => shifted * AVOGADRO.powf(power),
        };
        value.is_finite().then_some(value)
    }

    /// The decimal logarithm of the same conversion.
    pub fn log10_factor(&self, order: f64) -> f64 {
        let per_power = match self.quantity {
            Quantity::Moles | Quantity::Kilomoles => self.tens(),
            Quantity::Molecules => AVOGADRO.log10() + self.tens(),
        };
        whole(order - 1.0) * per_power
    }

    /// Powers of ten in a volume per amount, in m3/kmol (per Avogadro's number of moles for molecules).
    fn tens(&self) -> f64 {
        let volume = 3.0 * f64::from(self.length.0);
        match self.quantity {
            Quantity::Moles | Quantity::Molecules => volume + 3.0,
            Quantity::Kilomoles => volume,
        }
    }

    pub fn arrhenius(&self, a: &str, b: f64, e: f64, order: f64) -> Option<Arrhenius> {
        Some(Arrhenius { a: self.factor(a, order)?, b, e_over_r: e * self.energy.in_kelvins() })
    }
}

impl Energy {
    /// Units in the order in which the writer tries them, with their keywords.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Calories, "CAL/MOLE"),
        (Self::Kilocalories, "KCAL/MOLE"),
        (Self::Joules, "JOULES/MOLE"),
        (Self::Kilojoules, "KJOULES/MOLE"),
        (Self::Electronvolts, "EVOLTS"),
        (Self::Kelvins, "KELVINS"),
    ];

    /// One unit of activation energy as a temperature E/R.
    pub fn in_kelvins(self) -> f64 {
        match self {
            Self::Calories => 4.184 / GAS_CONSTANT,
            Self::Kilocalories => 4184.0 / GAS_CONSTANT,
            Self::Joules => 1.0 / GAS_CONSTANT,
            Self::Kilojoules => 1000.0 / GAS_CONSTANT,
            Self::Electronvolts => ELECTRONVOLT,
            Self::Kelvins => 1.0,
            Self::JoulesPerKilomole => 1e-3 / GAS_CONSTANT,
        }
    }
}

/// Sums such as 0.1 + 0.2 + 0.7 miss a whole order by rounding only.
pub fn whole(order: f64) -> f64 {
    if (order - order.round()).abs() < 1e-9 { order.round() } else { order }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_orders_are_converted_exactly() {
        assert_eq!(Units::DEFAULT.factor("1.2D+17", 3.0), Some(1.2e11));
        assert_eq!(Units::DEFAULT.factor("38700", 2.0), Some(38.7));
        assert_eq!(Units::DEFAULT.factor("5", 0.1 + 0.2 + 0.7), Some(5.0));
    }

    #[test]
    fn keywords_may_be_abbreviated() {
        let mut units = Units::DEFAULT;
        assert!(units.apply("kjou") && units.apply("MOLECULES"));
        assert_eq!(units, Units { energy: Energy::Kilojoules, quantity: Quantity::Molecules, ..Units::DEFAULT });
        assert!(units.apply("mol"));
        assert_eq!(units.quantity, Quantity::Moles);
    }

    #[test]
    fn a_unit_is_not_known_by_its_first_letters_alone() {
        for unknown in ["FURLONGS", "JOULES/KMOL", "KCAL/KMOL", "MOLECULES/M3", "CALS/MOLE", "KELVINS/MOLE", "MO"] {
            assert!(!{ Units::DEFAULT }.apply(unknown), "{unknown}");
        }
        for known in ["CAL/", "CAL/MOLE", "kcal/mol", "JOUL", "JOULE/MOLE", "KJOULES/MOLE", "KELV", "EVOLTS", "MOLEC"] {
            assert!({ Units::DEFAULT }.apply(known), "{known}");
        }
    }
}
