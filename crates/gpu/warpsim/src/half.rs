//! Half precision: both formats as doubles, which hold every number of theirs, and back with one rounding.

use ptx::inst::Rounding;
use ptx::packed::Element;

/// Returns the value of the lowest 16 bits.
pub(super) fn value(bits: u64, element: Element) -> f64 {
    let Format { mantissa, bias, .. } = Format::new(element);
    let (bits, exponent) = (bits & 0xffff, (bits & 0x7fff) >> mantissa);
    let fraction = (bits & ((1 << mantissa) - 1)) as f64;
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(1 - bias - mantissa),
        e if e == (1 << (15 - mantissa)) - 1 => return special(fraction == 0.0, bits >> 15 == 1),
        e => (fraction + 2f64.powi(mantissa)) * 2f64.powi(e as i32 - bias - mantissa),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// Returns the bits of the format's number next to `x`, in the wanted direction. `rest`, which is smaller than half a unit in the
/// last place of `x`, belongs to the value too.
pub(super) fn bits(x: f64, rest: f64, element: Element, rounding: Rounding) -> u64 {
    let Format { mantissa, bias, nan } = Format::new(element);
    if x.is_nan() {
        return nan;
    }
    let sign = u64::from(x.is_sign_negative()) << 15;
    let infinity = ((1u64 << (15 - mantissa)) - 1) << mantissa;
    if x.is_infinite() {
        return sign | infinity;
    }
    let (size, rest) = (x.abs(), if x < 0.0 { -rest } else { rest });
    // the distance of the numbers around it
    let exponent = if size == 0.0 { 1 - bias } else { exponent(size).max(1 - bias) };
    // the numbers just below a power of two lie closer together
    let below = rest < 0.0 && size == 2f64.powi(exponent) && exponent > 1 - bias;
    let exponent = if below { exponent - 1 } else { exponent };
    let scaled = size * 2f64.powi(mantissa - exponent);
    let (whole, part) = (scaled.floor(), scaled - scaled.floor());
    let inexact = part != 0.0 || rest != 0.0;
    // just below a number of the format
    let (whole, part) = if part == 0.0 && rest < 0.0 { (whole - 1.0, 0.75) } else { (whole, part) };
    let up = match rounding {
        Rounding::Rz => false,
        Rounding::Rp => inexact && sign == 0,
        Rounding::Rm => inexact && sign != 0,
        _ if part == 0.5 && rest == 0.0 => whole % 2.0 == 1.0,
        _ if part == 0.5 => rest > 0.0,
        _ => part > 0.5,
    };
    let units = whole as u64 + u64::from(up);
    // a carry out of the mantissa raises the exponent by itself
    let magnitude = match units < 1 << mantissa {
        true => units,
        false => units + (((exponent + bias - 1) as u64) << mantissa),
    };
    let most = match (rounding, sign == 0) {
        (Rounding::Rz, _) | (Rounding::Rp, false) | (Rounding::Rm, true) => infinity - 1,
        _ => infinity,
    };
    sign | magnitude.min(most)
}

struct Format {
    mantissa: i32,
    bias: i32,
    /// The NaN that arithmetic makes.
    nan: u64,
}

impl Format {
    fn new(element: Element) -> Self {
        match element {
            Element::Bf16 => Self { mantissa: 7, bias: 127, nan: 0x7fff },
            _ => Self { mantissa: 10, bias: 15, nan: 0x7fff },
        }
    }
}

fn special(infinite: bool, negative: bool) -> f64 {
    match (infinite, negative) {
        (false, _) => f64::NAN,
        (true, false) => f64::INFINITY,
        (true, true) => f64::NEG_INFINITY,
    }
}

/// Returns the exponent of a normal or subnormal double that is not 0.
fn exponent(size: f64) -> i32 {
    match (size.to_bits() >> 52) as i32 {
        0 => -1074 + (63 - size.to_bits().leading_zeros() as i32),
        e => e - 1023,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All numbers of both formats survive, and every midpoint goes to the even neighbour.
    #[test]
    fn values_and_bits_are_inverse() {
        for element in [Element::F16, Element::Bf16] {
            for word in 0..0x8000u64 {
                let x = value(word, element);
                if x.is_nan() {
                    assert_eq!(bits(x, 0.0, element, Rounding::Rn), 0x7fff);
                    continue;
                }
                for rounding in [Rounding::Rn, Rounding::Rz, Rounding::Rp, Rounding::Rm] {
                    assert_eq!(bits(x, 0.0, element, rounding), word, "{element:?} {word:x}");
                    assert_eq!(bits(-x, 0.0, element, rounding), word | 0x8000, "{element:?} {word:x}");
                }
                let next = value(word + 1, element);
                if next.is_finite() {
                    let middle = (x + next) / 2.0;
                    assert_eq!(bits(middle, 0.0, element, Rounding::Rn), word + (word & 1), "{element:?} {word:x}");
                    assert_eq!(bits(middle, 1e-300, element, Rounding::Rn), word + 1);
                    assert_eq!(bits(middle, -1e-300, element, Rounding::Rn), word);
                    assert_eq!(bits(next, -1e-300, element, Rounding::Rz), word);
                    assert_eq!(bits(middle, 0.0, element, Rounding::Rp), word + 1);
                    assert_eq!(bits(-middle, 0.0, element, Rounding::Rp), word | 0x8000);
                }
            }
        }
    }

    /// By the format's definition, 65504 is the largest number of 16 bits, and 65520 the middle between it and the next one, which the format lacks.
    #[test]
    fn too_large_is_infinite() {
        let f16 = |x: f64, rounding| bits(x, 0.0, Element::F16, rounding);
        assert_eq!(f16(65519.9, Rounding::Rn), 0x7bff);
        assert_eq!(f16(65520.0, Rounding::Rn), 0x7c00);
        assert_eq!(f16(1e9, Rounding::Rz), 0x7bff);
        assert_eq!(f16(-1e9, Rounding::Rp), 0xfbff);
        assert_eq!(f16(1e-9, Rounding::Rp), 1);
    }
}
