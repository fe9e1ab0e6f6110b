//! Doubles, as the pseudocode of the instructions has them (CDNA3 ISA, VOP3A). All
//! operations round to nearest, ties to even, and keep denormal numbers: the mode that HIP sets.

/// The biased exponent.
fn exponent(x: f64) -> i64 {
    (x.to_bits() >> 52 & 0x7ff) as i64
}

fn is_denormal(x: f64) -> bool {
    x.is_subnormal()
}

/// x 2^n, rounded once.
pub fn ldexp(x: f64, n: i32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return quieted(x);
    }
    let n = n.clamp(-4500, 4500);
    let (mantissa, exponent) = split(x);
    let exponent = exponent + n;
    let power = |e: i32| f64::from_bits(((e + 1023) as u64) << 52);
    match exponent {
        1025.. => f64::INFINITY.copysign(x),
        // mantissa in [0.5, 1)
        -1021..=1024 => mantissa * 2.0 * power(exponent - 1),
        // One multiplication rounds to the denormal number.
        -1100..=-1022 => mantissa * power(exponent + 200) * power(-200),
        _ => 0.0f64.copysign(x),
    }
}

/// A number as a mantissa in [0.5, 1) and a power of two.
fn split(x: f64) -> (f64, i32) {
    let (x, shift) = if is_denormal(x) { (x * 2f64.powi(54), -54) } else { (x, 0) };
    let biased = exponent(x) as i32;
    (f64::from_bits(x.to_bits() & !(0x7ff << 52) | 1022 << 52), biased - 1022 + shift)
}

/// V_FREXP_MANT_F64.
pub fn mantissa(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() { x } else { split(x).0 }
}

/// V_FREXP_EXP_I32_F64.
pub fn exponent_of(x: f64) -> i32 {
    if x == 0.0 || !x.is_finite() { 0 } else { split(x).1 }
}

/// V_DIV_SCALE_F64: one of the two numbers, scaled where the quotient or an intermediate result would leave the normal range; and
/// whether the quotient is to be scaled back.
pub fn div_scale(value: f64, denominator: f64, numerator: f64) -> (f64, bool) {
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
    let scaled_if = |yes: bool| if yes { ldexp(value, 128) } else { value };
    if numerator == 0.0 || denominator == 0.0 {
        (f64::NAN, false)
    } else if exponent(numerator) - exponent(denominator) >= 768 {
        (scaled_if(same(value, denominator)), true)
    } else if is_denormal(denominator) {
        (ldexp(value, 128), false)
    } else if is_denormal(1.0 / denominator) && is_denormal(numerator / denominator) {
        (scaled_if(same(value, denominator)), true)
    } else if is_denormal(1.0 / denominator) {
        (ldexp(value, -128), false)
    } else if is_denormal(numerator / denominator) {
        (scaled_if(same(value, numerator)), true)
    } else if exponent(numerator) <= 53 {
        (ldexp(value, 128), false)
    } else {
        (value, false)
    }
}

/// V_DIV_FMAS_F64: a multiply-add whose result is scaled back, in the direction that undoes [`div_scale`].
pub fn div_fmas(a: f64, b: f64, c: f64, scaled: bool) -> f64 {
    let sum = a.mul_add(b, c);
    match scaled {
        false => sum,
        true if exponent(c) > 1023 => ldexp(sum, 128),
        true => ldexp(sum, -128),
    }
}

/// V_DIV_FIXUP_F64: the quotient, or what it is where the operands are special.
pub fn div_fixup(quotient: f64, denominator: f64, numerator: f64) -> f64 {
    let negative = denominator.is_sign_negative() != numerator.is_sign_negative();
    let signed = |x: f64| if negative { -x } else { x };
    if numerator.is_nan() {
        quiet(numerator)
    } else if denominator.is_nan() {
        quiet(denominator)
    } else if (denominator == 0.0 && numerator == 0.0) || (denominator.is_infinite() && numerator.is_infinite()) {
        f64::from_bits(0xfff8_0000_0000_0000)
    } else if denominator == 0.0 || numerator.is_infinite() {
        signed(f64::INFINITY)
    } else if denominator.is_infinite() || numerator == 0.0 || exponent(numerator) - exponent(denominator) < -1075 {
        signed(0.0)
    } else if quotient.is_nan() {
        // Where both are numbers, the sequence of a division gives none only beyond the largest one.
        signed(f64::INFINITY)
    } else {
        signed(quotient.abs())
    }
}

/// The quiet NaN of a signalling one.
pub fn quiet(x: f64) -> f64 {
    f64::from_bits(x.to_bits() | 1 << 51)
}

/// Returns the result of arithmetic that keeps a number: signalling NaNs become quiet.
pub fn quieted(x: f64) -> f64 {
    if x.is_nan() { quiet(x) } else { x }
}

pub fn is_signalling(x: f64) -> bool {
    x.is_nan() && x.to_bits() >> 51 & 1 == 0
}

/// V_CMP_CLASS_F64: the bit of the class of a number.
pub fn class(x: f64) -> u32 {
    let negative = x.is_sign_negative();
    let bit = match (x.is_nan(), x.is_infinite(), x == 0.0, is_denormal(x)) {
        (true, ..) => return if is_signalling(x) { 1 } else { 2 },
        (_, true, ..) => (2, 9),
        (_, _, true, _) => (5, 6),
        (.., true) => (4, 7),
        _ => (3, 8),
    };
    1 << if negative { bit.0 } else { bit.1 }
}

/// Returns the result of an approximation. No document tells the last bits, so they are those of the exact result, or cut to the
/// documented accuracy ("2^29 ulp").
pub fn approximate(exact: f64, cut: bool) -> f64 {
    let is_special = !exact.is_finite() || exact == 0.0;
    if cut && !is_special { f64::from_bits(exact.to_bits() & !0x0fff_ffff) } else { exact }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sequence that Clang makes of a division.
    fn divided(n: f64, d: f64, cut: bool) -> f64 {
        let (ds, _) = div_scale(d, d, n);
        let (ns, scaled) = div_scale(n, d, n);
        let r = approximate(1.0 / ds, cut);
        let r = (-ds).mul_add(r, 1.0).mul_add(r, r);
        let r = (-ds).mul_add(r, 1.0).mul_add(r, r);
        let q = ns * r;
        div_fixup(div_fmas((-ds).mul_add(q, ns), r, q, scaled), d, n)
    }

    #[test]
    fn quotients_are_rounded_correctly_whatever_the_approximation_is() {
        let mut bits = 0x1234_5678_9abc_def1u64;
        let mut next = || {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            bits
        };
        for _ in 0..200_000 {
            let exponents =
                |spread: u64, x: u64| (x & !(0x7ff << 52)) | ((1023 - spread / 2 + (x >> 52) % spread) << 52);
            let (n, d) = (f64::from_bits(exponents(600, next())), f64::from_bits(exponents(600, next())));
            for cut in [false, true] {
                assert_eq!(divided(n, d, cut).to_bits(), (n / d).to_bits(), "{n:e} / {d:e}");
            }
        }
        for (n, d) in
            [(1.0, 3e-310), (1e-300, 1e200), (1e300, 1e-300), (1e300, 1e-5), (0.0, 2.0), (3.0, 0.0), (1e-320, 3.0)]
        {
            assert_eq!(divided(n, d, false).to_bits(), (n / d).to_bits(), "{n:e} / {d:e}");
        }
    }

    #[test]
    fn powers_of_two_scale_with_one_rounding() {
        assert_eq!(ldexp(3.0, -1075), 3.0 * 2f64.powi(-500) * 2f64.powi(-575));
        assert_eq!(ldexp(1.5, 1023), 1.5 * 2f64.powi(1023));
        assert_eq!(ldexp(1.5, 1024), f64::INFINITY);
        assert_eq!(ldexp(-5e-324, 1074), -1.0);
        assert_eq!(ldexp(-1.0, -2000).to_bits(), (-0.0f64).to_bits());
        assert_eq!((mantissa(6.0), exponent_of(6.0)), (0.75, 3));
        assert_eq!((mantissa(5e-324), exponent_of(5e-324)), (0.5, -1073));
        let classes = [f64::NAN, -1.0, 5e-324, -0.0, f64::NEG_INFINITY].map(class);
        assert_eq!(classes, [2, 8, 128, 32, 4]);
    }
}
