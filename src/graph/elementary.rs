//! Our own `exp` and `log`: range-reduced polynomials, the same operations in the interpreter, the CUDA text and the IR.
//!
//! Every step below is one IEEE-754 operation in the order given, so the three give the same bits. Error: below 1 ulp,
//! tested. The coefficients are Chebyshev fits made with 60 digits (relative errors 3e-18 and 2e-18).

/// 1.5 * 2^52: adding it rounds to the nearest integer, which then stands in the low word.
pub const ROUND_MAGIC: f64 = 6755399441055744.0;
pub const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// ln 2 = `EXP_LN2_HI` + `EXP_LN2_LO`, both full precision (the product with n is fused).
pub const EXP_LN2_HI: f64 = std::f64::consts::LN_2;
pub const EXP_LN2_LO: f64 = 2.3190468138462996e-17;
/// exp(r) on |r| <= ln2/2, ascending.
pub const EXP_COEFFICIENTS: [f64; 12] = [
    1.0,
    1.0,
    0.5000000000000019,
    0.1666666666666668,
    0.04166666666648795,
    0.008333333333319589,
    0.0013888888952352863,
    0.00019841269890076403,
    2.4801485441561313e-05,
    2.755724088722987e-06,
    2.763265472252779e-07,
    2.5110049204818658e-08,
];
/// High word of 708.0: from here on `exp` gives 0 or infinity, so that its result is always a normal number.
pub const EXP_LIMIT_HIGH_WORD: u32 = 0x4086_2000;

/// ln 2 = `LOG_LN2_HI` + `LOG_LN2_LO`; the high part has 24 trailing zero bits, so k * `LOG_LN2_HI` is exact.
pub const LOG_LN2_HI: f64 = 0.6931471787393093;
pub const LOG_LN2_LO: f64 = 1.8206359985041462e-09;
/// (ln((1+s)/(1-s)) - 2s)/s^3 as a polynomial in s^2, ascending.
pub const LOG_COEFFICIENTS: [f64; 8] = [
    0.6666666666666666,
    0.40000000000000885,
    0.28571428570799784,
    0.22222222392581045,
    0.18181795547521137,
    0.15386244737621665,
    0.13268638369266825,
    0.13088034850927555,
];
/// High word of sqrt(1/2): mantissas are reduced to [sqrt(1/2), sqrt(2)).
pub const LOG_SPLIT_HIGH_WORD: u32 = 0x3fe6_a09e;

/// High word of the least positive normal number, and how many high words positive normal numbers have.
pub const LEAST_NORMAL_HIGH_WORD: u32 = 0x0010_0000;
pub const NORMAL_HIGH_WORDS: u32 = 0x7fe0_0000;
/// High word of minus infinity, signed: those of finite negative numbers are less.
pub const NEGATIVE_LIMIT_HIGH_WORD: i32 = -0x0010_0000;

/// e^x for |x| < 708; 0 below, infinity above; undefined for NaN.
pub fn exp(x: f64) -> f64 {
    let shifted = x.mul_add(LOG2_E, ROUND_MAGIC);
    let n = shifted.to_bits() as u32;
    let whole = shifted - ROUND_MAGIC;
    let r = whole.mul_add(-EXP_LN2_HI, x);
    let r = whole.mul_add(-EXP_LN2_LO, r);
    let mut p = EXP_COEFFICIENTS[11];
    for c in EXP_COEFFICIENTS[..11].iter().rev() {
        p = p.mul_add(r, *c);
    }
    let high = (p.to_bits() >> 32) as u32;
    let scaled = join(high.wrapping_add(n << 20), p.to_bits() as u32);
    let x_high = (x.to_bits() >> 32) as u32;
    if x_high & 0x7fff_ffff < EXP_LIMIT_HIGH_WORD {
        scaled
    } else {
        // 0x7ff00000 for x > 0, else 0
        join(if x_high >> 31 == 0 { 0x7ff0_0000 } else { 0 }, 0)
    }
}

/// ln x for positive normal x; not a number for any other argument.
pub fn log(x: f64) -> f64 {
    let high = (x.to_bits() >> 32) as u32;
    if !is_normal(high) {
        return f64::NAN;
    }
    // k = exponent such that x = 2^k m with m in [sqrt(1/2), sqrt(2))
    let k = (high.wrapping_sub(LOG_SPLIT_HIGH_WORD) as i32) >> 20;
    let m = join(high.wrapping_sub((k as u32) << 20), x.to_bits() as u32);
    let k = f64::from(k);
    let f = m - 1.0;
    let s = f / (m + 1.0);
    let z = s * s;
    let mut r = LOG_COEFFICIENTS[7];
    for c in LOG_COEFFICIENTS[..7].iter().rev() {
        r = r.mul_add(z, *c);
    }
    // ln m = f - s (f - z r), and 2s = f - s f
    let t = z.mul_add(-r, f);
    let low = s.mul_add(-t, k * LOG_LN2_LO);
    k.mul_add(LOG_LN2_HI, f + low)
}

/// Whether the high word is that of a positive normal number.
pub fn is_normal(high: u32) -> bool {
    high.wrapping_sub(LEAST_NORMAL_HIGH_WORD) < NORMAL_HIGH_WORDS
}

/// max(x, 0) by one integer comparison of the high word; what is not a number stays what it is, and so does minus infinity.
pub fn positive(x: f64) -> f64 {
    if (x.to_bits() >> 32) as i32 >= NEGATIVE_LIMIT_HIGH_WORD { x } else { 0.0 }
}

fn join(high: u32, low: u32) -> f64 {
    f64::from_bits(u64::from(high) << 32 | u64::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ulps(a: f64, b: f64) -> f64 {
        (a - b).abs() / (f64::from_bits(b.abs().to_bits() + 1) - b.abs())
    }

    #[test]
    fn positive_is_the_maximum_with_zero() {
        for x in [0.0, -0.0, 1.5, -1.5, 5e-324, -5e-324, f64::MAX, f64::MIN, f64::INFINITY] {
            assert_eq!(positive(x).to_bits(), f64::max(x, 0.0).abs().to_bits(), "{x}");
        }
    }

    #[test]
    fn what_is_not_a_number_stays_so() {
        // Of both signs, quiet and signalling, with all of the payload in the low word.
        for bits in [0x7ff8_0000_0000_0000, 0xfff8_0000_0000_0000, 0x7fff_ffff_ffff_ffff, 0xfff0_0000_0000_0001] {
            let x = f64::from_bits(bits);
            assert!(positive(x).is_nan() && log(x).is_nan() && crate::graph::log2::log2(x).is_nan(), "{bits:x}");
        }
    }

    #[test]
    fn only_positive_normal_numbers_have_a_logarithm() {
        for x in [0.0, -0.0, -1.0, f64::MIN, 5e-324, f64::MIN_POSITIVE.next_down(), f64::INFINITY, f64::NEG_INFINITY] {
            assert!(log(x).is_nan() && crate::graph::log2::log2(x).is_nan(), "{x:e}");
        }
        for x in [f64::MIN_POSITIVE, f64::MAX] {
            assert!(
                (log(x) / x.ln() - 1.0).abs() < 1e-15 && (crate::graph::log2::log2(x) / x.log2() - 1.0).abs() < 1e-15
            );
        }
    }

    #[test]
    fn exp_within_one_ulp() {
        let mut worst = 0.0f64;
        for i in 0..2_000_000 {
            let x = -707.9 + 1415.8 * (i as f64 / 2e6);
            worst = worst.max(ulps(exp(x), x.exp()));
        }
        assert!(worst <= 1.0, "{worst} ulp");
        assert_eq!((exp(-708.0), exp(708.0), exp(0.0)), (0.0, f64::INFINITY, 1.0));
    }

    #[test]
    fn log_within_one_ulp() {
        let mut worst = (0.0f64, 0.0);
        for i in 0..1_000_000 {
            for x in [(-700.0 + 1400.0 * (i as f64 / 1e6)).exp(), 0.5 + i as f64 * 1.5e-6] {
                if x != 1.0 {
                    let u = ulps(log(x), x.ln());
                    if u > worst.0 {
                        worst = (u, x);
                    }
                }
            }
        }
        assert!(worst.0 <= 1.0, "{worst:?}");
        assert_eq!(log(1.0), 0.0);
    }
}
