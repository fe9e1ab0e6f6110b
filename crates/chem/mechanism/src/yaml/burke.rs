//! The colliders of linear-Burke rates, as Cantera 3.1 and later have them.

use super::fields::{missing, unsupported};
use super::reaction::{Reader, kind};
use super::tree::Node;
use crate::auxiliary::{Auxiliary, Given, RawCollider, RawRate};
use crate::names::Names;
use crate::number;
use crate::syntax::Word;

impl<'d, 'a> Reader<'d, 'a, '_> {
    /// M first, then the colliders that differ from it.
    pub fn linear_burke(&mut self) -> Option<RawRate<'a>> {
        let Some([bath, others @ ..]) = self.entry.get("colliders").and_then(Node::items) else {
            return missing(self.entry, "colliders", self.report);
        };
        if let Some(key) = self.entry.key("efficiencies") {
            self.refuse(&key, "the efficiencies of a linear-Burke rate are those of its colliders", "remove the key");
        }
        let Some(name) = bath.get("name").and_then(Node::scalar) else { return missing(bath, "name", self.report) };
        if name.text() != "M" {
            self.refuse(&name, "the first collider is not M", "begin with M, the collider of efficiency 1");
            return None;
        }
        if bath.get("type").is_none() {
            return missing(bath, "type", self.report);
        }
        let key = if bath.get("eig0").is_some() { "eig0" } else { "efficiency" };
        let bath = self.collider(bath, None, key);
        if let Some(RawCollider { efficiency: Some(RawRate { a, b, e, .. }), .. }) =
            bath.as_ref().map(|bath| &bath.value)
            && key == "efficiency"
            && (number::parse(a.text()), *b, *e) != (Some(1.0), 0.0, 0.0)
        {
            self.refuse(a, "the efficiency of M is not 1", "write {A: 1, b: 0, Ea: 0}, or nothing");
            return None;
        }
        let mut all = vec![bath];
        for entry in others {
            let Some(name) = entry.get("name").and_then(Node::scalar) else {
                return missing(entry, "name", self.report);
            };
            match self.names.find(name.text()) {
                Some(species) => all.push(self.collider(entry, Some(species), key)),
                None => self.undeclared(&name),
            }
        }
        self.auxiliary.burke = all.into_iter().collect::<Option<_>>()?;
        Some(self.no_numbers())
    }

    fn collider(
        &mut self,
        entry: &'d Node<'a>,
        species: Option<usize>,
        key: &str,
    ) -> Option<Given<'a, RawCollider<'a>>> {
        for (other, _) in entry.entries().iter().filter(|(key, _)| !COLLIDER_KEYS.contains(&key.text())) {
            let message = format!("the key '{}' of a collider is not supported", other.text());
            let help = Names::new(COLLIDER_KEYS).suggestion(other.text(), "remove it if it has no effect");
            self.report.forgivable("yaml::unsupported", message, other, help);
        }
        let excluded = if key == "eig0" { "efficiency" } else { "eig0" };
        if let Some(word) = entry.key(excluded) {
            let message = format!("this collider has {excluded}, but M has not");
            self.refuse(&word, &message, "give all colliders efficiencies, or all of them eig0");
            return None;
        }
        let efficiency = match entry.get(key) {
            Some(node) => Some(self.arrhenius(node)?),
            None if species.is_none() => None,
            None => return missing(entry, key, self.report),
        };
        let rate = match entry.get("type") {
            None => None,
            Some(_) => Some(self.rate_in(entry)?),
        };
        Some(Given { place: entry.place, value: RawCollider { species, efficiency, rate } })
    }

    /// The rate in this collider alone.
    fn rate_in(&mut self, entry: &'d Node<'a>) -> Option<(RawRate<'a>, Box<Auxiliary<'a>>)> {
        let mut reader = Reader {
            entry,
            place: self.place,
            names: self.names,
            system: self.system,
            skip_third_bodies: self.skip_third_bodies,
            auxiliary: Auxiliary::default(),
            report: &mut *self.report,
        };
        let numbers = match kind(entry) {
            "falloff" if entry.get("Troe").is_none() => return missing(entry, "Troe", reader.report),
            "falloff" => reader.pressure_limits(true),
            "pressure-dependent-Arrhenius" => reader.plog(),
            "Chebyshev" => reader.chebyshev(),
            _ => {
                let place = entry.get("type").map_or(entry.place, |kind| kind.place);
                let help = "a collider's rate is falloff with Troe, pressure-dependent-Arrhenius or Chebyshev";
                unsupported(&place, help, reader.report);
                None
            }
        }?;
        Some((numbers, Box::new(reader.auxiliary)))
    }

    fn undeclared(&mut self, name: &Word<'a>) {
        if !self.skip_third_bodies {
            let message = format!("the undeclared species '{}' is ignored as a collider", name.text());
            let help = self.names.suggestion(name.text(), "set skip-undeclared-third-bodies in the phase");
            self.report.warning("mechanism::unused-efficiency", message, name, help);
        }
    }

    fn refuse(&mut self, place: &Word, message: &str, help: &str) {
        self.report.error("mechanism::linear-burke", message, place, help);
    }
}

const COLLIDER_KEYS: [&str; 13] = [
    "name", "type", "efficiency", "eig0", "rate-constants", "low-P-rate-constant", "high-P-rate-constant", "Troe",
    "temperature-range", "pressure-range", "data", "note", "reference",
];
