//! Numbers of eight bits: converted to doubles, which hold each of them, and back with one rounding.

use ptx::packed::Byte;

/// Returns the value of the lowest eight bits.
pub(super) fn value(bits: u64, format: Byte) -> f64 {
    let Format { mantissa, bias, .. } = Format::new(format);
    let (exponent, fraction) = ((bits & 0x7f) >> mantissa, bits & ((1 << mantissa) - 1));
    let magnitude = match (format, exponent, fraction) {
        (Byte::E4m3, 15, 7) | (Byte::E5m2, 31, 1..) => f64::NAN,
        (Byte::E5m2, 31, 0) => f64::INFINITY,
        (_, 0, fraction) => fraction as f64 * 2f64.powi(1 - bias - mantissa),
        (_, e, fraction) => ((1 << mantissa) + fraction) as f64 * 2f64.powi(e as i32 - bias - mantissa),
    };
    if bits >> 7 & 1 == 1 { -magnitude } else { magnitude }
}

/// Returns the bits of the nearest number, ties to even; values beyond the largest become the largest (`satfinite`). With `relu` negative ones become 0.
pub(super) fn nearest(x: f64, format: Byte, relu: bool) -> u64 {
    let Format { mantissa, bias, largest } = Format::new(format);
    if x.is_nan() {
        return 0x7f;
    }
    if relu && x <= 0.0 {
        return 0;
    }
    let sign = u64::from(x.is_sign_negative()) << 7;
    let size = x.abs().min(largest);
    // the exponent of a normal double; smaller ones round to 0
    let exponent = ((size.to_bits() >> 52) as i32 - 1023).max(1 - bias);
    let units = (size * 2f64.powi(mantissa - exponent)).round_ties_even() as u64;
    // a carry out of the mantissa raises the exponent by itself
    let magnitude = if units < 1 << mantissa { units } else { units + (((exponent + bias - 1) as u64) << mantissa) };
    sign | magnitude
}

struct Format {
    mantissa: i32,
    bias: i32,
    largest: f64,
}

impl Format {
    fn new(format: Byte) -> Self {
        match format {
            Byte::E4m3 => Self { mantissa: 3, bias: 7, largest: 448.0 },
            Byte::E5m2 => Self { mantissa: 2, bias: 15, largest: 57344.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All numbers survive, every midpoint goes to the even neighbour, and what is too large becomes the largest.
    #[test]
    fn values_and_bits_are_inverse() {
        for format in [Byte::E4m3, Byte::E5m2] {
            for bits in 0..0x7fu64 {
                let x = value(bits, format);
                if !x.is_finite() {
                    continue;
                }
                assert_eq!((nearest(x, format, false), nearest(-x, format, false)), (bits, bits | 0x80), "{bits:x}");
                let above = value(bits + 1, format);
                if above.is_finite() {
                    assert_eq!(nearest((x + above) / 2.0, format, false), bits + bits % 2, "{bits:x}");
                }
            }
            assert!(value(0x7f, format).is_nan());
            assert_eq!(value(nearest(1e9, format, false), format), Format::new(format).largest);
            assert_eq!((nearest(f64::NAN, format, true), nearest(-3.0, format, true)), (0x7f, 0));
        }
        assert_eq!((value(0x7e, Byte::E4m3), value(0x08, Byte::E4m3)), (448.0, 0.015625));
        assert_eq!((value(0x7b, Byte::E5m2), value(0x04, Byte::E5m2)), (57344.0, 2f64.powi(-14)));
    }
}
