//! The rates of one reaction and what they are made of (CHEMKIN-II, SAND89-8009, sections II.5 to II.8).

use super::arrhenius::arrhenius;
use super::equilibrium::reverse_constant;
use super::falloff::{broadening, falloff, reduced_pressure};
use super::sources::{Sources, third_body};
use super::{activity, burke, pressure, troe};
use crate::build::{Operands, SMALLEST, scalar, scalar_of};
use graph::body::Id;
use kinetics::rates::LEAST_INHIBITOR;
use mechanism::{Rate, Reaction, SpeciesIndex};

/// A rate times the third body of its reaction, where that has one outside falloff.
pub fn with_third_body(o: &mut Operands, r: &Reaction, sources: &Sources<'_>, rate: Id) -> Id {
    let Some(collider) = &r.third_body else { return rate };
    let m = third_body(o, sources, collider);
    o.body.mul(rate, m)
}

/// The rates of the live directions, [M] included: k_f prod C^nu' and k_r prod C^nu''.
pub fn directions(o: &mut Operands, i: usize, r: &Reaction, live: [bool; 2], sources: &Sources<'_>) -> [Option<Id>; 2] {
    let forward = rate_constant(o, r, sources);
    if let Some(log_space) = sources.log_space.as_ref().filter(|log_space| live[1] && log_space.activities.serves[i]) {
        let rate = activity::scaled_rate(o, &log_space.activities, r, forward);
        let rate = with_third_body(o, r, sources, rate);
        let sides = [&r.reactants, &r.products];
        return [0, 1].map(|d| {
            live[d].then(|| activity::product(o, Some(rate), &log_space.activities.activity, sides[d])).flatten()
        });
    }
    let reverse = if live[1] { reverse_constant(o, r, sources, forward) } else { None };
    let sides = [(&r.reactants, &r.forward_orders), (&r.products, &r.reverse_orders)];
    let mut rates = [None; 2];
    for (d, constant) in [live[0].then_some(forward), reverse].into_iter().enumerate() {
        let Some(constant) = constant else { continue };
        rates[d] = Some(rate_of(o, r, sources, constant, &orders(sides[d].0, sides[d].1)));
    }
    rates
}

/// k times the concentrations to their orders, [M] included.
pub fn rate_of(
    o: &mut Operands,
    r: &Reaction,
    sources: &Sources<'_>,
    constant: Id,
    orders: &[(SpeciesIndex, f64)],
) -> Id {
    let rate = product(o, sources, Some(constant), orders).complete(o, sources).id;
    with_third_body(o, r, sources, rate)
}

/// The orders of one direction: FORD or RORD values replace coefficients.
pub fn orders(side: &[(SpeciesIndex, f64)], replaced: &[(SpeciesIndex, f64)]) -> Vec<(SpeciesIndex, f64)> {
    let mut all = side.to_vec();
    for &(k, order) in replaced {
        match all.iter_mut().find(|(j, _)| *j == k) {
            Some(entry) => entry.1 = order,
            None => all.push((k, order)),
        }
    }
    all.retain(|&(_, order)| order != 0.0);
    all
}

/// A rate that still lacks some factors: so many times the point's total concentration.
#[derive(Clone, Copy)]
pub struct Product {
    pub id: Id,
    pub totals: u32,
}

impl Product {
    pub fn complete(self, o: &mut Operands, sources: &Sources<'_>) -> Self {
        let mut id = self.id;
        for (factors, which) in
            [(self.totals / 2, scalar::SQUARED_CONCENTRATION), (self.totals % 2, scalar::CONCENTRATION)]
        {
            for _ in 0..factors {
                let factor = scalar_of(&mut o.body, sources.scalars, which);
                id = o.body.mul(id, factor);
            }
        }
        Self { id, totals: 0 }
    }
}

/// k times the product of concentrations to their orders. The log-space form takes mole fractions where none of the concentrations
/// is a value: their product lacks a power of the total, which both directions often share.
pub fn product(o: &mut Operands, sources: &Sources<'_>, k: Option<Id>, orders: &[(SpeciesIndex, f64)]) -> Product {
    let whole = |order: f64| order.fract() == 0.0 && (1.0..=4.0).contains(&order);
    let factors: Vec<_> = orders.iter().copied().filter(|(species, _)| *species < sources.transported).collect();
    let of_fractions = sources.scalars.contains(&scalar::SQUARED_CONCENTRATION)
        && factors.iter().all(|&(species, order)| sources.concentrations[species].is_none() && whole(order));
    let mut totals = 0;
    let mut id = k;
    for (species, order) in factors {
        let factor = if of_fractions {
            totals += order as u32;
            o.fraction(species)
        } else {
            o.concentration(sources, species)
        };
        let (factor, times) = if whole(order) { (factor, order as u32) } else { (real_power(o, factor, order), 1) };
        for _ in 0..times {
            id = Some(id.map_or(factor, |id| o.body.mul(id, factor)));
        }
    }
    Product { id: id.unwrap_or_else(|| o.body.literal(1.0)), totals }
}

/// C^order with 0^order = 0 for positive orders. For negative ones, C is at least [`LEAST_INHIBITOR`].
pub fn real_power(o: &mut Operands, c: Id, order: f64) -> Id {
    let least = o.body.literal(if order < 0.0 { LEAST_INHIBITOR } else { SMALLEST });
    let floored = o.body.max(c, least);
    let ln = o.body.log(floored);
    let order_id = o.constant(order);
    let exponent = o.body.mul(order_id, ln);
    let power = o.body.exp(exponent);
    // NaN is not equal to itself; its power is a number.
    let power = o.body.select_le(c, c, power, c);
    if order < 0.0 {
        return power;
    }
    let zero = o.body.literal(0.0);
    o.body.select_le(c, zero, zero, power)
}

pub fn rate_constant(o: &mut Operands, r: &Reaction, sources: &Sources<'_>) -> Id {
    match &r.rate {
        Rate::Arrhenius(k) => arrhenius(o, k, sources, None),
        Rate::LandauTeller(k, extra) => arrhenius(o, k, sources, Some(extra)),
        // Without one of its limits such a rate vanishes.
        Rate::Falloff { low, high, .. } | Rate::ChemicallyActivated { low, high, .. }
            if low.a == 0.0 || high.a == 0.0 =>
        {
            o.body.literal(0.0)
        }
        Rate::Falloff { low, high, collider, blending } => {
            if let Some(log_space) = sources.log_space.as_ref().filter(|_| troe::serves(&r.rate)) {
                return troe::rate(o, [low, high], collider, blending, sources, log_space);
            }
            falloff(o, (low, high), blending, |o| third_body(o, sources, collider))
        }
        Rate::ChemicallyActivated { low, high, collider, blending } => {
            let (limit, reduced) = reduced_pressure(o, low, high, false, |o| third_body(o, sources, collider));
            let f = broadening(o, blending, reduced);
            let one = o.body.literal(1.0);
            let denominator = o.body.add(one, reduced);
            let k = o.body.div(limit, denominator);
            f.map_or(k, |f| o.body.mul(k, f))
        }
        Rate::Plog(table) => {
            let ln_p = scalar_of(&mut o.body, sources.scalars, scalar::LN_PRESSURE);
            pressure::plog(o, table, ln_p, sources)
        }
        Rate::Chebyshev(fit) => {
            let ln_p = scalar_of(&mut o.body, sources.scalars, scalar::LN_PRESSURE);
            pressure::chebyshev(o, fit, ln_p, sources)
        }
        Rate::LinearBurke(rate) => burke::linear_burke(o, rate, sources),
    }
}
