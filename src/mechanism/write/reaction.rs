//! One reaction with its auxiliary lines.

use crate::mechanism::equation::find_arrow;
use crate::mechanism::number::{preimage, scientific, shortest};
use crate::mechanism::rate::overall_order;
use crate::mechanism::units::{ATMOSPHERE, AVOGADRO, Energy, Quantity, Units, whole};
use crate::mechanism::{Arrhenius, Blending, Collider, Rate, Reaction, Reverse, SpeciesIndex};

/// The unit in which the activation energies of a mechanism take the fewest characters.
pub fn shortest_energy_unit(reactions: &[Reaction]) -> Energy {
    let energies: Vec<f64> = reactions.iter().flat_map(expressions).map(|arrhenius| arrhenius.e_over_r).collect();
    let length = |unit: Energy| -> usize {
        energies.iter().map(|&energy| in_unit(energy, unit).map_or(INEXACT, |e| shortest(e).len())).sum()
    };
    Energy::ALL.iter().map(|(unit, _)| *unit).min_by_key(|unit| length(*unit)).unwrap_or(Energy::Calories)
}

/// The lines of a reaction in a mechanism with the given energy unit.
pub fn lines(reaction: &Reaction, energy: Energy, names: &[&str]) -> String {
    let base = Units { energy, ..Units::DEFAULT };
    let quantities = [Quantity::Moles, Quantity::Molecules];
    let others = quantities.iter().flat_map(|quantity| {
        let quantity = *quantity;
        Energy::ALL.iter().map(move |(energy, _)| Units { energy: *energy, quantity, ..Units::DEFAULT })
    });
    let attempt = |units: Units| {
        let mut printer = Printer { reaction, names, units, is_base: units == base, exact: true };
        let text = printer.text();
        (text, printer.exact)
    };
    let exact = [base].into_iter().chain(others).map(attempt).find(|(_, exact)| *exact);
    exact.unwrap_or_else(|| attempt(base)).0
}

/// Counted as the length of an energy that a unit cannot express exactly.
const INEXACT: usize = 40;

fn in_unit(e_over_r: f64, unit: Energy) -> Option<f64> {
    let factor = unit.in_kelvins();
    preimage(e_over_r, e_over_r / factor, |e| e * factor)
}

fn expressions(reaction: &Reaction) -> Vec<&Arrhenius> {
    let mut all = match &reaction.rate {
        Rate::Arrhenius(one) | Rate::LandauTeller(one, _) => vec![one],
        Rate::Falloff { low, high, .. } | Rate::ChemicallyActivated { low, high, .. } => vec![low, high],
        Rate::Plog(table) => table.iter().flat_map(|(_, sum)| sum).collect(),
        Rate::Chebyshev(_) => Vec::new(),
    };
    if let Reverse::Explicit(reverse, _) = &reaction.reverse {
        all.push(reverse);
    }
    all
}

struct Printer<'a> {
    reaction: &'a Reaction,
    names: &'a [&'a str],
    units: Units,
    is_base: bool,
    /// Cleared by the first value that these units cannot express exactly.
    exact: bool,
}

impl Printer<'_> {
    fn text(&mut self) -> String {
        let reaction = self.reaction;
        let third_body = reaction.third_body.is_some();
        let order = overall_order(&reaction.reactants, &reaction.forward_orders, third_body);
        let reverse_order = overall_order(&reaction.products, &reaction.reverse_orders, third_body);
        let mut below: Vec<String> = Vec::new();
        if !self.is_base {
            below.push(self.unit_line());
        }
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
                    let pressure = self.atmospheres(*pressure);
                    below.extend(sum.iter().map(|rate| format!("PLOG/ {pressure} {} /", self.arrhenius(rate, order))));
                }
                IGNORED.to_owned()
            }
            Rate::Chebyshev(_) => {
                below.extend(self.chebyshev(order));
                IGNORED.to_owned()
            }
        };
        match &reaction.reverse {
            Reverse::Explicit(rate, factor) => {
                below.push(format!("REV/ {} /", self.arrhenius(rate, reverse_order)));
                below.extend(factor.map(|f| format!("RLT/ {} {} /", shortest(f.b), shortest(f.c))));
            }
            Reverse::Irreversible if find_arrow(&reaction.equation).is_some_and(|(_, reversible)| reversible) => {
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
        [format!("{:<44} {line}\n", reaction.equation)].into_iter().chain(lines).collect()
    }

    fn arrhenius(&mut self, rate: &Arrhenius, order: f64) -> String {
        let a = self.factor(rate.a, order);
        let e = in_unit(rate.e_over_r, self.units.energy);
        self.exact &= e.is_some();
        let e = e.unwrap_or(rate.e_over_r / self.units.energy.in_kelvins());
        format!("{a} {} {}", shortest(rate.b), shortest(e))
    }

    fn factor(&mut self, a: f64, order: f64) -> String {
        let power = whole(order - 1.0);
        if self.units.quantity == Quantity::Moles && power.fract() == 0.0 {
            // Moves the point only, as the reader does.
            return scientific(a, 3 * power as i32);
        }
        let scale = match self.units.quantity {
            Quantity::Moles | Quantity::Kilomoles => 1e-3,
            Quantity::Molecules => 1e-3 * AVOGADRO,
        };
        let guess = a / f64::powf(scale, power);
        let found = preimage(a, guess, |x| self.units.factor(&scientific(x, 0), order).unwrap_or(f64::NAN));
        self.exact &= found.is_some();
        scientific(found.unwrap_or(guess), 0)
    }

    fn atmospheres(&mut self, pascals: f64) -> String {
        let found = preimage(pascals, pascals / ATMOSPHERE, |x| x * ATMOSPHERE);
        self.exact &= found.is_some();
        shortest(found.unwrap_or(pascals / ATMOSPHERE))
    }

    fn chebyshev(&mut self, order: f64) -> Vec<String> {
        let Rate::Chebyshev(fit) = &self.reaction.rate else { return Vec::new() };
        let (p_min, p_max) = (self.atmospheres(fit.p_min), self.atmospheres(fit.p_max));
        let rows = fit.coefficients.len();
        let columns = fit.coefficients.first().map_or(0, Vec::len);
        let mut lines = vec![
            format!("TCHEB/ {} {} /", shortest(fit.t_min), shortest(fit.t_max)),
            format!("PCHEB/ {p_min} {p_max} /"),
            format!("CHEB/ {rows} {columns} /"),
        ];
        let shift = self.units.log10_factor(order);
        for (i, row) in fit.coefficients.iter().enumerate() {
            let mut values = row.clone();
            if let (0, Some(first)) = (i, values.first_mut()) {
                let found = preimage(*first, *first - shift, |x| x + shift);
                self.exact &= found.is_some();
                *first = found.unwrap_or(*first - shift);
            }
            let values: Vec<String> = values.into_iter().map(shortest).collect();
            lines.push(format!("CHEB/ {} /", values.join(" ")));
        }
        lines
    }

    fn unit_line(&self) -> String {
        let energy = Energy::ALL.iter().find(|(unit, _)| *unit == self.units.energy).map_or("", |(_, keyword)| keyword);
        let energy = energy.split('/').next().unwrap_or(energy);
        match self.units.quantity {
            Quantity::Moles | Quantity::Kilomoles => format!("UNITS/ {energy} /"),
            Quantity::Molecules => format!("UNITS/ {energy} MOLECULES /"),
        }
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
