//! Constants for which machine code has room in its instructions.
//!
//! An instruction on doubles takes the upper half of a constant as it stands (NVIDIA, CUDA Binary Utilities, lists such operands as
//! immediate); the lower half is then zero. A constant with 21 digits to the base 2 costs nothing there, any other an access
//! to memory. So approximations take short coefficients wherever the proof of their error holds with these.

/// Largest relative distance of a number from its short one, where neither is denormal.
pub const DISTANCE: f64 = 1.0 / (1u64 << 21) as f64;

/// The nearest number whose lower half is zero. What is not finite, or would not be, stays as it is.
pub fn short(x: f64) -> f64 {
    let rounded = f64::from_bits((x.to_bits().wrapping_add(1 << 31)) & (u64::MAX << 32));
    if x.is_finite() && rounded.is_finite() { rounded } else { x }
}

/// [`short`] of each.
pub fn all(numbers: &[f64]) -> Vec<f64> {
    numbers.iter().copied().map(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_half_is_zero_and_the_distance_is_bounded() {
        for x in [1.0, -1.0, std::f64::consts::PI, -1e-200, 6.02e23, 1.0 + f64::EPSILON, 2.0 - f64::EPSILON] {
            let found = short(x);
            assert_eq!(found.to_bits() as u32, 0, "{x}");
            assert!((found / x - 1.0).abs() <= DISTANCE, "{x} {found}");
        }
        assert_eq!(short(0.0).to_bits(), 0);
    }

    #[test]
    fn what_has_no_short_number_stays() {
        for x in [f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(short(x), x);
        }
        assert!(short(f64::NAN).is_nan());
    }
}
