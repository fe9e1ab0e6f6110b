//! Characters that look like a blank, a minus sign or nothing, and are none: they come with text that was copied from
//! pages and word processors.

use super::report::Report;
use diagnostics::{Diagnostic, Source, Span};
use std::sync::Arc;

/// Names the first such character in what a diagnostic is about, and its column.
pub fn note(span: &Span) -> Option<String> {
    let (offset, text) = if span.len > 0 { (span.offset, span.text()) } else { line(span) };
    let (at, name) = text.char_indices().take(LONGEST).find_map(|(at, c)| Some((at, name(c)?)))?;
    let place = Span { offset: offset + at, len: 0, ..span.clone() };
    let (line, column) = place.line_column();
    Some(format!("{name} stands in line {line}, column {column}"))
}

/// Warns of no-break spaces where YAML wants blanks: at the beginning of a line, and behind `:`, `-` and `,`.
pub fn warn_of_no_break_spaces(source: &Arc<Source>, report: &mut Report) {
    let mut before = '\n';
    let mut in_comment = false;
    let mut found = 0;
    for (offset, c) in source.text.char_indices() {
        in_comment = c != '\n' && (in_comment || c == '#');
        if c == '\u{A0}' && !in_comment && matches!(before, '\n' | ':' | '-' | ',') && found < MOST {
            found += 1;
            let span = Span { source: Arc::clone(source), offset, len: c.len_utf8() };
            let warning =
                Diagnostic::warning("yaml::no-break-space", "a no-break space stands where YAML wants a blank");
            report.push(
                warning.at(span).help("replace it by a blank: it came with text from a page or a word processor"),
            );
        }
        // The blanks of an indentation do not end it.
        if c != ' ' || before != '\n' {
            before = c;
        }
    }
}

/// More come from the same place.
const MOST: usize = 10;

fn name(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{A0}' => "a no-break space (U+00A0)",
        '\u{202F}' => "a narrow no-break space (U+202F)",
        '\u{2000}'..='\u{200A}' | '\u{3000}' => "a space that is none of ASCII",
        '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' => "an invisible character",
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "a dash or minus sign that is none of ASCII",
        '\u{FFFD}' => "a byte that is no UTF-8",
        _ => return None,
    })
}

/// The line of an empty span.
fn line(span: &Span) -> (usize, &str) {
    let text = &span.source.text;
    let at = text.floor_char_boundary(span.offset);
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    (start, &text[start..end])
}

/// Characters that are looked at.
const LONGEST: usize = 1000;
