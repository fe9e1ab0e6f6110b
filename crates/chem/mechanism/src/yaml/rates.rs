//! The rate constants of reaction entries, form by form.

use super::fields::{missing, number, numbers, unsupported};
use super::keys;
use super::reaction::Reader;
use super::system::{self, temperature};
use super::tree::Node;
use crate::LandauTeller;
use crate::auxiliary::{Given, RawRate};

impl<'a> Reader<'_, 'a, '_> {
    pub fn rate(&mut self, key: &str) -> Option<RawRate<'a>> {
        match self.entry.get(key) {
            Some(node) => self.arrhenius(node),
            None => missing(self.entry, key, self.report),
        }
    }

    /// Singe's own type, which Cantera does not have.
    pub fn landau_teller(&mut self) -> Option<RawRate<'a>> {
        let (entry, place) = (self.entry, self.place);
        let Some(node) = entry.get("Landau-Teller") else { return missing(entry, "Landau-Teller", self.report) };
        let value = match *self.parameters(node, ["B", "C"].into_iter())?.as_slice() {
            [b, c] => LandauTeller { b, c },
            _ => return None,
        };
        self.auxiliary.landau_teller = Some(Given { place, value });
        self.rate("rate-constant")
    }

    /// Falloff, or chemical activation.
    pub fn pressure_limits(&mut self, is_falloff: bool) -> Option<RawRate<'a>> {
        let (low, high) = (self.rate("low-P-rate-constant"), self.rate("high-P-rate-constant"));
        self.blending();
        let (low, high, place) = (low?, high?, self.place);
        if is_falloff {
            self.auxiliary.low = Some(Given { place, value: low });
            Some(high)
        } else {
            self.auxiliary.high = Some(Given { place, value: high });
            Some(low)
        }
    }

    pub fn plog(&mut self) -> Option<RawRate<'a>> {
        let Some(list) = self.entry.get("rate-constants").and_then(Node::items).filter(|list| !list.is_empty()) else {
            return missing(self.entry, "rate-constants", self.report);
        };
        for item in list {
            let Some(pressure) = item.get("P") else { return missing(item, "P", self.report) };
            let pressure = self.system.pascals(pressure, self.report)?;
            let value = (pressure, self.expression(item, &["P", "A", "b", "Ea"])?);
            self.auxiliary.plog.push(Given { place: item.place, value });
        }
        Some(self.no_numbers())
    }

    pub fn chebyshev(&mut self) -> Option<RawRate<'a>> {
        let (entry, place, system) = (self.entry, self.place, self.system);
        let Some(rows) = entry.get("data").and_then(Node::items) else { return missing(entry, "data", self.report) };
        let rows = rows.iter().map(|row| numbers(row, self.report)).collect::<Option<Vec<_>>>()?;
        let columns = rows.first().map_or(0, Vec::len);
        let sizes = [rows.len() as f64, columns as f64];
        let value = sizes.into_iter().chain(rows.into_iter().flatten()).collect();
        self.auxiliary.chebyshev = Some(Given { place, value });
        let report = &mut *self.report;
        let range = |key: &str| entry.get(key).and_then(Node::items).filter(|range| range.len() == 2);
        let Some(temperatures) = range("temperature-range") else { return missing(entry, "temperature-range", report) };
        let Some(pressures) = range("pressure-range") else { return missing(entry, "pressure-range", report) };
        let value = temperatures.iter().map(|t| temperature(t, report)).collect::<Option<Vec<_>>>()?;
        self.auxiliary.temperatures = Some(Given { place, value });
        let value = pressures.iter().map(|p| system.pascals(p, report)).collect::<Option<Vec<_>>>()?;
        self.auxiliary.pressures = Some(Given { place, value });
        Some(self.no_numbers())
    }

    /// `{A: .., b: .., Ea: ..}` or `[A, b, Ea]`
    pub fn arrhenius(&mut self, node: &Node<'a>) -> Option<RawRate<'a>> {
        self.expression(node, &["A", "b", "Ea"])
    }

    fn expression(&mut self, node: &Node<'a>, known: &[&str]) -> Option<RawRate<'a>> {
        keys::unknown(node, known, self.report);
        let (a, b, e) = match node.items() {
            Some([a, b, e]) => (a, b, e),
            _ => match (node.get("A"), node.get("b"), node.get("Ea")) {
                (Some(a), Some(b), Some(e)) => (a, b, e),
                _ => return missing(node, "A, b or Ea", self.report),
            },
        };
        let (figure, unit) = system::split(&a.place);
        let units = match unit {
            None => None,
            Some(word) => Some(self.system.rate_unit(word.text()).or_else(|| system::unknown(&word, self.report))?),
        };
        let b = number(b, self.report)?;
        let e = self.system.activation_energy(e, self.report)?;
        Some(RawRate { a: figure, b, e, units })
    }

    fn blending(&mut self) {
        let (entry, place) = (self.entry, self.place);
        if let Some(key) = entry.key("Tsang") {
            unsupported(&key, "known are Troe and SRI; without either, the falloff is Lindemann's", self.report);
        }
        if let Some(node) = entry.get("Troe") {
            keys::unknown(node, &["A", "T3", "T1", "T2"], self.report);
            let fourth = node.get("T2").map(|_| "T2");
            let values = self.parameters(node, ["A", "T3", "T1"].into_iter().chain(fourth));
            self.auxiliary.troe = values.map(|value| Given { place, value });
        }
        if let Some(node) = entry.get("SRI") {
            keys::unknown(node, &["A", "B", "C", "D", "E"], self.report);
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

    /// Tabulated rates have no numbers on the line of the equation.
    pub fn no_numbers(&self) -> RawRate<'a> {
        RawRate { a: self.place, b: 0.0, e: 0.0, units: None }
    }
}
