//! Rate constants of reverse directions.

use super::arrhenius::arrhenius;
use super::sources::Sources;
use crate::build::{Operands, SCALARS, scalar, scalar_of};
use graph::body::Id;
use mechanism::{Reaction, Reverse, SpeciesIndex};

/// 1/Kc is capped at 1e300, as Cantera does: ln of the cap.
const LARGEST_INVERSE_EQUILIBRIUM: f64 = 690.775_527_898_213_7;

/// k_r, or `None` for an irreversible reaction.
pub fn reverse_constant(o: &mut Operands, r: &Reaction, sources: &Sources<'_>, forward: Id) -> Option<Id> {
    match &r.reverse {
        Reverse::Irreversible => None,
        Reverse::Explicit(k, extra) => Some(arrhenius(o, k, sources, extra.as_ref())),
        Reverse::Equilibrium => {
            let capped = capped(o, r, sources);
            let inverse = o.body.exp(capped);
            Some(o.body.mul(forward, inverse))
        }
    }
}

/// Kc of a reaction, whether or not it can go back; at least 1e-300.
pub fn constant(o: &mut Operands, r: &Reaction, sources: &Sources<'_>) -> Id {
    let capped = capped(o, r, sources);
    let ln = o.body.neg(capped);
    o.body.exp(ln)
}

/// -ln Kc, capped.
fn capped(o: &mut Operands, r: &Reaction, sources: &Sources<'_>) -> Id {
    let ln = minus_ln_equilibrium(o, r, sources);
    let cap = o.body.literal(LARGEST_INVERSE_EQUILIBRIUM);
    o.body.min(ln, cap)
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
