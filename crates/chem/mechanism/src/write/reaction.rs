//! One reaction with its auxiliary lines.

use super::values::Values;
use crate::equation::arrows;
use crate::number::shortest;
use crate::rate::overall_order;
use crate::units::{Energy, Quantity, Units};
use crate::{Arrhenius, Blending, Collider, Rate, Reaction, Reverse, SpeciesIndex};

/// The lines of a reaction in a mechanism with the given energy unit; none where CHEMKIN has no form of its rate.
pub fn lines(reaction: &Reaction, energy: Energy, names: &[&str]) -> Option<String> {
    let base = Units { energy, ..Units::DEFAULT };
    // With fractional orders, other readers take molecules for another unit.
    let fraction = |orders: &[(SpeciesIndex, f64)]| orders.iter().any(|(_, order)| order.fract() != 0.0);
    let sides = [&reaction.reactants, &reaction.products, &reaction.forward_orders, &reaction.reverse_orders];
    let quantities = match sides.into_iter().any(|side| fraction(side)) {
        true => &[Quantity::Moles][..],
        false => &[Quantity::Moles, Quantity::Molecules],
    };
    let others = quantities.iter().flat_map(|quantity| {
        let quantity = *quantity;
        Energy::ALL.iter().map(move |(energy, _)| Units { energy: *energy, quantity, ..Units::DEFAULT })
    });
    let attempt = |units: Units| {
        let mut printer = Printer { reaction, names, values: Values::new(units), base };
        let text = printer.text();
        (text, printer.values.exact)
    };
    let exact = [base].into_iter().chain(others).map(attempt).find(|(_, exact)| *exact);
    exact.unwrap_or_else(|| attempt(base)).0
}

struct Printer<'a> {
    reaction: &'a Reaction,
    names: &'a [&'a str],
    values: Values,
    /// The units of the mechanism.
    base: Units,
}

impl Printer<'_> {
    /// None where CHEMKIN has no form of the rate.
    fn text(&mut self) -> Option<String> {
        let reaction = self.reaction;
        let third_body = reaction.third_body.is_some();
        let order = overall_order(&reaction.reactants, &reaction.forward_orders, third_body);
        let reverse_order = overall_order(&reaction.products, &reaction.reverse_orders, third_body);
        let mut below: Vec<String> = Vec::new();
        below.extend(self.unit_lines());
        let line = match &reaction.rate {
            Rate::Arrhenius(rate) => self.arrhenius(rate, order),
            Rate::LandauTeller(rate, factor) => {
                below.push(format!("LT/ {} {} /", shortest(factor.b), shortest(factor.c)));
                self.arrhenius(rate, order)
            }
            Rate::Falloff { low, high, blending, .. } => {
                below.push(format!("LOW/ {} /", self.arrhenius(low, order + 1.0)));
                below.extend(blending_line(blending));
                self.arrhenius(high, order)
            }
            Rate::ChemicallyActivated { low, high, blending, .. } => {
                below.push(format!("HIGH/ {} /", self.arrhenius(high, order - 1.0)));
                below.extend(blending_line(blending));
                self.arrhenius(low, order)
            }
            Rate::Plog(table) => {
                for (pressure, sum) in table {
                    let pressure = self.values.atmospheres(*pressure);
                    below.extend(sum.iter().map(|rate| format!("PLOG/ {pressure} {} /", self.arrhenius(rate, order))));
                }
                IGNORED.to_owned()
            }
            Rate::Chebyshev(_) => {
                below.extend(self.chebyshev(order));
                IGNORED.to_owned()
            }
            Rate::LinearBurke(_) => return None,
        };
        match &reaction.reverse {
            Reverse::Explicit(rate, factor) => {
                below.push(format!("REV/ {} /", self.arrhenius(rate, reverse_order)));
                below.extend(factor.map(|f| format!("RLT/ {} {} /", shortest(f.b), shortest(f.c))));
            }
            Reverse::Irreversible if arrows(&reaction.equation).any(|(_, reversible)| reversible) => {
                below.push("REV/ 0 0 0 /".to_owned());
            }
            Reverse::Irreversible | Reverse::Equilibrium => {}
        }
        below.extend(self.orders("FORD", &reaction.forward_orders));
        below.extend(self.orders("RORD", &reaction.reverse_orders));
        below.extend(self.efficiencies());
        if reaction.duplicate {
            below.push("DUPLICATE".to_owned());
        }
        let lines = below.iter().map(|line| format!("  {line}\n"));
        Some([format!("{:<44} {line}\n", reaction.equation)].into_iter().chain(lines).collect())
    }

    fn arrhenius(&mut self, rate: &Arrhenius, order: f64) -> String {
        self.values.arrhenius(rate, order).join(" ")
    }

    fn chebyshev(&mut self, order: f64) -> Vec<String> {
        let Rate::Chebyshev(fit) = &self.reaction.rate else { return Vec::new() };
        let (p_min, p_max) = (self.values.atmospheres(fit.p_min), self.values.atmospheres(fit.p_max));
        let rows = fit.coefficients.len();
        let columns = fit.coefficients.first().map_or(0, Vec::len);
        let mut lines = vec![
            format!("TCHEB/ {} {} /", shortest(fit.t_min), shortest(fit.t_max)),
            format!("PCHEB/ {p_min} {p_max} /"),
            format!("CHEB/ {rows} {columns} /"),
        ];
        let coefficients = self.values.chebyshev(&fit.coefficients, order);
        let row = |row: &Vec<f64>| row.iter().map(|value| shortest(*value)).collect::<Vec<_>>().join(" ");
        lines.extend(coefficients.iter().map(|values| format!("CHEB/ {} /", row(values))));
        lines
    }

    /// One keyword in each line, in the spelling that other readers know: CHEMKIN's four letters, and `CAL/MOLE`, whose short form they do not.
    fn unit_lines(&self) -> Vec<String> {
        let Units { energy, quantity, .. } = self.values.units;
        let known = Energy::ALL.iter().find(|(unit, _)| *unit == energy && energy != self.base.energy);
        let energy = known.map(|(unit, keyword)| if *unit == Energy::Calories { keyword } else { &keyword[..4] });
        let quantity = (quantity == Quantity::Molecules).then_some("MOLECULES");
        energy.into_iter().chain(quantity).map(|keyword| format!("UNITS/ {keyword} /")).collect()
    }

    fn orders(&self, keyword: &str, orders: &[(SpeciesIndex, f64)]) -> Vec<String> {
        orders.iter().map(|(s, order)| format!("{keyword}/ {} {} /", self.names[*s], shortest(*order))).collect()
    }

    fn efficiencies(&self) -> Option<String> {
        let collider = match &self.reaction.rate {
            Rate::Falloff { collider, .. } | Rate::ChemicallyActivated { collider, .. } => Some(collider),
            _ => self.reaction.third_body.as_ref(),
        };
        let Collider::Mixture(efficiencies) = collider? else { return None };
        let items: Vec<String> =
            efficiencies.iter().map(|(s, alpha)| format!("{}/{}/", self.names[*s], shortest(*alpha))).collect();
        (!items.is_empty()).then(|| items.join(" "))
    }
}

/// The numbers on the line of a reaction whose rate stands in PLOG or CHEB.
const IGNORED: &str = "1.0 0 0";

fn blending_line(blending: &Blending) -> Option<String> {
    let (keyword, values) = match *blending {
        Blending::Lindemann => return None,
        Blending::Troe { a, t3, t1, t2 } => ("TROE", [a, t3, t1].into_iter().chain(t2).collect::<Vec<_>>()),
        Blending::Sri { a, b, c, d, e } if d == 1.0 && e == 0.0 => ("SRI", vec![a, b, c]),
        Blending::Sri { a, b, c, d, e } => ("SRI", vec![a, b, c, d, e]),
    };
    let values: Vec<String> = values.into_iter().map(shortest).collect();
    Some(format!("{keyword}/ {} /", values.join(" ")))
}
