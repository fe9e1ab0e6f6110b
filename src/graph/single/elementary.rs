//! e^x and ln x in single precision. `tests/precision.rs` goes through all arguments.

/// Largest magnitude of the argument of [`exp`]: the result is normal.
pub const POWER_LIMIT: f32 = 87.0;
/// Between these [`log`] is proven: temperatures.
pub const LOG_FIRST: f32 = 64.0;
pub const LOG_LAST: f32 = 16384.0;

/// 1.5 * 2^23: adding it rounds to the nearest integer.
const MAGIC: f32 = 12_582_912.0;
/// ln 2 = the sum of both; the product with n is fused.
const LN2_HIGH: f32 = std::f32::consts::LN_2;
const LN2_LOW: f32 = (std::f64::consts::LN_2 - LN2_HIGH as f64) as f32;
/// 1/7!, 1/6!, ..., 1/0!
const POWER: [f32; 8] = [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
/// 2/9, 2/7, 2/5, 2/3
const LOGARITHM: [f32; 4] = [2.0 / 9.0, 2.0 / 7.0, 0.4, 2.0 / 3.0];
/// Bits of sqrt(1/2): mantissas are reduced to [sqrt(1/2), sqrt(2)).
const SPLIT: i32 = 0x3f35_04f3;

/// e^x for |x| <= [`POWER_LIMIT`].
pub fn exp(x: f32) -> f32 {
    let n = x.mul_add(std::f32::consts::LOG2_E, MAGIC) - MAGIC;
    let r = n.mul_add(-LN2_LOW, n.mul_add(-LN2_HIGH, x));
    let p = POWER.into_iter().reduce(|p, c| p.mul_add(r, c)).expect("a polynomial has coefficients");
    f32::from_bits(p.to_bits().wrapping_add_signed((n as i32) << 23))
}

/// ln x for x from [`LOG_FIRST`] to [`LOG_LAST`].
pub fn log(x: f32) -> f32 {
    let k = (x.to_bits() as i32 - SPLIT) >> 23;
    let f = f32::from_bits((x.to_bits() as i32 - (k << 23)) as u32) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let r = LOGARITHM.into_iter().reduce(|p, c| p.mul_add(z, c)).expect("a polynomial has coefficients");
    // ln m = f - s (f - z r)
    let rest = (-s).mul_add((-z).mul_add(r, f), (k as f32) * LN2_LOW) + f;
    (k as f32).mul_add(LN2_HIGH, rest)
}
