//! The types of a text's numbers, and how they are written.

use super::tables;
use kernels::Io;
use lower::code::Code;

/// Numbers that a text computes with, and numbers that its arrays hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers {
    pub computed: Io,
    pub io: Io,
}

impl Numbers {
    pub fn from_code(code: &Code) -> Self {
        Self { computed: code.arithmetic.number(), io: code.io() }
    }

    pub fn are_single(self) -> bool {
        self.computed == Io::Single
    }

    /// The type of computed numbers.
    pub fn real(self) -> &'static str {
        self.computed.c_type()
    }

    /// A number that is computed with.
    pub fn literal(self, x: f64) -> String {
        if self.are_single() { single(x as f32) } else { tables::real(x) }
    }

    /// The intrinsic of an operation that no option makes another one of.
    pub fn product(self) -> &'static str {
        if self.are_single() { "__fmul_rn" } else { "__dmul_rn" }
    }

    pub fn fma(self) -> &'static str {
        if self.are_single() { "__fmaf_rn" } else { "fma" }
    }

    pub fn square_root(self) -> &'static str {
        if self.are_single() { "__fsqrt_rn" } else { "sqrt" }
    }
}

/// A single with nine digits, far from the middle between two singles; what has no literal is spelt as a device function of its bits.
fn single(x: f32) -> String {
    if !x.is_finite() {
        return format!("__int_as_float({:#010x})", x.to_bits());
    }
    let short = format!("{x:?}f");
    if short.len() < 12 && x.to_string().parse() == Ok(f64::from(x)) { short } else { format!("{x:.8e}f") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singles_read_back_as_the_same_bits() {
        for x in [0.1f32, -0.0, 1.0, 12_582_912.0, 1e-38, f32::MAX, f32::MIN_POSITIVE, 1.0 / 3.0, -273.15] {
            let text = single(x);
            let read: f32 = text.trim_end_matches('f').parse().unwrap();
            assert_eq!(read.to_bits(), x.to_bits(), "{text}");
            // Through a double, as a reader may go that rounds twice.
            let read: f64 = text.trim_end_matches('f').parse().unwrap();
            assert_eq!((read as f32).to_bits(), x.to_bits(), "{text}");
            assert!(text.contains(['.', 'e']) && text.ends_with('f'), "{text} would be no single");
        }
        assert_eq!(single(0.5), "0.5f");
        assert_eq!(single(f32::INFINITY), "__int_as_float(0x7f800000)");
    }
}
