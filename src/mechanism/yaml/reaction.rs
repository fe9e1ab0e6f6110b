//! The entries of reactions, brought to the same parts as those of CHEMKIN files.

use super::system::{self, System};
use super::tree::Node;
use super::{missing, number, numbers, unsupported};
use crate::mechanism::auxiliary::{Auxiliary, Given, RawRate};
use crate::mechanism::names::Names;
use crate::mechanism::rate::Parts;
use crate::mechanism::report::Report;
use crate::mechanism::syntax::Word;
use crate::mechanism::units::Units;
use crate::mechanism::{Reaction, SpeciesIndex, equation};

/// Reads every entry; those with errors are left out.
pub fn read(
    entries: &[&Node],
    names: &Names,
    system: System,
    declared_only: bool,
    report: &mut Report,
) -> Vec<Reaction> {
    let mut reactions = Vec::new();
    for entry in entries {
        let Some(text) = entry.get("equation").and_then(Node::scalar) else {
            let _: Option<()> = missing(entry, "equation", report);
            continue;
        };
        let words = words(&text);
        if declared_only && equation::parse(&words, names, &mut Report::default()).is_none() {
            continue;
        }
        let equation = equation::parse(&words, names, report);
        let system = system.apply(entry.get("units"), report);
        let (place, auxiliary) = (text, Auxiliary::default());
        let mut reader = Reader { entry, place, names, system, units: None, auxiliary, report };
        let numbers = reader.entry();
        let (auxiliary, units) = (reader.auxiliary, reader.units.unwrap_or(system.rates));
        let (Some(numbers), Some(equation)) = (numbers, equation) else { continue };
        reactions.extend(Parts { equation, numbers, auxiliary, units, place, report }.combine());
    }
    reactions
}

struct Reader<'d, 'a, 'r> {
    entry: &'d Node<'a>,
    /// The equation
    place: Word<'a>,
    names: &'r Names,
    system: System,
    /// Of the first rate constant
    units: Option<Units>,
    auxiliary: Auxiliary<'a>,
    report: &'r mut Report,
}

impl<'d, 'a> Reader<'d, 'a, '_> {
    /// The numbers of the reaction line of the same reaction in CHEMKIN; absent after an error.
    fn entry(&mut self) -> Option<RawRate<'a>> {
        let entry = self.entry;
        for (key, _) in entry.entries().iter().filter(|(key, _)| !KNOWN_KEYS.contains(&key.text())) {
            let message = format!("the key '{}' of a reaction is not supported", key.text());
            self.report.forgivable("yaml::unsupported", message, key, "remove it if it has no effect");
        }
        self.auxiliary.duplicate = entry.get("duplicate").is_some_and(Node::is_true);
        self.efficiencies();
        self.orders();
        let kind = entry.get("type").map_or("elementary", |kind| kind.place.text());
        match kind {
            "elementary" | "three-body" | "Arrhenius" => self.rate("rate-constant"),
            "falloff" | "chemically-activated" => {
                let (low, high) = (self.rate("low-P-rate-constant"), self.rate("high-P-rate-constant"));
                self.blending();
                let (low, high) = (low?, high?);
                let place = self.place;
                if kind == "falloff" {
                    self.auxiliary.low = Some(Given { place, value: low });
                    return Some(high);
                }
                self.auxiliary.high = Some(Given { place, value: high });
                Some(low)
            }
            "pressure-dependent-Arrhenius" => self.plog(),
            "Chebyshev" => self.chebyshev(),
            _ => {
                let place = entry.get("type").map_or(self.place, |kind| kind.place);
                let help = "known are elementary, three-body, falloff, chemically-activated, \
                            pressure-dependent-Arrhenius and Chebyshev";
                unsupported(&place, help, self.report);
                None
            }
        }
    }

    fn rate(&mut self, key: &str) -> Option<RawRate<'a>> {
        match self.entry.get(key) {
            Some(node) => self.arrhenius(node),
            None => missing(self.entry, key, self.report),
        }
    }

    /// `{A: .., b: .., Ea: ..}` or `[A, b, Ea]`
    fn arrhenius(&mut self, node: &'d Node<'a>) -> Option<RawRate<'a>> {
        let (a, b, e) = match node.items() {
            Some([a, b, e]) => (a, b, e),
            _ => match (node.get("A"), node.get("b"), node.get("Ea")) {
                (Some(a), Some(b), Some(e)) => (a, b, e),
                _ => return missing(node, "A, b or Ea", self.report),
            },
        };
        let (figure, unit) = system::split(&a.place);
        let own = match unit {
            Some(word) => system::rate_unit(word.text(), self.system.rates).or_else(|| {
                system::unknown(&word, self.report);
                None
            })?,
            None => self.system.rates,
        };
        let units = *self.units.get_or_insert(own);
        if units != own {
            let message = "the rate constants of this reaction have different units";
            self.report.error("yaml::unsupported", message, &a.place, "give all of them in the same units");
            return None;
        }
        let b = number(b, self.report)?;
        Some(RawRate { a: figure, b, e: self.energy(e)? })
    }

    /// In the unit that the reaction's energies have.
    fn energy(&mut self, node: &Node<'a>) -> Option<f64> {
        let (figure, unit) = system::split(&node.place);
        let value = number(&Node { place: figure, content: super::tree::Content::Scalar }, self.report)?;
        let Some(word) = unit else { return Some(value) };
        let Some(unit) = system::energy(word.text()) else {
            system::unknown(&word, self.report);
            return None;
        };
        let common = self.system.rates.energy;
        Some(if unit == common { value } else { value * unit.in_kelvins() / common.in_kelvins() })
    }

    fn blending(&mut self) {
        let place = self.place;
        if let Some(node) = self.entry.get("Troe") {
            let fourth = node.get("T2").map(|_| "T2");
            let values = self.parameters(node, ["A", "T3", "T1"].into_iter().chain(fourth));
            self.auxiliary.troe = values.map(|value| Given { place, value });
        }
        if let Some(node) = self.entry.get("SRI") {
            let more = ["D", "E"].into_iter().filter(|_| node.get("D").is_some());
            let values = self.parameters(node, ["A", "B", "C"].into_iter().chain(more));
            self.auxiliary.sri = values.map(|value| Given { place, value });
        }
    }

    fn parameters(&mut self, node: &Node<'a>, keys: impl Iterator<Item = &'static str>) -> Option<Vec<f64>> {
        let value = |key| match node.get(key) {
            Some(value) => temperature(value, self.report),
            None => missing(node, key, self.report),
        };
        let values: Vec<Option<f64>> = keys.map(value).collect();
        values.into_iter().collect()
    }

    fn plog(&mut self) -> Option<RawRate<'a>> {
        let Some(list) = self.entry.get("rate-constants").and_then(Node::items) else {
            return missing(self.entry, "rate-constants", self.report);
        };
        for item in list {
            let Some(pressure) = item.get("P") else { return missing(item, "P", self.report) };
            let pressure = system::atmospheres(pressure, &self.system, self.report)?;
            let value = (pressure, self.arrhenius(item)?);
            self.auxiliary.plog.push(Given { place: item.place, value });
        }
        Some(self.no_numbers())
    }

    fn chebyshev(&mut self) -> Option<RawRate<'a>> {
        let entry = self.entry;
        let place = self.place;
        let Some(rows) = entry.get("data").and_then(Node::items) else { return missing(entry, "data", self.report) };
        let rows = rows.iter().map(|row| numbers(row, self.report)).collect::<Option<Vec<_>>>()?;
        let columns = rows.first().map_or(0, Vec::len);
        let sizes = [rows.len() as f64, columns as f64];
        let value = sizes.into_iter().chain(rows.into_iter().flatten()).collect();
        self.auxiliary.chebyshev = Some(Given { place, value });
        if let Some(range) = entry.get("temperature-range").and_then(Node::items) {
            let value = range.iter().map(|t| temperature(t, self.report)).collect::<Option<Vec<_>>>()?;
            self.auxiliary.temperatures = Some(Given { place, value });
        }
        if let Some(range) = entry.get("pressure-range").and_then(Node::items) {
            let system = self.system;
            let value =
                range.iter().map(|p| system::atmospheres(p, &system, self.report)).collect::<Option<Vec<_>>>()?;
            self.auxiliary.pressures = Some(Given { place, value });
        }
        for (keyword, given) in
            [("temperature-range", &self.auxiliary.temperatures), ("pressure-range", &self.auxiliary.pressures)]
        {
            if given.as_ref().is_none_or(|given| given.value.len() != 2) {
                return missing(entry, keyword, self.report);
            }
        }
        Some(self.no_numbers())
    }

    /// Tabulated rates have no numbers on the line of the equation.
    fn no_numbers(&self) -> RawRate<'a> {
        RawRate { a: self.place, b: 0.0, e: 0.0 }
    }

    fn efficiencies(&mut self) {
        let Some(given) = self.entry.get("efficiencies") else { return self.default_efficiency() };
        for (name, value) in given.entries() {
            let Some(value) = number(value, self.report) else { continue };
            match self.names.find(name.text()) {
                Some(species) => self.auxiliary.efficiencies.push(Given { place: *name, value: (species, value) }),
                None => {
                    let message =
                        format!("the third-body efficiency of the undeclared species '{}' is ignored", name.text());
                    let help = self.names.suggestion(name.text(), "remove it, or declare the species");
                    self.report.warning("mechanism::unused-efficiency", message, name, help);
                }
            }
        }
        self.default_efficiency();
    }

    /// The efficiency of all species that have none of their own.
    fn default_efficiency(&mut self) {
        let Some(node) = self.entry.get("default-efficiency") else { return };
        let Some(default) = number(node, self.report).filter(|default| *default != 1.0) else { return };
        for species in 0..self.names.len() {
            if self.auxiliary.efficiencies.iter().all(|given| given.value.0 != species) {
                self.auxiliary.efficiencies.push(Given { place: node.place, value: (species, default) });
            }
        }
    }

    fn orders(&mut self) {
        let Some(given) = self.entry.get("orders") else { return };
        for (name, node) in given.entries() {
            let Some(value) = self.order(name, node) else { continue };
            self.auxiliary.forward_orders.push(Given { place: *name, value });
        }
    }

    fn order(&mut self, name: &Word, node: &Node<'a>) -> Option<(SpeciesIndex, f64)> {
        let Some(species) = self.names.find(name.text()) else {
            let help = self.names.suggestion(name.text(), "declare it in the species of the phase");
            self.report.error("mechanism::unknown-species", format!("unknown species '{}'", name.text()), name, help);
            return None;
        };
        let order = number(node, self.report)?;
        if order < 0.0 {
            let message = format!("negative reaction order {order} of species '{}'", name.text());
            let help = "the rate grows without bound as this species vanishes";
            self.report.warning("mechanism::negative-order", message, &node.place, help);
        }
        Some((species, order))
    }
}

/// What a reaction may hold; other keys could change what it means.
const KNOWN_KEYS: [&str; 24] = [
    "equation",
    "type",
    "rate-constant",
    "low-P-rate-constant",
    "high-P-rate-constant",
    "rate-constants",
    "Troe",
    "SRI",
    "temperature-range",
    "pressure-range",
    "data",
    "efficiencies",
    "default-efficiency",
    "duplicate",
    "orders",
    "negative-A",
    "negative-orders",
    "nonreactant-orders",
    "units",
    "id",
    "ID",
    "note",
    "reference",
    "source",
];

/// The words of an equation; a long one may go on over several lines.
fn words<'a>(text: &Word<'a>) -> Vec<Word<'a>> {
    let start = text.text().as_ptr() as usize;
    let parts = text.text().split_whitespace();
    parts
        .map(|part| Word { offset: text.offset + (part.as_ptr() as usize - start), len: part.len(), ..*text })
        .collect()
}

/// A number that may be followed by `K`.
fn temperature(node: &Node, report: &mut Report) -> Option<f64> {
    match system::split(&node.place) {
        (figure, Some(unit)) if unit.text() == "K" => {
            number(&Node { place: figure, content: super::tree::Content::Scalar }, report)
        }
        _ => number(node, report),
    }
}
