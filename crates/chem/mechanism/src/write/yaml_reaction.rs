//! One reaction as an entry of Cantera YAML, or as two when its reverse rate is explicit.

use super::values::Values;
use super::yaml::{energy_unit, line, real, reals, scalar, with_point};
use crate::number::preimage;
use crate::rate::overall_order;
use crate::report::brief;
use crate::units::{ATMOSPHERE, Energy, Length, Quantity, Units};
use crate::{
    Arrhenius, Blending, BurkeCollider, Chebyshev, Collider, Diffusion, LandauTeller, LinearBurke, Mechanism,
    PressureRate, Rate, Reaction, Reverse, SpeciesIndex,
};
use diagnostics::Diagnostic;

/// The entry of a reaction in a file with the given units; `names` are those of the species.
pub fn entry(reaction: &Reaction, units: Units, names: &[&str]) -> String {
    let si = Units { energy: Energy::Kelvins, quantity: Quantity::Kilomoles, length: Length::METRES };
    let (forward, reverse) = directions(reaction);
    let attempt = |units: Units, own: bool| {
        let mut printer = Printer { names, values: Values::new(units), own };
        let text: String = printer.entry(&forward, false);
        let reverse = reverse.as_ref().map_or(String::new(), |reverse| printer.entry(reverse, true));
        (text + &reverse, printer.values.exact)
    };
    let (text, exact) = attempt(units, false);
    if exact { text } else { attempt(si, true).0 }
}

/// One warning for each reaction whose entry Cantera refuses, and one for Lewis numbers of a file, for which it has no word.
pub fn without_cantera_form(mechanism: &Mechanism) -> Vec<Diagnostic> {
    let warning = |reaction: &Reaction| {
        let orders = [&reaction.forward_orders, &reaction.reverse_orders].into_iter().any(|orders| !orders.is_empty());
        let cause = match (&reaction.rate, &reaction.reverse) {
            (Rate::LandauTeller(..), _) | (_, Reverse::Explicit(_, Some(_))) => "Landau-Teller rates",
            (_, Reverse::Equilibrium) if orders => "orders of reversible reactions",
            _ => return None,
        };
        let message = format!("Cantera refuses the entry of '{}': it has no {cause}", brief(&reaction.equation));
        let help = "Singe reads it; for Cantera, fit the rate to Arrhenius', or write an irreversible reaction for each direction";
        Some(Diagnostic::warning("fmt::no-cantera-form", message).at(reaction.span.clone()).help(help))
    };
    let lewis = matches!(mechanism.diffusion, Diffusion::ConstantLewis { .. });
    let lewis = lewis.then(|| super::without_lewis_numbers(mechanism)).flatten();
    mechanism.reactions.iter().filter_map(warning).chain(lewis).collect()
}

/// Returns the written reaction, and the irreversible one that stands for an explicit reverse rate.
fn directions(reaction: &Reaction) -> (Reaction, Option<Reaction>) {
    let mut forward = reaction.clone();
    let Reverse::Explicit(rate, factor) = &reaction.reverse else {
        if !reaction.reverse_orders.is_empty() && reaction.forward_orders.is_empty() {
            // Cantera refuses orders of reversible reactions, but would overlook those of the reverse one.
            forward.forward_orders = reaction.reactants.clone();
        }
        return (forward, None);
    };
    forward.reverse = Reverse::Irreversible;
    forward.reverse_orders.clear();
    let mut reverse = forward.clone();
    reverse.rate = factor.map_or(Rate::Arrhenius(*rate), |factor| Rate::LandauTeller(*rate, factor));
    std::mem::swap(&mut reverse.reactants, &mut reverse.products);
    reverse.forward_orders = reaction.reverse_orders.clone();
    (forward, Some(reverse))
}

fn is_on_both_sides(reaction: &Reaction) -> bool {
    reaction.reactants.iter().any(|(species, _)| reaction.products.iter().any(|(other, _)| other == species))
}

struct Printer<'a> {
    names: &'a [&'a str],
    values: Values,
    /// Whether the entry states its units.
    own: bool,
}

impl Printer<'_> {
    fn entry(&mut self, reaction: &Reaction, is_reverse: bool) -> String {
        let mut lines = vec![format!("- equation: {}", self.equation(reaction))];
        if is_reverse {
            lines.push("reverse-of-previous: true".to_owned());
        }
        let kind = match &reaction.rate {
            Rate::Arrhenius(_) if reaction.third_body.is_some() => Some("three-body"),
            // Without it, Cantera takes a species on both sides for the collider, of which it knows no order.
            Rate::Arrhenius(_) if !reaction.forward_orders.is_empty() && is_on_both_sides(reaction) => {
                Some("elementary")
            }
            Rate::Arrhenius(_) => None,
            Rate::LandauTeller(..) => Some("Landau-Teller"),
            Rate::Falloff { .. } => Some("falloff"),
            Rate::ChemicallyActivated { .. } => Some("chemically-activated"),
            Rate::Plog(_) => Some("pressure-dependent-Arrhenius"),
            Rate::Chebyshev(_) => Some("Chebyshev"),
            Rate::LinearBurke(_) => Some("linear-Burke"),
        };
        lines.extend(kind.map(|kind| format!("type: {kind}")));
        if self.own {
            lines.push(format!(
                "units: {{length: m, quantity: kmol, activation-energy: {}}}",
                energy_unit(self.values.units.energy)
            ));
        }
        if reaction.duplicate {
            lines.push("duplicate: true".to_owned());
        }
        lines.extend(self.rate(reaction));
        lines.extend(self.marks(reaction));
        lines.extend(self.species_values("orders", &reaction.forward_orders));
        lines.extend(self.species_values("reverse-orders", &reaction.reverse_orders));
        if let Some(Collider::Mixture(efficiencies)) = collider(reaction) {
            lines.extend(self.species_values("efficiencies", efficiencies));
        }
        lines.join("\n  ") + "\n"
    }

    fn rate(&mut self, reaction: &Reaction) -> Vec<String> {
        let order = overall_order(&reaction.reactants, &reaction.forward_orders, reaction.third_body.is_some());
        match &reaction.rate {
            Rate::Arrhenius(rate) => vec![self.constant("rate-constant", rate, order)],
            Rate::LandauTeller(rate, LandauTeller { b, c }) => vec![
                self.constant("rate-constant", rate, order),
                format!("Landau-Teller: {{B: {}, C: {}}}", real(*b), real(*c)),
            ],
            Rate::Falloff { low, high, blending, .. } => self.limits((low, order + 1.0), (high, order), blending),
            Rate::ChemicallyActivated { low, high, blending, .. } => {
                self.limits((low, order), (high, order - 1.0), blending)
            }
            Rate::Plog(table) => self.plog(table, order),
            Rate::Chebyshev(fit) => self.chebyshev(fit, order),
            Rate::LinearBurke(rate) => self.linear_burke(rate, order),
        }
    }

    fn plog(&mut self, table: &[(f64, Vec<Arrhenius>)], order: f64) -> Vec<String> {
        let mut lines = vec!["rate-constants:".to_owned()];
        for (pressure, sum) in table {
            let pressure = pressure_text(*pressure);
            for rate in sum {
                let expression = self.expression(rate, order);
                lines.push(format!("- {{P: {pressure}, {expression}}}"));
            }
        }
        lines
    }

    fn chebyshev(&mut self, fit: &Chebyshev, order: f64) -> Vec<String> {
        let (low, high) = (pressure_text(fit.p_min), pressure_text(fit.p_max));
        let rows = self.values.chebyshev(&fit.coefficients, order);
        let mut lines = vec![
            format!("temperature-range: {}", reals(&[fit.t_min, fit.t_max])),
            format!("pressure-range: [{low}, {high}]"),
            "data:".to_owned(),
        ];
        lines.extend(rows.iter().map(|row| format!("- {}", reals(row))));
        lines
    }

    fn linear_burke(&mut self, rate: &LinearBurke, order: f64) -> Vec<String> {
        let mut lines = vec!["colliders:".to_owned(), "- name: M".to_owned()];
        let indented = |lines: Vec<String>| lines.into_iter().map(|line| format!("  {line}"));
        lines.extend(indented(self.pressure_rate(&rate.bath, order)));
        for BurkeCollider { species, efficiency, rate } in &rate.colliders {
            lines.push(format!("- name: {}", scalar(self.names[*species])));
            lines.push(format!("  efficiency: {{{}}}", self.expression(efficiency, 1.0)));
            lines.extend(rate.iter().flat_map(|rate| indented(self.pressure_rate(rate, order))));
        }
        lines
    }

    /// With its type.
    fn pressure_rate(&mut self, rate: &PressureRate, order: f64) -> Vec<String> {
        let (kind, lines) = match rate {
            PressureRate::Falloff { low, high, blending } => {
                ("falloff", self.limits((low, order + 1.0), (high, order), blending))
            }
            PressureRate::Plog(table) => ("pressure-dependent-Arrhenius", self.plog(table, order)),
            PressureRate::Chebyshev(fit) => ("Chebyshev", self.chebyshev(fit, order)),
        };
        [format!("type: {kind}")].into_iter().chain(lines).collect()
    }

    fn limits(&mut self, low: (&Arrhenius, f64), high: (&Arrhenius, f64), blending: &Blending) -> Vec<String> {
        let mut lines = vec![
            self.constant("low-P-rate-constant", low.0, low.1),
            self.constant("high-P-rate-constant", high.0, high.1),
        ];
        lines.extend(blending_line(blending));
        lines
    }

    fn constant(&mut self, key: &str, rate: &Arrhenius, order: f64) -> String {
        format!("{key}: {{{}}}", self.expression(rate, order))
    }

    fn expression(&mut self, rate: &Arrhenius, order: f64) -> String {
        let [a, b, e] = self.values.arrhenius(rate, order).map(with_point);
        format!("A: {a}, b: {b}, Ea: {e}")
    }

    /// Returns the marks with which Cantera wants unusual values to be confirmed.
    fn marks(&self, reaction: &Reaction) -> Vec<String> {
        let factors: Vec<f64> = match &reaction.rate {
            Rate::Arrhenius(rate) | Rate::LandauTeller(rate, _) => vec![rate.a],
            Rate::Falloff { low, high, .. } | Rate::ChemicallyActivated { low, high, .. } => vec![low.a, high.a],
            Rate::Plog(_) | Rate::Chebyshev(_) | Rate::LinearBurke(_) => Vec::new(),
        };
        let is_reactant = |species: SpeciesIndex| reaction.reactants.iter().any(|(reactant, _)| *reactant == species);
        let orders = &reaction.forward_orders;
        let marks = [
            ("negative-A", factors.iter().any(|a| *a < 0.0)),
            ("negative-orders", orders.iter().any(|(_, order)| *order < 0.0)),
            ("nonreactant-orders", orders.iter().any(|(species, _)| !is_reactant(*species))),
        ];
        marks.into_iter().filter(|(_, holds)| *holds).map(|(mark, _)| format!("{mark}: true")).collect()
    }

    fn species_values(&self, key: &str, values: &[(SpeciesIndex, f64)]) -> Option<String> {
        let items: Vec<String> = values
            .iter()
            .map(|(species, value)| format!("{}: {}", scalar(self.names[*species]), real(*value)))
            .collect();
        (!items.is_empty()).then(|| format!("{key}: {{{}}}", items.join(", ")))
    }

    fn equation(&self, reaction: &Reaction) -> String {
        let third_body = match collider(reaction) {
            None => String::new(),
            Some(Collider::Species(species)) => format!(" (+{})", self.names[*species]),
            Some(Collider::Mixture(_)) if reaction.third_body.is_some() => " + M".to_owned(),
            Some(Collider::Mixture(_)) => " (+M)".to_owned(),
        };
        let side = |terms: &[(SpeciesIndex, f64)]| {
            let term = |(species, nu): &(SpeciesIndex, f64)| match *nu {
                1.0 => self.names[*species].to_owned(),
                nu => format!("{nu} {}", self.names[*species]),
            };
            terms.iter().map(term).collect::<Vec<_>>().join(" + ") + &third_body
        };
        let arrow = if reaction.is_reversible() { "<=>" } else { "=>" };
        line(&format!("{} {arrow} {}", side(&reaction.reactants), side(&reaction.products)))
    }
}

fn collider(reaction: &Reaction) -> Option<&Collider> {
    match &reaction.rate {
        Rate::Falloff { collider, .. } | Rate::ChemicallyActivated { collider, .. } => Some(collider),
        _ => reaction.third_body.as_ref(),
    }
}

fn blending_line(blending: &Blending) -> Option<String> {
    let (name, keys, values) = match *blending {
        Blending::Lindemann => return None,
        Blending::Troe { a, t3, t1, t2 } => {
            ("Troe", &["A", "T3", "T1", "T2"][..], [a, t3, t1].into_iter().chain(t2).collect::<Vec<_>>())
        }
        Blending::Sri { a, b, c, d, e } if d == 1.0 && e == 0.0 => ("SRI", &["A", "B", "C"][..], vec![a, b, c]),
        Blending::Sri { a, b, c, d, e } => ("SRI", &["A", "B", "C", "D", "E"][..], vec![a, b, c, d, e]),
    };
    let items: Vec<String> = keys.iter().zip(values).map(|(key, value)| format!("{key}: {}", real(value))).collect();
    Some(format!("{name}: {{{}}}", items.join(", ")))
}

/// In atm where that is exact.
fn pressure_text(pascals: f64) -> String {
    match preimage(pascals, pascals / ATMOSPHERE, |x| x * ATMOSPHERE) {
        Some(atmospheres) => format!("{} atm", real(atmospheres)),
        None => format!("{} Pa", real(pascals)),
    }
}
