//! Decimals that compilers read as another double than the one they stand for.

/// Whether the shortest decimal of a finite `x` is as far from `x` as the middle between `x` and a neighbour, within 1/512 of
/// their distance. A compiler that rounds to 64 bits before it rounds to 53 may then take the neighbour, as NVRTC 11.8 does
/// for `2.91861888317245e-9`: the first rounding moves a number by at most 1/2048 of that distance.
pub fn is_near_a_middle(x: f64) -> bool {
    let (x, shortest) = (x.abs(), format!("{:e}", x.abs()));
    let (shortest, exact) = (digits(&shortest), digits(&format!("{x:.25e}")));
    let lowest = exact.1 - 1;
    let [shortest, exact] = [shortest, exact].map(|number| aligned(number, lowest));
    if shortest == exact {
        return false;
    }
    let neighbour = if shortest < exact { x.next_down() } else { x.next_up() };
    let neighbour = aligned(digits(&format!("{neighbour:.25e}")), lowest);
    let (error, distance) = (shortest.abs_diff(exact), neighbour.abs_diff(exact));
    (2 * error).abs_diff(distance) * 512 <= distance
}

/// 26 digits of a decimal in scientific notation, and its exponent.
fn digits(text: &str) -> (u128, i32) {
    let (mantissa, exponent) = text.split_once('e').expect("scientific notation has an exponent");
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = format!("{digits:0<26}").parse().expect("digits are a number");
    (digits, exponent.parse().expect("an exponent is a number"))
}

/// The digits as multiples of the last of 26 digits at the exponent `lowest`, which is at most two below that of a neighbour.
fn aligned((digits, exponent): (u128, i32), lowest: i32) -> u128 {
    if digits == 0 { 0 } else { digits * 10_u128.pow((exponent - lowest).max(0).unsigned_abs()) }
}
