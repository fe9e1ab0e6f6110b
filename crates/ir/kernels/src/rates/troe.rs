//! Troe's falloff with one logarithm per collider and broadening center, two powers of two and one division.
//!
//! Gilbert, Luther, Troe, Ber. Bunsenges. Phys. Chem. 87 (1983) 169; all logarithms are binary here.

use super::activity;
use super::center::{Center, log2};
use super::log_space::{self, LogSpace};
use super::plan::Plan;
use super::sources::{self, Sources};
use crate::build::{Operands, SMALLEST, single};
use graph::body::Id;
use graph::dataflow::{Graph, Value};
use mechanism::{Arrhenius, Blending, Collider, Mechanism, Rate};

/// Largest proven |ln| of the ratio of both limits.
const LARGEST_RATIO: f64 = 500.0;

/// Whether both limits are positive and their ratio is in range at all temperatures of the proof.
pub fn serves(rate: &Rate) -> bool {
    match rate {
        Rate::Falloff { low, high, blending: Blending::Lindemann | Blending::Troe { .. }, .. } => {
            low.a > 0.0 && high.a > 0.0 && activity::rate_range(rate).is_some_and(|range| range <= LARGEST_RATIO)
        }
        _ => false,
    }
}

/// Adds values that several reactions share: log2 of \[M\] by collider, and centers that occur more than once.
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
        o.body.values = vec![center.logarithm(&mut o, log_space.exponential, SMALLEST)];
        let step = o.into_step(graph);
        let name = format!("broadening {}", log_space.centers.len() + 1);
        let op = graph.add(single(name.clone(), step), |_, _| name.clone());
        log_space.centers.push((center, graph.ops[op].epilogue.outputs[0]));
    }
}

fn log_of_collider(graph: &mut Graph, collider: &Collider, sources: &Sources<'_>, n: usize) -> Value {
    let mut o = Operands::default();
    let m = sources::third_body(&mut o, sources, collider);
    o.body.values = vec![log2(&mut o, m, SMALLEST)];
    let step = o.into_step(graph);
    let name = format!("log collider {n}");
    let op = graph.add(single(name.clone(), step), |_, _| name.clone());
    graph.ops[op].epilogue.outputs[0]
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
    let m = sources::third_body(o, sources, collider);
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
        None => center.logarithm(o, log_space.exponential, SMALLEST),
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
