//! A T^b exp(-E/RT), with what Landau and Teller add to its exponent.

use super::log_space;
use super::sources::Sources;
use crate::build::{Operands, SCALARS, scalar, scalar_of};
use graph::body::Id;
use mechanism::{Arrhenius, LandauTeller};

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
