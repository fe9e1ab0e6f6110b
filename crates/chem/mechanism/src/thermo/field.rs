//! Fixed columns and free words of a record.

use crate::number;
use crate::report::Report;
use crate::syntax::Word;

/// As Fortran reads a field: blanks are ignored. `None`: malformed. `Some(None)`: blank.
pub fn real(field: &Word) -> Option<Option<f64>> {
    let text: String = field.text().chars().filter(|c| !c.is_whitespace()).collect();
    if text.is_empty() { Some(None) } else { number::parse(&text).map(Some) }
}

/// [`real`]; what is malformed is reported.
pub fn checked(field: &Word, species: &Word, width: usize, report: &mut Report) -> Option<Option<f64>> {
    let value = real(field);
    if value.is_none() {
        let message =
            format!("malformed number '{}' in the thermo data of species '{}'", field.text().trim(), species.text());
        let (_, first) = field.span().line_column();
        let last = first + field.text().chars().count() - 1;
        let help = format!(
            "it stands in columns {first}-{last}; coefficients have {width} columns each: look for a shifted or missing column"
        );
        report.error("thermo::malformed-number", message, &field.trimmed(), help);
    }
    value
}

pub fn split_at_column<'a>(field: &Word<'a>, column: usize) -> (Word<'a>, Word<'a>) {
    let text = field.text();
    let middle = text.char_indices().nth(column).map_or(text.len(), |(i, _)| i);
    let head = Word { len: middle, ..*field };
    (head.trimmed(), Word { offset: field.offset + middle, len: field.len - middle, ..*field })
}

pub fn words<'a>(line: &Word<'a>) -> impl Iterator<Item = Word<'a>> {
    let line = *line;
    let text = line.text();
    text.split_whitespace().map(move |word| {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        Word { offset: line.offset + start, len: word.len(), ..line }
    })
}
