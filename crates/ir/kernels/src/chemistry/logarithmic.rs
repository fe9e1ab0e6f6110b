//! Rates of progress for single precision. Rate constants and equilibrium constants exceed its range. So both directions of a reaction are
//! one power of two each, of the sum of the binary logarithms of all their factors.
//!
//! With u = log2 C - log2 K by species (K as in [`formation`]), the logarithm of the reverse rate is that of the forward rate plus sum u
//! over the products less that over the reactants. So no equilibrium constant and no product of concentrations is ever a number of its own.

use std::f64::consts::LOG2_E;

use crate::build::{Operands, single};
use crate::options::Exponential;
use crate::rates::center::{Center, log2};
use crate::rates::log_space::{exponent, exponent_of};
use crate::rates::plan::Plan;
use crate::rates::sources::{self, Sources};
use crate::rates::third_body;
use crate::thermodynamics::formation;
use crate::thermodynamics::gibbs::{self, Piecewise};
use diagnostics::Diagnostic;
use graph::body::Id;
use graph::dataflow::{Graph, Value};
use kinetics::Model;
use mechanism::{Arrhenius, Blending, Collider, Mechanism, Rate, Reaction, Reverse, SpeciesIndex};

/// The least positive normal single: concentrations of which there is less, in kmol/m3, count as that.
const LEAST: f64 = f32::MIN_POSITIVE as f64;
/// Largest log2 of a rate in kmol/m3/s and of a reduced pressure; what is beyond is taken for that. Sums of rates stay in range.
const LARGEST: f64 = 110.0;

/// Why rates of a mechanism are not made of logarithms: the first reaction that has no rule here.
pub fn refused(mechanism: &Mechanism) -> Option<Diagnostic> {
    let refuse = |message: String| {
        Some(
            Diagnostic::error("precision::not-offered", message)
                .help("use --precision double for the chemistry kernel"),
        )
    };
    if mechanism.reduction.is_some() {
        return refuse("rates of reduced mechanisms are in double precision".into());
    }
    let known = |r: &&Reaction| {
        let has_orders = !r.forward_orders.is_empty() || !r.reverse_orders.is_empty();
        let is_rate = match &r.rate {
            Rate::Arrhenius(k) => k.a != 0.0 || r.reverse == Reverse::Irreversible,
            Rate::Falloff { low, high, blending: Blending::Lindemann | Blending::Troe { .. }, .. } => {
                low.a > 0.0 && high.a > 0.0
            }
            _ => false,
        };
        let is_reverse = match &r.reverse {
            Reverse::Irreversible => true,
            Reverse::Equilibrium => !has_orders,
            Reverse::Explicit(_, extra) => extra.is_none() && matches!(r.rate, Rate::Arrhenius(_)),
        };
        is_rate && is_reverse && !has_orders
    };
    let first = mechanism.reactions.iter().find(|r| !known(r))?;
    refuse(format!("the rate of {} has a form that is in double precision alone", first.equation))
}

/// Adds the operations of species, colliders and reactions of a mechanism that is not [`refused`]: the net rate of progress of each reaction,
/// in kmol/m3/s.
pub fn progress(graph: &mut Graph, model: &Model, plans: &[Plan], scalars: &[u32]) -> Vec<Option<Value>> {
    let mechanism = &model.mechanism;
    let size = mechanism.species.len();
    let mut sources = Sources {
        scalars,
        concentrations: vec![None; size],
        gibbs: vec![None; size],
        transported: model.species().len(),
        third_bodies: Vec::new(),
        log_space: None,
    };
    third_body::add(graph, mechanism, plans, &mut sources);
    let species = species(graph, mechanism);
    let colliders = colliders(graph, mechanism, &sources);
    let of_reaction = |graph: &mut Graph, (i, r): (usize, &Reaction)| {
        let mut o = Operands::default();
        o.body.values = vec![net_rate(&mut o, r, (&sources, &species, &colliders))];
        let step = o.into_step(graph);
        let name = format!("reaction {} {}", i + 1, r.equation);
        let op = graph.add(single(name, step), |_, _| format!("progress {}", i + 1));
        Some(graph.ops[op].epilogue.outputs[0])
    };
    mechanism.reactions.iter().enumerate().map(|numbered| of_reaction(graph, numbered)).collect()
}

/// By species, log2 C and u.
struct Species {
    concentration: Vec<Option<Value>>,
    activity: Vec<Option<Value>>,
}

fn species(graph: &mut Graph, mechanism: &Mechanism) -> Species {
    let formation = formation::constants(mechanism);
    graph.range = Some(formation::TEMPERATURES);
    let mut all =
        Species { concentration: vec![None; mechanism.species.len()], activity: vec![None; mechanism.species.len()] };
    let sides = |r: &Reaction| r.reactants.iter().chain(&r.products).map(|&(k, _)| k).collect::<Vec<_>>();
    for (k, data) in mechanism.species.iter().enumerate() {
        let is_read = |r: &&Reaction| sides(r).contains(&k);
        let reactions: Vec<&Reaction> = mechanism.reactions.iter().filter(is_read).collect();
        if reactions.is_empty() {
            continue;
        }
        let has_activity = reactions.iter().any(|r| r.reverse == Reverse::Equilibrium);
        let mut o = Operands::default();
        let c = o.loaded(k);
        let lg = log2(&mut o, c, LEAST);
        o.body.values.push(lg);
        if has_activity {
            let lg_constant = log2_constant(&mut o, &formation.species[k]);
            let activity = o.body.sub(lg, lg_constant);
            o.body.values.push(activity);
        }
        let step = o.into_step(graph);
        let kinds = ["log concentration", "log activity"];
        let op =
            graph.add(single(format!("species {}", data.name), step), |_, n| format!("{} {}", kinds[n], data.name));
        let outputs = &graph.ops[op].epilogue.outputs;
        (all.concentration[k], all.activity[k]) = (outputs.first().copied(), outputs.get(1).copied());
    }
    all
}

fn log2_constant(o: &mut Operands, function: &Piecewise) -> Id {
    let ranges = function.ranges.iter().map(|terms| terms.map(|c| LOG2_E * c)).collect();
    gibbs::value(o, &Piecewise { ranges, ends: function.ends.clone() })
}

/// log2 \[M\] of the colliders of falloff reactions.
fn colliders(graph: &mut Graph, mechanism: &Mechanism, sources: &Sources<'_>) -> Vec<(Collider, Value)> {
    let mut known: Vec<(Collider, Value)> = Vec::new();
    for r in &mechanism.reactions {
        let Rate::Falloff { collider, .. } = &r.rate else { continue };
        if known.iter().any(|(other, _)| other == collider) {
            continue;
        }
        let mut o = Operands::default();
        let m = sources::third_body(&mut o, sources, collider);
        o.body.values = vec![log2(&mut o, m, LEAST)];
        let step = o.into_step(graph);
        let name = format!("log collider {}", known.len() + 1);
        let op = graph.add(single(name.clone(), step), |_, _| name.clone());
        known.push((collider.clone(), graph.ops[op].epilogue.outputs[0]));
    }
    known
}

type Read<'a> = (&'a Sources<'a>, &'a Species, &'a [(Collider, Value)]);

/// (k_f prod C - k_r prod C) \[M\]
fn net_rate(o: &mut Operands, r: &Reaction, (sources, species, colliders): Read<'_>) -> Id {
    let (lg_constant, factor, is_negative) = match &r.rate {
        Rate::Arrhenius(k) if k.a == 0.0 => return o.body.literal(0.0),
        Rate::Arrhenius(k) => (exponent(o, k), None, k.a < 0.0),
        Rate::Falloff { low, high, collider, blending, .. } => {
            let m = colliders.iter().find(|(known, _)| known == collider).expect("every collider has its logarithm").1;
            let (lg, factor) = falloff(o, [low, high], blending, m);
            (lg, Some(factor), false)
        }
        _ => unreachable!("such mechanisms are refused"),
    };
    let ahead = sum(o, lg_constant, &species.concentration, &r.reactants, 1.0);
    let forward = power(o, ahead);
    let back = match &r.reverse {
        Reverse::Irreversible => None,
        Reverse::Equilibrium => {
            let back = sum(o, ahead, &species.activity, &r.products, 1.0);
            Some(sum(o, back, &species.activity, &r.reactants, -1.0))
        }
        Reverse::Explicit(k, _) if k.a == 0.0 => None,
        Reverse::Explicit(k, _) => {
            let lg = exponent(o, k);
            Some(sum(o, lg, &species.concentration, &r.products, 1.0))
        }
    };
    let forward = if is_negative { o.body.neg(forward) } else { forward };
    let mut q = match back {
        None => forward,
        Some(back) => {
            let back = power(o, back);
            let turns = matches!(&r.reverse, Reverse::Explicit(k, _) if k.a < 0.0)
                || is_negative && r.reverse == Reverse::Equilibrium;
            if turns { o.body.add(forward, back) } else { o.body.sub(forward, back) }
        }
    };
    if let Some(factor) = factor {
        q = o.body.mul(q, factor);
    }
    match &r.third_body {
        None => q,
        Some(collider) => {
            let m = sources::third_body(o, sources, collider);
            o.body.mul(q, m)
        }
    }
}

/// first + sign sum nu x of a side
fn sum(o: &mut Operands, first: Id, values: &[Option<Value>], side: &[(SpeciesIndex, f64)], sign: f64) -> Id {
    side.iter().fold(first, |sum, &(k, nu)| {
        let x = o.input(values[k].expect("what a reaction reads of a species is made"));
        match sign * nu {
            1.0 => o.body.add(sum, x),
            -1.0 => o.body.sub(sum, x),
            nu => {
                let nu = o.constant(nu);
                o.body.fma(nu, x, sum)
            }
        }
    })
}

/// 2^min(lg, largest); 0 where that is less than any normal single.
fn power(o: &mut Operands, lg: Id) -> Id {
    let largest = o.body.literal(LARGEST);
    let lg = o.body.min(lg, largest);
    Exponential::Polynomial.power(&mut o.body, lg)
}

/// log2 k_inf F, and Pr/(1 + Pr). Troe as in [`crate::rates::troe`].
fn falloff(o: &mut Operands, [low, high]: [&Arrhenius; 2], blending: &Blending, lg_m: Value) -> (Id, Id) {
    let lg_ratio = exponent_of(o, low.a.log2() - high.a.log2(), low.b - high.b, low.e_over_r - high.e_over_r);
    let lg_m = o.input(lg_m);
    let lg_reduced = o.body.add(lg_ratio, lg_m);
    let reduced = power(o, lg_reduced);
    let one = o.body.literal(1.0);
    let denominator = o.body.add(one, reduced);
    let factor = o.body.div(reduced, denominator);
    let lg_high = exponent(o, high);
    let Blending::Troe { a, t3, t1, t2 } = blending else { return (lg_high, factor) };
    let lg_center = Center::new([*a, *t3, *t1], *t2).logarithm(o, Exponential::Polynomial, LEAST);
    let b = &mut o.body;
    let lg_ten = std::f64::consts::LOG2_10;
    let (c0, c1) = (b.literal(-0.4 * lg_ten), b.literal(-0.67));
    let (n0, n1, n2) = (b.literal(0.75 * lg_ten), b.literal(-1.27), b.literal(-0.14));
    let c = b.fma(c1, lg_center, c0);
    let n = b.fma(n1, lg_center, n0);
    let x = b.add(lg_reduced, c);
    let d = b.fma(n2, x, n);
    let squared = b.mul(d, d);
    let width = b.fma(x, x, squared);
    let share = b.div(squared, width);
    (b.fma(lg_center, share, lg_high), factor)
}
