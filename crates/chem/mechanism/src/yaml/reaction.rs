//! The entries of reactions, brought to the same parts as those of CHEMKIN files.

use super::fields::{missing, number, unsupported};
use super::phase::Selected;
use super::system::System;
use super::tree::Node;
use super::{collider, reverse};
use crate::auxiliary::{Auxiliary, Given, RawRate};
use crate::equation::Equation;
use crate::names::Names;
use crate::rate::Parts;
use crate::report::Report;
use crate::syntax::Word;
use crate::{Reaction, SpeciesIndex, equation, number as reals};

/// Reads every entry; those with errors are left out.
pub fn read(selected: &[Selected], names: &Names, skip_third_bodies: bool, report: &mut Report) -> Vec<Reaction> {
    let mut reactions = Vec::new();
    for Selected { section, declared_only } in selected {
        for entry in section.entries {
            let equation = entry.get("equation").and_then(Node::scalar);
            let Some(text) = equation.filter(|text| !text.text().trim().is_empty()) else {
                let _: Option<()> = missing(entry, "equation", report);
                continue;
            };
            let words = words(&text);
            if *declared_only && (names_undeclared(&words, names) || orders_undeclared(entry, names)) {
                continue;
            }
            let equation = equation::parse(&words, names, report);
            let system = section.system.apply(entry.get("units"), report);
            let auxiliary = Auxiliary::default();
            let mut reader = Reader { entry, place: text, names, system, skip_third_bodies, auxiliary, report };
            let numbers = reader.entry(equation.as_ref());
            let mut auxiliary = reader.auxiliary;
            let (Some(numbers), Some(mut equation)) = (numbers, equation) else { continue };
            if collider::resolve(entry, &mut equation, &mut auxiliary, names, report).is_none() {
                continue;
            }
            check_marks(entry, &numbers, &auxiliary, &equation.reactants, report);
            let parts = Parts { equation, numbers, auxiliary, units: system.rates, place: text, report };
            let Some(reaction) = parts.combine() else { continue };
            if entry.get("reverse-of-previous").is_some_and(Node::is_true) {
                reverse::merge(reaction, &mut reactions, report);
            } else {
                reactions.push(reaction);
            }
        }
    }
    reactions
}

pub struct Reader<'d, 'a, 'r> {
    pub entry: &'d Node<'a>,
    /// The equation
    pub place: Word<'a>,
    pub names: &'r Names,
    pub system: System,
    pub skip_third_bodies: bool,
    pub auxiliary: Auxiliary<'a>,
    pub report: &'r mut Report,
}

impl<'a> Reader<'_, 'a, '_> {
    /// The numbers of the reaction line of the same reaction in CHEMKIN; absent after an error.
    fn entry(&mut self, equation: Option<&Equation>) -> Option<RawRate<'a>> {
        let entry = self.entry;
        for (key, _) in entry.entries().iter().filter(|(key, _)| !KNOWN_KEYS.contains(&key.text())) {
            let message = format!("the key '{}' of a reaction is not supported", key.text());
            let help = Names::new(KNOWN_KEYS).suggestion(key.text(), "remove it if it has no effect");
            self.report.forgivable("yaml::unsupported", message, key, help);
        }
        self.auxiliary.duplicate = entry.get("duplicate").is_some_and(Node::is_true);
        self.efficiencies();
        self.auxiliary.forward_orders = self.orders("orders");
        self.auxiliary.reverse_orders = self.orders("reverse-orders");
        if !self.auxiliary.reverse_orders.is_empty() {
            // The reactants' own, all of them, are written beside reverse orders only to tell readers that there are orders.
            let own = equation.map_or(&[][..], |equation| &equation.reactants);
            let given = &mut self.auxiliary.forward_orders;
            if given.len() == own.len() && given.iter().all(|given| own.contains(&given.value)) {
                given.clear();
            }
        }
        let kind = kind(entry);
        match kind.strip_prefix("three-body-").unwrap_or(kind) {
            "elementary" | "three-body" | "Arrhenius" | "" => self.rate("rate-constant"),
            "Landau-Teller" => self.landau_teller(),
            "falloff" | "chemically-activated" => self.pressure_limits(kind == "falloff"),
            "pressure-dependent-Arrhenius" => self.plog(),
            "Chebyshev" => self.chebyshev(),
            "linear-Burke" => self.linear_burke(),
            _ => {
                let place = entry.get("type").map_or(self.place, |kind| kind.place);
                let help = "known are elementary, three-body, falloff, chemically-activated, \
                            pressure-dependent-Arrhenius, Chebyshev and linear-Burke";
                unsupported(&place, help, self.report);
                None
            }
        }
    }

    fn efficiencies(&mut self) {
        for (name, value) in self.entry.get("efficiencies").map_or(&[][..], Node::entries) {
            let Some(value) = number(value, self.report) else { continue };
            match self.names.find(name.text()) {
                Some(species) => self.auxiliary.efficiencies.push(Given { place: *name, value: (species, value) }),
                None if self.skip_third_bodies => {}
                None => {
                    let message =
                        format!("the third-body efficiency of the undeclared species '{}' is ignored", name.text());
                    let help = self.names.suggestion(name.text(), "set skip-undeclared-third-bodies in the phase");
                    self.report.warning("mechanism::unused-efficiency", message, name, help);
                }
            }
        }
    }

    fn orders(&mut self, key: &str) -> Vec<Given<'a, (SpeciesIndex, f64)>> {
        let entries = self.entry.get(key).map_or(&[][..], Node::entries).iter();
        entries.filter_map(|(name, node)| Some(Given { place: *name, value: self.order(name, node)? })).collect()
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

/// Returns the value of `type`; empty when it is left out.
pub fn kind<'d>(entry: &'d Node) -> &'d str {
    entry.get("type").map_or("", |kind| kind.place.text())
}

/// Checks for the marks that confirm unusual values, which Cantera demands because these are mostly mistakes.
fn check_marks(
    entry: &Node,
    numbers: &RawRate,
    auxiliary: &Auxiliary,
    reactants: &[(SpeciesIndex, f64)],
    report: &mut Report,
) {
    let limits = [&auxiliary.low, &auxiliary.high].into_iter().flatten().map(|given| given.value);
    let mut factors = [*numbers].into_iter().chain(limits).map(|rate| rate.a);
    let negative = factors.find(|a| reals::parse(a.text()).is_some_and(|a| a < 0.0));
    let orders = &auxiliary.forward_orders;
    let negative_order = orders.iter().find(|given| given.value.1 < 0.0).map(|given| given.place);
    let is_reactant = |species: SpeciesIndex| reactants.iter().any(|(reactant, _)| *reactant == species);
    let foreign = orders.iter().find(|given| !is_reactant(given.value.0)).map(|given| given.place);
    for (mark, place, what) in [
        ("negative-A", negative, "the rate constant is negative"),
        ("negative-orders", negative_order, "the reaction order is negative"),
        ("nonreactant-orders", foreign, "the order is that of a species which is no reactant"),
    ] {
        if let Some(place) = place.filter(|_| !entry.get(mark).is_some_and(Node::is_true)) {
            let message = format!("{what}, and the reaction does not say {mark}");
            report.forgivable("yaml::unmarked", message, &place, format!("add {mark}: true if it is meant"));
        }
    }
}

/// Whether nothing is wrong with an equation but that it names species that are not declared.
fn names_undeclared(words: &[Word], names: &Names) -> bool {
    let mut report = Report::default();
    equation::parse(words, names, &mut report).is_none() && report.has_only("mechanism::unknown-species")
}

fn orders_undeclared(entry: &Node, names: &Names) -> bool {
    let orders = ["orders", "reverse-orders"].into_iter().filter_map(|key| entry.get(key)).flat_map(Node::entries);
    orders.into_iter().any(|(name, _)| names.find(name.text()).is_none())
}

/// The words of an equation; a long one may go on over several lines.
fn words<'a>(text: &Word<'a>) -> Vec<Word<'a>> {
    let start = text.text().as_ptr() as usize;
    let parts = text.text().split_whitespace();
    parts
        .map(|part| Word { offset: text.offset + (part.as_ptr() as usize - start), len: part.len(), ..*text })
        .collect()
}

/// Keys that a reaction may hold; other keys could change what it means.
const KNOWN_KEYS: [&str; 28] = [
    "equation", "type", "rate-constant", "low-P-rate-constant", "high-P-rate-constant", "rate-constants", "Troe",
    "SRI", "temperature-range", "pressure-range", "data", "colliders", "efficiencies", "default-efficiency",
    "duplicate", "orders", "negative-A", "negative-orders", "nonreactant-orders", "reverse-orders",
    "reverse-of-previous", "Landau-Teller", "units", "id", "ID", "note", "reference", "source",
];
