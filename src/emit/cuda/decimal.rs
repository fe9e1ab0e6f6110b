//! Decimals that compilers read as another double than the one they stand for.

/// Whether the shortest decimal of a finite `x` is as far from `x` as the middle between `x` and a neighbour, within 1/512 of
/// their distance. A compiler that rounds to 64 bits before it rounds to 53 may then take the neighbour, as NVRTC 11.8 does
/// for `2.91861888317245e-9`: the first rounding moves a number by at most 1/2048 of that distance.
pub fn is_near_a_middle(x: f64) -> bool {
    let (x, shortest) = (x.abs(), format!("{:e}", x.abs()));
    let (Some(shortest), Some(exact)) = (digits(&shortest), digits(&format!("{x:.25e}"))) else { return true };
    if shortest == exact {
        return false;
    }
    let neighbour = if shortest.0 < exact.0 { x.next_down() } else { x.next_up() };
    let Some(neighbour) = digits(&format!("{neighbour:.25e}")) else { return true };
    if shortest.1 != exact.1 || neighbour.1 != exact.1 {
        // The three have another number of digits before the point.
        return true;
    }
    let (error, distance) = (shortest.0.abs_diff(exact.0), neighbour.0.abs_diff(exact.0));
    (2 * error).abs_diff(distance) * 512 <= distance
}

/// 26 digits of a decimal in scientific notation, and its exponent.
fn digits(text: &str) -> Option<(u128, i32)> {
    let (mantissa, exponent) = text.split_once('e')?;
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    Some((format!("{digits:0<26}").parse().ok()?, exponent.parse().ok()?))
}
