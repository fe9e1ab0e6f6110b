//! Falloff between two limits (CHEMKIN-II, SAND89-8009, section II.6).

use super::arrhenius::exponent;
use crate::build::{Operands, SCALARS, SMALLEST, scalar, scalar_of};
use graph::body::{Body, Id};
use mechanism::{Arrhenius, Blending};

/// (k_inf or k_0, Pr = k_0 [M]/k_inf); the signs of the pre-exponential factors are part of the shape.
pub fn reduced_pressure(
    o: &mut Operands,
    low: &Arrhenius,
    high: &Arrhenius,
    keep_high: bool,
    m: impl FnOnce(&mut Operands) -> Id,
) -> (Id, Id) {
    let signed = |o: &mut Operands, value: Id, negative: bool| if negative { o.body.neg(value) } else { value };
    let ln_low = exponent(o, low);
    let ln_high = exponent(o, high);
    let kept = o.body.exp(if keep_high { ln_high } else { ln_low });
    let kept = signed(o, kept, if keep_high { high.a < 0.0 } else { low.a < 0.0 });
    let difference = o.body.sub(ln_low, ln_high);
    let ratio = o.body.exp(difference);
    let ratio = signed(o, ratio, (low.a < 0.0) != (high.a < 0.0));
    let m = m(o);
    (kept, o.body.mul(ratio, m))
}

/// k_inf F Pr/(1 + Pr); `m` gives \[M\].
pub fn falloff(
    o: &mut Operands,
    (low, high): (&Arrhenius, &Arrhenius),
    blending: &Blending,
    m: impl FnOnce(&mut Operands) -> Id,
) -> Id {
    let (limit, reduced) = reduced_pressure(o, low, high, true, m);
    let f = broadening(o, blending, reduced);
    let ratio = lindemann(o, reduced);
    let k = o.body.mul(limit, ratio);
    f.map_or(k, |f| o.body.mul(k, f))
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
pub fn broadening(o: &mut Operands, blending: &Blending, reduced: Id) -> Option<Id> {
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
