//! Combines an equation and its auxiliary keywords into a [`Reaction`] in SI units with kmol.

use super::auxiliary::{Auxiliary, Given, RawRate, report_number};
use super::equation::{Equation, ThirdBody};
use super::report::{Report, brief};
use super::syntax::Word;
use super::units::{ATMOSPHERE, Units};
use super::{Arrhenius, Blending, Chebyshev, Collider, Rate, Reaction, Reverse, SpeciesIndex};
use super::{burke, combinations};

/// The parts of one reaction; `place` is its line.
pub struct Parts<'a, 'r> {
    pub equation: Equation,
    pub numbers: RawRate<'a>,
    pub auxiliary: Auxiliary<'a>,
    pub units: Units,
    pub place: Word<'a>,
    pub report: &'r mut Report,
}

impl Parts<'_, '_> {
    /// Checks which keywords go together and converts all values; absent after an error.
    pub fn combine(mut self) -> Option<Reaction> {
        let errors = self.report.errors();
        self.check_orders()?;
        combinations::check(&self.equation, &self.auxiliary, self.place, self.report);
        let rate = self.rate();
        let reverse = self.reverse();
        let efficiencies = self.efficiencies();
        let third_body = self.multiplies_by_m().then_some(Collider::Mixture(efficiencies));
        if self.report.errors() > errors {
            return None;
        }
        let orders = |given: &[Given<(SpeciesIndex, f64)>]| given.iter().map(|g| g.value).collect();
        Some(Reaction {
            span: self.place.span(),
            rate: rate?,
            reverse: reverse?,
            third_body,
            forward_orders: orders(&self.auxiliary.forward_orders),
            reverse_orders: orders(&self.auxiliary.reverse_orders),
            duplicate: self.auxiliary.duplicate,
            equation: self.equation.text,
            reactants: self.equation.reactants,
            products: self.equation.products,
        })
    }

    fn check_orders(&mut self) -> Option<()> {
        let forward = self.order(&self.equation.reactants, &self.auxiliary.forward_orders);
        let reverse = self.order(&self.equation.products, &self.auxiliary.reverse_orders);
        let order = [forward, reverse].into_iter().find(|order| order.abs() > HIGHEST_ORDER);
        if let Some(order) = order {
            let message = format!("the overall order {order} of '{}' is out of range", brief(&self.equation.text));
            let help = "check the coefficients, and the orders in FORD and RORD";
            self.report.error("mechanism::order", message, &self.place, help);
        }
        order.is_none().then_some(())
    }

    pub fn rate(&mut self) -> Option<Rate> {
        let order = self.order(&self.equation.reactants, &self.auxiliary.forward_orders);
        if self.auxiliary.chebyshev.is_some() {
            return self.chebyshev(order).map(Rate::Chebyshev);
        }
        if !self.auxiliary.plog.is_empty() {
            return self.plog(order).map(Rate::Plog);
        }
        if !self.auxiliary.burke.is_empty() {
            return burke::combine(self).map(Rate::LinearBurke);
        }
        let numbers = self.numbers;
        let line = self.arrhenius(&numbers, order)?;
        if line.a < 0.0 && !self.auxiliary.duplicate {
            let message = format!("the rate constant of '{}' is negative", brief(&self.equation.text));
            let help = "negative rate constants make sense only in a sum of duplicate reactions";
            self.report.warning("mechanism::negative-rate", message, &numbers.a, help);
        }
        let limits = match (&self.auxiliary.low, &self.auxiliary.high) {
            (Some(low), _) => Some((low.value, true)),
            (None, Some(high)) => Some((high.value, false)),
            (None, None) => None,
        };
        if let Some((raw, is_low)) = limits {
            let other = self.arrhenius(&raw, if is_low { order + 1.0 } else { order - 1.0 })?;
            let (collider, blending) = (self.collider(), self.blending()?);
            return Some(if is_low {
                Rate::Falloff { low: other, high: line, collider, blending }
            } else {
                Rate::ChemicallyActivated { low: line, high: other, collider, blending }
            });
        }
        Some(match &self.auxiliary.landau_teller {
            Some(given) => Rate::LandauTeller(line, given.value),
            None => Rate::Arrhenius(line),
        })
    }

    fn reverse(&mut self) -> Option<Reverse> {
        let Some(given) = &self.auxiliary.reverse else {
            return Some(if self.equation.reversible { Reverse::Equilibrium } else { Reverse::Irreversible });
        };
        let raw = given.value;
        let order = self.order(&self.equation.products, &self.auxiliary.reverse_orders);
        let arrhenius = self.arrhenius(&raw, order)?;
        if arrhenius.a == 0.0 {
            return Some(Reverse::Irreversible);
        }
        Some(Reverse::Explicit(arrhenius, self.auxiliary.reverse_landau_teller.as_ref().map(|g| g.value)))
    }

    fn order(&self, terms: &[(SpeciesIndex, f64)], orders: &[Given<(SpeciesIndex, f64)>]) -> f64 {
        let orders: Vec<_> = orders.iter().map(|given| given.value).collect();
        overall_order(terms, &orders, self.multiplies_by_m())
    }

    /// `+M` of a reaction whose rate is tabulated over the pressure is only decoration, as its `(+M)` is.
    fn multiplies_by_m(&self) -> bool {
        let auxiliary = &self.auxiliary;
        let tabulated = auxiliary.chebyshev.is_some() || !auxiliary.plog.is_empty() || !auxiliary.burke.is_empty();
        self.equation.third_body == ThirdBody::Mixture && !tabulated
    }

    pub fn arrhenius(&mut self, raw: &RawRate, order: f64) -> Option<Arrhenius> {
        if raw.units.is_some_and(|units| !units.suit(order)) {
            let message = format!("the unit of this rate constant is not that of order {order}");
            let help = "the volume per amount has the power of the order less one: cm^3/mol/s for two reactants";
            self.report.error("mechanism::rate-unit", message, &raw.a, help);
            return None;
        }
        let factors = raw.units.map_or(self.units, |own| own.units);
        let value = Units { energy: self.units.energy, ..factors }.arrhenius(raw.a.text(), raw.b, raw.e, order);
        if value.is_none() {
            report_number(&raw.a, self.report);
        }
        value
    }

    fn efficiencies(&self) -> Vec<(SpeciesIndex, f64)> {
        let mut efficiencies: Vec<_> = self.auxiliary.efficiencies.iter().map(|g| g.value).collect();
        efficiencies.sort_by_key(|(species, _)| *species);
        efficiencies
    }

    fn collider(&self) -> Collider {
        match self.equation.third_body {
            ThirdBody::FalloffSpecies(species) => Collider::Species(species),
            _ => Collider::Mixture(self.efficiencies()),
        }
    }

    fn blending(&mut self) -> Option<Blending> {
        if let Some(given) = &self.auxiliary.troe {
            return match *given.value.as_slice() {
                [a, t3, t1] => Some(Blending::Troe { a, t3, t1, t2: None }),
                [a, t3, t1, t2] => Some(Blending::Troe { a, t3, t1, t2: (t2 != 0.0).then_some(t2) }),
                _ => None,
            };
        }
        match self.auxiliary.sri.as_ref().map(|given| given.value.as_slice()) {
            None => Some(Blending::Lindemann),
            Some(&[a, b, c]) => Some(Blending::Sri { a, b, c, d: 1.0, e: 0.0 }),
            Some(&[a, b, c, d, e]) => Some(Blending::Sri { a, b, c, d, e }),
            Some(_) => None,
        }
    }

    fn plog(&mut self, order: f64) -> Option<Vec<(f64, Vec<Arrhenius>)>> {
        if let Some(given) = self.auxiliary.plog.get(MOST_PLOG) {
            let message = format!("'{}' has more than {MOST_PLOG} lines of PLOG", brief(&self.equation.text));
            let help = "the rate between two pressures is interpolated: give fewer of them";
            self.report.error("mechanism::value-count", message, &given.place, help);
            return None;
        }
        let raw: Vec<(f64, RawRate)> = self.auxiliary.plog.iter().map(|given| given.value).collect();
        let mut table: Vec<(f64, Vec<Arrhenius>)> = Vec::new();
        let mut ordered = Vec::with_capacity(raw.len());
        for (pressure, raw) in raw {
            ordered.push((pressure, self.arrhenius(&raw, order)?));
        }
        // Stable: expressions at one pressure stay in file order.
        ordered.sort_by(|(p, _), (q, _)| p.total_cmp(q));
        for (pressure, expression) in ordered {
            match table.last_mut() {
                Some((last, sum)) if *last == pressure => sum.push(expression),
                _ => table.push((pressure, vec![expression])),
            }
        }
        Some(table)
    }

    fn chebyshev(&mut self, order: f64) -> Option<Chebyshev> {
        let given = self.auxiliary.chebyshev.as_ref()?;
        let place = given.place;
        let (sizes, values) = given.value.split_at(given.value.len().min(2));
        let size = |x: f64| (x.fract() == 0.0 && (1.0..=100.0).contains(&x)).then_some(x as usize);
        let (rows, columns) = match *sizes {
            [rows, columns] => (size(rows), size(columns)),
            _ => (None, None),
        };
        let (Some(rows), Some(columns)) = (rows, columns) else {
            let help = "CHEB/ rows over temperature, columns over pressure, coefficients /";
            self.report.error("mechanism::chebyshev", "CHEB begins with two whole numbers from 1 to 100", &place, help);
            return None;
        };
        if values.len() != rows * columns {
            let message = format!(
                "expected {rows}*{columns} = {} Chebyshev coefficients but got {}",
                rows * columns,
                values.len()
            );
            self.report.error("mechanism::chebyshev", message, &place, "give one coefficient for each row and column");
            return None;
        }
        let mut coefficients: Vec<Vec<f64>> = values.chunks(columns).map(<[f64]>::to_vec).collect();
        coefficients[0][0] += self.units.log10_factor(order);
        let (t, p) = (&self.auxiliary.temperatures, &self.auxiliary.pressures);
        let (low, high) = (0.001 * ATMOSPHERE, 100.0 * ATMOSPHERE);
        let temperatures = window(t, "TCHEB", (300.0, 2500.0), &place, self.report);
        let pressures = window(p, "PCHEB", (low, high), &place, self.report);
        let ((t_min, t_max), (p_min, p_max)) = (temperatures?, pressures?);
        Some(Chebyshev { t_min, t_max, p_min, p_max, coefficients })
    }
}

/// Published tables have some twenty; each line becomes code of its own.
const MOST_PLOG: usize = 1000;

/// Beyond it, the conversion of units leaves the range of doubles.
const HIGHEST_ORDER: f64 = 50.0;

/// Sum of the reaction orders: `orders` replace or join the coefficients of `terms`, `+M` counts one.
pub fn overall_order(terms: &[(SpeciesIndex, f64)], orders: &[(SpeciesIndex, f64)], third_body: bool) -> f64 {
    let replaced = |species: SpeciesIndex| orders.iter().any(|(s, _)| *s == species);
    let kept: f64 = terms.iter().filter(|(species, _)| !replaced(*species)).map(|(_, nu)| nu).sum();
    let given: f64 = orders.iter().map(|(_, order)| order).sum();
    kept + given + if third_body { 1.0 } else { 0.0 }
}

/// A range of the Chebyshev fit, or CHEMKIN's default, which is told.
fn window(
    given: &Option<Given<Vec<f64>>>,
    keyword: &str,
    default: (f64, f64),
    place: &Word,
    report: &mut Report,
) -> Option<(f64, f64)> {
    match given.as_ref().map(|g| (&g.place, g.value.as_slice())) {
        Some((place, &[low, high])) => {
            let valid = 0.0 < low && low < high;
            if !valid {
                let message = format!("the {keyword} range does not ascend from a positive value");
                report.error("mechanism::chebyshev", message, place, "give the minimum, then the maximum");
            }
            valid.then_some((low, high))
        }
        _ => {
            let default_text = if keyword == "TCHEB" { "300 to 2500 K" } else { "0.001 to 100 atm" };
            let message = format!("missing {keyword}: {default_text} is taken");
            report.warning("mechanism::chebyshev", message, place, "state both ranges");
            Some(default)
        }
    }
}
