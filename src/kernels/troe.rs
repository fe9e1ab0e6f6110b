//! Troe's falloff with one logarithm per collider and broadening center, two powers of two and one division.
//!
//! Gilbert, Luther, Troe, Ber. Bunsenges. Phys. Chem. 87 (1983) 169; all logarithms are binary here.

use std::f64::consts::LOG2_E;

use super::common::{scalar, scalar_of, single};
use super::log_space::{self, Exponential, LogSpace};
use super::reaction::{self, Operands, SMALLEST, Sources};
use super::split::Plan;
use super::{activity, formation};
use crate::graph::body::Id;
use crate::graph::dataflow::{Graph, Value};
use kinetics::approximation::range::TemperatureRange;
use mechanism::{Arrhenius, Blending, Collider, Mechanism, Rate};

/// Largest proven |ln| of the ratio of both limits.
const LARGEST_RATIO: f64 = 500.0;
/// From here on exp(-x) is 0 beside any broadening.
const VANISHING: f64 = 745.0;

/// The center of the broadening: a constant and exponentials of c T or of c/T, c = `rate`.
#[derive(Debug, Clone, PartialEq)]
pub struct Center {
    constant: f64,
    /// (weight, rate, whether of 1/T)
    terms: Vec<(f64, f64, bool)>,
}

/// Whether both limits are positive and their ratio is in range at all temperatures of the proof.
pub fn serves(rate: &Rate) -> bool {
    match rate {
        Rate::Falloff { low, high, blending: Blending::Lindemann | Blending::Troe { .. }, .. } => {
            low.a > 0.0 && high.a > 0.0 && activity::rate_range(rate).is_some_and(|range| range <= LARGEST_RATIO)
        }
        _ => false,
    }
}

/// What several reactions share: log2 of \[M\] by collider, and centers that occur more than once.
pub fn shared(graph: &mut Graph, mechanism: &Mechanism, plans: &[Plan], sources: &mut Sources<'_>) {
    let live = mechanism.reactions.iter().zip(plans).filter(|(r, plan)| plan.live != [false; 2] && serves(&r.rate));
    let mut centers: Vec<(Center, u32)> = Vec::new();
    for (r, _) in live {
        let Rate::Falloff { collider, blending: Blending::Troe { a, t3, t1, t2 }, .. } = &r.rate else { continue };
        let log_space = sources.log_space.as_ref().expect("only the log-space form shares");
        if !log_space.colliders.iter().any(|(known, _)| known == collider) {
            let n = log_space.colliders.len() + 1;
            let value = log_of_collider(graph, collider, sources, n);
            let log_space = sources.log_space.as_mut().expect("only the log-space form shares");
            log_space.colliders.push((collider.clone(), value));
        }
        let center = Center::new([*a, *t3, *t1], *t2);
        match centers.iter_mut().find(|(known, _)| *known == center) {
            Some((_, count)) => *count += 1,
            None => centers.push((center, 1)),
        }
    }
    let log_space = sources.log_space.as_mut().expect("only the log-space form shares");
    for (center, _) in centers.into_iter().filter(|(center, count)| *count > 1 && !center.terms.is_empty()) {
        let mut o = Operands::default();
        o.body.values = vec![center.logarithm(&mut o, log_space.exponential)];
        let step = o.into_step(graph);
        let name = format!("broadening {}", log_space.centers.len() + 1);
        let op = graph.add(single(name.clone(), step), |_, _| name.clone());
        log_space.centers.push((center, graph.ops[op].epilogue.outputs[0]));
    }
}

fn log_of_collider(graph: &mut Graph, collider: &Collider, sources: &Sources<'_>, n: usize) -> Value {
    let mut o = Operands::default();
    let m = reaction::third_body(&mut o, sources, collider);
    o.body.values = vec![log2(&mut o, m)];
    let step = o.into_step(graph);
    let name = format!("log collider {n}");
    let op = graph.add(single(name.clone(), step), |_, _| name.clone());
    graph.ops[op].epilogue.outputs[0]
}

/// log2 max(x, 1e-300)
fn log2(o: &mut Operands, x: Id) -> Id {
    let b = &mut o.body;
    let smallest = b.literal(SMALLEST);
    let floored = b.max(x, smallest);
    b.log2(floored)
}

/// The rate constant of a reaction that [`serves`] accepts: k_inf F Pr/(1 + Pr).
pub fn rate(
    o: &mut Operands,
    [low, high]: [&Arrhenius; 2],
    collider: &Collider,
    blending: &Blending,
    sources: &Sources<'_>,
    log_space: &LogSpace,
) -> Id {
    let lg_ratio =
        log_space::exponent_of(o, low.a.log2() - high.a.log2(), low.b - high.b, low.e_over_r - high.e_over_r);
    let ratio = log_space.exponential.power(&mut o.body, lg_ratio);
    let m = reaction::third_body(o, sources, collider);
    let reduced = o.body.mul(ratio, m);
    let one = o.body.literal(1.0);
    let denominator = o.body.add(one, reduced);
    let Blending::Troe { a, t3, t1, t2 } = blending else {
        let limit = log_space::arrhenius(o, high, log_space);
        let numerator = o.body.mul(limit, reduced);
        return o.body.div(numerator, denominator);
    };
    let center = Center::new([*a, *t3, *t1], *t2);
    let known = log_space.centers.iter().find(|(known, _)| *known == center);
    let lg_center = match known {
        Some((_, value)) => o.input(*value),
        None => center.logarithm(o, log_space.exponential),
    };
    let lg_m =
        log_space.colliders.iter().find(|(known, _)| known == collider).expect("every collider has its logarithm").1;
    let lg_m = o.input(lg_m);
    let lg_high = log_space::exponent(o, high);
    let b = &mut o.body;
    // log2 F = center/(1 + (x/d)^2), d = n - 0.14 x; with lg 10 as a factor of x and n.
    let lg_ten = std::f64::consts::LOG2_10;
    let (c0, c1) = (b.literal(-0.4 * lg_ten), b.literal(-0.67));
    let (n0, n1, n2) = (b.literal(0.75 * lg_ten), b.literal(-1.27), b.literal(-0.14));
    let c = b.fma(c1, lg_center, c0);
    let n = b.fma(n1, lg_center, n0);
    let lg_reduced = b.add(lg_ratio, lg_m);
    let x = b.add(lg_reduced, c);
    let d = b.fma(n2, x, n);
    let d2 = b.mul(d, d);
    let width = b.fma(x, x, d2);
    // One division for 1/width and 1/(1 + Pr).
    let both = b.mul(width, denominator);
    let inverse = b.div(one, both);
    let inverse_width = b.mul(inverse, denominator);
    let weighted = b.mul(lg_center, d2);
    let lg = b.fma(weighted, inverse_width, lg_high);
    let limit = log_space.exponential.power(b, lg);
    let inverse_denominator = b.mul(inverse, width);
    let part = b.mul(reduced, inverse_denominator);
    b.mul(limit, part)
}

impl Center {
    fn new([a, t3, t1]: [f64; 3], t2: Option<f64>) -> Self {
        let TemperatureRange { coldest, hottest } = formation::TEMPERATURES;
        let mut center = Self { constant: 0.0, terms: Vec::new() };
        for (weight, t) in [(1.0 - a, t3), (a, t1)] {
            // A zero T3 or T1 stands for an exponential that is zero.
            if weight == 0.0 || t == 0.0 || coldest / t >= VANISHING {
                continue;
            }
            if (hottest / t).abs() < f64::EPSILON / 4.0 {
                center.constant += weight;
            } else {
                center.terms.push((weight, -1.0 / t, false));
            }
        }
        match t2 {
            Some(0.0) => center.constant += 1.0,
            Some(t2) if t2 / hottest < VANISHING => center.terms.push((1.0, -t2, true)),
            _ => {}
        }
        center
    }

    /// log2 max(center, 1e-300)
    fn logarithm(&self, o: &mut Operands, exponential: Exponential) -> Id {
        if self.terms.is_empty() {
            return o.constant(self.constant.max(SMALLEST).log2());
        }
        if let ([(weight, rate, inverse)], 0.0) = (&self.terms[..], self.constant)
            && *weight > 0.0
        {
            let lg = argument(o, weight.log2(), *rate, *inverse);
            let smallest = o.body.literal(SMALLEST.log2());
            return o.body.max(lg, smallest);
        }
        let mut sum = (self.constant != 0.0).then(|| o.constant(self.constant));
        for &(weight, rate, inverse) in &self.terms {
            let lg = argument(o, 0.0, rate, inverse);
            let value = exponential.power(&mut o.body, lg);
            sum = Some(match sum {
                None if weight == 1.0 => value,
                Some(sum) if weight == 1.0 => o.body.add(sum, value),
                _ => {
                    let weight = o.constant(weight);
                    match sum {
                        None => o.body.mul(weight, value),
                        Some(sum) => o.body.fma(weight, value, sum),
                    }
                }
            });
        }
        let sum = sum.expect("a center has terms here");
        log2(o, sum)
    }
}

/// lg + log2 e times rate T or rate/T
fn argument(o: &mut Operands, lg: f64, rate: f64, inverse: bool) -> Id {
    let which = if inverse { scalar::INVERSE_TEMPERATURE } else { scalar::TEMPERATURE };
    let rate = o.constant(LOG2_E * rate);
    let x = scalar_of(&mut o.body, &super::chemistry::SCALARS, which);
    if lg == 0.0 {
        return o.body.mul(rate, x);
    }
    let lg = o.constant(lg);
    o.body.fma(rate, x, lg)
}
