//! The derivatives of one reaction's net rate of progress by what it depends on directly: the temperature, its third body, and the
//! concentrations or activities of its species.
//!
//! Rate constants are differentiated as code ([`slope`](super::slope)), so that every rate expression has its derivative; products of
//! concentrations by hand. With activities a = C/K (see [`activity`]), q = k (prod K) (prod a - prod a'), and d ln K/dT = (h/RT - 1)/T gives the
//! derivative of the reverse rate without a derivative of K.

use std::collections::HashMap;

use super::slope::slope;
use crate::build::{Operands, PRESSURE, SCALARS, SMALLEST, scalar, scalar_of};
use crate::rates::reaction::{self, orders};
use crate::rates::sources::{self, Sources};
use crate::rates::{activity, equilibrium};
use graph::body::{Id, Inst};
use graph::dataflow::{Graph, Step, Value};
use kinetics::rates::LEAST_INHIBITOR;
use mechanism::{Collider, Reaction, SpeciesIndex};

/// Variable of a derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum By {
    /// The rate itself
    Nothing,
    /// All concentrations, each by its own relative change: sum C dq/dC; less twice the rate itself, so that most reactions have none
    Scaling,
    Temperature,
    /// For rates that are tabulated over the pressure
    Pressure,
    /// The third body with this place among the distinct ones
    ThirdBody(usize),
    /// The concentration of a species
    Concentration(SpeciesIndex),
    /// Its activity
    Activity(SpeciesIndex),
    /// A vector of all that the others are by, but for quasi-steady species
    Vector,
}

/// Derivatives of values that reactions read.
#[derive(Default)]
pub struct Known {
    /// By temperature
    pub by_temperature: HashMap<Value, Value>,
    /// Derivative of the logarithm of a third body, by the third body
    pub by_collider: HashMap<Value, Value>,
    /// d ln K/dT by species
    pub formation: Vec<Option<Value>>,
}

/// Requested derivatives besides those by temperature, third bodies and species.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Requested {
    pub rate: bool,
    pub scaling: bool,
    pub pressure: bool,
    /// Products of a rate constant and concentrations are left apart, for operations of their own.
    pub apart: bool,
}

/// A derivative by a concentration or an activity: a factor times a value of the reaction's own step times values of others.
pub struct Product {
    pub by: By,
    pub factor: f64,
    pub scaled: Id,
    pub others: Vec<Value>,
}

/// The derivatives of a reaction, each once.
#[derive(Default)]
pub struct Derivatives {
    pub made: Vec<(By, Id)>,
    pub apart: Vec<Product>,
}

/// The derivatives of a net rate of progress (kmol/m3/s) of the directions that are left.
pub fn derivatives(
    o: &mut Operands,
    i: usize,
    r: &Reaction,
    live: [bool; 2],
    sources: &Sources<'_>,
    known: &Known,
    wanted: Requested,
) -> Derivatives {
    let forward = reaction::rate_constant(o, r, sources);
    let serves = live[1] && sources.log_space.as_ref().is_some_and(|log_space| log_space.activities.serves[i]);
    let all = match serves {
        true => by_activities(o, r, live[0], sources, known, forward, wanted),
        false => by_concentrations(o, r, live, sources, known, forward, wanted),
    };
    let mut found = Derivatives::default();
    let mut add = |o: &mut Operands, by: By, id: Id| match found.made.iter_mut().find(|(other, _)| *other == by) {
        Some((_, sum)) => *sum = o.body.add(*sum, id),
        None => found.made.push((by, id)),
    };
    for &(by, id) in &all.made {
        add(o, by, id);
    }
    // What is a sum of several is made here.
    let every: Vec<By> = all.made.iter().map(|made| made.0).chain(all.apart.iter().map(|apart| apart.by)).collect();
    let is_one = |product: &Product| every.iter().filter(|&&by| by == product.by).count() == 1;
    let (apart, several): (Vec<Product>, Vec<Product>) = all.apart.into_iter().partition(is_one);
    for product in several {
        let id = product_of(o, &product);
        add(o, product.by, id);
    }
    Derivatives { apart, ..found }
}

/// A product in the reaction's own step.
fn product_of(o: &mut Operands, product: &Product) -> Id {
    let slope = product.others.iter().fold(product.scaled, |slope, &other| {
        let other = o.input(other);
        o.body.mul(slope, other)
    });
    times(o, product.factor, slope)
}

/// The step of a product that is made apart, of the value that its reaction made.
pub fn apart(graph: &mut Graph, scaled: Value, product: &Product) -> Step {
    let mut o = Operands::default();
    let scaled = o.input(scaled);
    let made = product_of(&mut o, &Product { scaled, others: product.others.clone(), ..*product });
    o.body.values = vec![made];
    o.into_step(graph)
}

/// q = s (prod a - prod a'), s = k (prod K) [M]; without prod a where the forward direction is not left.
fn by_activities(
    o: &mut Operands,
    r: &Reaction,
    ahead: bool,
    sources: &Sources<'_>,
    known: &Known,
    forward: Id,
    wanted: Requested,
) -> Derivatives {
    let activities = &sources.log_space.as_ref().expect("only the log-space form has activities").activities;
    let constants = activity::product(o, None, &activities.constant, &r.reactants);
    let factors = |o: &mut Operands, side: &[(SpeciesIndex, f64)]| -> Vec<(SpeciesIndex, Id)> {
        let of = |&(k, nu): &(SpeciesIndex, f64)| {
            let id = o.input(activities.activity[k].expect("what a reaction reads of a species is made"));
            std::iter::repeat_n((k, id), nu as usize)
        };
        side.iter().flat_map(of).collect()
    };
    let (ahead, back) = (ahead.then(|| factors(o, &r.reactants)), factors(o, &r.products));
    let first = ahead.as_ref().map(|side| all_of(o, side.iter().map(|&(_, id)| id)));
    let second = all_of(o, back.iter().map(|&(_, id)| id));
    let difference = match first {
        Some(first) => o.body.sub(first, second),
        None => o.body.neg(second),
    };
    let own = Parts::new(o, r, sources, known, forward, wanted);
    let mut scaled = constants.map_or(forward, |constants| o.body.mul(forward, constants));
    let (mut list, mut products) = (Vec::new(), Vec::new());
    if let Some((by, m)) = own.factor {
        list.push((by, o.body.mul(scaled, difference)));
        scaled = o.body.mul(scaled, m);
    }
    if wanted.rate {
        list.push((By::Nothing, o.body.mul(scaled, difference)));
    }
    // Factor of the derivatives of k.
    let weight = own.weight(o, constants, difference);
    for &(by, slope) in &own.slopes {
        let slope = o.body.mul(slope, weight);
        list.push((by, slope));
        list.extend(own.scaling(o, by, slope).filter(|_| wanted.scaling).map(|id| (By::Scaling, id)));
    }
    if wanted.scaling {
        for (sign, side, product) in [(1.0, ahead.as_ref(), first), (-1.0, Some(&back), Some(second))] {
            let (Some(side), Some(product)) = (side, product) else { continue };
            let order = side.len() as f64 - 2.0 + own.order();
            if order != 0.0 {
                let rate = o.body.mul(scaled, product);
                list.push((By::Scaling, times(o, sign * order, rate)));
            }
        }
    }
    // d(prod a')/dT = -(prod a') sum nu' d ln K/dT, less the same of the reactants' constants.
    let mut formation = None;
    for (sign, side) in [(1.0, &r.products), (-1.0, &r.reactants)] {
        for &(k, nu) in side {
            let value = o.input(known.formation[k].expect("a species in equilibrium has its derivative"));
            formation = Some(match formation {
                None => times(o, sign * nu, value),
                Some(sum) if sign * nu == 1.0 => o.body.add(sum, value),
                Some(sum) if sign * nu == -1.0 => o.body.sub(sum, value),
                Some(sum) => {
                    let factor = o.body.literal(sign * nu);
                    o.body.fma(factor, value, sum)
                }
            });
        }
    }
    if let Some(formation) = formation {
        let reverse = o.body.mul(scaled, second);
        list.push((By::Temperature, o.body.mul(reverse, formation)));
    }
    for (sign, side) in ahead.iter().map(|ahead| (1.0, ahead)).chain([(-1.0, &back)]) {
        partials(o, (scaled, sign), side, By::Activity, wanted, (&mut list, &mut products));
    }
    Derivatives { made: list, apart: products }
}

/// q = (k prod C - k' prod C) [M].
fn by_concentrations(
    o: &mut Operands,
    r: &Reaction,
    live: [bool; 2],
    sources: &Sources<'_>,
    known: &Known,
    forward: Id,
    wanted: Requested,
) -> Derivatives {
    let (mut list, mut products) = (Vec::new(), Vec::new());
    let reverse = if live[1] { equilibrium::reverse_constant(o, r, sources, forward) } else { None };
    let ahead = live[0].then_some(forward);
    let sides = [(&r.reactants, &r.forward_orders), (&r.products, &r.reverse_orders)];
    for (sign, constant, (side, replaced)) in [(1.0, ahead, sides[0]), (-1.0, reverse, sides[1])] {
        let Some(constant) = constant else { continue };
        let own = Parts::new(o, r, sources, known, constant, wanted);
        let powers: Vec<(SpeciesIndex, f64, Id)> =
            orders(side, replaced).into_iter().map(|(k, order)| (k, order, o.concentration(sources, k))).collect();
        let is_whole = |order: f64| order.fract() == 0.0 && (1.0..=4.0).contains(&order);
        let mut factors: Vec<(SpeciesIndex, Id)> = Vec::new();
        let mut real: Vec<(SpeciesIndex, f64, Id)> = Vec::new();
        let mut scaled = constant;
        for &(k, order, c) in &powers {
            if is_whole(order) {
                factors.extend(std::iter::repeat_n((k, c), order as usize));
            } else {
                let power = reaction::real_power(o, c, order);
                scaled = o.body.mul(scaled, power);
                real.push((k, order, c));
            }
        }
        let real_powers = if real.is_empty() { None } else { Some(scaled) };
        let product = all_of(o, factors.iter().map(|&(_, id)| id));
        if let Some((by, m)) = own.factor {
            let slope = o.body.mul(scaled, product);
            list.push((by, signed(o, sign, slope)));
            scaled = o.body.mul(scaled, m);
        }
        let rate = o.body.mul(scaled, product);
        if wanted.rate {
            list.push((By::Nothing, signed(o, sign, rate)));
        }
        let order = powers.iter().map(|&(_, order, _)| order).sum::<f64>() - 2.0 + own.order();
        if wanted.scaling && order != 0.0 {
            list.push((By::Scaling, times(o, sign * order, rate)));
        }
        if !own.slopes.is_empty() {
            // Over k, without dividing by it: the same product once more.
            let mut weight = own.weight(o, None, product);
            if real_powers.is_some() {
                for &(_, order, c) in &real {
                    let power = reaction::real_power(o, c, order);
                    weight = o.body.mul(weight, power);
                }
            }
            for &(by, slope) in &own.slopes {
                let slope = o.body.mul(slope, weight);
                let slope = signed(o, sign, slope);
                list.push((by, slope));
                list.extend(own.scaling(o, by, slope).filter(|_| wanted.scaling).map(|id| (By::Scaling, id)));
            }
        }
        partials(o, (scaled, sign), &factors, By::Concentration, wanted, (&mut list, &mut products));
        for (k, order, c) in real {
            let slope = of_real_power(o, rate, order, c);
            list.push((By::Concentration(k), signed(o, sign, slope)));
        }
    }
    Derivatives { made: list, apart: products }
}

/// order C^order/C times the rest, where the rate with C^order is given; 0 where the power is cut off.
fn of_real_power(o: &mut Operands, rate: Id, order: f64, c: Id) -> Id {
    let least = o.body.literal(if order < 0.0 { LEAST_INHIBITOR } else { SMALLEST });
    let order = o.constant(order);
    let b = &mut o.body;
    let floored = b.max(c, least);
    let scaled = b.mul(order, rate);
    let quotient = b.div(scaled, floored);
    let zero = b.literal(0.0);
    b.select_le(c, least, zero, quotient)
}

/// A rate constant's derivatives, and the third body that multiplies the rate.
struct Parts {
    slopes: Vec<(By, Id)>,
    factor: Option<(By, Id)>,
    /// The third bodies that the rate constant depends on.
    within: Vec<(By, Value)>,
}

impl Parts {
    fn new(
        o: &mut Operands,
        r: &Reaction,
        sources: &Sources<'_>,
        known: &Known,
        constant: Id,
        wanted: Requested,
    ) -> Self {
        let by_temperature = slope(o, constant, &|o, inst| along_temperature(o, inst, sources.scalars, known));
        let pressure = |o: &mut Operands| slope(o, constant, &|o, inst| along_pressure(o, inst, sources.scalars));
        let by_pressure = if wanted.pressure { pressure(o) } else { None };
        let mut slopes: Vec<(By, Id)> = by_temperature.map(|id| (By::Temperature, id)).into_iter().collect();
        slopes.extend(by_pressure.map(|id| (By::Pressure, id)));
        let colliders = sources::colliders(&r.rate, sources.transported);
        let within: Vec<_> = colliders.iter().map(|collider| third_body(sources, collider)).collect();
        for &(by, value) in &within {
            let slope = slope(o, constant, &|o, inst| match inst {
                Inst::Input(n) if o.value(n) == value => Some(o.body.literal(1.0)),
                Inst::Input(n) => known.by_collider.get(&o.value(n)).map(|&slope| o.input(slope)),
                _ => None,
            });
            slopes.extend(slope.map(|id| (by, id)));
        }
        let factor = r.third_body.as_ref().map(|collider| {
            let (by, value) = third_body(sources, collider);
            (by, o.input(value))
        });
        Self { slopes, factor, within }
    }

    /// Returns the part of the third body in the order of the reaction.
    fn order(&self) -> f64 {
        if self.factor.is_some() { 1.0 } else { 0.0 }
    }

    /// A third body times the derivative by it.
    fn scaling(&self, o: &mut Operands, by: By, slope: Id) -> Option<Id> {
        let (_, value) = self.within.iter().find(|(within, _)| *within == by)?;
        let m = o.input(*value);
        Some(o.body.mul(m, slope))
    }

    /// Returns the factor of a derivative of the rate constant: other constants, the products of concentrations, the third body.
    fn weight(&self, o: &mut Operands, constants: Option<Id>, product: Id) -> Id {
        let weight = constants.map_or(product, |constants| o.body.mul(constants, product));
        self.factor.map_or(weight, |(_, m)| o.body.mul(weight, m))
    }
}

/// Returns the variable of a collider, and its value.
fn third_body(sources: &Sources<'_>, collider: &Collider) -> (By, Value) {
    match collider {
        Collider::Species(k) => (By::Concentration(*k), sources.concentrations[*k].expect("colliders are values")),
        Collider::Mixture(efficiencies) => {
            let place = sources.third_bodies.iter().position(|(known, _)| known == efficiencies);
            let place = place.expect("every third body has its sum");
            (By::ThirdBody(place), sources.third_bodies[place].1)
        }
    }
}

/// Derivatives of scalars and values by the temperature, concentrations and pressure constant.
pub fn along_temperature(o: &mut Operands, inst: Inst, scalars: &[u32], known: &Known) -> Option<Id> {
    let k = match inst {
        Inst::Input(n) => return known.by_temperature.get(&o.value(n)).map(|&slope| o.input(slope)),
        Inst::Scalar(k) => k,
        _ => return None,
    };
    let inverse = |o: &mut Operands| scalar_of(&mut o.body, &SCALARS, scalar::INVERSE_TEMPERATURE);
    match scalars[k as usize] {
        scalar::TEMPERATURE => Some(o.body.literal(1.0)),
        scalar::LN_TEMPERATURE => Some(inverse(o)),
        scalar::INVERSE_TEMPERATURE => {
            let inverse = inverse(o);
            let minus = o.body.neg(inverse);
            Some(o.body.mul(minus, inverse))
        }
        scalar::LN_STANDARD_CONCENTRATION => {
            let inverse = inverse(o);
            Some(o.body.neg(inverse))
        }
        scalar::CUBE_ROOT => {
            let (inverse, third) = (inverse(o), o.body.literal(-1.0 / 3.0));
            let root = o.body.scalar(k);
            let slope = o.body.mul(root, inverse);
            Some(o.body.mul(third, slope))
        }
        _ => None,
    }
}

/// 1/P for ln P.
fn along_pressure(o: &mut Operands, inst: Inst, scalars: &[u32]) -> Option<Id> {
    match inst {
        Inst::Scalar(k) if scalars[k as usize] == scalar::LN_PRESSURE => {
            let p = o.field(PRESSURE, 0);
            let one = o.body.literal(1.0);
            Some(o.body.div(one, p))
        }
        _ => None,
    }
}

/// sign nu s times the product of the other factors, by species: where these are values of other steps, and the request wants it, apart.
fn partials(
    o: &mut Operands,
    (scaled, sign): (Id, f64),
    factors: &[(SpeciesIndex, Id)],
    by: fn(SpeciesIndex) -> By,
    wanted: Requested,
    (list, products): (&mut Vec<(By, Id)>, &mut Vec<Product>),
) {
    for (n, &(k, _)) in factors.iter().enumerate() {
        if factors[..n].iter().any(|&(other, _)| other == k) {
            continue;
        }
        let count = factors.iter().filter(|&&(other, _)| other == k).count();
        let others = factors.iter().enumerate().filter(|&(m, _)| m != n).map(|(_, &(_, id))| id);
        let others: Vec<Id> = others.collect();
        let factor = sign * count as f64;
        if wanted.apart && !others.is_empty() {
            let values = others.iter().map(|&id| match o.body.insts[id as usize] {
                Inst::Input(n) => Some(o.value(n)),
                _ => None,
            });
            if let Some(others) = values.collect() {
                products.push(Product { by: by(k), factor, scaled, others });
                continue;
            }
        }
        let slope = match factors.len() {
            1 => shown(o, scaled),
            _ => others.into_iter().fold(scaled, |product, id| o.body.mul(product, id)),
        };
        list.push((by(k), times(o, factor, slope)));
    }
}

/// A rate constant alone: not a number where the temperature is none, which powers do not show and concentrations would.
fn shown(o: &mut Operands, constant: Id) -> Id {
    let ln_t = scalar_of(&mut o.body, &SCALARS, scalar::LN_TEMPERATURE);
    let zero = o.body.sub(ln_t, ln_t);
    o.body.add(constant, zero)
}

fn all_of(o: &mut Operands, mut factors: impl Iterator<Item = Id>) -> Id {
    let Some(first) = factors.next() else { return o.body.literal(1.0) };
    factors.fold(first, |product, id| o.body.mul(product, id))
}

fn times(o: &mut Operands, factor: f64, id: Id) -> Id {
    if factor.abs() == 1.0 {
        return signed(o, factor, id);
    }
    let factor = o.body.literal(factor);
    o.body.mul(factor, id)
}

fn signed(o: &mut Operands, sign: f64, id: Id) -> Id {
    if sign < 0.0 { o.body.neg(id) } else { id }
}
