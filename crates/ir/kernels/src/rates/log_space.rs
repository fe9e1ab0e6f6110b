//! Rate constants with few elementary functions: one power of two for A T^b exp(-E/RT), shared by the reactions that have
//! the same b and E, and none where b = E = 0 or where T^b is a product.

use super::activity::Activities;
use super::center::Center;
use super::plan::Plan;
use crate::build::{Operands, SCALARS, scalar, scalar_of, single};
use crate::options::Exponential;
use graph::body::Id;
use graph::dataflow::{Graph, Value};
use mechanism::{Arrhenius, Collider, Mechanism, Rate, Reverse};

/// Highest power of T that is a product.
const HIGHEST_POWER: f64 = 3.0;

/// Values that reactions share in the log-space form.
pub struct LogSpace {
    pub exponential: Exponential,
    pub activities: Activities,
    /// T^b exp(-E/RT) by (b, E/R)
    pub powers: Vec<((f64, f64), Value)>,
    /// log2 max(\[M\], 1e-300) of falloff reactions
    pub colliders: Vec<(Collider, Value)>,
    /// Logarithms of Troe's broadening factors, by their parameters
    pub centers: Vec<(Center, Value)>,
}

/// A T^b exp(-E/RT); 0 for A = 0.
pub fn arrhenius(o: &mut Operands, k: &Arrhenius, log_space: &LogSpace) -> Id {
    if k.a == 0.0 {
        return o.body.literal(0.0);
    }
    if let Some(power) = power_of_temperature(k) {
        let mut value = o.constant(k.a);
        let which = if power < 0 { scalar::INVERSE_TEMPERATURE } else { scalar::TEMPERATURE };
        for _ in 0..power.abs() {
            let factor = scalar_of(&mut o.body, &SCALARS, which);
            value = o.body.mul(value, factor);
        }
        return value;
    }
    if let Some((_, value)) = log_space.powers.iter().find(|(known, _)| *known == (k.b, k.e_over_r)) {
        let a = o.constant(k.a);
        let power = o.input(*value);
        return o.body.mul(a, power);
    }
    let lg = exponent(o, k);
    let value = log_space.exponential.power(&mut o.body, lg);
    if k.a < 0.0 { o.body.neg(value) } else { value }
}

/// The small whole b of a rate constant without activation energy.
fn power_of_temperature(k: &Arrhenius) -> Option<i32> {
    let is_power = k.e_over_r == 0.0 && k.b.fract() == 0.0 && k.b.abs() <= HIGHEST_POWER;
    is_power.then_some(k.b as i32)
}

/// log2 |A| + b log2 T - (E/R) log2 e/T
pub fn exponent(o: &mut Operands, k: &Arrhenius) -> Id {
    exponent_of(o, k.a.abs().log2(), k.b, k.e_over_r)
}

/// lg + b log2 T - (E/R) log2 e/T, without the terms that are zero.
pub fn exponent_of(o: &mut Operands, lg: f64, b: f64, e_over_r: f64) -> Id {
    let scalars = &SCALARS;
    // as an empty sum, which straight-line code leaves out
    let mut sum = o.constant(if lg == 0.0 { -0.0 } else { lg });
    for (factor, which) in [(b, scalar::LN_TEMPERATURE), (-e_over_r, scalar::INVERSE_TEMPERATURE)] {
        if factor != 0.0 {
            let factor = o.constant(std::f64::consts::LOG2_E * factor);
            let x = scalar_of(&mut o.body, scalars, which);
            sum = o.body.fma(factor, x, sum);
        }
    }
    sum
}

/// Adds an operation for each T^b exp(-E/RT) that several reactions have.
pub fn powers(
    graph: &mut Graph,
    mechanism: &Mechanism,
    plans: &[Plan],
    exponential: Exponential,
) -> Vec<((f64, f64), Value)> {
    let mut counts: Vec<((f64, f64), u32)> = Vec::new();
    for (r, _) in mechanism.reactions.iter().zip(plans).filter(|(_, plan)| plan.live != [false; 2]) {
        let forward = if let Rate::Arrhenius(k) = &r.rate { Some(k) } else { None };
        let reverse = if let Reverse::Explicit(k, None) = &r.reverse { Some(k) } else { None };
        let expressions = forward.into_iter().chain(reverse);
        for k in expressions.filter(|k| k.a != 0.0 && power_of_temperature(k).is_none()) {
            let key = (k.b, k.e_over_r);
            match counts.iter_mut().find(|(known, _)| *known == key) {
                Some((_, count)) => *count += 1,
                None => counts.push((key, 1)),
            }
        }
    }
    let shared = counts.into_iter().filter(|(_, count)| *count > 1);
    shared
        .enumerate()
        .map(|(n, ((b, e_over_r), _))| {
            let mut o = Operands::default();
            let lg = exponent_of(&mut o, 0.0, b, e_over_r);
            o.body.values = vec![exponential.power(&mut o.body, lg)];
            let step = o.into_step(graph);
            let name = format!("power {}", n + 1);
            let op = graph.add(single(name.clone(), step), |_, _| name.clone());
            ((b, e_over_r), graph.ops[op].epilogue.outputs[0])
        })
        .collect()
}
