//! Rate constants by the linear mixture rule over reduced pressures (Singal, Lee, Lei, Speth & Burke, Proc. Combust. Inst. 40 (2024) 105779).

use super::arrhenius::arrhenius;
use super::falloff::falloff;
use super::pressure;
use super::sources::{Sources, third_body};
use crate::build::{Operands, SCALARS, SMALLEST, scalar, scalar_of};
use graph::body::Id;
use kinetics::constants::GAS_CONSTANT;
use mechanism::{Arrhenius, LinearBurke, PressureRate};

/// With E = sum eps C: the sum of (eps C/E) k(E/eps) over the colliders that have a rate of their own, and (E' /E) k(E) of the bath,
/// where E' is what the others add to E. Quasi-steady species do not count.
pub fn linear_burke(o: &mut Operands, rate: &LinearBurke, sources: &Sources<'_>) -> Id {
    let mut bath = third_body(o, sources, &rate.rest());
    let mut with_rates = Vec::new();
    for collider in rate.colliders.iter().filter(|collider| collider.species < sources.transported) {
        let eps = efficiency(o, &collider.efficiency, sources);
        let c = o.concentration(sources, collider.species);
        match &collider.rate {
            None => bath = o.body.fma(eps, c, bath),
            Some(own) => with_rates.push((own, eps, o.body.mul(eps, c))),
        }
    }
    let total = with_rates.iter().fold(bath, |sum, &(.., own)| o.body.add(sum, own));
    let smallest = o.body.literal(SMALLEST);
    let total = o.body.max(total, smallest);
    let k = at(o, &rate.bath, total, sources);
    let mut sum = o.body.mul(k, bath);
    for (rate, eps, own) in with_rates {
        let alone = o.body.div(total, eps);
        let k = at(o, rate, alone, sources);
        sum = o.body.fma(k, own, sum);
    }
    o.body.div(sum, total)
}

fn efficiency(o: &mut Operands, k: &Arrhenius, sources: &Sources<'_>) -> Id {
    if k.b == 0.0 && k.e_over_r == 0.0 { o.constant(k.a) } else { arrhenius(o, k, sources, None) }
}

/// The rate constant where the collider alone has the concentration `m`, in kmol/m3.
fn at(o: &mut Operands, rate: &PressureRate, m: Id, sources: &Sources<'_>) -> Id {
    match rate {
        PressureRate::Falloff { low, high, .. } if low.a == 0.0 || high.a == 0.0 => o.body.literal(0.0),
        PressureRate::Falloff { low, high, blending } => falloff(o, (low, high), blending, |_| m),
        PressureRate::Plog(table) => {
            let ln_p = ln_pressure(o, m);
            pressure::plog(o, table, ln_p, sources)
        }
        PressureRate::Chebyshev(fit) => {
            let ln_p = ln_pressure(o, m);
            pressure::chebyshev(o, fit, ln_p, sources)
        }
    }
}

/// ln m + ln RT
fn ln_pressure(o: &mut Operands, m: Id) -> Id {
    let ln_m = o.body.log(m);
    let ln_t = scalar_of(&mut o.body, &SCALARS, scalar::LN_TEMPERATURE);
    let ln_r = o.body.literal(GAS_CONSTANT.ln());
    let ln_rt = o.body.add(ln_t, ln_r);
    o.body.add(ln_m, ln_rt)
}
