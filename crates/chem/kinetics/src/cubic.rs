//! Cubics, which fits are.

/// A cubic in `x`, coefficients ascending.
pub fn cubic(c: &[f64; 4], x: f64) -> f64 {
    c[0] + x * (c[1] + x * (c[2] + x * c[3]))
}
