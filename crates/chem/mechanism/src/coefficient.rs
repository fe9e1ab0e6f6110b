//! The stoichiometric coefficient before the name of a species: `2`, `.5`, `5.00E-01`.

use super::number;

/// Returns the possible ends of a coefficient at the beginning of a text, with its values, from the shortest to the longest.
pub fn prefixes(text: &str) -> impl Iterator<Item = (usize, f64)> {
    let is_figure = |b: &u8| b.is_ascii_digit() || b".+-EeDd".contains(b);
    let reach = text.bytes().take(LONGEST).take_while(is_figure).count();
    (1..=reach).filter_map(|end| Some((end, value(&text[..end])?)))
}

/// Number of characters of a coefficient that are looked at.
pub const LONGEST: usize = 24;

/// A number without a sign of its own, whose exponent has its letter.
fn value(text: &str) -> Option<f64> {
    let has_letter = |sign: usize| text[..sign].ends_with(['E', 'e', 'D', 'd']);
    text.find(['+', '-']).is_none_or(has_letter).then(|| number::parse(text))?
}

#[cfg(test)]
mod tests {
    use super::prefixes;

    #[test]
    fn a_coefficient_ends_where_a_number_may_end() {
        let found = |text: &str| prefixes(text).collect::<Vec<_>>();
        assert_eq!(found("2OH"), [(1, 2.0)]);
        assert_eq!(found(".5E-1O2"), [(2, 0.5), (5, 0.05)]);
        assert_eq!(found("1.5E+00CH4").last(), Some(&(7, 1.5)));
        assert_eq!(found("1-C4H8"), [(1, 1.0)]);
        assert_eq!(found("CH4"), []);
        assert_eq!(found("+CH4"), []);
    }
}
