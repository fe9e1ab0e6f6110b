//! Powers and logarithms in single precision. `crates/warps/schedule/tests/precision.rs` goes through all arguments; the C++ of `templates/cpu/singe_single.h.hbs`
//! takes the same steps, so that both give the same bits.

use super::super::body::{RealFunction, Unary};
use super::super::interpret::Arithmetic;

/// Largest magnitude of the argument of [`exp`] and of [`exp2`] whose result is normal; what is beyond gives infinity or 0.
pub const EXP_LIMIT: f32 = 87.0;
pub const EXP2_LIMIT: f32 = 126.0;
/// Between these the error of logarithms is proven: temperatures.
pub const LOG_FIRST: f32 = 64.0;
pub const LOG_LAST: f32 = 16384.0;

/// 1.5 * 2^23: adding it rounds to the nearest integer.
pub const MAGIC: f32 = 12_582_912.0;
const LN2_HIGH: f32 = std::f32::consts::LN_2;
const LN2_LOW: f32 = (std::f64::consts::LN_2 - LN2_HIGH as f64) as f32;
/// ln 2 is the sum of both; the product of the first with a whole number is fused.
pub const LN2: [f32; 2] = [LN2_HIGH, LN2_LOW];
/// (e^r - 1)/r for |r| <= 0.35 and (2^r - 1)/r for |r| <= 0.5, highest power first: Chebyshev's interpolants, relative errors of the
/// powers 1.1e-8 and 9.2e-9.
pub const EXP: [f32; 6] = [0.001_393_454_1, 0.008_369_87, 0.041_666_456, 0.166_664_99, 0.5, 1.0];
pub const EXP2: [f32; 6] =
    [0.000_154_531_63, 0.001_339_086_3, 0.009_618_083, 0.055_503_57, 0.240_226_5, std::f32::consts::LN_2];
/// 2/9, 2/7, 2/5, 2/3
pub const LOG: [f32; 4] = [2.0 / 9.0, 2.0 / 7.0, 0.4, 2.0 / 3.0];
/// log2 m / s with s = (m - 1)/(m + 1), of s^2: relative error 1.3e-8.
pub const LOG2: [f32; 4] = [0.431_829_3, 0.576_711_06, 0.961_798_85, 2.885_39];
/// Bits of sqrt(1/2): mantissas are reduced to [sqrt(1/2), sqrt(2)).
pub const SPLIT: u32 = 0x3f35_04f3;

impl Arithmetic for f32 {
    fn rounded(x: f64) -> Self {
        x as Self
    }

    fn widened(self) -> f64 {
        self.into()
    }

    fn unary(op: Unary, x: Self) -> Self {
        match op.real_function() {
            RealFunction::Neg => -x,
            RealFunction::Sqrt => x.sqrt(),
            RealFunction::Positive if x < 0.0 => 0.0,
            RealFunction::Positive => x,
            RealFunction::Exp => exp(x),
            RealFunction::Log => log(x),
            RealFunction::Log2 => log2(x),
            RealFunction::Exp2 => exp2(x),
            RealFunction::Exp2OfNegative => exp2(-x),
        }
    }

    fn mul_add(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
}

/// e^x
pub fn exp(x: f32) -> f32 {
    let shifted = x.mul_add(std::f32::consts::LOG2_E, MAGIC);
    let n = shifted - MAGIC;
    let r = n.mul_add(-LN2_LOW, n.mul_add(-LN2_HIGH, x));
    limited(x, EXP_LIMIT, horner(&EXP, r).mul_add(r, 1.0), shifted)
}

/// 2^x
pub fn exp2(x: f32) -> f32 {
    let shifted = x + MAGIC;
    let r = x - (shifted - MAGIC);
    limited(x, EXP2_LIMIT, horner(&EXP2, r).mul_add(r, 1.0), shifted)
}

/// ln x of a positive normal number; not a number of any other.
pub fn log(x: f32) -> f32 {
    let (k, m) = parts(x);
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    // ln m = f - s (f - z r)
    let rest = (-s).mul_add((-z).mul_add(horner(&LOG, z), f), k * LN2_LOW) + f;
    positive_normal(x, k.mul_add(LN2_HIGH, rest))
}

/// log2 x of a positive normal number; not a number of any other.
pub fn log2(x: f32) -> f32 {
    let (k, m) = parts(x);
    let f = m - 1.0;
    let s = f / (2.0 + f);
    positive_normal(x, s.mul_add(horner(&LOG2, s * s), k))
}

/// p 2^n, whose n is in the last bits of what it was rounded in. Beyond the limits 0 or infinity; of what is no number no number.
fn limited(x: f32, limit: f32, p: f32, shifted: f32) -> f32 {
    let power = f32::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 23));
    match x <= limit {
        true if x < -limit => 0.0,
        true => power,
        false => x + f32::INFINITY,
    }
}

/// x = 2^k m
fn parts(x: f32) -> (f32, f32) {
    let bits = x.to_bits();
    let k = bits.wrapping_sub(SPLIT) as i32 >> 23;
    (k as f32, f32::from_bits(bits.wrapping_sub((k as u32) << 23)))
}

fn positive_normal(x: f32, logarithm: f32) -> f32 {
    if (f32::MIN_POSITIVE..=f32::MAX).contains(&x) { logarithm } else { f32::NAN }
}

fn horner<const N: usize>(coefficients: &[f32; N], x: f32) -> f32 {
    coefficients[1..].iter().fold(coefficients[0], |p, &c| p.mul_add(x, c))
}
