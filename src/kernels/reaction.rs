//! The rates of one reaction and what they are made of (CHEMKIN-II, SAND89-8009, sections II.5 to II.8).

use super::chemistry::SCALARS;
use super::common::{mole_fraction, scalar, scalar_of};
use super::log_space::{self, LogSpace};
use super::{activity, pressure, troe};
use crate::graph::body::{Body, Id};
use crate::graph::dataflow::{Graph, Step, Value};
use kinetics::rates::LEAST_INHIBITOR;
use mechanism::{Arrhenius, Blending, Collider, LandauTeller, Rate, Reaction, Reverse, SpeciesIndex};

/// 1/Kc is capped at 1e300, as Cantera does: ln of the cap.
const LARGEST_INVERSE_EQUILIBRIUM: f64 = 690.775_527_898_213_7;
/// Logarithms are taken of at least this: a center or a reduced pressure of zero stays finite.
pub const SMALLEST: f64 = 1e-300;

/// Where a reaction finds what other operations computed.
pub struct Sources<'a> {
    pub scalars: &'a [u32],
    /// By species; absent: loaded from global memory by every reader.
    pub concentrations: Vec<Option<Value>>,
    /// -g/RT by species, where an equilibrium constant needs it
    pub gibbs: Vec<Option<Value>>,
    /// Species from this one on are quasi-steady: they react with concentration 1.
    pub transported: usize,
    pub third_bodies: Vec<(Vec<(SpeciesIndex, f64)>, Value)>,
    /// What the log-space form shares.
    pub log_space: Option<LogSpace>,
}

/// A step under construction: its body and the operands it gathers on the way.
#[derive(Default)]
pub struct Operands {
    pub body: Body,
    constants: Vec<f64>,
    inputs: Vec<Value>,
    rows: Vec<u32>,
}

impl Operands {
    /// A step to go on with.
    pub fn of(step: &Step, body: &Body) -> Self {
        let Step { constants, inputs, rows, .. } = step.clone();
        Self { body: body.clone(), constants, inputs, rows }
    }

    /// The value that an input reads.
    pub fn value(&self, input: u32) -> Value {
        self.inputs[input as usize]
    }

    pub fn constant(&mut self, value: f64) -> Id {
        self.constants.push(value);
        self.body.constant(self.constants.len() as u32 - 1)
    }

    pub fn input(&mut self, value: Value) -> Id {
        self.inputs.push(value);
        self.body.input(self.inputs.len() as u32 - 1)
    }

    pub fn concentration(&mut self, sources: &Sources<'_>, k: SpeciesIndex) -> Id {
        match sources.concentrations[k] {
            Some(value) => self.input(value),
            None => self.loaded(k),
        }
    }

    /// A mole fraction from global memory.
    pub fn fraction(&mut self, k: SpeciesIndex) -> Id {
        self.rows.push(k as u32);
        mole_fraction(&mut self.body, self.rows.len() as u32 - 1)
    }

    /// A concentration from global memory.
    pub fn loaded(&mut self, k: SpeciesIndex) -> Id {
        self.rows.push(k as u32);
        loaded_concentration(&mut self.body, &SCALARS, self.rows.len() as u32 - 1)
    }

    /// A field of a global array.
    pub fn field(&mut self, array: u32, row: u32) -> Id {
        self.rows.push(row);
        self.body.field(array, self.rows.len() as u32 - 1)
    }

    pub fn into_step(self, graph: &mut Graph) -> Step {
        Step {
            shape: graph.shape(self.body),
            constants: self.constants,
            inputs: self.inputs,
            rows: self.rows,
            ..Step::default()
        }
    }
}

/// max(x, 0) P/(R T) in kmol/m3.
pub fn loaded_concentration(b: &mut Body, scalars: &[u32], operand: u32) -> Id {
    let x = mole_fraction(b, operand);
    let total = scalar_of(b, scalars, scalar::CONCENTRATION);
    b.mul(x, total)
}

pub fn falloff_collider(rate: &Rate) -> Option<&Collider> {
    match rate {
        Rate::Falloff { collider, .. } | Rate::ChemicallyActivated { collider, .. } => Some(collider),
        _ => None,
    }
}

/// A rate times the third body of its reaction, where that has one outside falloff.
pub fn with_third_body(o: &mut Operands, r: &Reaction, sources: &Sources<'_>, rate: Id) -> Id {
    let Some(collider) = &r.third_body else { return rate };
    let m = third_body(o, sources, collider);
    o.body.mul(rate, m)
}

/// The rates of the live directions, [M] included: k_f prod C^nu' and k_r prod C^nu''.
pub fn directions(
    o: &mut Operands,
    (i, r): (usize, &Reaction),
    live: [bool; 2],
    sources: &Sources<'_>,
) -> [Option<Id>; 2] {
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
        let rate = product(o, sources, Some(constant), &orders(sides[d].0, sides[d].1)).complete(o, sources).id;
        rates[d] = Some(with_third_body(o, r, sources, rate));
    }
    rates
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
    // What is not a number is not equal to itself; its power is a number.
    let power = o.body.select_le(c, c, power, c);
    if order < 0.0 {
        return power;
    }
    let zero = o.body.literal(0.0);
    o.body.select_le(c, zero, zero, power)
}

pub fn third_body(o: &mut Operands, sources: &Sources<'_>, collider: &Collider) -> Id {
    match collider {
        Collider::Species(k) => o.concentration(sources, *k),
        Collider::Mixture(efficiencies) => {
            let known = sources.third_bodies.iter().find(|(known, _)| known == efficiencies);
            o.input(known.expect("every third body has its sum").1)
        }
    }
}

/// ln|A| + b ln T - (E/R)/T
pub fn exponent(o: &mut Operands, k: &Arrhenius) -> Id {
    let ln_a = o.constant(k.a.abs().ln());
    let b = o.constant(k.b);
    let ln_t = scalar_of(&mut o.body, &SCALARS, scalar::LN_TEMPERATURE);
    let sum = o.body.fma(b, ln_t, ln_a);
    let minus_e = o.constant(-k.e_over_r);
    let inverse = scalar_of(&mut o.body, &SCALARS, scalar::INVERSE_TEMPERATURE);
    o.body.fma(minus_e, inverse, sum)
}

/// A T^b exp(-E/RT); 0 for A = 0; the sign of A is part of the shape.
pub fn arrhenius(o: &mut Operands, k: &Arrhenius, sources: &Sources<'_>, extra: Option<&LandauTeller>) -> Id {
    if k.a == 0.0 {
        return o.body.literal(0.0);
    }
    if let (Some(log_space), None) = (&sources.log_space, extra) {
        return log_space::arrhenius(o, k, log_space);
    }
    let mut x = exponent(o, k);
    if let Some(LandauTeller { b, c }) = extra {
        let root = scalar_of(&mut o.body, sources.scalars, scalar::CUBE_ROOT);
        let b = o.constant(*b);
        let c = o.constant(*c);
        let slope = o.body.fma(c, root, b);
        x = o.body.fma(slope, root, x);
    }
    let value = o.body.exp(x);
    if k.a < 0.0 { o.body.neg(value) } else { value }
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
            let (limit, reduced) = reduced_pressure(o, low, high, collider, sources, true);
            let f = broadening(o, blending, reduced);
            let ratio = lindemann(o, reduced);
            let k = o.body.mul(limit, ratio);
            f.map_or(k, |f| o.body.mul(k, f))
        }
        Rate::ChemicallyActivated { low, high, collider, blending } => {
            let (limit, reduced) = reduced_pressure(o, low, high, collider, sources, false);
            let f = broadening(o, blending, reduced);
            let one = o.body.literal(1.0);
            let denominator = o.body.add(one, reduced);
            let k = o.body.div(limit, denominator);
            f.map_or(k, |f| o.body.mul(k, f))
        }
        Rate::Plog(table) => pressure::plog(o, table, sources),
        Rate::Chebyshev(fit) => pressure::chebyshev(o, fit, sources),
    }
}

/// (k_inf or k_0, Pr = k_0 [M]/k_inf); the signs of the pre-exponential factors are part of the shape.
fn reduced_pressure(
    o: &mut Operands,
    low: &Arrhenius,
    high: &Arrhenius,
    collider: &Collider,
    sources: &Sources<'_>,
    keep_high: bool,
) -> (Id, Id) {
    let signed = |o: &mut Operands, value: Id, negative: bool| if negative { o.body.neg(value) } else { value };
    let ln_low = exponent(o, low);
    let ln_high = exponent(o, high);
    let kept = o.body.exp(if keep_high { ln_high } else { ln_low });
    let kept = signed(o, kept, if keep_high { high.a < 0.0 } else { low.a < 0.0 });
    let difference = o.body.sub(ln_low, ln_high);
    let ratio = o.body.exp(difference);
    let ratio = signed(o, ratio, (low.a < 0.0) != (high.a < 0.0));
    let m = third_body(o, sources, collider);
    (kept, o.body.mul(ratio, m))
}

/// Pr/(1 + Pr)
fn lindemann(o: &mut Operands, reduced: Id) -> Id {
    let one = o.body.literal(1.0);
    let denominator = o.body.add(one, reduced);
    o.body.div(reduced, denominator)
}

/// lg max(x, 1e-300)
fn log10(b: &mut Body, x: Id) -> Id {
    let smallest = b.literal(SMALLEST);
    let floored = b.max(x, smallest);
    let ln = b.log(floored);
    let factor = b.literal(std::f64::consts::LOG10_E);
    b.mul(ln, factor)
}

/// The broadening factor F; `None` for Lindemann's F = 1.
fn broadening(o: &mut Operands, blending: &Blending, reduced: Id) -> Option<Id> {
    match blending {
        Blending::Lindemann => None,
        Blending::Troe { a, t3, t1, t2 } => Some(broadening_of_troe(o, [*a, *t3, *t1], *t2, reduced)),
        Blending::Sri { a, b, c, d, e } => Some(sri(o, [*a, *b, *c, *d, *e], reduced)),
    }
}

/// Gilbert, Luther & Troe (1983); the paper's Listing 1.
fn broadening_of_troe(o: &mut Operands, [a, t3, t1]: [f64; 3], t2: Option<f64>, reduced: Id) -> Id {
    let temperature = scalar_of(&mut o.body, &SCALARS, scalar::TEMPERATURE);
    // A zero T3 or T1 stands for an exponential that is zero.
    let term = |o: &mut Operands, weight: f64, t: f64| {
        let (weight, rate) = if t == 0.0 { (0.0, 0.0) } else { (weight, -1.0 / t) };
        let weight = o.constant(weight);
        let rate = o.constant(rate);
        let x = o.body.mul(temperature, rate);
        let value = o.body.exp(x);
        o.body.mul(weight, value)
    };
    let first = term(o, 1.0 - a, t3);
    let second = term(o, a, t1);
    let mut center = o.body.add(first, second);
    if let Some(t2) = t2 {
        let minus = o.constant(-t2);
        let inverse = scalar_of(&mut o.body, &SCALARS, scalar::INVERSE_TEMPERATURE);
        let x = o.body.mul(minus, inverse);
        let third = o.body.exp(x);
        center = o.body.add(center, third);
    }
    let b = &mut o.body;
    let lf = log10(b, center);
    let lg_reduced = log10(b, reduced);
    // x = lg Pr - 0.4 - 0.67 lf; n = 0.75 - 1.27 lf; lg F = lf/(1 + (x/(n - 0.14 x))^2)
    let (c0, c1) = (b.literal(-0.4), b.literal(-0.67));
    let c = b.fma(c1, lf, c0);
    let x = b.add(lg_reduced, c);
    let (n0, n1, n2) = (b.literal(0.75), b.literal(-1.27), b.literal(-0.14));
    let n = b.fma(n1, lf, n0);
    let denominator = b.fma(n2, x, n);
    let quotient = b.div(x, denominator);
    let one = b.literal(1.0);
    let width = b.fma(quotient, quotient, one);
    let lg = b.div(lf, width);
    let ln10 = b.literal(std::f64::consts::LN_10);
    let ln = b.mul(lg, ln10);
    b.exp(ln)
}

/// F = d T^e (a exp(-b/T) + exp(-T/c))^X, X = 1/(1 + (lg Pr)^2). Stewart, Larson & Golden (1989).
fn sri(o: &mut Operands, [a, b, c, d, e]: [f64; 5], reduced: Id) -> Id {
    let temperature = scalar_of(&mut o.body, &SCALARS, scalar::TEMPERATURE);
    let inverse = scalar_of(&mut o.body, &SCALARS, scalar::INVERSE_TEMPERATURE);
    let ln_t = scalar_of(&mut o.body, &SCALARS, scalar::LN_TEMPERATURE);
    let minus_b = o.constant(-b);
    let x = o.body.mul(minus_b, inverse);
    let first = o.body.exp(x);
    let a = o.constant(a);
    let mut base = o.body.mul(a, first);
    if c != 0.0 {
        let rate = o.constant(-1.0 / c);
        let x = o.body.mul(temperature, rate);
        let second = o.body.exp(x);
        base = o.body.add(base, second);
    }
    let lg = log10(&mut o.body, reduced);
    let one = o.body.literal(1.0);
    let width = o.body.fma(lg, lg, one);
    let smallest = o.body.literal(SMALLEST);
    let floored = o.body.max(base, smallest);
    let ln_base = o.body.log(floored);
    let scaled = o.body.div(ln_base, width);
    let ln_d = o.constant(d.ln());
    let e = o.constant(e);
    let with_power = o.body.fma(e, ln_t, ln_d);
    let exponent = o.body.add(scaled, with_power);
    o.body.exp(exponent)
}

/// k_r, or `None` for an irreversible reaction.
pub fn reverse_constant(o: &mut Operands, r: &Reaction, sources: &Sources<'_>, forward: Id) -> Option<Id> {
    match &r.reverse {
        Reverse::Irreversible => None,
        Reverse::Explicit(k, extra) => Some(arrhenius(o, k, sources, extra.as_ref())),
        Reverse::Equilibrium => {
            let ln = minus_ln_equilibrium(o, r, sources);
            let cap = o.body.literal(LARGEST_INVERSE_EQUILIBRIUM);
            let capped = o.body.min(ln, cap);
            let inverse = o.body.exp(capped);
            Some(o.body.mul(forward, inverse))
        }
    }
}

/// -ln Kc = sum nu' (-g/RT) - sum nu'' (-g/RT) - Delta_n ln(P0/RT)
fn minus_ln_equilibrium(o: &mut Operands, r: &Reaction, sources: &Sources<'_>) -> Id {
    let total = |side: &[(SpeciesIndex, f64)]| side.iter().map(|(_, nu)| nu).sum::<f64>();
    let delta = total(&r.products) - total(&r.reactants);
    let mut sum = None;
    let add = |o: &mut Operands, sum: Option<Id>, nu: f64, term: Id| {
        Some(match sum {
            None if nu == 1.0 => term,
            None => {
                let nu = o.body.literal(nu);
                o.body.mul(nu, term)
            }
            Some(sum) if nu == 1.0 => o.body.add(sum, term),
            Some(sum) if nu == -1.0 => o.body.sub(sum, term),
            Some(sum) => {
                let nu = o.body.literal(nu);
                o.body.fma(nu, term, sum)
            }
        })
    };
    for (side, sign) in [(&r.reactants, 1.0), (&r.products, -1.0)] {
        for &(k, nu) in side {
            let gibbs = o.input(sources.gibbs[k].expect("a species in equilibrium has its Gibbs energy"));
            sum = add(o, sum, sign * nu, gibbs);
        }
    }
    if delta != 0.0 {
        let standard = scalar_of(&mut o.body, &SCALARS, scalar::LN_STANDARD_CONCENTRATION);
        sum = add(o, sum, -delta, standard);
    }
    sum.unwrap_or_else(|| o.body.literal(0.0))
}
