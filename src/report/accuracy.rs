//! Promises of a form, in words.

/// Such as `relative error at most 9.8e-5 from 200 to 4000 K, rounding aside`, of a bound and the kelvins between which it holds; none
/// where it holds at every temperature.
pub fn accuracy(bound: f64, range: Option<[f64; 2]>) -> String {
    match range {
        Some([coldest, hottest]) if bound > 0.0 => {
            format!("relative error at most {} from {coldest} to {hottest} K, rounding aside", rounded_up(bound))
        }
        Some([coldest, hottest]) => {
            format!("exact to rounding; proven to stay in the range of doubles from {coldest} to {hottest} K")
        }
        None if bound > 0.0 => format!("relative error at most {}, rounding aside", rounded_up(bound)),
        None => "exact to rounding".into(),
    }
}

/// Two digits that are not less, beyond the rounding of doubles.
pub fn rounded_up(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let exponent = x.log10().floor();
    let digits = (x * 10f64.powf(1.0 - exponent) * (1.0 - 1e-13)).ceil();
    if digits < 100.0 { format!("{}e{exponent}", digits / 10.0) } else { format!("1e{}", exponent + 1.0) }
}

/// Two digits of a limit: the allowance for rounding, a millionth of it, does not make 1.1e-4 of 1e-4.
pub fn allowed(x: f64) -> String {
    rounded_up(x * (1.0 - 1e-6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_told_with_and_without_a_range() {
        assert_eq!(accuracy(4.05e-5, None), "relative error at most 4.1e-5, rounding aside");
        assert_eq!(accuracy(0.0, None), "exact to rounding");
        assert!(
            accuracy(4.05e-5, Some([200.0, 4000.0])).starts_with("relative error at most 4.1e-5 from 200 to 4000 K")
        );
        assert!(accuracy(0.0, Some([200.0, 4000.0])).starts_with("exact to rounding"));
    }

    #[test]
    fn a_limit_is_told_as_it_was_given() {
        assert_eq!([1e-4, 1e-4 + 1e-12, 1.01e-4].map(allowed), ["1e-4", "1e-4", "1.1e-4"]);
    }

    #[test]
    fn a_bound_is_never_printed_as_less() {
        for (x, text) in [
            (9.71e-5, "9.8e-5"),
            (9.999e-5, "1e-4"),
            (1.0001e-4, "1.1e-4"),
            (1e-12, "1e-12"),
            (3e-16, "3e-16"),
            (0.0, "0"),
        ] {
            assert_eq!(rounded_up(x), text);
            assert!(text.parse::<f64>().unwrap() >= x * (1.0 - 1e-13));
        }
    }
}
