//! Reals as Fortran reads them, scaled by powers of ten without rounding twice, and their shortest decimal texts.

/// Reads a real: D exponents, an exponent without letter (`1.5-3`). Absent when it is malformed or not finite.
pub fn parse(text: &str) -> Option<f64> {
    scaled(text, 0)
}

/// Reads a real times `10^power`, correctly rounded because the power moves the exponent of the text.
pub fn scaled(text: &str, power: i32) -> Option<f64> {
    let (mantissa, exponent) = split(text)?;
    format!("{mantissa}E{}", exponent + i64::from(power)).parse().ok().filter(|x: &f64| x.is_finite())
}

/// Mantissa and exponent of a well-formed real.
fn split(text: &str) -> Option<(&str, i64)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let rest = unsigned.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let digits = &unsigned[..unsigned.len() - rest.len()];
    if !digits.contains(|c: char| c.is_ascii_digit()) || digits.matches('.').count() > 1 {
        return None;
    }
    let mantissa = &text[..text.len() - rest.len()];
    if rest.is_empty() {
        return Some((mantissa, 0));
    }
    let exponent = rest.strip_prefix(['E', 'e', 'D', 'd']).unwrap_or(rest);
    let figures = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let bare = exponent.len() == rest.len() && figures.len() == exponent.len();
    if bare || figures.is_empty() || !figures.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // Ten figures are beyond every double; the clamp keeps the sum with `power` in range.
    let size = if figures.len() > 10 && figures.trim_start_matches('0').len() > 10 {
        9_999_999_999
    } else {
        figures.parse::<i64>().ok()?
    };
    Some((mantissa, if exponent.starts_with('-') { -size } else { size }))
}

/// Sign, digits without point, and the power of ten of the last one, of the shortest decimal that reads back as `x`.
fn decimal(x: f64) -> (&'static str, String, i32) {
    let text = format!("{:e}", x.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.replace('.', "");
    let power = exponent.parse::<i32>().unwrap_or(0) - (digits.len() as i32 - 1);
    (if x.is_sign_negative() { "-" } else { "" }, digits, power)
}

/// The shortest text that reads back as `x`, plain where that is readable.
pub fn shortest(x: f64) -> String {
    let plain = format!("{x}");
    if plain.trim_start_matches('-').len() <= 9 { plain } else { scientific(x, 0) }
}

/// `x` times `10^power`, exactly, in the form `1.234E+05`.
pub fn scientific(x: f64, power: i32) -> String {
    let (sign, digits, last) = decimal(x);
    if x == 0.0 {
        return format!("{sign}0");
    }
    let exponent = last + digits.len() as i32 - 1 + power;
    let (head, tail) = digits.split_at(1);
    let point = if tail.is_empty() { "0" } else { tail };
    format!("{sign}{head}.{point}E{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// A text of at most `width` characters that reads back as `x`; absent when there is none.
pub fn fitted(x: f64, width: usize) -> Option<String> {
    let common = format!("{x:.8E}");
    if let Some((mantissa, exponent)) = common.split_once('E') {
        let size: i32 = exponent.parse().unwrap_or(0);
        let text = format!("{mantissa}E{}{:02}", if size < 0 { '-' } else { '+' }, size.abs());
        if text.len() <= width && parse(&text) == Some(x) {
            return Some(text);
        }
    }
    let (sign, digits, last) = decimal(x);
    let forms = (0..=digits.len()).map(|point| {
        let (head, tail) = digits.split_at(digits.len() - point);
        let exponent = last + point as i32;
        let dot = if point == 0 && exponent != 0 { "" } else { "." };
        if exponent == 0 { format!("{sign}{head}{dot}{tail}") } else { format!("{sign}{head}{dot}{tail}E{exponent}") }
    });
    let plain = format!("{x}");
    forms.chain([plain]).filter(|text| text.len() <= width && parse(text) == Some(x)).min_by_key(String::len)
}

/// The text of at most `width` characters that is nearest to `x`, with as many digits as fit.
pub fn nearest(x: f64, width: usize) -> String {
    let forms = (0..=width).flat_map(|digits| [format!("{x:.digits$E}"), format!("{x:.digits$}")]);
    let error = |text: &String| parse(text).map_or(f64::INFINITY, |read| (read - x).abs());
    let fitting = forms.filter(|text| text.len() <= width);
    fitting.min_by(|a, b| error(a).total_cmp(&error(b))).unwrap_or_else(|| format!("{x:.8E}"))
}

/// The shortest decimal that `convert` maps to `value`, sought around `guess`; absent when there is none.
pub fn preimage(value: f64, guess: f64, convert: impl Fn(f64) -> f64) -> Option<f64> {
    for digits in 0..16 {
        let rounded: f64 = format!("{guess:.digits$e}").parse().ok()?;
        if convert(rounded) == value {
            return Some(rounded);
        }
    }
    let (mut below, mut above) = (guess, guess);
    for _ in 0..8 {
        if let Some(found) = [below, above].into_iter().find(|x| convert(*x) == value) {
            return Some(found);
        }
        (below, above) = (below.next_down(), above.next_up());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fortran_reals_are_read() {
        for (text, value) in [
            ("1.5", 1.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("-1.80d10", -1.8e10),
            ("+2.E+3", 2000.0),
            ("1.5-3", 1.5e-3),
            ("1E-999", 0.0),
        ] {
            assert_eq!(parse(text), Some(value), "{text}");
        }
        for text in ["", ".", "-", "1.2.3", "1E", "E5", "inf", "nan", "1e400", "0x10", "1_0", "1E99999999999999999999"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(x in proptest::num::f64::NORMAL, power in -9i32..9) {
            prop_assert_eq!(parse(&shortest(x)), Some(x));
            if (1e-250..1e250).contains(&x.abs()) {
                prop_assert_eq!(scaled(&scientific(x, power), -power), Some(x));
            }
        }

        #[test]
        fn what_came_from_a_column_fits_into_it(text in "-?[0-9]{0,3}\\.[0-9]{1,7}(E[+-][0-9]{1,2})?") {
            prop_assume!(text.len() <= 15);
            let x = parse(&text).ok_or_else(|| TestCaseError::fail("unreadable"))?;
            let printed = fitted(x, 15).ok_or_else(|| TestCaseError::fail("does not fit"))?;
            prop_assert_eq!(parse(&printed), Some(x));
        }
    }
}
